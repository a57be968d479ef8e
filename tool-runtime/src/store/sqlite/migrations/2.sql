-- Version 2: what calls prove. An id begins with the milliseconds since 1970, so that ids are in the
-- order of time.

-- Destroyed keys must be gone from the file. A page that becomes free keeps its bytes, so no row of
-- this table is ever deleted: what is destroyed is overwritten by zeros of the same length, in place.
-- Rows are only appended, and all as long as each other (the id of the ring's key is filled up with
-- zeros), so that none is ever moved either, and nothing depends on what is left behind of a move.
CREATE TABLE evidence_keys (
    number INTEGER PRIMARY KEY,
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    version INTEGER NOT NULL CHECK (version > 0),
    lives INTEGER NOT NULL CHECK (lives IN (0, 1)),
    ring_key BLOB NOT NULL CHECK (length(ring_key) = 64),
    wrapped BLOB NOT NULL CHECK (length(wrapped) = 81),
    UNIQUE (tenant, version)
) STRICT;

-- facts: the snapshot's JSON text. arguments, output: sealed, NULL if they are not kept.
CREATE TABLE evidence (
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    id BLOB NOT NULL CHECK (length(id) = 16),
    trace TEXT NOT NULL,
    key_version INTEGER,
    wrapped BLOB CHECK ((wrapped IS NULL) = (key_version IS NULL)),
    facts BLOB NOT NULL,
    arguments BLOB,
    output BLOB,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX evidence_by_trace ON evidence (tenant, trace, id);
CREATE INDEX evidence_by_key ON evidence (tenant, key_version) WHERE key_version IS NOT NULL;
CREATE INDEX evidence_to_sweep ON evidence (id);

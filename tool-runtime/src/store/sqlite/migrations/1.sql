-- Version 1. Moments are milliseconds since 1970; tenants and ids are the 16 bytes of a UUID.

-- A fence is the number of its row: AUTOINCREMENT never gives one twice, also not after a deletion.
-- state: 0 running (until = end of the lease), 1 answered (until = kept until), 2 unknown.
CREATE TABLE keys (
    fence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    principal TEXT NOT NULL,
    tool TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
    until INTEGER CHECK ((until IS NULL) = (state = 2)),
    succeeded INTEGER,
    body BLOB,
    meta BLOB,
    UNIQUE (tenant, principal, tool, key)
) STRICT;
CREATE INDEX keys_to_sweep ON keys (until) WHERE state = 1;
CREATE INDEX keys_unknown ON keys (tenant, principal, tool, key) WHERE state = 2;

-- ended: NULL while it waits, 0 used, 1 declined, 2 overtaken, 3 expired.
CREATE TABLE tickets (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    conversation TEXT NOT NULL,
    payload BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    ended INTEGER CHECK (ended IN (0, 1, 2, 3))
) STRICT;
CREATE INDEX tickets_to_overtake ON tickets (tenant, conversation) WHERE ended IS NULL;
CREATE INDEX tickets_to_sweep ON tickets (expires_at);

-- arguments: empty for a grant that is good for any.
CREATE TABLE grants (
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    principal TEXT NOT NULL,
    tool TEXT NOT NULL,
    schema BLOB NOT NULL CHECK (length(schema) = 32),
    arguments BLOB NOT NULL CHECK (length(arguments) IN (0, 32)),
    granted_by TEXT NOT NULL,
    granted_at INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (tenant, principal, tool, schema, arguments)
) STRICT, WITHOUT ROWID;

CREATE TABLE outputs (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    principal TEXT NOT NULL,
    text BLOB NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX outputs_to_sweep ON outputs (expires_at);

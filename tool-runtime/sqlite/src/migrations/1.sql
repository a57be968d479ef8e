-- Moments are milliseconds since 1970; tenants and ids are the 16 bytes of a UUID.

-- A fence is the number of its row: AUTOINCREMENT never gives one twice, also not after a deletion.
-- asker: the caller whose share the row counts against. since: when the outcome became unknown, at
-- the latest. state: 0 running (until = end of the lease), 1 answered (until = kept until), 2 unknown.
-- digest: the hash of tenant, principal, tool and key, so that a row is found by its key in two ways.
-- seal: HMAC-SHA-256 over all the other columns but `damaged`, under the key `sealed_by`. damaged: 1
-- once the seal was found broken. Such a row is unknown, whatever else it says.
CREATE TABLE keys (
    fence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    principal TEXT NOT NULL,
    tool TEXT NOT NULL,
    key TEXT NOT NULL,
    digest BLOB NOT NULL,
    asker TEXT NOT NULL,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    since INTEGER,
    state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
    until INTEGER CHECK ((until IS NULL) = (state = 2)),
    succeeded INTEGER,
    body BLOB,
    meta BLOB,
    sealed_by TEXT NOT NULL,
    seal BLOB NOT NULL,
    damaged INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant, principal, tool, key)
) STRICT;
CREATE UNIQUE INDEX keys_by_digest ON keys (digest);
CREATE INDEX keys_to_sweep ON keys (until) WHERE state = 1;
CREATE INDEX keys_to_resolve ON keys (tenant, principal, tool, key) WHERE state = 2 OR damaged = 1;
CREATE INDEX keys_of_asker ON keys (tenant, asker) WHERE state = 2;
CREATE INDEX keys_to_archive ON keys (since) WHERE state = 2;

-- The key of the seals, twice, unless the host has it: then one row of the number 2, without a key.
CREATE TABLE row_keys (
    copy INTEGER PRIMARY KEY,
    secret BLOB,
    digest BLOB
) STRICT;

-- Keys whose outcome stayed unknown for long. A row holds what refuses a repeat, and nothing else. The
-- digest stands twice, so that a row is found although one of them is damaged.
CREATE TABLE archived_keys (
    fence INTEGER PRIMARY KEY,
    tenant BLOB NOT NULL,
    digest BLOB NOT NULL,
    digest_again BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    archived_at INTEGER NOT NULL
) STRICT;
CREATE INDEX archived_by_digest ON archived_keys (digest);
CREATE INDEX archived_by_digest_again ON archived_keys (digest_again);

-- The time that leases and the retention of keys are measured by, and what both clocks showed when it
-- was that time. One row, once it was read.
CREATE TABLE timeline (
    number INTEGER PRIMARY KEY CHECK (number = 0),
    time INTEGER NOT NULL,
    wall INTEGER NOT NULL,
    boot BLOB NOT NULL CHECK (length(boot) = 16),
    up_ms INTEGER NOT NULL
) STRICT;

-- ended: NULL while it waits, 0 used, 1 declined, 2 overtaken, 3 expired. holder: the caller whose
-- share a ticket counts against.
CREATE TABLE tickets (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    conversation TEXT NOT NULL,
    payload BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    ended INTEGER CHECK (ended IN (0, 1, 2, 3)),
    holder TEXT NOT NULL
) STRICT;
CREATE INDEX tickets_to_overtake ON tickets (tenant, conversation) WHERE ended IS NULL;
CREATE INDEX tickets_to_sweep ON tickets (expires_at);
-- What waits of a tenant is listed in the order of ids, which is that of time.
CREATE INDEX tickets_to_list ON tickets (tenant, id) WHERE ended IS NULL;
CREATE INDEX tickets_of_holder ON tickets (tenant, holder) WHERE ended IS NULL;

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

-- What calls prove. An id begins with the milliseconds since 1970, so that ids are in the order of
-- time. facts: the snapshot's JSON text. arguments, output: sealed, NULL if they are not kept.
-- checksum: a keyed checksum over all the other columns.
CREATE TABLE evidence (
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    id BLOB NOT NULL CHECK (length(id) = 16),
    trace TEXT NOT NULL,
    key_version INTEGER,
    wrapped BLOB CHECK ((wrapped IS NULL) = (key_version IS NULL)),
    facts BLOB NOT NULL,
    arguments BLOB,
    output BLOB,
    checksum BLOB NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX evidence_by_trace ON evidence (tenant, trace, id);
CREATE INDEX evidence_by_key ON evidence (tenant, key_version) WHERE key_version IS NOT NULL;
CREATE INDEX evidence_to_sweep ON evidence (id);

-- The record of calls: one row a record, numbered from 0 without gaps.
-- tool_calls: the record's text, byte for byte as the chain links it; NULL once it was forgotten.
-- What is generated is read out of it, so that nothing is said twice: among it the message that a
-- caller got, and the tenant's short name.
CREATE TABLE trace_ledger (
    seq INTEGER PRIMARY KEY CHECK (seq >= 0),
    tool_calls TEXT,
    leaf BLOB NOT NULL CHECK (length(leaf) = 32),
    key TEXT NOT NULL,
    mac BLOB NOT NULL CHECK (length(mac) = 32),
    kind TEXT AS (tool_calls ->> '$.kind'),
    trace_id TEXT AS (tool_calls ->> '$.trace_id'),
    tenant_id TEXT AS (tool_calls ->> '$.tenant_id'),
    tool TEXT AS (tool_calls ->> '$.tool'),
    status TEXT AS (tool_calls ->> '$.status'),
    latency_ms INTEGER AS (tool_calls ->> '$.latency_ms'),
    error TEXT AS (tool_calls ->> '$.error.code'),
    at TEXT AS (tool_calls ->> '$.at'),
    message TEXT AS (tool_calls ->> '$.error.message'),
    tenant_slug TEXT AS (tool_calls ->> '$.tenant_slug')
) STRICT;
-- An index costs every record a part of a page. Tools, statuses and moments have none: what is
-- asked of them is mostly asked of a tenant too, and found on the way through its rows. The calls of a
-- trace are looked up within their tenant: one index serves both columns, and the order of the records
-- behind them. Indexes of one column alone serve the other questions.
CREATE INDEX trace_ledger_of_trace ON trace_ledger (trace_id);
CREATE INDEX trace_ledger_of_tenant ON trace_ledger (tenant_id);
CREATE INDEX trace_ledger_of_tenant_trace ON trace_ledger (tenant_id, trace_id);

-- The conversations of an agent. used_at: when messages were last appended.
CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    principal TEXT NOT NULL,
    session TEXT NOT NULL,
    used_at INTEGER NOT NULL,
    UNIQUE (tenant, principal, session)
) STRICT;
CREATE INDEX sessions_of_principal ON sessions (tenant, principal, used_at);
CREATE INDEX sessions_to_sweep ON sessions (used_at);

-- message: sealed, bound to its session. The numbers of a session's messages are in their order.
CREATE TABLE session_messages (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    message BLOB NOT NULL
) STRICT;
CREATE INDEX session_messages_of ON session_messages (session, number);

-- Version 10: the conversations of an agent.

-- used_at: when messages were last appended.
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

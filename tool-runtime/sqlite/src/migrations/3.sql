-- Messages to other systems, stored with what they report. follows, ends: the ticket whose end a message follows, and
-- that end, numbered as in tickets; NULL once it is due whatever happens. payload: sealed. leases: how often it was
-- leased. failures: the attempts that have failed. due_at: while an attempt runs, the end of its lease. dead: NULL while it
-- is delivered, else 0 queue full, 1 attempts exhausted, 2 gone, 3 unreadable.
CREATE TABLE outbox (
    receiver TEXT NOT NULL,
    id BLOB NOT NULL CHECK (length(id) = 16),
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    follows BLOB CHECK (length(follows) = 16),
    ends INTEGER CHECK (ends IN (0, 1, 2, 3) AND (ends IS NULL) = (follows IS NULL)),
    payload BLOB NOT NULL,
    leases INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    delete_at INTEGER NOT NULL,
    dead INTEGER CHECK (dead IN (0, 1, 2, 3)),
    PRIMARY KEY (receiver, id)
) STRICT;
CREATE INDEX outbox_to_lease ON outbox (receiver, due_at, id) WHERE dead IS NULL AND follows IS NULL;
CREATE INDEX outbox_to_expire ON outbox (receiver, due_at) WHERE ends = 3;
CREATE INDEX outbox_of_ticket ON outbox (follows) WHERE follows IS NOT NULL;
CREATE INDEX outbox_of_tenant ON outbox (receiver, tenant) WHERE follows IS NULL;
CREATE INDEX outbox_of_dead ON outbox (receiver, id) WHERE dead IS NOT NULL;
CREATE INDEX outbox_to_sweep ON outbox (delete_at);

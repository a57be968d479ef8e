-- Version 5. Rows of keys carry a checksum, and outcomes that stay unknown are archived.

-- digest: the hash of tenant, principal, tool and key, so that a row is found by its key in two ways.
-- asker: the caller whose share the row counts against. since: when the outcome became unknown, at
-- the latest. seal: HMAC-SHA-256 over all the other columns but `damaged`, under the key `sealed_by`.
-- damaged: 1 once the seal was found broken. Such a row is unknown, whatever else it says.
ALTER TABLE keys ADD COLUMN digest BLOB;
ALTER TABLE keys ADD COLUMN asker TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN since INTEGER;
ALTER TABLE keys ADD COLUMN sealed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN seal BLOB;
ALTER TABLE keys ADD COLUMN damaged INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX keys_by_digest ON keys (digest);
DROP INDEX keys_unknown;
CREATE INDEX keys_to_resolve ON keys (tenant, principal, tool, key) WHERE state = 2 OR damaged = 1;
CREATE INDEX keys_of_asker ON keys (tenant, asker) WHERE state = 2;
CREATE INDEX keys_to_archive ON keys (since) WHERE state = 2;

-- The key of the seals, twice, unless the host has it: then one row of the number 2, without a key.
CREATE TABLE row_keys (
    copy INTEGER PRIMARY KEY,
    secret BLOB,
    digest BLOB
) STRICT;

-- Keys whose outcome stayed unknown for long. A row holds what refuses a repeat, and nothing else. The digest
-- stands twice, so that a row is found although one of them is damaged.
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

-- holder: the caller whose share a ticket counts against.
ALTER TABLE tickets ADD COLUMN holder TEXT NOT NULL DEFAULT '';
CREATE INDEX tickets_of_holder ON tickets (tenant, holder) WHERE ended IS NULL;

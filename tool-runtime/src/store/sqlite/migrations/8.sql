-- Version 8: a keyed checksum over all columns of a snapshot. Snapshots of before have none: see
-- `Vault::add_checksums`.
ALTER TABLE evidence ADD COLUMN checksum BLOB;

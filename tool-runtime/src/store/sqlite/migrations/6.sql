-- Version 6. The time that leases and the retention of keys are measured by, and what both clocks
-- showed when it was that time. One row, once it was read.
CREATE TABLE timeline (
    number INTEGER PRIMARY KEY CHECK (number = 0),
    time INTEGER NOT NULL,
    wall INTEGER NOT NULL,
    boot BLOB NOT NULL CHECK (length(boot) = 16),
    up_ms INTEGER NOT NULL
) STRICT;

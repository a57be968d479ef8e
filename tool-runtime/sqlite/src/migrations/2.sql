-- The amounts of budgets that a key reserves, as JSON; NULL if it reserves none. The seal of a key covers it.
ALTER TABLE keys ADD COLUMN reserved TEXT;
ALTER TABLE archived_keys ADD COLUMN reserved TEXT;

-- The sums of an account in one period. account: the hash of the five texts. unit: `calls`, or a
-- currency with its digits, whose amounts are millionths. most: the limit of the last reservation. delete_at: by the
-- time of the keys; NULL if it is kept for ever.
CREATE TABLE budget_periods (
    tenant BLOB NOT NULL CHECK (length(tenant) = 16),
    account BLOB NOT NULL CHECK (length(account) = 32),
    start INTEGER NOT NULL,
    budget TEXT NOT NULL,
    window TEXT NOT NULL,
    scope TEXT NOT NULL,
    unit TEXT NOT NULL,
    most INTEGER NOT NULL,
    spent INTEGER NOT NULL,
    reserved INTEGER NOT NULL,
    raised INTEGER NOT NULL,
    delete_at INTEGER,
    PRIMARY KEY (tenant, account, start)
) STRICT;
CREATE INDEX budget_periods_to_sweep ON budget_periods (delete_at) WHERE delete_at IS NOT NULL;

-- The host's changes of limits. amount: in place of the configured one; NULL if that holds.
CREATE TABLE budget_controls (
    budget TEXT NOT NULL,
    window TEXT NOT NULL,
    unit TEXT NOT NULL,
    paused INTEGER NOT NULL,
    amount INTEGER,
    PRIMARY KEY (budget, window, unit)
) STRICT;

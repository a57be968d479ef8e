-- Version 3. The record of calls: one row a record, numbered from 0 without gaps.

-- tool_calls: the record's text, byte for byte as the chain links it; NULL once it was forgotten.
-- What is generated is read out of it, so that nothing is said twice.
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
    at TEXT AS (tool_calls ->> '$.at')
) STRICT;
-- An index costs every record a part of a page. Tools, statuses and moments have none: what is
-- asked of them is mostly asked of a tenant too, and found on the way through its rows.
CREATE INDEX trace_ledger_of_trace ON trace_ledger (trace_id);
CREATE INDEX trace_ledger_of_tenant ON trace_ledger (tenant_id);

-- Version 9: the columns of the table show the message that a caller got, and the tenant's short name.
ALTER TABLE trace_ledger ADD COLUMN message TEXT AS (tool_calls ->> '$.error.message');
ALTER TABLE trace_ledger ADD COLUMN tenant_slug TEXT AS (tool_calls ->> '$.tenant_slug');

-- Version 7. The calls of a trace are looked up within their tenant: one index serves both columns,
-- and the order of the records behind them. Indexes of one column alone serve the other questions.
CREATE INDEX trace_ledger_of_tenant_trace ON trace_ledger (tenant_id, trace_id);

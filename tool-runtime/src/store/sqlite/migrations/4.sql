-- Version 4. What waits of a tenant is listed in the order of ids, which is that of time.
CREATE INDEX tickets_to_list ON tickets (tenant, id) WHERE ended IS NULL;

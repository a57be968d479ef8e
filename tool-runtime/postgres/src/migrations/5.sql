-- Messages to other systems.

-- follows, ends: the ticket whose end a message follows, and that end, numbered as in tickets; NULL once it is due whatever
-- happens. payload: sealed. leases: how often it was leased. failures: the attempts that have failed. due_at: while an
-- attempt runs, the end of its lease. dead: NULL while it is delivered, else 0 queue full, 1 attempts exhausted, 2 gone,
-- 3 unreadable.
CREATE TABLE "SCHEMA".outbox (
    receiver text COLLATE "C" NOT NULL,
    id uuid NOT NULL,
    tenant uuid NOT NULL,
    follows uuid,
    ends smallint CHECK (ends IN (0, 1, 2, 3) AND (ends IS NULL) = (follows IS NULL)),
    payload bytea NOT NULL,
    leases integer NOT NULL,
    failures integer NOT NULL,
    due_at bigint NOT NULL,
    delete_at bigint NOT NULL,
    dead smallint CHECK (dead IN (0, 1, 2, 3)),
    PRIMARY KEY (receiver, id)
);
CREATE INDEX outbox_to_lease ON "SCHEMA".outbox (receiver, due_at, id) WHERE dead IS NULL AND follows IS NULL;
CREATE INDEX outbox_to_expire ON "SCHEMA".outbox (receiver, due_at) WHERE ends = 3;
CREATE INDEX outbox_of_ticket ON "SCHEMA".outbox (follows) WHERE follows IS NOT NULL;
CREATE INDEX outbox_of_tenant ON "SCHEMA".outbox (receiver, tenant) WHERE follows IS NULL;
CREATE INDEX outbox_of_dead ON "SCHEMA".outbox (receiver, id) WHERE dead IS NOT NULL;
CREATE INDEX outbox_to_sweep ON "SCHEMA".outbox (delete_at);
ALTER TABLE "SCHEMA".outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE "SCHEMA".outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY rows_of_tenant ON "SCHEMA".outbox
    USING (current_setting('tool_runtime.tenant', true) IN ('*', tenant::text));

-- Returns whether as many messages of a tenant wait for their delivery to a receiver, or are dead. Counts no further.
CREATE FUNCTION "SCHEMA".is_at_bound(in_receiver text, in_tenant uuid, in_queued boolean, in_bound bigint)
RETURNS boolean
LANGUAGE sql VOLATILE AS $$
    SELECT count(*) >= in_bound FROM (
        SELECT FROM "SCHEMA".outbox
        WHERE receiver = in_receiver AND tenant = in_tenant AND follows IS NULL AND (dead IS NULL) = in_queued
        LIMIT in_bound) AS counted
$$;

-- Inserts messages; returns how many. A message beyond the bound of its receiver is dead from the beginning, and one
-- beyond the bound of dead messages is not stored.
CREATE FUNCTION "SCHEMA".put_messages(
    in_receivers text[], in_ids uuid[], in_tenants uuid[], in_follows uuid[], in_ends smallint[], in_payloads bytea[],
    in_due_at bigint[], in_delete_at bigint[], in_max_queued bigint)
RETURNS bigint
LANGUAGE sql VOLATILE AS $$
    WITH inserted AS (
        INSERT INTO "SCHEMA".outbox (
            receiver, id, tenant, follows, ends, payload, leases, failures, due_at, delete_at, dead)
        SELECT added.receiver, added.id, added.tenant, added.follows, added.ends, added.payload, 0, 0, added.due_at,
            added.delete_at, CASE WHEN bound.is_reached THEN 0::smallint END
        FROM unnest(
            in_receivers, in_ids, in_tenants, in_follows, in_ends, in_payloads, in_due_at, in_delete_at)
            AS added (receiver, id, tenant, follows, ends, payload, due_at, delete_at)
        CROSS JOIN LATERAL (
            SELECT added.follows IS NULL
                AND "SCHEMA".is_at_bound(added.receiver, added.tenant, true, in_max_queued) AS is_reached) AS bound
        WHERE NOT bound.is_reached OR NOT "SCHEMA".is_at_bound(added.receiver, added.tenant, false, in_max_queued)
        ON CONFLICT (receiver, id) DO NOTHING
        RETURNING id)
    SELECT count(*) FROM inserted
$$;

-- Makes the messages that follow these ends of tickets due, and deletes those of other ends.
CREATE FUNCTION "SCHEMA".tickets_ended(in_tickets uuid[], in_ends smallint[]) RETURNS void
LANGUAGE sql VOLATILE AS $$
    DELETE FROM "SCHEMA".outbox AS followers USING unnest(in_tickets, in_ends) AS ended (ticket, ticket_end)
    WHERE followers.follows = ended.ticket AND followers.ends <> ended.ticket_end;
    UPDATE "SCHEMA".outbox AS followers SET follows = NULL, ends = NULL, due_at = 0
    FROM unnest(in_tickets, in_ends) AS ended (ticket, ticket_end)
    WHERE followers.follows = ended.ticket AND followers.ends = ended.ticket_end;
$$;

-- Ends a waiting ticket; returns whether it waited.
CREATE FUNCTION "SCHEMA".end_ticket(in_ticket uuid, in_end smallint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE "SCHEMA".tickets SET ended = in_end WHERE id = in_ticket AND ended IS NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM "SCHEMA".tickets_ended(ARRAY[in_ticket], ARRAY[in_end]);
    RETURN true;
END
$$;

-- Ends the tickets whose expiry has due messages to a receiver, before any of these is leased. Tickets are locked before
-- messages, as wherever tickets end. A message whose ticket is gone was left by a program that knows no messages.
CREATE FUNCTION "SCHEMA".expire_followed(in_receiver text, in_now bigint, in_limit bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    due uuid[];
BEGIN
    SELECT array_agg(DISTINCT followed.follows) INTO due FROM (
        SELECT follows FROM "SCHEMA".outbox
        WHERE receiver = in_receiver AND ends = 3 AND due_at <= in_now
        LIMIT in_limit) AS followed;
    IF due IS NULL THEN RETURN; END IF;
    PERFORM id FROM "SCHEMA".tickets WHERE id = ANY (due) ORDER BY id FOR UPDATE;
    UPDATE "SCHEMA".tickets SET ended = 3 WHERE id = ANY (due) AND ended IS NULL;
    PERFORM "SCHEMA".tickets_ended(array_agg(id), array_agg(ended)) FROM "SCHEMA".tickets WHERE id = ANY (due);
    DELETE FROM "SCHEMA".outbox WHERE follows = ANY (due);
END
$$;

-- The ledger: a chain for each writer, and the chain with the nil id over the heads of all of them.

-- size: the number of records. head: the last signed head, JSON. last_at: the time of the last record; the times of a
-- chain do not go back. covered: the size that the last record over the heads covers. noted_lost: true if that record
-- names the writer as lost. No index names a column that changes: an update stays within its page (HOT).
CREATE TABLE "SCHEMA".ledger_chains (
    id uuid PRIMARY KEY,
    writer text COLLATE "C" NOT NULL,
    size bigint NOT NULL DEFAULT 0,
    head bytea,
    last_at bigint NOT NULL DEFAULT 0,
    seen_at bigint NOT NULL DEFAULT 0,
    closed boolean NOT NULL DEFAULT false,
    covered bigint NOT NULL DEFAULT 0,
    noted_lost boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
INSERT INTO "SCHEMA".ledger_chains (id, writer) VALUES ('00000000-0000-0000-0000-000000000000', '');

-- The links of all records. They stay when the records' contents are erased. body: only of the chain of checkpoints,
-- whose contents are never erased: they prove the other chains, and say what was erased of them.
CREATE TABLE "SCHEMA".ledger_links (
    chain uuid NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL,
    leaf bytea NOT NULL CHECK (octet_length(leaf) = 32),
    key text COLLATE "C" NOT NULL,
    mac bytea NOT NULL CHECK (octet_length(mac) = 32),
    body bytea CHECK ((body IS NOT NULL) = (chain = '00000000-0000-0000-0000-000000000000')),
    PRIMARY KEY (chain, seq)
);

-- The contents of the other chains' records, in a partition for each day. trace, request: hashes of the texts. tenant, trace,
-- request, tool, failed: NULL for records that are no calls.
CREATE TABLE "SCHEMA".ledger_records (
    at bigint NOT NULL,
    chain uuid NOT NULL,
    seq bigint NOT NULL,
    tenant uuid,
    trace bigint,
    request bigint,
    tool text COLLATE "C",
    failed boolean,
    body bytea NOT NULL,
    PRIMARY KEY (at, chain, seq)
) PARTITION BY RANGE (at);
CREATE INDEX ledger_records_by_trace ON "SCHEMA".ledger_records (trace, at, chain, seq) WHERE trace IS NOT NULL;
CREATE INDEX ledger_records_by_request ON "SCHEMA".ledger_records (request, at, chain, seq) WHERE request IS NOT NULL;
ALTER TABLE "SCHEMA".ledger_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE "SCHEMA".ledger_records FORCE ROW LEVEL SECURITY;
CREATE POLICY rows_of_tenant ON "SCHEMA".ledger_records
    USING (current_setting('tool_runtime.tenant', true) IN ('*', tenant::text));

CREATE FUNCTION "SCHEMA".now_ms() RETURNS bigint
LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- Partitions are added and dropped with the rights of the schema's owner, since a role that only writes the ledger may
-- not change its tables. Adding locks out no reader and no writer; dropping waits for both, at most for its timeout.
CREATE FUNCTION "SCHEMA".add_ledger_partitions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    today bigint := "SCHEMA".now_ms() / 86400000;
    name text;
BEGIN
    FOR day IN today - 1 .. today + 1 LOOP
        name := 'ledger_records_' || day;
        CONTINUE WHEN to_regclass(format('"SCHEMA".%I', name)) IS NOT NULL;
        -- A lock of the table, not an advisory one: only the former makes the session see what others have created
        -- while it waited.
        LOCK TABLE "SCHEMA".ledger_records IN SHARE UPDATE EXCLUSIVE MODE;
        CONTINUE WHEN to_regclass(format('"SCHEMA".%I', name)) IS NOT NULL;
        EXECUTE format('CREATE TABLE "SCHEMA".%I (LIKE "SCHEMA".ledger_records INCLUDING ALL)', name);
        EXECUTE format(
            'ALTER TABLE "SCHEMA".ledger_records ATTACH PARTITION "SCHEMA".%I FOR VALUES FROM (%s) TO (%s)',
            name, day * 86400000::bigint, (day + 1) * 86400000::bigint);
    END LOOP;
END
$$;

-- Appends records to a chain if it has as many as the caller expects; returns how many it had. A time is at most a day
-- from the server's, so that the partitions of three days take all records, and is not before that of the record
-- before, so that the records that a partition held are the first ones of each chain.
CREATE FUNCTION "SCHEMA".append_records(
    in_lock_timeout text, in_commit text, in_chain uuid, in_size bigint, in_head bytea, in_closes boolean,
    in_ats bigint[], in_leaves bytea[], in_keys text[], in_macs bytea[], in_tenants uuid[], in_traces bigint[],
    in_requests bigint[], in_tools text[], in_failed boolean[], in_bodies bytea[])
RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    present record;
    now_ms bigint := "SCHEMA".now_ms();
BEGIN
    PERFORM set_config('tool_runtime.tenant', '*', true),
        set_config('lock_timeout', in_lock_timeout, true),
        set_config('synchronous_commit', in_commit, true);
    -- Before the row: a transaction that holds the lock for new partitions may wait for the row.
    PERFORM "SCHEMA".add_ledger_partitions();
    SELECT chains.size, chains.last_at INTO present
    FROM "SCHEMA".ledger_chains AS chains WHERE chains.id = in_chain FOR UPDATE;
    IF present.size IS DISTINCT FROM in_size THEN RETURN present.size; END IF;
    WITH added AS MATERIALIZED (
        SELECT in_size + number - 1 AS seq,
            greatest(
                present.last_at,
                max(least(greatest(at, now_ms - 86400000), now_ms + 86400000)) OVER (ORDER BY number)) AS at,
            leaf, key, mac, tenant, trace, request, tool, failed, body
        FROM unnest(
            in_ats, in_leaves, in_keys, in_macs, in_tenants, in_traces, in_requests, in_tools, in_failed, in_bodies)
            WITH ORDINALITY AS entries (
                at, leaf, key, mac, tenant, trace, request, tool, failed, body, number)
    ), links AS (
        INSERT INTO "SCHEMA".ledger_links (chain, seq, at, leaf, key, mac, body)
        SELECT in_chain, seq, at, leaf, key, mac,
            CASE WHEN in_chain = '00000000-0000-0000-0000-000000000000' THEN body END
        FROM added
    ), records AS (
        INSERT INTO "SCHEMA".ledger_records (at, chain, seq, tenant, trace, request, tool, failed, body)
        SELECT at, in_chain, seq, tenant, trace, request, tool, failed, body FROM added
        WHERE in_chain <> '00000000-0000-0000-0000-000000000000'
    )
    UPDATE "SCHEMA".ledger_chains
    SET size = in_size + cardinality(in_ats), head = coalesce(in_head, head),
        last_at = (SELECT max(at) FROM added), seen_at = now_ms, closed = in_closes, noted_lost = false
    WHERE id = in_chain;
    RETURN present.size;
END
$$;

-- Appends a record over the heads of chains, as append_records does, and notes what it covers.
CREATE FUNCTION "SCHEMA".append_checkpoint(
    in_lock_timeout text, in_commit text, in_chain uuid, in_size bigint, in_head bytea, in_closes boolean,
    in_ats bigint[], in_leaves bytea[], in_keys text[], in_macs bytea[], in_tenants uuid[], in_traces bigint[],
    in_requests bigint[], in_tools text[], in_failed boolean[], in_bodies bytea[],
    in_covered uuid[], in_sizes bigint[], in_lost boolean[])
RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    present_size bigint := "SCHEMA".append_records(
        in_lock_timeout, in_commit, in_chain, in_size, in_head, in_closes, in_ats, in_leaves, in_keys, in_macs,
        in_tenants, in_traces, in_requests, in_tools, in_failed, in_bodies);
BEGIN
    IF present_size = in_size THEN
        UPDATE "SCHEMA".ledger_chains AS chains
        SET covered = greatest(chains.covered, entries.size), noted_lost = entries.is_lost
        FROM unnest(in_covered, in_sizes, in_lost) AS entries (id, size, is_lost)
        WHERE chains.id = entries.id;
    END IF;
    RETURN present_size;
END
$$;

-- Notes that a writer is alive; returns whether the last record over the heads is older than this time, to one of the
-- writers.
CREATE FUNCTION "SCHEMA".beat(in_lock_timeout text, in_chain uuid, in_every_ms bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    now_ms bigint := "SCHEMA".now_ms();
    is_due boolean;
BEGIN
    PERFORM set_config('lock_timeout', in_lock_timeout, true);
    -- In the order in which a checkpoint locks the rows.
    UPDATE "SCHEMA".ledger_chains SET seen_at = now_ms
    WHERE id = '00000000-0000-0000-0000-000000000000' AND seen_at <= now_ms - in_every_ms;
    is_due := FOUND;
    UPDATE "SCHEMA".ledger_chains SET seen_at = now_ms, noted_lost = false WHERE id = in_chain;
    RETURN is_due;
END
$$;

-- Returns the number of records that the dropped partitions had: those that end at this time or earlier. A record of
-- the last day is never dropped, since others may still be added with its time.
CREATE FUNCTION "SCHEMA".drop_ledger_partitions(in_lock_timeout text, in_until bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    end_day bigint := least(in_until, "SCHEMA".now_ms() - 86400000) / 86400000;
    name text;
    names text[];
    records bigint;
    dropped bigint := 0;
BEGIN
    PERFORM set_config('lock_timeout', in_lock_timeout, true);
    -- One replica at a time; reads and appends of all replicas go on until the partitions are detached.
    LOCK TABLE "SCHEMA".ledger_records IN SHARE UPDATE EXCLUSIVE MODE;
    SELECT coalesce(array_agg(partition.relname ORDER BY partition.relname), '{}') INTO names
    FROM pg_inherits JOIN pg_class AS partition ON partition.oid = inhrelid
    WHERE inhparent = '"SCHEMA".ledger_records'::regclass
        AND substring(partition.relname FROM '[0-9]+$')::bigint < end_day;
    FOREACH name IN ARRAY names LOOP
        EXECUTE format('SELECT count(*) FROM "SCHEMA".%I', name) INTO records;
        dropped := dropped + records;
    END LOOP;
    FOREACH name IN ARRAY names LOOP
        EXECUTE format('ALTER TABLE "SCHEMA".ledger_records DETACH PARTITION "SCHEMA".%I', name);
        EXECUTE format('DROP TABLE "SCHEMA".%I', name);
    END LOOP;
    RETURN dropped;
END
$$;

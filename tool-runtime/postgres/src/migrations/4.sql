-- Budgets.

-- The amounts that a key reserves, as JSON: [["<digits of the account>", start, unit, amount], …]; NULL if it reserves
-- none. Of an answered key they are what it had reserved, and count no longer.
ALTER TABLE "SCHEMA".keys ADD COLUMN reserved text COLLATE "C";

-- The sums of an account in one period. account: the hash of the other texts. unit: `calls`, or a
-- currency with its digits, whose amounts are millionths. most: the limit of the last reservation. delete_at: by the
-- time of the keys; NULL if it is kept for ever.
CREATE TABLE "SCHEMA".budget_periods (
    tenant uuid NOT NULL,
    account bytea NOT NULL CHECK (octet_length(account) = 32),
    start bigint NOT NULL,
    budget text COLLATE "C" NOT NULL,
    limit_name text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    unit text COLLATE "C" NOT NULL,
    most bigint NOT NULL,
    spent bigint NOT NULL CHECK (spent >= 0),
    reserved bigint NOT NULL CHECK (reserved >= 0),
    raised bigint NOT NULL CHECK (raised >= 0),
    delete_at bigint,
    PRIMARY KEY (tenant, account, start)
) WITH (fillfactor = 50);
CREATE INDEX budget_periods_to_sweep ON "SCHEMA".budget_periods (delete_at) WHERE delete_at IS NOT NULL;
ALTER TABLE "SCHEMA".budget_periods ENABLE ROW LEVEL SECURITY;
ALTER TABLE "SCHEMA".budget_periods FORCE ROW LEVEL SECURITY;
CREATE POLICY rows_of_tenant ON "SCHEMA".budget_periods
    USING (current_setting('tool_runtime.tenant', true) IN ('*', tenant::text));

-- The host's changes of limits, for all tenants. amount: in place of the configured one; NULL if that holds.
CREATE TABLE "SCHEMA".budget_controls (
    budget text COLLATE "C" NOT NULL,
    limit_name text COLLATE "C" NOT NULL,
    unit text COLLATE "C" NOT NULL,
    paused boolean NOT NULL,
    amount bigint,
    PRIMARY KEY (budget, limit_name, unit)
);

-- Reads balances, each of the periods from in_firsts to in_lasts; of none if these are NULL.
CREATE FUNCTION "SCHEMA".budget_balances(
    in_tenant uuid, in_accounts bytea[], in_firsts bigint[], in_lasts bigint[],
    in_budgets text[], in_limit_names text[], in_units text[])
RETURNS TABLE (number bigint, spent bigint, reserved bigint, raised bigint, paused boolean, amount bigint)
LANGUAGE sql VOLATILE AS $$
    SELECT needs.number,
        least(coalesce(sums.spent, 0), 9223372036854775807)::bigint,
        least(coalesce(sums.reserved, 0), 9223372036854775807)::bigint,
        least(coalesce(sums.raised, 0), 9223372036854775807)::bigint,
        coalesce(controls.paused, false), controls.amount
    FROM unnest(in_accounts, in_firsts, in_lasts, in_budgets, in_limit_names, in_units) WITH ORDINALITY
        AS needs (account, first, last, budget, limit_name, unit, number)
    LEFT JOIN "SCHEMA".budget_controls AS controls USING (budget, limit_name, unit)
    CROSS JOIN LATERAL (
        SELECT sum(periods.spent) AS spent, sum(periods.reserved) AS reserved, sum(periods.raised) AS raised
        FROM "SCHEMA".budget_periods AS periods
        WHERE periods.tenant = in_tenant AND periods.account = needs.account
            AND periods.start BETWEEN needs.first AND needs.last) AS sums
    ORDER BY needs.number
$$;

-- Reserves amounts, or spends them, if all of them fit; returns whether they do, and the balances with them. The
-- accounts are in order, so that two transactions do not wait for each other. All that add to an account wait for its
-- lock: a rolling window has several rows. An account without a start has neither a lock nor a row: its amount is
-- compared with the limit.
CREATE FUNCTION "SCHEMA".take_amounts(
    in_tenant uuid, in_accounts bytea[], in_locks bigint[], in_starts bigint[], in_firsts bigint[], in_lasts bigint[],
    in_amounts bigint[], in_limits bigint[], in_may_exceed boolean[], in_delete_at bigint[],
    in_budgets text[], in_limit_names text[], in_scopes text[], in_units text[], in_spends boolean)
RETURNS TABLE (fits boolean, balances bigint[])
LANGUAGE plpgsql AS $$
DECLARE
    balance record;
BEGIN
    -- Locks are those of the database: without its name, a schema would wait for the same accounts of another.
    FOR place IN 1 .. cardinality(in_locks) LOOP
        PERFORM pg_advisory_xact_lock(in_locks[place] # hashtextextended('"SCHEMA"', 0));
    END LOOP;
    fits := true;
    FOR balance IN SELECT * FROM "SCHEMA".budget_balances(
        in_tenant, in_accounts, in_firsts, in_lasts, in_budgets, in_limit_names, in_units)
    LOOP
        fits := fits AND (
            in_amounts[balance.number] = 0
            OR NOT balance.paused AND (
                in_may_exceed[balance.number]
                OR balance.spent::numeric + balance.reserved + in_amounts[balance.number]
                    <= coalesce(balance.amount, in_limits[balance.number])::numeric + balance.raised));
    END LOOP;
    IF fits THEN
        INSERT INTO "SCHEMA".budget_periods AS periods (
            tenant, account, start, budget, limit_name, scope, unit, most, spent, reserved, raised, delete_at)
        SELECT in_tenant, account, start, budget, limit_name, scope, unit, most,
            CASE WHEN in_spends THEN amount ELSE 0 END, CASE WHEN in_spends THEN 0 ELSE amount END, 0, delete_at
        FROM unnest(
            in_accounts, in_starts, in_budgets, in_limit_names, in_scopes, in_units, in_limits, in_amounts,
            in_delete_at) AS needs (
                account, start, budget, limit_name, scope, unit, most, amount, delete_at)
        WHERE start IS NOT NULL
        ON CONFLICT (tenant, account, start) DO UPDATE
        SET spent = least(periods.spent::numeric + excluded.spent, 9223372036854775807)::bigint,
            reserved = least(periods.reserved::numeric + excluded.reserved, 9223372036854775807)::bigint,
            most = excluded.most;
    END IF;
    SELECT array_agg(part ORDER BY after.number, parts.place) INTO balances
    FROM "SCHEMA".budget_balances(
        in_tenant, in_accounts, in_firsts, in_lasts, in_budgets, in_limit_names, in_units) AS after
    CROSS JOIN LATERAL unnest(
        ARRAY[after.spent, after.reserved, after.raised, after.paused::integer, after.amount])
        WITH ORDINALITY AS parts (part, place);
    RETURN NEXT;
END
$$;

-- Ends the reservations of a key. in_charge: 0 what was reserved is spent, 1 nothing, 2 what was reported in each
-- currency of in_codes, and in every other unit what was reserved. Several amounts of one account are one sum: the last
-- one has what was spent beyond all of them.
CREATE FUNCTION "SCHEMA".settle_amounts(
    in_tenant uuid, in_reserved text, in_charge smallint, in_codes text[], in_amounts bigint[])
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    entry record;
BEGIN
    IF in_reserved IS NULL THEN RETURN; END IF;
    FOR entry IN
        SELECT account, start, amount,
            CASE WHEN number = last THEN greatest(whole - earlier, 0)
                ELSE least(greatest(whole - earlier, 0), amount) END AS charged
        FROM (
            SELECT decode(item ->> 0, 'hex') AS account, (item ->> 1)::bigint AS start, (item ->> 3)::bigint AS amount,
                number, max(number) OVER account AS last,
                sum((item ->> 3)::bigint) OVER (account ORDER BY number) - (item ->> 3)::bigint AS earlier,
                CASE in_charge WHEN 1 THEN 0
                    ELSE coalesce(
                        (SELECT reported.amount FROM unnest(in_codes, in_amounts) AS reported (code, amount)
                         WHERE in_charge = 2 AND reported.code = split_part(item ->> 2, '/', 1) LIMIT 1),
                        sum((item ->> 3)::bigint) OVER account) END AS whole
            FROM jsonb_array_elements(in_reserved::jsonb) WITH ORDINALITY AS items (item, number)
            WINDOW account AS (PARTITION BY item ->> 0)) AS entries
        ORDER BY account, start
    LOOP
        UPDATE "SCHEMA".budget_periods AS periods
        SET reserved = greatest(periods.reserved - entry.amount, 0),
            spent = least(periods.spent::numeric + entry.charged, 9223372036854775807)::bigint
        WHERE periods.tenant = in_tenant AND periods.account = entry.account AND periods.start = entry.start;
    END LOOP;
END
$$;

-- Claims a key as claim does and, if it is free, reserves amounts; nothing of both if they do not fit.
CREATE FUNCTION "SCHEMA".reserve(
    in_tenant uuid, in_lock_timeout text, in_commit text, in_digest bytea, in_lock bigint,
    in_principal text, in_tool text, in_key text, in_caller text, in_fingerprint bytea,
    in_claim uuid, in_lease_until bigint, in_max_unknown bigint, in_reserved text,
    in_accounts bytea[], in_locks bigint[], in_starts bigint[], in_firsts bigint[], in_lasts bigint[],
    in_amounts bigint[], in_limits bigint[], in_may_exceed boolean[], in_delete_at bigint[],
    in_budgets text[], in_limit_names text[], in_scopes text[], in_units text[])
RETURNS TABLE (
    is_new boolean, caller text, fingerprint bytea, fence bigint, state smallint, lease_until bigint,
    keep_until bigint, since bigint, succeeded boolean, body bytea, meta bytea, reserved text,
    fits boolean, balances bigint[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    taken record;
BEGIN
    PERFORM set_config('tool_runtime.tenant', in_tenant::text, true),
        set_config('lock_timeout', in_lock_timeout, true),
        set_config('synchronous_commit', in_commit, true);
    PERFORM pg_advisory_xact_lock(in_lock);
    RETURN QUERY
        SELECT false, present.caller, present.fingerprint, present.fence, present.state, present.lease_until,
            present.keep_until, present.since, present.succeeded, present.body, present.meta, present.reserved,
            NULL::boolean, NULL::bigint[]
        FROM "SCHEMA".keys AS present WHERE present.digest = in_digest;
    IF FOUND THEN RETURN; END IF;
    IF in_max_unknown <= (
        SELECT count(*) FROM (
            SELECT FROM "SCHEMA".keys AS unknown
            WHERE unknown.tenant = in_tenant
                AND hashtextextended(unknown.caller, 0) = hashtextextended(in_caller, 0)
                AND unknown.caller = in_caller AND unknown.state = 2
            LIMIT in_max_unknown) AS of_caller)
    THEN RETURN; END IF;
    SELECT * INTO taken FROM "SCHEMA".take_amounts(
        in_tenant, in_accounts, in_locks, in_starts, in_firsts, in_lasts, in_amounts, in_limits, in_may_exceed,
        in_delete_at, in_budgets, in_limit_names, in_scopes, in_units, false) AS amounts;
    IF NOT taken.fits THEN
        RETURN QUERY SELECT false, NULL::text, NULL::bytea, NULL::bigint, NULL::smallint, NULL::bigint, NULL::bigint,
            NULL::bigint, NULL::boolean, NULL::bytea, NULL::bytea, NULL::text, false, taken.balances;
        RETURN;
    END IF;
    RETURN QUERY
        INSERT INTO "SCHEMA".keys AS added (
            digest, tenant, principal, tool, key, caller, fingerprint, fence, claim, state, lease_until, reserved)
        VALUES (
            in_digest, in_tenant, in_principal, in_tool, in_key, in_caller, in_fingerprint,
            nextval('"SCHEMA".fences'), in_claim, 0, in_lease_until, in_reserved)
        RETURNING true, NULL::text, NULL::bytea, added.fence, 0::smallint, NULL::bigint, NULL::bigint, NULL::bigint,
            NULL::boolean, NULL::bytea, NULL::bytea, NULL::text, true, taken.balances;
END
$$;

-- Takes a key over from the owner that was read, unless it has changed meanwhile, and reserves what its record lacks. No
-- row: it has changed.
CREATE FUNCTION "SCHEMA".take_over(
    in_tenant uuid, in_digest bytea, in_fence bigint, in_state smallint, in_lease bigint, in_claim uuid, in_caller text,
    in_lease_until bigint, in_reserved text,
    in_accounts bytea[], in_locks bigint[], in_starts bigint[], in_firsts bigint[], in_lasts bigint[],
    in_amounts bigint[], in_limits bigint[], in_may_exceed boolean[], in_delete_at bigint[],
    in_budgets text[], in_limit_names text[], in_scopes text[], in_units text[])
RETURNS TABLE (fence bigint, fits boolean, balances bigint[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    taken record;
BEGIN
    PERFORM FROM "SCHEMA".keys AS present
    WHERE present.digest = in_digest AND present.fence = in_fence AND present.state = in_state
        AND present.lease_until IS NOT DISTINCT FROM in_lease
    FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO taken FROM "SCHEMA".take_amounts(
        in_tenant, in_accounts, in_locks, in_starts, in_firsts, in_lasts, in_amounts, in_limits, in_may_exceed,
        in_delete_at, in_budgets, in_limit_names, in_scopes, in_units, false) AS amounts;
    IF NOT taken.fits THEN
        RETURN QUERY SELECT NULL::bigint, false, taken.balances;
        RETURN;
    END IF;
    RETURN QUERY
        UPDATE "SCHEMA".keys AS owned
        SET fence = nextval('"SCHEMA".fences'), claim = in_claim, caller = in_caller, state = 0,
            lease_until = in_lease_until, since = NULL, reserved = in_reserved
        WHERE owned.digest = in_digest
        RETURNING owned.fence, true, taken.balances;
END
$$;

-- Settles a key with an answer, and its reservations with a charge, if it is held under the fence; returns whether it was.
CREATE FUNCTION "SCHEMA".answer_charged(
    in_tenant uuid, in_lock_timeout text, in_commit text, in_digest bytea, in_fence bigint,
    in_keep_until bigint, in_succeeded boolean, in_body bytea, in_meta bytea,
    in_charge smallint, in_codes text[], in_amounts bigint[])
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    amounts text;
BEGIN
    PERFORM set_config('tool_runtime.tenant', in_tenant::text, true),
        set_config('lock_timeout', in_lock_timeout, true),
        set_config('synchronous_commit', in_commit, true);
    UPDATE "SCHEMA".keys
    SET state = 1, lease_until = NULL, since = NULL, keep_until = in_keep_until,
        succeeded = in_succeeded, body = in_body, meta = in_meta
    WHERE digest = in_digest AND fence = in_fence AND state IN (0, 2)
    RETURNING reserved INTO amounts;
    IF NOT FOUND THEN RETURN false; END IF;
    PERFORM "SCHEMA".settle_amounts(in_tenant, amounts, in_charge, in_codes, in_amounts);
    RETURN true;
END
$$;

-- As before, and of a key that has reserved amounts, they are spent.
CREATE OR REPLACE FUNCTION "SCHEMA".answer(
    in_tenant uuid, in_lock_timeout text, in_commit text, in_digest bytea, in_fence bigint,
    in_keep_until bigint, in_succeeded boolean, in_body bytea, in_meta bytea)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    amounts text;
BEGIN
    PERFORM set_config('tool_runtime.tenant', in_tenant::text, true),
        set_config('lock_timeout', in_lock_timeout, true),
        set_config('synchronous_commit', in_commit, true);
    UPDATE "SCHEMA".keys
    SET state = 1, lease_until = NULL, since = NULL, keep_until = in_keep_until,
        succeeded = in_succeeded, body = in_body, meta = in_meta
    WHERE digest = in_digest AND fence = in_fence AND state IN (0, 2)
    RETURNING reserved INTO amounts;
    IF NOT FOUND THEN RETURN false; END IF;
    IF amounts IS NOT NULL THEN
        PERFORM "SCHEMA".settle_amounts(in_tenant, amounts, 0::smallint, NULL, NULL);
    END IF;
    RETURN true;
END
$$;

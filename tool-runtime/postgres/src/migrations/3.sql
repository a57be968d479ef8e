-- Limits that replicas share. Nothing of them has to survive a crash of the server: the tables are not logged.

-- key: a hash of tool and tenant. used_until: the time in nanoseconds up to which the rate is used up.
CREATE UNLOGGED TABLE "SCHEMA".limit_rates (
    key bytea PRIMARY KEY,
    used_until bigint NOT NULL
) WITH (fillfactor = 50);

-- share: the permits that the replica may use. granted_at: when it got its first permit after it had none.
CREATE UNLOGGED TABLE "SCHEMA".limit_permits (
    key bytea,
    replica uuid,
    demand bigint NOT NULL,
    share bigint NOT NULL,
    seen_at bigint NOT NULL,
    granted_at bigint NOT NULL,
    PRIMARY KEY (key, replica)
) WITH (fillfactor = 50);

-- left_ms: the time for which it opened. After a step of the clock it is not open for longer.
CREATE UNLOGGED TABLE "SCHEMA".limit_breakers (
    key bytea PRIMARY KEY,
    open_until bigint NOT NULL,
    left_ms bigint NOT NULL
);

-- Grants calls of a rate by the generic cell rate algorithm, after calls that are given back. The time that is used up
-- is never further ahead than a burst, so that no step of the clock refuses for longer.
CREATE FUNCTION "SCHEMA".take_calls(
    in_key bytea, in_interval bigint, in_burst bigint, in_wanted bigint, in_unused bigint,
    OUT granted bigint, OUT wait_ns bigint)
LANGUAGE plpgsql AS $$
DECLARE
    used bigint;
    now_ns bigint;
    horizon bigint;
BEGIN
    INSERT INTO "SCHEMA".limit_rates AS rates (key, used_until) VALUES (in_key, 0)
    ON CONFLICT (key) DO UPDATE SET used_until = rates.used_until
    RETURNING rates.used_until INTO used;
    -- After the wait for the row.
    now_ns := floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000;
    horizon := now_ns + in_burst * in_interval;
    used := least(greatest(used - in_unused * in_interval, now_ns), horizon);
    granted := least(in_wanted, (horizon - used) / in_interval);
    used := used + granted * in_interval;
    wait_ns := greatest(0, used + in_interval - horizon);
    UPDATE "SCHEMA".limit_rates SET used_until = used WHERE key = in_key;
END
$$;

-- Returns how many permits a replica may use: fewer than it uses, if others have a demand; those that are in use stay
-- until they are released. The shares of the others are theirs until they report. Permits go to the
-- demands in turn, the replica first that got its first one longest ago; what is left over is divided among those that
-- have a demand.
CREATE FUNCTION "SCHEMA".share_permits(
    in_replica uuid, in_key bytea, in_permits bigint, in_in_use bigint, in_waiting bigint)
RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    now_ms bigint;
    demands bigint[];
    replicas uuid[];
    shares bigint[];
    others bigint;
    rest bigint := in_permits;
    step bigint;
    more bigint;
    before bigint;
    share_of_replica bigint := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(encode(in_key, 'hex'), 0));
    now_ms := "SCHEMA".now_ms();
    DELETE FROM "SCHEMA".limit_permits AS permits WHERE permits.key = in_key
        AND (permits.seen_at NOT BETWEEN now_ms - 10000 AND now_ms + 10000 OR permits.replica = in_replica AND in_in_use + in_waiting = 0);
    IF in_in_use + in_waiting = 0 THEN RETURN 0; END IF;
    INSERT INTO "SCHEMA".limit_permits AS permits (key, replica, demand, share, seen_at, granted_at)
    VALUES (in_key, in_replica, in_in_use + in_waiting, in_in_use, now_ms, 0)
    ON CONFLICT (key, replica) DO UPDATE SET demand = in_in_use + in_waiting, seen_at = now_ms;
    SELECT array_agg(permits.replica ORDER BY permits.granted_at, permits.replica),
        array_agg(permits.demand ORDER BY permits.granted_at, permits.replica),
        coalesce(sum(permits.share) FILTER (WHERE permits.replica <> in_replica), 0),
        coalesce(sum(permits.share) FILTER (WHERE permits.replica = in_replica), 0)
    INTO replicas, demands, others, before
    FROM "SCHEMA".limit_permits AS permits WHERE permits.key = in_key;
    shares := array_fill(0::bigint, ARRAY[cardinality(demands)]);
    LOOP
        step := greatest(1, rest / cardinality(demands));
        more := 0;
        FOR place IN 1 .. cardinality(demands) LOOP
            IF shares[place] < demands[place] AND rest > 0 THEN
                more := least(step, demands[place] - shares[place], rest);
                shares[place] := shares[place] + more;
                rest := rest - more;
            END IF;
        END LOOP;
        EXIT WHEN rest = 0 OR more = 0 AND shares = demands;
    END LOOP;
    FOR place IN 1 .. cardinality(demands) LOOP
        IF replicas[place] = in_replica THEN
            share_of_replica := shares[place] + rest / cardinality(demands);
        END IF;
    END LOOP;
    share_of_replica := greatest(0, least(share_of_replica, in_permits - others));
    UPDATE "SCHEMA".limit_permits AS permits
    SET share = greatest(in_in_use, share_of_replica),
        granted_at = CASE WHEN before = 0 AND share_of_replica > 0 THEN now_ms ELSE permits.granted_at END
    WHERE permits.key = in_key AND permits.replica = in_replica;
    RETURN share_of_replica;
END
$$;

-- Deletes what was not used for an hour, except for rows that another transaction uses.
CREATE FUNCTION "SCHEMA".sweep_limits() RETURNS void
LANGUAGE sql AS $$
    DELETE FROM "SCHEMA".limit_rates WHERE key IN (
        SELECT key FROM "SCHEMA".limit_rates WHERE used_until < ("SCHEMA".now_ms() - 3600000) * 1000000
        FOR UPDATE SKIP LOCKED);
    DELETE FROM "SCHEMA".limit_permits WHERE (key, replica) IN (
        SELECT key, replica FROM "SCHEMA".limit_permits WHERE seen_at < "SCHEMA".now_ms() - 3600000
        FOR UPDATE SKIP LOCKED);
    DELETE FROM "SCHEMA".limit_breakers WHERE key IN (
        SELECT key FROM "SCHEMA".limit_breakers WHERE open_until < "SCHEMA".now_ms() - 3600000
        FOR UPDATE SKIP LOCKED);
$$;

-- Takes the report of a replica, and returns its shares. kind: 0 a rate (calls, nanoseconds until the next), 1 a limit
-- of concurrent calls (permits), 2 an open breaker (milliseconds until it lets probes through). The keys of a report are
-- in order, so that two replicas do not wait for each other. One exchange in a thousand sweeps.
CREATE FUNCTION "SCHEMA".exchange_limits(
    in_lock_timeout text, in_replica uuid,
    in_rates bytea[], in_intervals bigint[], in_bursts bigint[], in_wanted bigint[], in_unused bigint[],
    in_limits bytea[], in_permits bigint[], in_in_use bigint[], in_waiting bigint[],
    in_opened bytea[], in_left_ms bigint[])
RETURNS TABLE (kind integer, key bytea, value bigint, wait bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    now_ms bigint;
BEGIN
    PERFORM set_config('lock_timeout', in_lock_timeout, true);
    FOR place IN 1 .. cardinality(in_rates) LOOP
        RETURN QUERY SELECT 0, in_rates[place], taken.granted, taken.wait_ns
            FROM "SCHEMA".take_calls(
                in_rates[place], in_intervals[place], in_bursts[place], in_wanted[place], in_unused[place]) AS taken;
    END LOOP;
    FOR place IN 1 .. cardinality(in_limits) LOOP
        RETURN QUERY SELECT 1, in_limits[place], "SCHEMA".share_permits(
            in_replica, in_limits[place], in_permits[place], in_in_use[place], in_waiting[place]), 0::bigint;
    END LOOP;
    now_ms := "SCHEMA".now_ms();
    INSERT INTO "SCHEMA".limit_breakers AS breakers (key, open_until, left_ms)
    SELECT opened.key, now_ms + opened.left_ms, opened.left_ms
    FROM unnest(in_opened, in_left_ms) AS opened (key, left_ms)
    ON CONFLICT (key) DO UPDATE SET open_until = excluded.open_until, left_ms = excluded.left_ms
    WHERE breakers.open_until < excluded.open_until OR breakers.open_until - now_ms > breakers.left_ms;
    RETURN QUERY SELECT 2, breakers.key, breakers.open_until - now_ms, 0::bigint
        FROM "SCHEMA".limit_breakers AS breakers WHERE breakers.open_until > now_ms
            AND breakers.open_until - now_ms <= breakers.left_ms
        ORDER BY breakers.open_until DESC LIMIT 10000;
    IF random() < 0.001 THEN PERFORM "SCHEMA".sweep_limits(); END IF;
END
$$;


-- Times are milliseconds since 1970-01-01T00:00:00Z, as bigint: timestamptz rounds them. Texts are compared
-- byte by byte (COLLATE "C"), so that pages have the order of the other stores. Texts that come back byte for
-- byte are bytea: jsonb drops the order of keys, duplicates and the spelling of numbers.

-- The time of the store is the server's wall clock and this offset, which a process changes when it sees
-- that the wall clock was set. epoch: the number of changes. latest: the latest time that a process has read.
CREATE TABLE "SCHEMA".store_clock (
    number smallint PRIMARY KEY CHECK (number = 0),
    offset_ms bigint NOT NULL,
    epoch bigint NOT NULL,
    latest bigint NOT NULL
);
INSERT INTO "SCHEMA".store_clock (number, offset_ms, epoch, latest) VALUES (0, 0, 0, 0);

-- Fences. Without a cache, so that a session never gives one that is older than another session's.
CREATE SEQUENCE "SCHEMA".fences AS bigint CACHE 1;

-- digest: the hash of tenant, principal, tool and key. An index entry of the texts themselves could exceed the
-- 2,704 bytes that a btree takes.
-- state: 0 running, 1 answered, 2 unknown, 3 archived. claim: the id of the last claim, by which it is undone
-- if its answer was not received. since: when the outcome became unknown, at the latest. caller: the quota that the
-- row counts against is the caller's. An archived row has no texts.
-- Long texts are indexed by a hash: md5 does not exist on a server in FIPS mode.
-- No index and no predicate names lease_until: a renewal stays within its page (HOT).
CREATE TABLE "SCHEMA".keys (
    digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    tenant uuid NOT NULL,
    principal text COLLATE "C" CHECK ((principal IS NULL) = (state = 3)),
    tool text COLLATE "C" CHECK ((tool IS NULL) = (state = 3)),
    key text COLLATE "C" CHECK ((key IS NULL) = (state = 3)),
    caller text COLLATE "C" CHECK ((caller IS NULL) = (state = 3)),
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    fence bigint NOT NULL,
    claim uuid NOT NULL,
    state smallint NOT NULL CHECK (state IN (0, 1, 2, 3)),
    lease_until bigint CHECK ((lease_until IS NOT NULL) = (state = 0)),
    keep_until bigint CHECK ((keep_until IS NOT NULL) = (state = 1)),
    since bigint,
    succeeded boolean CHECK ((succeeded IS NOT NULL) = (state = 1)),
    body bytea CHECK ((body IS NOT NULL) = (state = 1)),
    meta bytea CHECK ((meta IS NOT NULL) = (state = 1))
) WITH (fillfactor = 70);
CREATE INDEX keys_to_sweep ON "SCHEMA".keys (keep_until) WHERE state = 1;
CREATE INDEX keys_to_archive ON "SCHEMA".keys (since) WHERE state = 2;
CREATE UNIQUE INDEX keys_to_resolve ON "SCHEMA".keys (tenant, fence) WHERE state = 2;
CREATE INDEX keys_of_caller ON "SCHEMA".keys (tenant, hashtextextended(caller, 0)) WHERE state = 2;

-- The operations that each write needs are functions: the server keeps the plans of their statements for each session,
-- also behind a pooler, where a prepared statement could not be kept. Each is one statement, which is a transaction by
-- itself, and sets for it what the other operations set at its beginning.

-- Inserts a running record if the key is free and the caller is within its quota; else returns the record. No row:
-- the quota is reached. The claims of one key wait for each other: the fence is taken before the row is inserted, and
-- an insertion that waited for another one could have a lower fence than an owner that came and went meanwhile.
CREATE FUNCTION "SCHEMA".claim(
    in_tenant uuid, in_lock_timeout text, in_commit text, in_digest bytea, in_lock bigint,
    in_principal text, in_tool text, in_key text, in_caller text, in_fingerprint bytea,
    in_claim uuid, in_lease_until bigint, in_max_unknown bigint)
RETURNS TABLE (
    is_new boolean, caller text, fingerprint bytea, fence bigint, state smallint, lease_until bigint,
    keep_until bigint, since bigint, succeeded boolean, body bytea, meta bytea)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('tool_runtime.tenant', in_tenant::text, true),
        set_config('lock_timeout', in_lock_timeout, true),
        set_config('synchronous_commit', in_commit, true);
    PERFORM pg_advisory_xact_lock(in_lock);
    RETURN QUERY
        SELECT false, present.caller, present.fingerprint, present.fence, present.state, present.lease_until,
            present.keep_until, present.since, present.succeeded, present.body, present.meta
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
    RETURN QUERY
        INSERT INTO "SCHEMA".keys AS added (
            digest, tenant, principal, tool, key, caller, fingerprint, fence, claim, state, lease_until)
        VALUES (
            in_digest, in_tenant, in_principal, in_tool, in_key, in_caller, in_fingerprint,
            nextval('"SCHEMA".fences'), in_claim, 0, in_lease_until)
        RETURNING true, NULL::text, NULL::bytea, added.fence, 0::smallint, NULL::bigint, NULL::bigint, NULL::bigint,
            NULL::boolean, NULL::bytea, NULL::bytea;
END
$$;

-- Settles a key with an answer if it is held under the fence; returns whether it was.
CREATE FUNCTION "SCHEMA".answer(
    in_tenant uuid, in_lock_timeout text, in_commit text, in_digest bytea, in_fence bigint,
    in_keep_until bigint, in_succeeded boolean, in_body bytea, in_meta bytea)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('tool_runtime.tenant', in_tenant::text, true),
        set_config('lock_timeout', in_lock_timeout, true),
        set_config('synchronous_commit', in_commit, true);
    UPDATE "SCHEMA".keys
    SET state = 1, lease_until = NULL, since = NULL, keep_until = in_keep_until,
        succeeded = in_succeeded, body = in_body, meta = in_meta
    WHERE digest = in_digest AND fence = in_fence AND state IN (0, 2);
    RETURN FOUND;
END
$$;

-- Extends the lease of a key that is running under the fence; returns whether it was.
CREATE FUNCTION "SCHEMA".renew(
    in_tenant uuid, in_lock_timeout text, in_commit text, in_digest bytea, in_fence bigint, in_lease_until bigint)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('tool_runtime.tenant', in_tenant::text, true),
        set_config('lock_timeout', in_lock_timeout, true),
        set_config('synchronous_commit', in_commit, true);
    UPDATE "SCHEMA".keys SET lease_until = greatest(lease_until, in_lease_until)
    WHERE digest = in_digest AND fence = in_fence AND state = 0;
    RETURN FOUND;
END
$$;

-- ended: NULL while it waits, 0 used, 1 declined, 2 superseded, 3 expired.
CREATE TABLE "SCHEMA".tickets (
    id uuid PRIMARY KEY,
    tenant uuid NOT NULL,
    conversation text COLLATE "C" NOT NULL,
    caller text COLLATE "C" NOT NULL,
    payload bytea NOT NULL,
    expires_at bigint NOT NULL,
    ended smallint CHECK (ended IN (0, 1, 2, 3))
);
CREATE INDEX tickets_to_supersede ON "SCHEMA".tickets (tenant, hashtextextended(conversation, 0)) WHERE ended IS NULL;
CREATE INDEX tickets_to_sweep ON "SCHEMA".tickets (expires_at);
CREATE INDEX tickets_to_list ON "SCHEMA".tickets (tenant, id) WHERE ended IS NULL;
CREATE INDEX tickets_of_caller ON "SCHEMA".tickets (tenant, hashtextextended(caller, 0)) WHERE ended IS NULL;

-- digest: the hash of the scope. arguments: empty for a grant of any arguments.
CREATE TABLE "SCHEMA".grants (
    digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    tenant uuid NOT NULL,
    principal text COLLATE "C" NOT NULL,
    tool text COLLATE "C" NOT NULL,
    schema bytea NOT NULL CHECK (octet_length(schema) = 32),
    arguments bytea NOT NULL CHECK (octet_length(arguments) IN (0, 32)),
    granted_by text COLLATE "C" NOT NULL,
    granted_at bigint NOT NULL,
    expires_at bigint
);
CREATE INDEX grants_of_tenant ON "SCHEMA".grants (tenant);

-- The text is stored without compression, so that a page of it is read without the rest.
CREATE TABLE "SCHEMA".outputs (
    id uuid PRIMARY KEY,
    tenant uuid NOT NULL,
    principal text COLLATE "C" NOT NULL,
    text bytea NOT NULL,
    expires_at bigint NOT NULL
);
ALTER TABLE "SCHEMA".outputs ALTER COLUMN text SET STORAGE EXTERNAL;
CREATE INDEX outputs_to_sweep ON "SCHEMA".outputs (expires_at);

-- digest: the hash of tenant, principal and session. The messages are sealed by the program.
CREATE TABLE "SCHEMA".sessions (
    digest bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    tenant uuid NOT NULL,
    principal text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    used_at bigint NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX sessions_of_principal ON "SCHEMA".sessions (tenant, hashtextextended(principal, 0));
CREATE INDEX sessions_to_sweep ON "SCHEMA".sessions (used_at);

-- number: from 1 without gaps; the first ones of a long session are deleted.
CREATE TABLE "SCHEMA".session_messages (
    session bytea REFERENCES "SCHEMA".sessions (digest) ON DELETE CASCADE,
    number bigint,
    tenant uuid NOT NULL,
    message bytea NOT NULL,
    PRIMARY KEY (session, number)
);

-- The tenants' keys. A destroyed one keeps its version.
CREATE TABLE "SCHEMA".evidence_keys (
    tenant uuid NOT NULL,
    version bigint NOT NULL CHECK (version > 0),
    ring_key text COLLATE "C" NOT NULL,
    wrapped bytea,
    PRIMARY KEY (tenant, version)
);

-- An id begins with its time, so that ids are in the order of time. arguments, output: sealed, NULL if they are
-- not kept.
CREATE TABLE "SCHEMA".evidence (
    tenant uuid NOT NULL,
    id uuid NOT NULL,
    trace text COLLATE "C" NOT NULL,
    key_version bigint,
    wrapped bytea CHECK ((wrapped IS NULL) = (key_version IS NULL)),
    facts bytea NOT NULL,
    arguments bytea,
    output bytea,
    checksum bytea NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX evidence_by_trace ON "SCHEMA".evidence (tenant, hashtextextended(trace, 0), id);
CREATE INDEX evidence_by_key ON "SCHEMA".evidence (tenant, key_version) WHERE key_version IS NOT NULL;
CREATE INDEX evidence_to_sweep ON "SCHEMA".evidence (id);

-- A second line behind the statements, each of which names its tenant: a row is visible only in a transaction
-- that has set its tenant, or `*` for work on all tenants. The owner is subject to it, too.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'keys', 'tickets', 'grants', 'outputs', 'sessions', 'session_messages', 'evidence_keys', 'evidence'] LOOP
        EXECUTE format('ALTER TABLE "SCHEMA".%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE "SCHEMA".%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY rows_of_tenant ON "SCHEMA".%I '
            'USING (current_setting(''tool_runtime.tenant'', true) IN (''*'', tenant::text))', name);
    END LOOP;
END
$$;

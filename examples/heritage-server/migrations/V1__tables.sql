-- The tables of the guide, for SQLite and PostgreSQL alike.
--
-- Every row says whose it is (tenant_id, a UUID) and of which site (site_id), and every key begins
-- with both, so that no query can find a row by its id alone. Times are RFC 3339 in UTC; lists and
-- objects are JSON as text, which nothing here looks into.

CREATE TABLE sites (
    tenant_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (tenant_id, site_id)
);

CREATE TABLE pois (
    tenant_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    id TEXT NOT NULL,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (tenant_id, site_id, id),
    FOREIGN KEY (tenant_id, site_id) REFERENCES sites
);

CREATE TABLE routes (
    tenant_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    id TEXT NOT NULL,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    minutes BIGINT NOT NULL CHECK (minutes > 0),
    pois TEXT NOT NULL,
    PRIMARY KEY (tenant_id, site_id, id),
    FOREIGN KEY (tenant_id, site_id) REFERENCES sites
);

CREATE TABLE npc_profiles (
    tenant_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    npc_id TEXT NOT NULL,
    version BIGINT NOT NULL CHECK (version > 0),
    active BOOLEAN NOT NULL,
    name TEXT NOT NULL,
    persona TEXT NOT NULL,
    knowledge_domains TEXT NOT NULL,
    greeting_templates TEXT NOT NULL,
    max_response_length BIGINT NOT NULL CHECK (max_response_length > 0),
    must_cite_sources BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, site_id, npc_id, version),
    FOREIGN KEY (tenant_id, site_id) REFERENCES sites
);

CREATE UNIQUE INDEX npc_profiles_one_active ON npc_profiles (tenant_id, site_id, npc_id)
WHERE active;

CREATE TABLE prompts (
    tenant_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    npc_id TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('system', 'greeting', 'fallback')),
    version BIGINT NOT NULL CHECK (version > 0),
    active BOOLEAN NOT NULL,
    prompt_text TEXT NOT NULL,
    PRIMARY KEY (tenant_id, site_id, npc_id, type, version),
    FOREIGN KEY (tenant_id, site_id) REFERENCES sites
);

CREATE UNIQUE INDEX prompts_one_active ON prompts (tenant_id, site_id, npc_id, type)
WHERE active;

CREATE TABLE contents (
    tenant_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    id TEXT NOT NULL,
    content_type TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('draft', 'published')),
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    summary TEXT,
    domains TEXT NOT NULL,
    source TEXT,
    credibility_score DOUBLE PRECISION NOT NULL CHECK (credibility_score BETWEEN 0 AND 1),
    verified BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    -- The key under which it was written, so that a retry finds it and writes no second one.
    written_under TEXT,
    PRIMARY KEY (tenant_id, site_id, id),
    UNIQUE (tenant_id, site_id, written_under),
    FOREIGN KEY (tenant_id, site_id) REFERENCES sites
);

CREATE TABLE content_tags (
    tenant_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    content_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    PRIMARY KEY (tenant_id, site_id, content_id, tag),
    FOREIGN KEY (tenant_id, site_id, content_id) REFERENCES contents
);

CREATE TABLE user_events (
    tenant_id TEXT NOT NULL,
    site_id TEXT NOT NULL,
    id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    event_data TEXT NOT NULL,
    user_id TEXT,
    session_id TEXT,
    trace_id TEXT NOT NULL,
    logged_at TEXT NOT NULL,
    written_under TEXT,
    PRIMARY KEY (tenant_id, site_id, id),
    UNIQUE (tenant_id, site_id, written_under),
    FOREIGN KEY (tenant_id, site_id) REFERENCES sites
);

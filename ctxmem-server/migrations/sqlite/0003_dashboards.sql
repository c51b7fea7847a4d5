-- What the dashboards show and need: who did what, how much was used, who is signed in.

-- Who did what, when; never what was said or stored. An erasure leaves it: like users, it
-- names nobody. user_key is empty where no user is concerned. Ids are UUIDs of version 7, so
-- they are in order of time.
CREATE TABLE audit (
    user_key BLOB NOT NULL,
    id TEXT NOT NULL,
    at BIGINT NOT NULL,
    action TEXT NOT NULL,
    -- 'agent', 'user', 'developer' or 'operator'.
    actor TEXT NOT NULL,
    -- The agent that acted or that is concerned.
    agent_id TEXT,
    -- The developer who acted or who owns what is concerned.
    developer_id TEXT,
    scopes BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    -- How many facts it wrote or removed.
    facts BIGINT NOT NULL,
    -- How many grants it revoked.
    grants BIGINT NOT NULL,
    -- How often the same happened in a row, for what is noted in batches.
    times BIGINT NOT NULL,
    PRIMARY KEY (user_key, id)
);

CREATE INDEX audit_at ON audit (at);

-- What an agent did, by day in UTC, such as 2026-03-01.
CREATE TABLE usage_days (
    agent_id TEXT NOT NULL,
    day TEXT NOT NULL,
    injects BIGINT NOT NULL,
    updates BIGINT NOT NULL,
    filtered BIGINT NOT NULL,
    denied BIGINT NOT NULL,
    errors BIGINT NOT NULL,
    PRIMARY KEY (agent_id, day)
);

-- When the agent last used what is granted, to some seconds.
ALTER TABLE grants ADD COLUMN last_used_at BIGINT;
CREATE INDEX grants_agent ON grants (agent_id) WHERE latest = 1;

-- A deleted agent keeps its row: users still see who wrote what.
ALTER TABLE agents ADD COLUMN deleted_at BIGINT;
CREATE INDEX agents_developer ON agents (developer_id);
CREATE INDEX api_keys_agent ON api_keys (agent_id);

CREATE TABLE developer_sessions (
    token_hash BLOB NOT NULL PRIMARY KEY,
    developer_id TEXT NOT NULL REFERENCES developers (id),
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);

-- Sign-ins by OpenID Connect that are under way at the provider, for ten minutes.
CREATE TABLE oidc_sign_ins (
    state_hash BLOB NOT NULL PRIMARY KEY,
    -- 'user' or 'developer'.
    purpose TEXT NOT NULL,
    -- Of the browser that began it: no other may end it.
    browser_hash BLOB NOT NULL,
    nonce TEXT NOT NULL,
    verifier TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

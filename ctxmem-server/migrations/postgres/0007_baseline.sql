-- The whole schema. Instants are milliseconds since 1970 (UTC). Scope sets are the bits of
-- ScopeSet, scopes their position in prompt order.
--
-- What belongs to a user is keyed by user_key first: an HMAC of the user id under a key that lies
-- in the key database, so that what outlives an erasure names nobody. What is known of a user is
-- sealed (AES-256-GCM) under the user's own key, which lies there too. An erasure destroys it.

CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);

-- Processes that know a smaller number neither start nor write.
CREATE TABLE compatibility (number BIGINT NOT NULL);
INSERT INTO compatibility (number) VALUES (1);

-- What a migration calls first that processes of the version before can't live with. They lose
-- their connections, and get no other: whoever opens one looks at the number, which is locked until
-- the migration is committed.
CREATE FUNCTION raise_compatibility(raised BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE compatibility IN ACCESS EXCLUSIVE MODE;
    IF NOT (SELECT COALESCE(bool_and(pg_terminate_backend(pid, 10000)), TRUE)
            FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'ctxmem-server'
              AND pid <> pg_backend_pid()) THEN
        RAISE 'a connection of an older ctxmem-server did not end';
    END IF;
    UPDATE compatibility SET number = raised;
END $$;

CREATE TABLE developers (
    id TEXT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    password_hash TEXT,
    created_at BIGINT NOT NULL,
    -- When an agent of this developer first stored a fact; the demo ends then.
    first_fact_at BIGINT
);

CREATE TABLE agents (
    id TEXT NOT NULL PRIMARY KEY,
    developer_id TEXT NOT NULL REFERENCES developers (id),
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- A deleted agent keeps its row: users still see who wrote what.
    deleted_at BIGINT
);
CREATE INDEX agents_developer ON agents (developer_id);

CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    agent_id TEXT NOT NULL REFERENCES agents (id),
    hash BYTEA NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    scopes BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX api_keys_agent ON api_keys (agent_id);

CREATE TABLE users (
    user_key BYTEA NOT NULL PRIMARY KEY,
    -- Where the user's own key lies in the key database, and which key it is. NULL once the
    -- user's data was erased, and so is the sealed user id.
    key_slot BIGINT,
    key_id BYTEA,
    sealed_user_id BYTEA,
    -- Grows at every erasure: work that began under another epoch stores nothing.
    epoch BIGINT NOT NULL,
    next_position BIGINT NOT NULL,
    -- When stored content last changed.
    last_updated BIGINT,
    -- Grows with every change to what prompts show of the user: what was rendered under one
    -- version still holds under it.
    version BIGINT NOT NULL DEFAULT 0
);

-- Keys of users whose rows are gone, until they are destroyed in the key database. A deletion
-- that was interrupted is completed from here.
CREATE TABLE keys_to_destroy (
    key_slot BIGINT NOT NULL,
    key_id BYTEA NOT NULL,
    PRIMARY KEY (key_slot, key_id)
);

CREATE TABLE grants (
    user_key BYTEA NOT NULL,
    id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    scopes BIGINT NOT NULL,
    -- 'agent' or 'user': who made the grant decides who may renew it once it expired.
    made_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    -- The expiry as it was asked for, to be answered unchanged.
    expires_text TEXT,
    -- When it was noted that its end has passed: it stays expired, even if the clock is set back.
    expired_at BIGINT,
    revoked_at BIGINT,
    -- 1 for the newest grant of this agent and user, 0 for those that it replaced.
    latest BIGINT NOT NULL,
    -- When the agent last used what is granted, to some seconds.
    last_used_at BIGINT,
    PRIMARY KEY (user_key, id)
);
CREATE UNIQUE INDEX grants_latest ON grants (user_key, agent_id) WHERE latest = 1;
CREATE INDEX grants_agent ON grants (agent_id) WHERE latest = 1;
CREATE INDEX grants_end ON grants (expires_at) WHERE latest = 1 AND expired_at IS NULL;

CREATE TABLE facts (
    user_key BYTEA NOT NULL,
    scope BIGINT NOT NULL,
    -- An HMAC of what a newer fact replaces: the name in maps, the normalised value elsewhere.
    slot_hash BYTEA NOT NULL,
    -- Slot, name and value.
    sealed BYTEA NOT NULL,
    source_type TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    -- Whether the user asked for it to be remembered, in so many words. Where a prompt has no
    -- room for all, such facts come first.
    requested BIGINT NOT NULL,
    position BIGINT NOT NULL,
    first_stored_at BIGINT NOT NULL,
    confirmed_at BIGINT NOT NULL,
    PRIMARY KEY (user_key, scope, slot_hash)
);

CREATE TABLE quota (
    agent_id TEXT NOT NULL,
    -- Calendar month in UTC, such as 2026-03.
    month TEXT NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (agent_id, month)
);

-- What was answered to requests that carry an Idempotency-Key, for a day. A key is the
-- agent's, whoever the request is about: the same key about another user is found and
-- refused, so the primary key starts with the agent and not with the user.
--
-- An erasure leaves agent_id, key_hash and created_at: that the request was answered once.
CREATE TABLE idempotency_keys (
    agent_id TEXT NOT NULL,
    -- An HMAC of the key: clients make keys of what they like, user ids included.
    key_hash BYTEA NOT NULL,
    -- Whose facts the answer may hold; NULL where it holds none, and after an erasure.
    user_key BYTEA,
    -- An HMAC of all that makes the request this one, its key included, and the JSON text of the
    -- answer. Sealed where user_key is given. NULL after an erasure.
    reply BYTEA,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, key_hash)
);
CREATE INDEX idempotency_keys_user ON idempotency_keys (user_key) WHERE user_key IS NOT NULL;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Who did what, when; never what was said or stored. An erasure leaves it: like users, it
-- names nobody. user_key is empty where no user is concerned. Ids are UUIDs of version 7, so
-- they are in order of time.
CREATE TABLE audit (
    user_key BYTEA NOT NULL,
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

-- Sign-in links and sessions hold the user id sealed under a key that is made of their token,
-- which is kept nowhere: only who presents the token can read it.
CREATE TABLE sign_in_links (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    sealed_user_id BYTEA NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE TABLE sessions (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    sealed_user_id BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);

CREATE TABLE developer_sessions (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    developer_id TEXT NOT NULL REFERENCES developers (id),
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);

-- Sign-ins by OpenID Connect that are under way at the provider, for ten minutes.
CREATE TABLE oidc_sign_ins (
    state_hash BYTEA NOT NULL PRIMARY KEY,
    -- 'user' or 'developer'.
    purpose TEXT NOT NULL,
    -- Of the browser that began it: no other may end it.
    browser_hash BYTEA NOT NULL,
    nonce TEXT NOT NULL,
    verifier TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

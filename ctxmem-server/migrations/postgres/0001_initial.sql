-- Instants are milliseconds since 1970 (UTC). Scope sets are the bits of ScopeSet, scopes
-- their position in prompt order. Whatever belongs to a user is keyed by user_key first:
-- the salted SHA-256 of the user id, so that what outlives an erasure names nobody.

CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);

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
    created_at BIGINT NOT NULL
);

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

CREATE TABLE users (
    user_key BYTEA NOT NULL PRIMARY KEY,
    -- NULL once the user's data was erased.
    user_id TEXT,
    -- Grows at every erasure: work that began under another epoch stores nothing.
    epoch BIGINT NOT NULL,
    next_position BIGINT NOT NULL,
    -- When stored content last changed.
    last_updated BIGINT
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
    revoked_at BIGINT,
    -- 1 for the newest grant of this agent and user, 0 for those that it replaced.
    latest BIGINT NOT NULL,
    PRIMARY KEY (user_key, id)
);

CREATE UNIQUE INDEX grants_latest ON grants (user_key, agent_id) WHERE latest = 1;

CREATE TABLE facts (
    user_key BYTEA NOT NULL,
    scope BIGINT NOT NULL,
    -- What a newer fact replaces: the name in maps, the normalised value elsewhere.
    slot TEXT NOT NULL,
    name TEXT,
    value TEXT NOT NULL,
    source_type TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    first_stored_at BIGINT NOT NULL,
    confirmed_at BIGINT NOT NULL,
    PRIMARY KEY (user_key, scope, slot)
);

CREATE TABLE quota (
    agent_id TEXT NOT NULL,
    -- Calendar month in UTC, such as 2026-03.
    month TEXT NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (agent_id, month)
);

CREATE TABLE sign_in_links (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE TABLE sessions (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);

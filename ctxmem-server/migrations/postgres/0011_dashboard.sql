-- What developers see and set on their dashboard.

-- A key may have a name and an end. A key that was replaced by another works until its end, too.
-- Once a key has expired, its revoked_at is set: an older process knows no expiry.
ALTER TABLE api_keys ADD COLUMN name TEXT;
ALTER TABLE api_keys ADD COLUMN expires_at BIGINT;
ALTER TABLE api_keys ADD COLUMN replaced_by TEXT;
CREATE INDEX api_keys_end ON api_keys (expires_at) WHERE revoked_at IS NULL AND expires_at IS NOT NULL;

-- The last requests of agents, for their developers: never what was sent or answered, and no user.
-- Under load only a part of them; request_days has them all.
CREATE TABLE request_log (
    agent_id TEXT NOT NULL,
    -- A UUID of version 7, so it is in order of time.
    id TEXT NOT NULL,
    at BIGINT NOT NULL,
    -- Method and path, with parameters in braces.
    route TEXT NOT NULL,
    status BIGINT NOT NULL,
    -- The code of an error; empty without one.
    code TEXT NOT NULL,
    micros BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    PRIMARY KEY (agent_id, id)
);
CREATE INDEX request_log_at ON request_log (at);

-- How many requests of a kind took how long, by day in UTC, such as 2026-03-01.
CREATE TABLE request_days (
    agent_id TEXT NOT NULL,
    day TEXT NOT NULL,
    route TEXT NOT NULL,
    status BIGINT NOT NULL,
    code TEXT NOT NULL,
    -- They took at most this long, to a quarter.
    micros BIGINT NOT NULL,
    times BIGINT NOT NULL,
    -- How many of them are not in request_log.
    unlogged BIGINT NOT NULL,
    PRIMARY KEY (agent_id, day, route, status, code, micros)
);

-- A developer's second factor: the secret of one-time codes, sealed under a key that is made of the
-- key database.
CREATE TABLE second_factors (
    developer_id TEXT NOT NULL PRIMARY KEY REFERENCES developers (id),
    sealed BYTEA NOT NULL,
    -- Signing in needs it once its first code was typed.
    confirmed_at BIGINT,
    -- The step of the last code that was accepted: none is accepted twice.
    last_step BIGINT NOT NULL
);

-- Codes that stand in for the second factor, each once.
CREATE TABLE recovery_codes (
    developer_id TEXT NOT NULL REFERENCES developers (id),
    code_hash BYTEA NOT NULL,
    PRIMARY KEY (developer_id, code_hash)
);

-- Consent: agents that wait for a user's yes, users who want to be asked, and all access paused.
--
-- A process of the version before would grant what a user wants to be asked about, and tell agents
-- and store what is paused.
UPDATE compatibility SET number = 2;

-- 1 for a user who wants to be asked before a new agent gets access, and for one who has erased
-- everything; otherwise the server's mode decides. An erasure leaves it, like the epoch.
ALTER TABLE users ADD COLUMN asks BIGINT NOT NULL DEFAULT 0;
-- When the user paused all access; NULL while it is not paused.
ALTER TABLE users ADD COLUMN paused_at BIGINT;
-- When the user said to have seen which agents got access by themselves.
ALTER TABLE users ADD COLUMN access_seen_at BIGINT;

-- Agents that called for a user without ever having had a grant. They wait for the user to allow or
-- to refuse them. A refusal is a revoked grant, so the row goes; it also goes with an erasure, and
-- when the agent has not called for 30 days. The user need not have a row in users.
CREATE TABLE consent_requests (
    user_key BLOB NOT NULL,
    agent_id TEXT NOT NULL,
    -- What the agent's keys that called allow.
    scopes BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    -- How often it called, to some minutes.
    times BIGINT NOT NULL,
    PRIMARY KEY (user_key, agent_id)
) WITHOUT ROWID;
CREATE INDEX consent_requests_agent ON consent_requests (agent_id);
CREATE INDEX consent_requests_age ON consent_requests (last_at);

-- What developers tell users of their agents.
CREATE TABLE agent_profiles (
    agent_id TEXT NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    url TEXT NOT NULL,
    privacy_url TEXT NOT NULL
) WITHOUT ROWID;

-- Whose session it is, so that all of a user's can be listed and ended: an HMAC as everywhere.
-- Sessions that are open can't be told apart by it, so they end here. They last 12 hours at most.
DELETE FROM sessions;
ALTER TABLE sessions ADD COLUMN user_key BLOB;
CREATE INDEX sessions_user ON sessions (user_key);

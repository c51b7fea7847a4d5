-- What was answered to requests that carry an Idempotency-Key, for a day. A key is the
-- agent's, whoever the request is about: the same key about another user is found and
-- refused, so the primary key starts with the agent and not with the user.
--
-- An erasure leaves agent_id, key_hash and created_at: that the request was answered once.
CREATE TABLE idempotency_keys (
    agent_id TEXT NOT NULL,
    -- Salted SHA-256 of the key: clients make keys of what they like, user ids included.
    key_hash BLOB NOT NULL,
    -- Whose facts the answer may hold; NULL where it holds none, and after an erasure.
    user_key BLOB,
    -- Salted SHA-256 of all that makes the request this one, its key included.
    request_hash BLOB,
    -- The JSON text of the answer.
    answer TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, key_hash)
);

CREATE INDEX idempotency_keys_user ON idempotency_keys (user_key) WHERE user_key IS NOT NULL;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

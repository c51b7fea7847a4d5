-- What a database needs that Citus distributes over several machines. Where it is not distributed,
-- nobody reads or writes it, and processes of the version before go on as they were.

-- Whose key is to be destroyed: a note lies on the machine of its user. Empty where a process of the
-- version before wrote it.
ALTER TABLE keys_to_destroy ADD COLUMN user_key BYTEA NOT NULL DEFAULT '';
ALTER TABLE keys_to_destroy DROP CONSTRAINT keys_to_destroy_pkey;
ALTER TABLE keys_to_destroy ADD PRIMARY KEY (user_key, key_slot, key_id);

-- About whom the request was, whatever its answer holds: a recorded answer lies on the machine of
-- this user. Empty where the table is not distributed.
ALTER TABLE idempotency_keys ADD COLUMN about BYTEA NOT NULL DEFAULT '';

-- About whom an agent first used a key, where the table of answers is distributed: it is asked with
-- the user, so it can't tell that the key was used for another one.
CREATE TABLE idempotency_claims (
    agent_id TEXT NOT NULL,
    key_hash BYTEA NOT NULL,
    about BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (key_hash, agent_id)
);
CREATE INDEX idempotency_claims_age ON idempotency_claims (created_at);

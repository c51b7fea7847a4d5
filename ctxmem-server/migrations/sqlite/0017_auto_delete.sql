-- After how many months the facts of which scopes are deleted by themselves, as JSON; NULL for a user
-- who has chosen nothing.
ALTER TABLE users ADD COLUMN auto_delete TEXT;
-- No fact of the user is old enough before this instant.
ALTER TABLE users ADD COLUMN auto_delete_at BIGINT;
CREATE INDEX users_auto_delete ON users (auto_delete_at) WHERE auto_delete_at IS NOT NULL;

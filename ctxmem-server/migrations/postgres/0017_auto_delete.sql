-- After how many months the facts of which scopes are deleted by themselves, as JSON; NULL for a user
-- who has chosen nothing. Each statement comes by itself: Citus sends on the whole text that it was given.
DO $$ BEGIN EXECUTE 'ALTER TABLE users ADD COLUMN auto_delete TEXT'; END $$;
-- No fact of the user is old enough before this instant.
DO $$ BEGIN EXECUTE 'ALTER TABLE users ADD COLUMN auto_delete_at BIGINT'; END $$;
DO $$ BEGIN EXECUTE 'CREATE INDEX users_auto_delete ON users (auto_delete_at)
    WHERE auto_delete_at IS NOT NULL'; END $$;

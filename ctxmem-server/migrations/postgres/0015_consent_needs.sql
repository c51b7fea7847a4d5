-- What users are told before and after they decide about an agent, and since when it has access.
-- Each statement comes by itself: Citus sends on the whole text that it was given.

-- Where the agent's page for users is, to which they go back; empty without one.
DO $$ BEGIN EXECUTE 'ALTER TABLE agent_profiles ADD COLUMN return_url TEXT NOT NULL DEFAULT ''''';
END $$;
-- Why the agent needs which scope: a JSON object of scope names and reasons. Scopes that are not in it
-- are asked for and not needed.
DO $$ BEGIN EXECUTE 'ALTER TABLE agent_profiles ADD COLUMN needs TEXT NOT NULL DEFAULT ''{}''';
END $$;

-- Since when the agent has had access without a break, whichever grants gave it. NULL is since
-- created_at: nothing was replaced, or a process of the version before wrote the row.
DO $$ BEGIN EXECUTE 'ALTER TABLE grants ADD COLUMN since_at BIGINT'; END $$;

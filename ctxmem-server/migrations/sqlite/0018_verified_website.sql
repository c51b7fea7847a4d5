-- When the website in url last confirmed the agent, in milliseconds since 1970; NULL where it has not.
ALTER TABLE agent_profiles ADD COLUMN verified_at BIGINT;

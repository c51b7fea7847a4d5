-- Grows with every change to what prompts show of the user: what was rendered under one
-- version still holds under it.
ALTER TABLE users ADD COLUMN version BIGINT NOT NULL DEFAULT 0;

-- Whether the user asked for a fact to be remembered, in so many words. Where a prompt has no
-- room for all, such facts come first.
ALTER TABLE facts ADD COLUMN requested BIGINT NOT NULL DEFAULT 0;

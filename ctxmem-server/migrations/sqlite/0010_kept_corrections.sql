-- What users decided about single facts, and what their pages say about them. Everything may be
-- absent: processes of the version before neither write nor read it.

-- Which facts agents must not save again: HMACs of their slots, sealed under the user's key.
ALTER TABLE users ADD COLUMN kept_out BLOB;
-- How the fact was extracted and by which request, as JSON with the first_stored_at that it belongs
-- to: an older process that replaces the value leaves this as it was.
ALTER TABLE facts ADD COLUMN origin TEXT;
-- What the history needs for a true sentence, as JSON: numbers, scopes and an end, no contents.
ALTER TABLE audit ADD COLUMN details TEXT;

-- Whose key is to be destroyed. On Postgres, where the tables can be distributed over several
-- machines, a note lies on the machine of its user. Empty where a process of the version before
-- wrote it.
ALTER TABLE keys_to_destroy ADD COLUMN user_key BLOB NOT NULL DEFAULT x'';

-- On SQLite tables are kept in the order of their keys from here on. Postgres has no such tables.
SELECT 1;

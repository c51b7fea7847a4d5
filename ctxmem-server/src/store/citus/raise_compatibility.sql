-- What a migration calls first that processes of the version before can't live with. They lose their
-- connections, to whichever machine they are, and get no other: whoever opens one looks at the number,
-- which is locked on every machine until the migration is committed.
CREATE OR REPLACE FUNCTION raise_compatibility(raised BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE compatibility IN ACCESS EXCLUSIVE MODE;
    IF NOT (SELECT COALESCE(bool_and(pg_terminate_backend(global_pid, 10000)), TRUE)
            FROM citus_stat_activity
            WHERE datname = current_database() AND application_name = 'ctxmem-server'
              AND global_pid <> citus_backend_gpid()) THEN
        RAISE 'a connection of an older ctxmem-server did not end';
    END IF;
    UPDATE compatibility SET number = raised;
END $$

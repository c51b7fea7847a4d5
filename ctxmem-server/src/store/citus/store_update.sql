-- Stores one update, if its user still has the version that it depends on and its key still works;
-- answers 1 then, else 0. What STORE_UPDATES does for many updates in one statement: Citus takes no
-- statement that writes several tables. It delegates this call to the machine that has the user, so
-- it is one round trip and one local transaction.
--
-- A function of another number goes with other arguments or another meaning: processes of two
-- versions share the database.
CREATE OR REPLACE FUNCTION ctxmem_store_update_1(
    of_user BYTEA, at_now BIGINT, by_agent TEXT, by_key TEXT, seen_version BIGINT, next BIGINT,
    is_changed BIGINT,
    event_id TEXT, event_action TEXT, event_actor TEXT, event_scopes BIGINT, event_outcome TEXT,
    event_facts BIGINT, event_details TEXT,
    record_key BYTEA, record_reply BYTEA,
    put_scopes BIGINT[], put_slots BYTEA[], put_sealed BYTEA[], put_sources TEXT[],
    put_requested BIGINT[], put_positions BIGINT[], put_origins TEXT[],
    said_scopes BIGINT[], said_slots BYTEA[], said_requested BIGINT[],
    gone_scopes BIGINT[], gone_slots BYTEA[]
) RETURNS BIGINT LANGUAGE plpgsql
-- Citus keeps 25 KB for each run of a plan that it uses again, as long as the connection lives.
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    owner TEXT;
    -- Of the fact whose turn it is. Citus crashes where a statement takes an element of an array.
    its_scope BIGINT;
    its_slot BYTEA;
    its_sealed BYTEA;
    its_source TEXT;
    its_requested BIGINT;
    its_position BIGINT;
    its_origin TEXT;
BEGIN
    -- A user whom somebody else has locked is left for later.
    PERFORM 1 FROM users WHERE user_key = of_user AND version = seen_version
        FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN 0; END IF;
    SELECT agent_id INTO owner FROM api_keys
        WHERE id = by_key AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > at_now);
    IF NOT FOUND THEN RETURN 0; END IF;
    PERFORM 1 FROM agents WHERE id = owner AND deleted_at IS NULL;
    IF NOT FOUND THEN RETURN 0; END IF;

    UPDATE users SET version = version + 1, next_position = next,
                     last_updated = CASE WHEN is_changed = 1 THEN at_now ELSE last_updated END
        WHERE user_key = of_user;
    FOR n IN 1 .. COALESCE(array_length(put_scopes, 1), 0) LOOP
        its_scope := put_scopes[n];
        its_slot := put_slots[n];
        its_sealed := put_sealed[n];
        its_source := put_sources[n];
        its_requested := put_requested[n];
        its_position := put_positions[n];
        its_origin := put_origins[n];
        INSERT INTO facts (user_key, scope, slot_hash, sealed, source_type, agent_id, requested,
                           position, first_stored_at, confirmed_at, origin)
            VALUES (of_user, its_scope, its_slot, its_sealed, its_source, by_agent, its_requested,
                    its_position, at_now, at_now, its_origin)
            ON CONFLICT (user_key, scope, slot_hash) DO UPDATE SET
                sealed = excluded.sealed, source_type = excluded.source_type,
                agent_id = excluded.agent_id, requested = excluded.requested,
                first_stored_at = excluded.first_stored_at,
                confirmed_at = excluded.confirmed_at, origin = excluded.origin;
    END LOOP;
    FOR n IN 1 .. COALESCE(array_length(said_scopes, 1), 0) LOOP
        its_scope := said_scopes[n];
        its_slot := said_slots[n];
        its_requested := said_requested[n];
        UPDATE facts SET confirmed_at = at_now, requested = its_requested
            WHERE user_key = of_user AND scope = its_scope AND slot_hash = its_slot;
    END LOOP;
    FOR n IN 1 .. COALESCE(array_length(gone_scopes, 1), 0) LOOP
        its_scope := gone_scopes[n];
        its_slot := gone_slots[n];
        DELETE FROM facts
            WHERE user_key = of_user AND scope = its_scope AND slot_hash = its_slot;
    END LOOP;
    IF event_id IS NOT NULL THEN
        INSERT INTO audit (user_key, id, at, action, actor, agent_id, scopes, outcome, facts,
                           grants, times, details)
            VALUES (of_user, event_id, at_now, event_action, event_actor, by_agent, event_scopes,
                    event_outcome, event_facts, 0, 1, event_details);
    END IF;
    -- A record that is there, even an expired one, fails the call: to replace it takes a transaction.
    IF record_key IS NOT NULL THEN
        INSERT INTO idempotency_keys (about, agent_id, key_hash, user_key, reply, created_at)
            VALUES (of_user, by_agent, record_key, of_user, record_reply, at_now);
    END IF;
    RETURN 1;
END $$

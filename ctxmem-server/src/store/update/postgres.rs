//! Updates on Postgres: one statement reads for many updates, and one stores for many.
//!
//! The second is the optimistic write. It proves for each update that nothing changed since the
//! first: whatever changes a user's facts, grants or epoch counts up `users.version`, so a row that
//! still has the version of the snapshot, and is locked from now on, shows that the rest is as it
//! was read. A row that somebody else has locked is skipped, so the statement waits for nobody.
//! Keys are not part of a user: the statement checks them itself, and stores nothing at all when
//! one of them was revoked or has expired.
//!
//! It needs no transaction around it. In a transaction that holds the users it stores what that
//! transaction has just read, and skips nothing.
//!
//! This exists for speed: with a batch in one transaction that locks its users, updates ran at 0.45
//! of the rate of the baseline in `benches`, and at 1.25 of it since (decision 005).

use std::collections::HashMap;
use std::sync::Arc;

use super::{OptimisticUpdate, UpdateQuery, UpdateSnapshot};
use crate::store::arg::{Arg, BYTES, Column, INT, TEXT, columns};
use crate::store::ciphers::READ_AGAIN;
use crate::store::facts::{SlotHash, number, scope_at};
use crate::store::row::Row;
use crate::store::statement::statements;
use crate::store::user_keys::{KeyRef, UserCipher};
use crate::store::{Action, Actor, Hash, Result, StoreError, StoredFact, Tx, audit};

statements! {
    // A row for each fact key of each update. Each is looked up by itself, which is what the limits
    // are for: otherwise Postgres plans to read whole tables while they are small, and keeps the
    // plan when they have grown. The grants of a user are few, those of an agent many: hence no
    // index on its id. Only the first row of an update names its key and carries everything but
    // facts and counts. A scope is counted only where a fact key has no fact: no other can make it
    // grow.
    READ_UPDATE_SNAPSHOTS changes Nothing: {
        postgres: "SELECT asked.n, asked.scope AS place, k.created_at AS key_created_at,
                          k.expires_at AS key_expires_at,
                          a.created_at AS agent_created_at, d.first_fact_at, u.epoch, u.version,
                          u.next_position, u.key_slot, u.key_id, u.kept_out,
                          CASE WHEN u.paused_at IS NULL OR g.scopes IS NULL THEN g.scopes ELSE 0
                          END AS granted, g.expires_at, g.expired_at, g.revoked_at,
                          i.created_at AS answered_at, i.reply, i.reply_user_key,
                          CASE WHEN asked.counted = 1 AND f.scope IS NULL THEN
                              (SELECT COUNT(*) FROM facts c
                               WHERE c.user_key = asked.user_key AND c.scope = asked.scope)
                          END AS counted,
                          f.scope, f.slot_hash, f.sealed, f.source_type, f.requested,
                          f.position, f.first_stored_at, f.confirmed_at
                   FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[],
                               $6::bigint[], $7::bytea[], $8::bigint[]) AS asked (
                            n, key_id, agent_id, user_key, idempotency_key, scope, slot_hash,
                            counted)
                   LEFT JOIN LATERAL (
                       SELECT created_at, expires_at FROM api_keys
                       WHERE id = asked.key_id AND revoked_at IS NULL LIMIT 1) k ON TRUE
                   LEFT JOIN LATERAL (
                       SELECT created_at, developer_id FROM agents
                       WHERE id = asked.agent_id AND deleted_at IS NULL LIMIT 1) a ON TRUE
                   LEFT JOIN LATERAL (
                       SELECT first_fact_at FROM developers
                       WHERE id = a.developer_id LIMIT 1) d ON TRUE
                   LEFT JOIN LATERAL (
                       SELECT epoch, version, next_position, key_slot, key_id, kept_out, paused_at
                       FROM users
                       WHERE user_key = asked.user_key AND asked.key_id IS NOT NULL LIMIT 1) u
                       ON TRUE
                   LEFT JOIN LATERAL (
                       SELECT scopes, expires_at, expired_at, revoked_at FROM grants
                       WHERE user_key = asked.user_key AND agent_id || '' = asked.agent_id
                         AND latest = 1 LIMIT 1) g ON TRUE
                   LEFT JOIN LATERAL (
                       SELECT created_at, reply, user_key AS reply_user_key
                       FROM idempotency_keys
                       WHERE agent_id = asked.agent_id AND key_hash = asked.idempotency_key
                       LIMIT 1) i
                       ON i.created_at > $9
                   LEFT JOIN LATERAL (
                       SELECT * FROM facts
                       WHERE user_key = asked.user_key AND scope = asked.scope
                         AND slot_hash = asked.slot_hash LIMIT 1) f ON TRUE",
        // For one user: the query goes to the machine that has them, so every table of users names
        // them by $10.
        citus: "SELECT asked.n, asked.scope AS place, k.created_at AS key_created_at,
                       k.expires_at AS key_expires_at,
                       a.created_at AS agent_created_at, d.first_fact_at, u.epoch, u.version,
                       u.next_position, u.key_slot, u.key_id, u.kept_out,
                       CASE WHEN u.paused_at IS NULL OR g.scopes IS NULL THEN g.scopes ELSE 0
                       END AS granted, g.expires_at, g.expired_at, g.revoked_at,
                       i.created_at AS answered_at, i.reply, i.user_key AS reply_user_key,
                       CASE WHEN asked.counted = 1 AND f.scope IS NULL THEN
                           (SELECT COUNT(*) FROM facts c
                            WHERE c.user_key = $10 AND c.scope = asked.scope)
                       END AS counted,
                       f.scope, f.slot_hash, f.sealed, f.source_type, f.requested,
                       f.position, f.first_stored_at, f.confirmed_at
                FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[],
                            $6::bigint[], $7::bytea[], $8::bigint[]) AS asked (
                         n, key_id, agent_id, user_key, idempotency_key, scope, slot_hash, counted)
                LEFT JOIN api_keys k ON k.id = asked.key_id AND k.revoked_at IS NULL
                LEFT JOIN agents a ON a.id = asked.agent_id AND a.deleted_at IS NULL
                LEFT JOIN developers d ON d.id = a.developer_id
                LEFT JOIN users u ON u.user_key = $10 AND asked.key_id IS NOT NULL
                LEFT JOIN grants g ON g.user_key = $10 AND g.agent_id || '' = asked.agent_id
                                  AND g.latest = 1
                LEFT JOIN idempotency_keys i ON i.about = $10 AND i.agent_id = asked.agent_id
                                            AND i.key_hash = asked.idempotency_key
                                            AND i.created_at > $9
                LEFT JOIN facts f ON f.user_key = $10 AND f.scope = asked.scope
                                 AND f.slot_hash = asked.slot_hash",
    };
    // Rows are looked up as above and then found again by their place in the table (`ctid`). Facts
    // are stored for the users in `changed_users` only. A conflict with a recorded answer, even an
    // expired one, fails the statement: to replace it takes a transaction. `IS TRUE` has Postgres
    // hash the numbers, where it would compare each with each.
    STORE_UPDATES changes Facts: {
        postgres: "WITH locked AS MATERIALIZED (
                       SELECT seen.*, u.here
                       FROM unnest($2::bigint[], $3::bytea[], $4::text[], $5::bigint[],
                                   $6::bigint[], $7::bigint[], $8::text[], $9::bigint[],
                                   $10::text[], $11::bigint[], $12::bytea[], $13::bytea[],
                                   $14::text[])
                            AS seen (
                                n, user_key, agent_id, version, next_position, changed, event_id,
                                scopes, outcome, facts, key_hash, reply, details)
                       CROSS JOIN LATERAL (
                           SELECT ctid AS here FROM users
                           WHERE user_key = seen.user_key AND version = seen.version
                           LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) u
                       WHERE cardinality($15::text[]) = (
                           SELECT COUNT(*) FROM unnest($15::text[]) AS used (key_id)
                           CROSS JOIN LATERAL (
                               SELECT agent_id FROM api_keys
                               WHERE id = used.key_id AND revoked_at IS NULL
                                 AND (expires_at IS NULL OR expires_at > $1) LIMIT 1) k
                           CROSS JOIN LATERAL (
                               SELECT 1 FROM agents
                               WHERE id = k.agent_id AND deleted_at IS NULL LIMIT 1) a)),
                   changed_users AS (
                       UPDATE users SET version = users.version + 1,
                              next_position = locked.next_position,
                              last_updated = CASE WHEN locked.changed = 1 THEN $1
                                                  ELSE last_updated END
                       FROM locked WHERE users.ctid = locked.here
                       RETURNING locked.*),
                   put AS (
                       INSERT INTO facts (user_key, scope, slot_hash, sealed, source_type, agent_id,
                                          requested, position, first_stored_at, confirmed_at,
                                          origin)
                       SELECT user_key, scope, slot_hash, sealed, source_type, agent_id, requested,
                              position, $1, $1, origin
                       FROM unnest($16::bigint[], $17::bytea[], $18::bigint[], $19::bytea[],
                                   $20::bytea[], $21::text[], $22::text[], $23::bigint[],
                                   $24::bigint[], $25::text[]) AS put (
                                n, user_key, scope, slot_hash, sealed, source_type, agent_id,
                                requested, position, origin)
                       WHERE (n IN (SELECT n FROM changed_users)) IS TRUE
                       ON CONFLICT (user_key, scope, slot_hash) DO UPDATE SET
                           sealed = excluded.sealed, source_type = excluded.source_type,
                           agent_id = excluded.agent_id, requested = excluded.requested,
                           first_stored_at = excluded.first_stored_at,
                           confirmed_at = excluded.confirmed_at, origin = excluded.origin),
                   confirmed AS (
                       UPDATE facts SET confirmed_at = $1, requested = said.requested
                       FROM (SELECT f.here, said.requested
                             FROM unnest($26::bigint[], $27::bytea[], $28::bigint[],
                                         $29::bytea[], $30::bigint[]) AS said (
                                      n, user_key, scope, slot_hash, requested)
                             CROSS JOIN LATERAL (
                                 SELECT ctid AS here FROM facts
                                 WHERE user_key = said.user_key AND scope = said.scope
                                   AND slot_hash = said.slot_hash LIMIT 1) f
                             WHERE (n IN (SELECT n FROM changed_users)) IS TRUE) AS said
                       WHERE facts.ctid = said.here),
                   removed AS (
                       DELETE FROM facts
                       USING (SELECT f.here
                              FROM unnest($31::bigint[], $32::bytea[], $33::bigint[],
                                          $34::bytea[]) AS gone (n, user_key, scope, slot_hash)
                              CROSS JOIN LATERAL (
                                  SELECT ctid AS here FROM facts
                                  WHERE user_key = gone.user_key AND scope = gone.scope
                                    AND slot_hash = gone.slot_hash LIMIT 1) f
                              WHERE (n IN (SELECT n FROM changed_users)) IS TRUE) AS gone
                       WHERE facts.ctid = gone.here),
                   noted AS (
                       INSERT INTO audit (user_key, id, at, action, actor, agent_id, scopes, outcome,
                                          facts, grants, times, details)
                       SELECT user_key, event_id, $1, $35, $36, agent_id, scopes, outcome, facts,
                              0, 1, details
                       FROM changed_users WHERE event_id IS NOT NULL),
                   recorded AS (
                       INSERT INTO idempotency_keys (agent_id, key_hash, user_key, reply,
                                                     created_at)
                       SELECT agent_id, key_hash, user_key, reply, $1
                       FROM changed_users WHERE key_hash IS NOT NULL)
                   SELECT n FROM changed_users",
    };
    // The same for one update, by the function that `store::citus` makes: Citus takes no statement
    // that writes several tables.
    STORE_UPDATE changes Facts: {
        citus: "SELECT ctxmem_store_update_1(
                    $1::bytea, $2::bigint, $3::text, $4::text, $5::bigint, $6::bigint, $7::bigint,
                    $8::text, $9::text, $10::text, $11::bigint, $12::text, $13::bigint, $14::text,
                    $15::bytea, $16::bytea, $17::bigint[], $18::bytea[], $19::bytea[], $20::text[],
                    $21::bigint[], $22::bigint[], $23::text[], $24::bigint[], $25::bytea[],
                    $26::bigint[], $27::bigint[], $28::bytea[]) AS stored",
    };
}

impl Tx {
    /// Reads what these updates need without locking anything, each answer in the place of its
    /// query; `None` where the user has no row. Records made at `over` (milliseconds since 1970)
    /// or before are ignored.
    pub async fn update_snapshots(
        &mut self,
        queries: &[UpdateQuery<'_>],
        over: i64,
    ) -> Result<Vec<Option<UpdateSnapshot>>> {
        for _ in 0..READ_AGAIN {
            let users = self.query_keys(queries).await?;
            match self.read_snapshots(queries, &users, over).await {
                Err(StoreError::KeyReplaced) => {
                    for query in queries {
                        self.keys.places.invalidate(query.user_key);
                    }
                }
                snapshots => return snapshots,
            }
        }
        Err(StoreError::KeyReplaced)
    }

    /// The key of the user of each query: as it is remembered, or else read from the database.
    async fn query_keys(&mut self, queries: &[UpdateQuery<'_>]) -> Result<Vec<QueryKey>> {
        let users = queries.iter().map(|query| query.user_key);
        let known = users.map(|user| Some((user, self.keys.places.get(user)?)));
        let mut places: HashMap<&Hash, KeyRef> = known.flatten().collect();
        let users = queries.iter().map(|query| query.user_key);
        let unknown: Vec<&Hash> = users.filter(|user| !places.contains_key(user)).collect();
        if !unknown.is_empty() {
            let found = self.key_refs(&unknown).await?;
            for (user, at) in unknown.into_iter().zip(found) {
                if let Some(at) = at {
                    self.keys.places.insert(*user, at);
                    places.insert(user, at);
                }
            }
        }
        let mut keys = Vec::new();
        for query in queries {
            let at = places.get(query.user_key).copied();
            let cipher = match at {
                // A key that was destroyed meanwhile: the row names another one, or none.
                Some(at) => self.keys.cipher(at).await?,
                None => None,
            };
            let slots = query.fact_keys.iter().map(|(scope, slot)| {
                // Nothing is stored for a user without a key, so any hash will do.
                cipher
                    .as_ref()
                    .map(|cipher| cipher.slot_hash(number(*scope), slot))
                    .unwrap_or_default()
            });
            keys.push(QueryKey {
                at,
                slots: slots.collect(),
                cipher,
            });
        }
        Ok(keys)
    }

    async fn read_snapshots(
        &mut self,
        queries: &[UpdateQuery<'_>],
        keys: &[QueryKey],
        over: i64,
    ) -> Result<Vec<Option<UpdateSnapshot>>> {
        let rows = if self.is_distributed() {
            self.read_one_by_one(queries, keys, over).await?
        } else {
            let columns = query_columns(0, queries, keys);
            let mut args: Vec<Arg<'_>> = columns.iter().map(Arg::from).collect();
            args.push(over.into());
            self.list(READ_UPDATE_SNAPSHOTS, &args).await?
        };
        let mut snapshots: Vec<Option<UpdateSnapshot>> = queries.iter().map(|_| None).collect();
        let missing = || StoreError::corrupt("asked", "n");
        for row in &rows {
            let n = row.number()?;
            let (query, key) = queries.get(n).zip(keys.get(n)).ok_or_else(missing)?;
            let snapshot = snapshots.get_mut(n).ok_or_else(missing)?;
            if snapshot.is_none() && row.int_or_null("epoch")?.is_some() {
                let read = UpdateSnapshot::from_row(row, query, key.cipher.as_deref())?;
                if read.key != key.at {
                    return Err(StoreError::KeyReplaced);
                }
                // A row that still names a destroyed key is dealt with under the user's lock.
                let is_readable = key.at.is_none() || key.cipher.is_some();
                *snapshot = is_readable.then_some(read);
            }
        }
        // The first row of an update need not come first.
        for row in &rows {
            let n = row.number()?;
            let (query, key) = queries.get(n).zip(keys.get(n)).ok_or_else(missing)?;
            let Some(Some(snapshot)) = snapshots.get_mut(n) else {
                continue;
            };
            if row.int_or_null("scope")?.is_some() {
                let cipher = key.cipher.as_deref().ok_or(StoreError::KeyReplaced)?;
                let fact = StoredFact::from_row(row, query.user_key, cipher)?;
                snapshot.facts.push(fact);
            }
            if let Some(count) = row.int_or_null("counted")? {
                let scope = scope_at(row.int("place")?)?;
                if snapshot.counts.iter().all(|(counted, _)| *counted != scope) {
                    snapshot.counts.push((scope, count));
                }
            }
        }
        Ok(snapshots)
    }

    async fn read_one_by_one(
        &mut self,
        queries: &[UpdateQuery<'_>],
        keys: &[QueryKey],
        over: i64,
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (n, (query, key)) in (0..).zip(queries.iter().zip(keys)) {
            let (query, key) = (std::slice::from_ref(query), std::slice::from_ref(key));
            let columns = query_columns(n, query, key);
            let mut args: Vec<Arg<'_>> = columns.iter().map(Arg::from).collect();
            args.push(over.into());
            args.extend(query.iter().map(|query| Arg::from(query.user_key)));
            rows.extend(self.list(READ_UPDATE_SNAPSHOTS, &args).await?);
        }
        Ok(rows)
    }

    /// Stores updates about different users, each only while its snapshot is still true, and
    /// answers of each whether it was stored. Postgres commits after it has sent the rows: the
    /// answer counts once all were read. Where an idempotency key has a record already, it fails and
    /// nothing is stored.
    pub async fn store_updates(
        &mut self,
        updates: &[OptimisticUpdate<'_>],
        now: i64,
    ) -> Result<Vec<bool>> {
        let mut prepared = Vec::new();
        for update in updates {
            // Where the key is gone, so is the version that this update depends on.
            let at = update.changes.key.ok_or(StoreError::KeyReplaced)?;
            let cipher = self.cipher_at(at).await?;
            prepared.push(Prepared::of(update, &cipher, now)?);
        }
        if self.is_distributed() {
            let mut stored = Vec::new();
            for prepared in &prepared {
                stored.push(self.store_distributed(prepared, now).await?);
            }
            return Ok(stored);
        }
        let rows: Vec<_> = (0..)
            .zip(&prepared)
            .map(|(n, update)| update.row(n))
            .collect();
        let types = [
            INT, BYTES, TEXT, INT, INT, INT, TEXT, INT, TEXT, INT, BYTES, BYTES, TEXT,
        ];
        let (rows, keys) = (columns(&rows, types), key_column(updates));
        let (put, confirmed, removed) = fact_columns(&prepared);
        let facts = put.iter().chain(&confirmed).chain(&removed);
        let all = rows.iter().chain(&keys).chain(facts);
        let mut args = vec![Arg::from(now)];
        args.extend(all.map(Arg::from));
        args.push(Action::Update.as_str().into());
        args.push(Actor::Agent.as_str().into());
        let rows = self.list(STORE_UPDATES, &args).await?;
        let mut stored = vec![false; updates.len()];
        for row in &rows {
            let stored = stored.get_mut(row.number()?);
            *stored.ok_or(StoreError::corrupt("asked", "n"))? = true;
        }
        Ok(stored)
    }

    /// Stores one update where the database is distributed, and answers whether it did.
    async fn store_distributed(&mut self, prepared: &Prepared<'_>, now: i64) -> Result<bool> {
        let update = prepared.update;
        let (changes, event) = (&update.changes, update.event.as_ref());
        let (put, confirmed, removed) = fact_columns(std::slice::from_ref(prepared));
        let mut args = vec![
            changes.user_key.into(),
            now.into(),
            changes.agent_id.into(),
            update.key_id.into(),
            update.version.into(),
            changes.next_position.into(),
            changes.changes_content().into(),
            prepared.event_id.as_deref().into(),
            Action::Update.as_str().into(),
            Actor::Agent.as_str().into(),
            event.map(|event| i64::from(event.scopes.bits())).into(),
            event.map(|event| event.outcome.as_str()).into(),
            event.map(|event| event.facts).into(),
            prepared.details.as_deref().into(),
            update.record.as_ref().map(|record| record.key).into(),
            Arg::Bytes(prepared.reply.as_deref()),
        ];
        // The function knows the user and the agent.
        let [_, _, scope, slot, sealed, source_type, _, rest @ ..] = &put;
        let [_, _, confirmed @ ..] = &confirmed;
        let [_, _, removed @ ..] = &removed;
        let put = [scope, slot, sealed, source_type].into_iter().chain(rest);
        let facts = put.chain(confirmed).chain(removed);
        args.extend(facts.map(Arg::from));
        let row = self.find(STORE_UPDATE, &args).await?;
        let row = row.ok_or(StoreError::corrupt("users", "version"))?;
        Ok(row.int("stored")? == 1)
    }
}

/// The key of the user whom an update is about, as it was known before the question.
struct QueryKey {
    at: Option<KeyRef>,
    cipher: Option<Arc<UserCipher>>,
    /// The hashes of the slots that the update asks for.
    slots: Vec<SlotHash>,
}

/// The columns of the question: a row for each fact key of an update, or one where it has none. The
/// first query has the number `first`.
fn query_columns<'q>(
    first: i64,
    queries: &'q [UpdateQuery<'q>],
    keys: &'q [QueryKey],
) -> [Column<'q>; 8] {
    let mut rows = Vec::new();
    for (n, (query, key)) in (first..).zip(queries.iter().zip(keys)) {
        let scopes = query.fact_keys.iter().map(|(scope, _)| *scope);
        let mut fact_keys = scopes.zip(&key.slots).map(Some);
        let first = fact_keys.next().flatten();
        for (at, fact_key) in std::iter::once(first).chain(fact_keys).enumerate() {
            let (is_first, scope) = (at == 0, fact_key.map(|(scope, _)| scope));
            rows.push([
                n.into(),
                is_first.then_some(query.key_id).into(),
                is_first.then_some(query.agent_id).into(),
                query.user_key.into(),
                query.idempotency_key.filter(|_| is_first).into(),
                scope.map(number).into(),
                Arg::Bytes(fact_key.map(|(_, slot)| slot.as_slice())),
                scope
                    .is_some_and(|scope| query.counted.contains(scope))
                    .into(),
            ]);
        }
    }
    columns(&rows, [INT, TEXT, TEXT, BYTES, BYTES, INT, BYTES, INT])
}

fn key_column<'u>(updates: &'u [OptimisticUpdate<'u>]) -> [Column<'u>; 1] {
    let mut keys: Vec<&str> = updates.iter().map(|update| update.key_id).collect();
    keys.sort_unstable();
    keys.dedup();
    let keys: Vec<_> = keys.into_iter().map(|key| [key.into()]).collect();
    columns(&keys, [TEXT])
}

/// The columns of the facts that these updates put, confirm and remove.
fn fact_columns<'u>(
    prepared: &'u [Prepared<'u>],
) -> ([Column<'u>; 10], [Column<'u>; 5], [Column<'u>; 4]) {
    let numbered = || (0..).zip(prepared);
    let put = numbered().flat_map(|(n, update)| update.put_rows(n));
    let confirmed = numbered().flat_map(|(n, update)| update.confirmed_rows(n));
    let removed = numbered().flat_map(|(n, update)| update.removed_rows(n));
    let of_put = [INT, BYTES, INT, BYTES, BYTES, TEXT, TEXT, INT, INT, TEXT];
    (
        columns(&put.collect::<Vec<_>>(), of_put),
        columns(
            &confirmed.collect::<Vec<_>>(),
            [INT, BYTES, INT, BYTES, INT],
        ),
        columns(&removed.collect::<Vec<_>>(), [INT, BYTES, INT, BYTES]),
    )
}

/// An update with what is sealed and noted of it.
struct Prepared<'u> {
    update: &'u OptimisticUpdate<'u>,
    event_id: Option<String>,
    details: Option<String>,
    /// What is recorded of its answer.
    reply: Option<Vec<u8>>,
    put: Vec<Put<'u>>,
    confirmed: Vec<(&'u StoredFact, SlotHash)>,
    removed: Vec<(&'u StoredFact, SlotHash)>,
}

struct Put<'u> {
    fact: &'u StoredFact,
    slot: SlotHash,
    sealed: Vec<u8>,
    origin: Option<String>,
}

impl<'u> Prepared<'u> {
    fn of(update: &'u OptimisticUpdate<'u>, cipher: &UserCipher, now: i64) -> Result<Self> {
        let changes = &update.changes;
        let put = changes.put.iter().map(|&fact| {
            let (slot, sealed) = fact.seal(changes.user_key, cipher)?;
            Ok(Put {
                fact,
                slot,
                sealed,
                origin: fact.origin_text(),
            })
        });
        let with_slot = |fact: &&'u StoredFact| {
            let slot = cipher.slot_hash(number(fact.scope), &fact.slot);
            (*fact, slot)
        };
        let (event, record) = (update.event.as_ref(), update.record.as_ref());
        let reply = record.map(|record| record.seal(Some(cipher)));
        Ok(Self {
            update,
            event_id: event.map(|_| audit::id(now)),
            details: event.and_then(|event| event.details.to_text()),
            reply: reply.transpose()?,
            put: put.collect::<Result<_>>()?,
            confirmed: changes.confirmed.iter().map(with_slot).collect(),
            removed: changes.removed.iter().map(with_slot).collect(),
        })
    }

    fn row(&self, n: i64) -> [Arg<'_>; 13] {
        let changes = &self.update.changes;
        let (event, record) = (self.update.event.as_ref(), self.update.record.as_ref());
        [
            n.into(),
            changes.user_key.into(),
            changes.agent_id.into(),
            self.update.version.into(),
            changes.next_position.into(),
            changes.changes_content().into(),
            self.event_id.as_deref().into(),
            event.map(|event| i64::from(event.scopes.bits())).into(),
            event.map(|event| event.outcome.as_str()).into(),
            event.map(|event| event.facts).into(),
            record.map(|record| record.key).into(),
            Arg::Bytes(self.reply.as_deref()),
            self.details.as_deref().into(),
        ]
    }

    fn put_rows(&self, n: i64) -> impl Iterator<Item = [Arg<'_>; 10]> {
        let changes = &self.update.changes;
        self.put.iter().map(move |put| {
            [
                n.into(),
                changes.user_key.into(),
                number(put.fact.scope).into(),
                (&put.slot).into(),
                (&put.sealed).into(),
                put.fact.source_type.as_str().into(),
                changes.agent_id.into(),
                put.fact.requested.into(),
                put.fact.position.into(),
                put.origin.as_deref().into(),
            ]
        })
    }

    fn confirmed_rows(&self, n: i64) -> impl Iterator<Item = [Arg<'_>; 5]> {
        self.confirmed.iter().map(move |(fact, slot)| {
            let [n, user_key, scope, slot] = self.place(n, fact, slot);
            [n, user_key, scope, slot, fact.requested.into()]
        })
    }

    fn removed_rows(&self, n: i64) -> impl Iterator<Item = [Arg<'_>; 4]> {
        let removed = self.removed.iter();
        removed.map(move |(fact, slot)| self.place(n, fact, slot))
    }

    fn place<'s>(&'s self, n: i64, fact: &StoredFact, slot: &'s SlotHash) -> [Arg<'s>; 4] {
        let user_key = self.update.changes.user_key;
        [
            n.into(),
            user_key.into(),
            number(fact.scope).into(),
            slot.into(),
        ]
    }
}

#[cfg(test)]
mod tests;

//! Permanent erasure: destroying a user's key makes everything that was sealed under it unreadable,
//! wherever old copies of rows may be.
//!
//! The key lies in another database than the rows, so no transaction spans both. The unit of work
//! that removes the rows also notes the key in `keys_to_destroy`. After its commit the key is
//! destroyed, and only then is anybody answered. If the process ends in between, the note is still
//! there, and [`Db::complete_erasures`] destroys the key at the next start.

use ctxmem_types::UserId;

use super::arg::args;
use super::ciphers::key_ref;
use super::row::{FromRow, Row};
use super::statement::statements;
use super::user_keys::{FreshKey, KeyRef, UserCipher};
use super::{ByKey, Db, Hash, Result, StoreError, StoredFact, Tx};
use crate::failpoint;

/// How many notes are worked off at once.
const NOTES: i64 = 1_000;

statements! {
    NOTE_KEY changes Nothing:
        "INSERT INTO keys_to_destroy (key_slot, key_id, user_key) VALUES ($1, $2, $3)
         ON CONFLICT DO NOTHING";
    LIST_NOTED_KEYS: "SELECT key_slot, key_id, user_key FROM keys_to_destroy LIMIT $1";
    DROP_NOTE changes Nothing:
        "DELETE FROM keys_to_destroy WHERE key_slot = $1 AND key_id = $2 AND user_key = $3";
    SET_KEY changes Facts:
        "UPDATE users SET key_slot = $2, key_id = $3, sealed_user_id = $4 WHERE user_key = $1";
    LIST_SEALED_FACTS:
        "SELECT scope, slot_hash, sealed, source_type, requested, position, first_stored_at,
                confirmed_at, origin, agent_id
         FROM facts WHERE user_key = $1";
    REMOVE_ALL_FACTS changes Facts: "DELETE FROM facts WHERE user_key = $1";
}

impl Tx {
    /// Makes what was just removed of this user unreadable in every old copy: all that is left is
    /// sealed under a new key, and the old one is destroyed after the commit. Recorded answers,
    /// which may repeat what was removed, go with it. Lock the user before.
    pub async fn replace_key(&mut self, user_id: &UserId) -> Result<()> {
        let user_key = self.user_key(user_id);
        self.clear_idempotency_records(&user_key).await?;
        let Some(cipher) = self.cipher(&user_key).await? else {
            return Ok(());
        };
        let blocked_facts = self.blocked_facts_of(&user_key, &cipher).await?;
        let facts = self.facts_with_authors(&user_key, &cipher).await?;
        self.retire_key(&user_key).await?;
        let key = self.keys.fresh().await?;
        self.set_key(&user_key, user_id, &key).await?;
        self.run(REMOVE_ALL_FACTS, args![&user_key]).await?;
        for (agent_id, fact) in &facts {
            self.put_fact(ByKey(&user_key), agent_id, fact).await?;
        }
        if !blocked_facts.is_empty() {
            self.put_blocked_facts(ByKey(&user_key), &blocked_facts)
                .await?;
        }
        Ok(())
    }

    /// All facts of a user, each with the agent that wrote it.
    pub(super) async fn facts_with_authors(
        &mut self,
        user_key: &Hash,
        cipher: &UserCipher,
    ) -> Result<Vec<(String, StoredFact)>> {
        self.list_with(LIST_SEALED_FACTS, args![user_key], |row| {
            let fact = StoredFact::from_row_with_origin(row, user_key, cipher)?;
            Ok((row.text("agent_id")?, fact))
        })
        .await
    }

    /// Seals the user id under a key that is the user's from now on.
    pub(super) async fn set_key(
        &mut self,
        user_key: &Hash,
        user_id: &UserId,
        key: &FreshKey,
    ) -> Result<()> {
        let sealed = seal_user_id(user_key, user_id, key)?;
        let args = args![user_key, key.at.slot, &key.at.id, &sealed];
        self.run_one(SET_KEY, args, "users", user_key).await?;
        self.cipher = Some((*user_key, key.cipher.clone()));
        Ok(())
    }

    /// Notes that the key which the user has now is to be destroyed. The caller takes it from the
    /// user's row.
    pub(super) async fn retire_key(&mut self, user_key: &Hash) -> Result<()> {
        let at = self.key_ref_of(user_key).await?;
        self.cipher = None;
        if let Some(at) = at {
            self.run(NOTE_KEY, args![at.slot, &at.id, user_key]).await?;
            failpoint::reach("before-commit");
            self.retired_keys.push(at);
        }
        Ok(())
    }
}

impl Db {
    /// Destroys every key that is noted for it, and drops the notes. Answers how many there were.
    /// Keys that are gone already cost a look-up each.
    pub async fn complete_erasures(&self) -> Result<usize> {
        let mut completed = 0;
        loop {
            let notes: Vec<Note> = self
                .read(async |tx| tx.list_as(LIST_NOTED_KEYS, args![NOTES]).await)
                .await?;
            if notes.is_empty() {
                return Ok(completed);
            }
            let keys: Vec<KeyRef> = notes.iter().map(|note| note.at).collect();
            self.keys.destroy(&keys).await?;
            failpoint::reach("before-note-is-dropped");
            completed += keys.len();
            self.drop_notes(notes).await?;
        }
    }

    /// In one unit of work, or in one each where notes lie on several machines.
    async fn drop_notes(&self, notes: Vec<Note>) -> Result<()> {
        let at_once = if self.shares_units() { notes.len() } else { 1 };
        for some in notes.chunks(at_once.max(1)) {
            let some = some.to_vec();
            self.write(move |tx| {
                let some = some.clone();
                Box::pin(async move {
                    for note in &some {
                        let args = args![note.at.slot, &note.at.id, &note.user_key];
                        tx.run(DROP_NOTE, args).await?;
                    }
                    Ok::<_, StoreError>(())
                })
            })
            .await?;
        }
        Ok(())
    }

    /// On Postgres, removes the bytes of destroyed keys from the table of keys.
    pub async fn rewrite_keys_if_due(&self) -> Result<()> {
        self.keys.rewrite_if_due().await
    }
}

/// A key to be destroyed, and under which user it is noted; nobody where an older process noted it.
#[derive(Clone)]
struct Note {
    at: KeyRef,
    user_key: Vec<u8>,
}

impl FromRow for Note {
    fn from_row(row: &Row) -> Result<Self> {
        let at = key_ref(row)?.ok_or(StoreError::corrupt("keys_to_destroy", "key_slot"))?;
        Ok(Self {
            at,
            user_key: row.bytes("user_key")?,
        })
    }
}

/// The user id, sealed for its row.
pub(super) fn seal_user_id(user_key: &Hash, user_id: &UserId, key: &FreshKey) -> Result<Vec<u8>> {
    key.cipher
        .seal(&id_sealed_for(user_key), user_id.as_str().as_bytes())
}

/// The user id of a row of `users`, which was sealed for it under the user's key.
pub(super) fn open_user_id(row: &Row, user_key: &Hash, cipher: &UserCipher) -> Result<UserId> {
    let corrupt = || StoreError::corrupt("users", "sealed_user_id").in_row(user_key);
    let sealed = row.bytes("sealed_user_id")?;
    let text = cipher
        .open(&id_sealed_for(user_key), &sealed)
        .ok_or(StoreError::KeyReplaced)?;
    let text = String::from_utf8(text.to_vec()).map_err(|_| corrupt())?;
    UserId::new(text).map_err(|_| corrupt())
}

/// The associated data of a user id, which ties what is sealed to its row.
pub(super) fn id_sealed_for(user_key: &Hash) -> Vec<u8> {
    [b"user".as_slice(), user_key].concat()
}

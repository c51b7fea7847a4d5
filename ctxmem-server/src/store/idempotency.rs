//! Idempotency records: the answers to requests that carry a key. Whether a request is the same as
//! an earlier one is decided in `core::idempotency`.

use std::time::Duration;

use ctxmem_types::UserId;
use zeroize::Zeroizing;

use super::arg::args;
use super::ciphers::READ_AGAIN;
use super::row::Row;
use super::statement::statements;
use super::user_keys::UserCipher;
use super::{Db, Hash, Result, StoreError, Tx};

/// How long a claim may take. A request goes on without it.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(1);

/// What is known of a key that was used before.
#[derive(Clone, PartialEq, Eq)]
pub enum IdempotencyRecord {
    /// The request that it came with, and what was answered.
    Answered {
        /// Tells this request from others.
        request: Hash,
        /// A JSON text.
        answer: String,
    },
    /// The key was used for a request about another user.
    AboutAnotherUser,
    /// The user was erased since; that it was answered is all that is left.
    Erased,
}

/// A record to store.
pub struct NewIdempotencyRecord<'a> {
    /// Whose key it is.
    pub agent_id: &'a str,
    /// The key.
    pub key: &'a Hash,
    /// About whom the request was, whatever its answer holds: the key of a user.
    pub about: &'a Hash,
    /// The user whose erasure also removes the answer; `None` where it says nothing about a user.
    pub user_id: Option<&'a UserId>,
    /// Tells this request from others.
    pub request: &'a Hash,
    /// A JSON text.
    pub answer: &'a str,
}

statements! {
    // Where the database is distributed, records lie with the user whom the request was about ($4),
    // and whether the key was used for another one, CLAIM_IDEMPOTENCY_KEY tells.
    FIND_IDEMPOTENCY_RECORD: {
        all: "SELECT i.user_key AS reply_user_key, i.reply, u.key_slot, u.key_id
              FROM idempotency_keys i LEFT JOIN users u ON u.user_key = i.user_key
              WHERE i.agent_id = $1 AND i.key_hash = $2 AND i.created_at > $3",
        citus: "SELECT i.user_key AS reply_user_key, i.reply, u.key_slot, u.key_id
                FROM idempotency_keys i
                LEFT JOIN users u ON u.user_key = $4 AND i.user_key IS NOT NULL
                WHERE i.agent_id = $1 AND i.key_hash = $2 AND i.created_at > $3 AND i.about = $4",
    };
    // A record that is over counts as none.
    PUT_IDEMPOTENCY_RECORD changes Nothing: {
        all: "INSERT INTO idempotency_keys (agent_id, key_hash, user_key, reply, created_at)
              VALUES ($1, $2, $3, $4, $5)
              ON CONFLICT (agent_id, key_hash) DO UPDATE SET
                  user_key = excluded.user_key, reply = excluded.reply,
                  created_at = excluded.created_at
              WHERE idempotency_keys.created_at <= $6",
        citus: "INSERT INTO idempotency_keys (agent_id, key_hash, user_key, reply, created_at,
                                              about)
                VALUES ($1, $2, $3, $4, $5, $7)
                ON CONFLICT (about, agent_id, key_hash) DO UPDATE SET
                    user_key = excluded.user_key, reply = excluded.reply,
                    created_at = excluded.created_at
                WHERE idempotency_keys.created_at <= $6",
    };
    CLEAR_IDEMPOTENCY_RECORDS changes Nothing: {
        all: "UPDATE idempotency_keys SET user_key = NULL, reply = NULL WHERE user_key = $1",
        citus: "UPDATE idempotency_keys SET user_key = NULL, reply = NULL
                WHERE about = $1 AND user_key = $1",
    };
    // A claim that is over counts as none. One about the same user begins anew: it has to last as
    // long as the record.
    CLAIM_IDEMPOTENCY_KEY changes Nothing: {
        citus: "INSERT INTO idempotency_claims (agent_id, key_hash, about, created_at)
                VALUES ($1, $2, $4, $5)
                ON CONFLICT (key_hash, agent_id) DO UPDATE SET
                    about = CASE WHEN idempotency_claims.created_at <= $3 THEN excluded.about
                                 ELSE idempotency_claims.about END,
                    created_at = CASE WHEN idempotency_claims.created_at <= $3
                                        OR idempotency_claims.about = excluded.about
                                      THEN excluded.created_at
                                      ELSE idempotency_claims.created_at END
                RETURNING about",
    };
    FIND_IDEMPOTENCY_CLAIM: {
        citus: "SELECT about FROM idempotency_claims
                WHERE agent_id = $1 AND key_hash = $2 AND created_at > $3",
    };
    DROP_IDEMPOTENCY_CLAIMS changes Nothing: {
        citus: "DELETE FROM idempotency_claims WHERE created_at <= $1",
    };
    // The age is asked for twice: on Postgres the outer condition is judged again on a row that
    // another transaction has replaced meanwhile, the inner one is not.
    DROP_IDEMPOTENCY_RECORDS changes Nothing:
        "DELETE FROM idempotency_keys
         WHERE created_at <= $1 AND (agent_id, key_hash) IN (
             SELECT agent_id, key_hash FROM idempotency_keys
             WHERE created_at <= $1 ORDER BY created_at LIMIT $2)";
}

impl Tx {
    /// What is known of an agent's key, unless it was recorded at `over` (milliseconds since
    /// 1970) or before. `about` is the user whom the present request is about.
    pub async fn idempotency_record(
        &mut self,
        agent_id: &str,
        key: &Hash,
        about: &Hash,
        over: i64,
    ) -> Result<Option<IdempotencyRecord>> {
        let mut args = vec![agent_id.into(), key.into(), over.into()];
        if self.is_distributed() {
            args.push(about.into());
        }
        for _ in 0..READ_AGAIN {
            let Some(row) = self.find(FIND_IDEMPOTENCY_RECORD, &args).await? else {
                return Ok(None);
            };
            match self.read_record(&row, key).await {
                Err(StoreError::KeyReplaced) => {}
                record => return record.map(Some),
            }
        }
        // The record is that of an erasure that a restored database forgot.
        Ok(Some(IdempotencyRecord::Erased))
    }

    async fn read_record(&mut self, row: &Row, key: &Hash) -> Result<IdempotencyRecord> {
        let cipher = self.cipher_of_row(row).await?;
        IdempotencyRecord::from_row(row, key, cipher.as_deref())
    }

    /// Records an answer and answers true; false when there is a record of its key already that
    /// is younger than `over`. Lock the user before: then only a request about another user can
    /// come in between.
    pub async fn put_idempotency_record(
        &mut self,
        record: &NewIdempotencyRecord<'_>,
        now: i64,
        over: i64,
    ) -> Result<bool> {
        let user_key = record.user_id.map(|user_id| self.keys.user_key(user_id));
        let cipher = match &user_key {
            Some(user_key) => Some(self.cipher_to_write(user_key).await?),
            None => None,
        };
        let reply = record.seal(cipher.as_deref())?;
        let mut args = vec![
            record.agent_id.into(),
            record.key.into(),
            user_key.as_ref().into(),
            (&reply).into(),
            now.into(),
            over.into(),
        ];
        if self.is_distributed() {
            args.push(record.about.into());
        }
        Ok(self.execute(PUT_IDEMPOTENCY_RECORD, &args).await? > 0)
    }

    /// Removes what records say of this user. That the keys were used remains.
    pub(super) async fn clear_idempotency_records(&mut self, user_key: &Hash) -> Result<()> {
        self.run(CLEAR_IDEMPOTENCY_RECORDS, args![user_key]).await
    }

    /// Forgets some records, at most, that were made at `over` or before, and answers how
    /// many.
    pub async fn drop_idempotency_records(&mut self, over: i64, at_most: u32) -> Result<u64> {
        self.execute(DROP_IDEMPOTENCY_RECORDS, args![over, at_most])
            .await
    }

    /// Forgets where the database is distributed which keys were used at `over` or before.
    pub async fn drop_idempotency_claims(&mut self, over: i64) -> Result<()> {
        if self.is_distributed() {
            self.run(DROP_IDEMPOTENCY_CLAIMS, args![over]).await?;
        }
        Ok(())
    }
}

impl Db {
    /// Answers whether an agent may use this key for a request about this user, as far as that has to
    /// be asked before: where the database is distributed. There the record of the answer lies with
    /// the user, so a request about another user does not find it.
    ///
    /// While the machine that has the claim can't be reached in time, every key may be used: a request
    /// about the same user is recognised by its record all the same. Without `now` it only asks and
    /// claims nothing, for checks before expensive work.
    pub async fn claim_idempotency_key(
        &self,
        agent_id: &str,
        key: &Hash,
        about: &Hash,
        now: Option<i64>,
        over: i64,
    ) -> Result<bool> {
        if !self.is_distributed() {
            return Ok(true);
        }
        let (agent_id, key, about) = (agent_id.to_owned(), *key, *about);
        // On the heap, so that it does not enlarge the future of every caller.
        let asking = Box::pin(self.autocommit(move |tx| {
            Box::pin(async move {
                let mut args = args![&agent_id, &key, over].to_vec();
                let mut statement = FIND_IDEMPOTENCY_CLAIM;
                if let Some(now) = now {
                    args.extend_from_slice(args![&about, now]);
                    statement = CLAIM_IDEMPOTENCY_KEY;
                }
                let found = tx.find_with(statement, &args, |row| row.bytes("about"));
                Ok::<_, StoreError>(found.await?.is_none_or(|found| found == about))
            })
        }));
        match tokio::time::timeout(CLAIM_TIMEOUT, asking).await {
            Ok(Err(error)) if error.is_of_another_machine() => Ok(true),
            Ok(found) => found,
            Err(_) => Ok(true),
        }
    }
}

impl IdempotencyRecord {
    /// Reads a record of this key from a row that holds `reply` and `reply_user_key`. The cipher
    /// is that of the user whom the record is about.
    pub(super) fn from_row(row: &Row, key: &Hash, cipher: Option<&UserCipher>) -> Result<Self> {
        let Some(stored) = row.bytes_or_null("reply")? else {
            return Ok(Self::Erased);
        };
        let corrupt = || StoreError::corrupt("idempotency_keys", "reply");
        let reply = match row.bytes_or_null("reply_user_key")? {
            None => Zeroizing::new(stored),
            Some(_) => cipher
                .and_then(|cipher| cipher.open(&sealed_for(key), &stored))
                .ok_or(StoreError::KeyReplaced)?,
        };
        let (request, answer) = reply.split_first_chunk().ok_or_else(corrupt)?;
        Ok(Self::Answered {
            request: *request,
            answer: String::from_utf8(answer.to_vec()).map_err(|_| corrupt())?,
        })
    }
}

impl NewIdempotencyRecord<'_> {
    /// What is stored of the request and its answer: sealed if it says something of a user, whose
    /// cipher this is.
    pub(super) fn seal(&self, cipher: Option<&UserCipher>) -> Result<Vec<u8>> {
        let reply = Zeroizing::new([self.request, self.answer.as_bytes()].concat());
        match cipher {
            Some(cipher) => cipher.seal(&sealed_for(self.key), &reply),
            None => Ok(reply.to_vec()),
        }
    }
}

/// The associated data of a reply.
fn sealed_for(key: &Hash) -> Vec<u8> {
    [b"reply".as_slice(), key].concat()
}

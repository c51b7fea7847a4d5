//! What was answered to requests that carry a key. Whether a request is the same as an
//! earlier one is decided in `core::idempotency`.

use ctxmem_types::UserId;
use zeroize::Zeroizing;

use super::arg::Arg;
use super::ciphers::READ_AGAIN;
use super::row::Row;
use super::statement::statements;
use super::user_keys::UserCipher;
use super::{Hash, StoreError, Tx};

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
    /// The user whose erasure takes the answer along; `None` where it says nothing of a user.
    pub user_id: Option<&'a UserId>,
    /// Tells this request from others.
    pub request: &'a Hash,
    /// A JSON text.
    pub answer: &'a str,
}

statements! {
    FIND_IDEMPOTENCY_RECORD:
        "SELECT i.user_key AS reply_user_key, i.reply, u.key_slot, u.key_id
         FROM idempotency_keys i LEFT JOIN users u ON u.user_key = i.user_key
         WHERE i.agent_id = $1 AND i.key_hash = $2 AND i.created_at > $3";
    // A record that is over counts as none.
    PUT_IDEMPOTENCY_RECORD changes Nothing:
        "INSERT INTO idempotency_keys (agent_id, key_hash, user_key, reply, created_at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (agent_id, key_hash) DO UPDATE SET
             user_key = excluded.user_key, reply = excluded.reply,
             created_at = excluded.created_at
         WHERE idempotency_keys.created_at <= $6";
    CLEAR_IDEMPOTENCY_RECORDS changes Nothing:
        "UPDATE idempotency_keys SET user_key = NULL, reply = NULL WHERE user_key = $1";
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
    /// 1970) or before.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn idempotency_record(
        &mut self,
        agent_id: &str,
        key: &Hash,
        over: i64,
    ) -> Result<Option<IdempotencyRecord>, StoreError> {
        let args = [agent_id.into(), key.into(), over.into()];
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

    async fn read_record(
        &mut self,
        row: &Row,
        key: &Hash,
    ) -> Result<IdempotencyRecord, StoreError> {
        let cipher = self.cipher_of_row(row).await?;
        IdempotencyRecord::from_row(row, key, cipher.as_deref())
    }

    /// Records an answer and answers true; false when there is a record of its key already that
    /// is younger than `over`. Lock the user before: then only a request about another user can
    /// come in between.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn put_idempotency_record(
        &mut self,
        record: &NewIdempotencyRecord<'_>,
        now: i64,
        over: i64,
    ) -> Result<bool, StoreError> {
        let user_key = record.user_id.map(|user_id| self.keys.user_key(user_id));
        let cipher = match &user_key {
            Some(user_key) => Some(self.cipher_to_write(user_key).await?),
            None => None,
        };
        let reply = record.seal(cipher.as_deref())?;
        let put = self
            .run(
                PUT_IDEMPOTENCY_RECORD,
                &[
                    record.agent_id.into(),
                    record.key.into(),
                    user_key.as_ref().into(),
                    Arg::Bytes(Some(&reply)),
                    now.into(),
                    over.into(),
                ],
            )
            .await?;
        Ok(put > 0)
    }

    /// Removes what records say of this user. That the keys were used remains.
    pub(super) async fn clear_idempotency_records(
        &mut self,
        user_key: &Hash,
    ) -> Result<(), StoreError> {
        self.run(CLEAR_IDEMPOTENCY_RECORDS, &[user_key.into()])
            .await?;
        Ok(())
    }

    /// Forgets some records, at most, that were made at `over` or before, and answers how
    /// many.
    ///
    /// # Errors
    ///
    /// Fails when the database does.
    pub async fn drop_idempotency_records(
        &mut self,
        over: i64,
        at_most: u32,
    ) -> Result<u64, StoreError> {
        self.run(
            DROP_IDEMPOTENCY_RECORDS,
            &[over.into(), i64::from(at_most).into()],
        )
        .await
    }
}

impl IdempotencyRecord {
    /// Reads a record of this key from a row that holds `reply` and `reply_user_key`. The cipher
    /// is that of the user whom the record is about.
    pub(super) fn from_row(
        row: &Row,
        key: &Hash,
        cipher: Option<&UserCipher>,
    ) -> Result<Self, StoreError> {
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
    pub(super) fn seal(&self, cipher: Option<&UserCipher>) -> Result<Vec<u8>, StoreError> {
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

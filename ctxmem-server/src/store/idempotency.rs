//! What was answered to requests that carry a key. Whether a request is the same as an
//! earlier one is decided in `core::idempotency`.

use ctxmem_types::UserId;

use super::row::Row;
use super::statement::statements;
use super::{Hash, StoreError, Tx, user_key};

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
        "SELECT request_hash, answer FROM idempotency_keys
         WHERE agent_id = $1 AND key_hash = $2 AND created_at > $3";
    // A record that is over counts as none.
    PUT_IDEMPOTENCY_RECORD changes Nothing:
        "INSERT INTO idempotency_keys (agent_id, key_hash, user_key, request_hash, answer, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (agent_id, key_hash) DO UPDATE SET
             user_key = excluded.user_key, request_hash = excluded.request_hash,
             answer = excluded.answer, created_at = excluded.created_at
         WHERE idempotency_keys.created_at <= $7";
    CLEAR_IDEMPOTENCY_RECORDS changes Nothing:
        "UPDATE idempotency_keys SET user_key = NULL, request_hash = NULL, answer = NULL
         WHERE user_key = $1";
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
        let row = self
            .find(
                FIND_IDEMPOTENCY_RECORD,
                &[agent_id.into(), key.into(), over.into()],
            )
            .await?;
        row.as_ref().map(IdempotencyRecord::from_row).transpose()
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
        let user_key = record.user_id.map(|user_id| user_key(&self.salt, user_id));
        let put = self
            .run(
                PUT_IDEMPOTENCY_RECORD,
                &[
                    record.agent_id.into(),
                    record.key.into(),
                    user_key.as_ref().into(),
                    record.request.into(),
                    record.answer.into(),
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
    pub(super) fn from_row(row: &Row) -> Result<Self, StoreError> {
        let request = row.bytes_or_null("request_hash")?;
        match (request, row.text_or_null("answer")?) {
            (Some(request), Some(answer)) => Ok(Self::Answered {
                request: request
                    .try_into()
                    .map_err(|_| StoreError::corrupt("idempotency_keys", "request_hash"))?,
                answer,
            }),
            (None, None) => Ok(Self::Erased),
            _ => Err(StoreError::corrupt("idempotency_keys", "answer")),
        }
    }
}

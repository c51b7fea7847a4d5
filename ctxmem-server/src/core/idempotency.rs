//! Requests with an `Idempotency-Key`: one that is sent again, because its answer got lost on the
//! way, gets the first answer again and has no effect of its own.
//!
//! The unit of work that has the effect looks for a record and writes one, so this is exact even if
//! two processes get the request at the same time. In one process such requests also wait for each
//! other, which saves the second call of the model.

use ctxmem_types::UserId;
use serde::Serialize;

use super::clock::DAY_MILLIS;
use super::keyed_lock::KeyedGuard;
use super::{Error, Memory, unit};
use crate::store::{Hash, IdempotencyRecord, NewIdempotencyRecord, StoreError, Tx};

/// For how long an answer is repeated.
const KEPT_MILLIS: i64 = DAY_MILLIS;
/// How many records one unit of work deletes: others want to write as well.
const BATCH: u32 = 1_000;

/// What a client calls a request that it may have to send again. There is no `Debug`: clients may
/// put anything into their keys.
#[derive(Clone)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The longest key, in bytes.
    pub const MAX_BYTES: usize = 255;

    /// Checks the rule: 1 to 255 visible characters of ASCII.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let keeps_the_rule =
            (1..=Self::MAX_BYTES).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic);
        let text = keeps_the_rule.then(|| bytes.to_vec())?;
        String::from_utf8(text).ok().map(Self)
    }
}

/// An answer to a request that may have been sent before.
pub enum Reply<T> {
    /// The request was carried out.
    Fresh(T),
    /// The request was carried out before; the JSON text that was answered.
    Replayed(String),
}

/// A request that has its effect once. It holds hashes only.
#[derive(Clone)]
pub(super) struct IdempotentRequest {
    agent_id: String,
    key: Hash,
    /// The key of the user whom it is about.
    about: Hash,
    request: Hash,
}

/// What a record says about a request.
pub(super) enum StoredReply {
    /// It was answered with this JSON text.
    Answer(String),
    /// It was answered, and the user's data was erased since.
    Erased,
}

impl IdempotentRequest {
    /// The reply to the same request, if it came before. A different request with its key is
    /// refused.
    pub(super) async fn find_reply(
        &self,
        tx: &mut Tx,
        now: i64,
    ) -> Result<Option<StoredReply>, Error> {
        let record = tx
            .idempotency_record(&self.agent_id, &self.key, &self.about, over(now))
            .await?;
        record.map(|record| self.stored_reply(&record)).transpose()
    }

    /// The answer to the same request, if it came before and its answer was [recorded](Self::record)
    /// without a user, because it holds no facts: no erasure clears it.
    pub(super) async fn find_answer(&self, tx: &mut Tx, now: i64) -> Result<Option<String>, Error> {
        match self.find_reply(tx, now).await? {
            None => Ok(None),
            Some(StoredReply::Answer(answer)) => Ok(Some(answer)),
            Some(StoredReply::Erased) => Err(used_otherwise()),
        }
    }

    /// What the record of its key says about this request. A different request with its key is
    /// refused.
    pub(super) fn stored_reply(&self, record: &IdempotencyRecord) -> Result<StoredReply, Error> {
        match record {
            IdempotencyRecord::Erased => Ok(StoredReply::Erased),
            IdempotencyRecord::Answered { request, answer } if *request == self.request => {
                Ok(StoredReply::Answer(answer.clone()))
            }
            IdempotencyRecord::Answered { .. } | IdempotencyRecord::AboutAnotherUser => {
                Err(used_otherwise())
            }
        }
    }

    pub(super) fn key(&self) -> &Hash {
        &self.key
    }

    /// The record of its answer, a JSON text. `of` is the user whose facts it may hold.
    pub(super) fn to_record<'r>(
        &'r self,
        of: Option<&'r UserId>,
        answer: &'r str,
    ) -> NewIdempotencyRecord<'r> {
        NewIdempotencyRecord {
            agent_id: &self.agent_id,
            key: &self.key,
            about: &self.about,
            user_id: of,
            request: &self.request,
            answer,
        }
    }

    /// Records the answer, in the unit of work that looked for an earlier one under the lock
    /// of the user. `of` is the user whose facts it may hold.
    pub(super) async fn record(
        &self,
        tx: &mut Tx,
        of: Option<&UserId>,
        answer: &impl Serialize,
        now: i64,
    ) -> Result<(), Error> {
        let answer = json(answer)?;
        let record = self.to_record(of, &answer);
        if tx.put_idempotency_record(&record, now, over(now)).await? {
            Ok(())
        } else {
            // One about another user came in between.
            Err(used_otherwise())
        }
    }
}

impl Memory {
    /// A request of an agent with a key, about this user. `request` is all that tells it from others.
    pub(super) fn idempotent_request(
        &self,
        agent_id: &str,
        key: &IdempotencyKey,
        about: &UserId,
        request: &[Option<&str>],
    ) -> IdempotentRequest {
        // The key itself is kept nowhere. With it in the hash of the request nobody who
        // reads the database can try what the request may have said.
        let mut texts = vec![Some("request"), Some(&*key.0)];
        texts.extend(request);
        IdempotentRequest {
            agent_id: agent_id.to_owned(),
            key: self.db.keyed_hash(&[Some("key"), Some(&*key.0)]),
            about: self.db.user_key(about),
            request: self.db.keyed_hash(&texts),
        }
    }

    /// Waits until no other request of this process with the same key is under way.
    pub(super) async fn lock_idempotency_key(
        &self,
        request: Option<&IdempotentRequest>,
    ) -> Option<KeyedGuard<(String, Hash)>> {
        let request = request?;
        let key = (request.agent_id.clone(), request.key);
        Some(self.idempotency_locks.lock(key).await)
    }

    /// Refuses a request whose key was used for another user, where the unit of work that has the
    /// effect can't find that out. Call this right before it.
    pub(super) async fn claim_idempotency_key(
        &self,
        request: Option<&IdempotentRequest>,
    ) -> Result<(), Error> {
        let Some(request) = request else {
            return Ok(());
        };
        let (agent_id, key, about) = (&request.agent_id, &request.key, &request.about);
        let now = self.clock.millis();
        let claiming = self
            .db
            .claim_idempotency_key(agent_id, key, about, Some(now), over(now));
        claiming.await?.then_some(()).ok_or_else(used_otherwise)
    }

    pub(super) async fn find_reply(
        &self,
        request: &IdempotentRequest,
    ) -> Result<Option<StoredReply>, Error> {
        let now = self.clock.millis();
        let found = unit::read(&self.db, async |tx| request.find_reply(tx, now).await).await?;
        let (agent_id, key, about) = (&request.agent_id, &request.key, &request.about);
        let may_claim = self
            .db
            .claim_idempotency_key(agent_id, key, about, None, over(now));
        if found.is_none() && !may_claim.await? {
            return Err(used_otherwise());
        }
        Ok(found)
    }

    /// Forgets answers that are no longer repeated.
    pub async fn drop_old_answers(&self) -> Result<(), Error> {
        let over = over(self.clock.millis());
        unit::write_in_parts(&self.db, BATCH, move |tx| {
            Box::pin(tx.drop_idempotency_records(over, BATCH))
        })
        .await?;
        unit::write(&self.db, async move |tx| {
            tx.drop_idempotency_claims(over).await
        })
        .await
    }
}

/// The JSON text of an answer. An answer that can't be written fails like one that can't be stored.
pub(super) fn json(answer: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(answer).map_err(|_| StoreError::corrupt("idempotency_keys", "answer"))
}

/// What was recorded then, or before, no longer counts.
pub(super) fn over(now: i64) -> i64 {
    now - KEPT_MILLIS
}

/// The refusal of a key that another request has had.
pub(super) fn used_otherwise() -> Error {
    Error::BadRequest(
        "Idempotency-Key: it was used with a different request; expected a new key for each \
         request, and the same one only to send a request again"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_of_some_length() {
        let longest = "k".repeat(255);
        for good in [
            "a",
            "!",
            "~",
            "8e03978e-40d5-43dd-bc93-6894a57f9324",
            &longest,
        ] {
            assert!(IdempotencyKey::new(good.as_bytes()).is_some(), "{good}");
        }
        let too_long = "k".repeat(256);
        for bad in ["", " ", "a b", "a\t", "a\u{7f}", "é", "a, a", &too_long] {
            assert!(IdempotencyKey::new(bad.as_bytes()).is_none(), "{bad}");
        }
        assert!(IdempotencyKey::new(b"\xff").is_none());
    }
}

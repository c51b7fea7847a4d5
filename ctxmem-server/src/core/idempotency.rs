//! Requests that carry a key: one that is sent again, because its answer got lost on the
//! way, is answered as it was the first time and has no effect of its own.
//!
//! What makes that exact is that the answer is recorded by the unit of work that has the
//! effect, after it has looked for a record itself. That in one process such requests wait
//! for each other spares the model the second question.

use ctxmem_types::UserId;
use serde::Serialize;

use super::keyed_lock::Held;
use super::{Core, Error};
use crate::store::{Hash, KeyRecord, NewKeyRecord, StoreError, Tx};

/// How long an answer is given again.
const KEPT_MILLIS: i64 = 24 * 60 * 60 * 1_000;
/// How many records one unit of work forgets: others want to write as well.
const BATCH: u32 = 1_000;

/// By what a client calls a request that it may have to send again. There is no `Debug`:
/// clients make keys of what they like.
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

/// An answer, given for the first time or again.
pub enum Answered<T> {
    /// The request was carried out.
    Now(T),
    /// It had been, and this JSON text was the answer.
    Before(String),
}

/// A request that is to have its effect once, in hashes only.
#[derive(Clone)]
pub(super) struct Once {
    agent_id: String,
    key: Hash,
    request: Hash,
}

/// What became of the same request before.
pub(super) enum Earlier {
    /// It was answered by this JSON text.
    Answer(String),
    /// It was answered, and the user's data erased since.
    Erased,
}

impl Once {
    /// What became of the same request before. Another one with its key is refused.
    pub(super) async fn earlier(&self, tx: &mut Tx, now: i64) -> Result<Option<Earlier>, Error> {
        let record = tx.key_record(&self.agent_id, &self.key, over(now)).await?;
        record.map(|record| self.judge(&record)).transpose()
    }

    /// What a record of its key says of this request. Another one with its key is refused.
    pub(super) fn judge(&self, record: &KeyRecord) -> Result<Earlier, Error> {
        match record {
            KeyRecord::Erased => Ok(Earlier::Erased),
            KeyRecord::Answered { request, answer } if *request == self.request => {
                Ok(Earlier::Answer(answer.clone()))
            }
            KeyRecord::Answered { .. } => Err(used_otherwise()),
        }
    }

    /// The hash of its key.
    pub(super) fn key(&self) -> &Hash {
        &self.key
    }

    /// The record of its answer, a JSON text. `of` is the user whose facts it may hold.
    pub(super) fn of<'r>(&'r self, of: Option<&'r UserId>, answer: &'r str) -> NewKeyRecord<'r> {
        NewKeyRecord {
            agent_id: &self.agent_id,
            key: &self.key,
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
        let answer = text(answer)?;
        let record = self.of(of, &answer);
        if tx.put_key_record(&record, now, over(now)).await? {
            Ok(())
        } else {
            // One about another user came in between.
            Err(used_otherwise())
        }
    }
}

impl Core {
    /// A request of an agent with a key. `request` is all that tells it from others.
    pub(super) fn once(
        &self,
        agent_id: &str,
        key: &IdempotencyKey,
        request: &[Option<&str>],
    ) -> Once {
        // The key itself is kept nowhere. With it in the hash of the request nobody who
        // reads the database can try what the request may have said.
        let mut texts = vec![Some("request"), Some(&*key.0)];
        texts.extend(request);
        Once {
            agent_id: agent_id.to_owned(),
            key: self.db.salted_hash(&[Some("key"), Some(&*key.0)]),
            request: self.db.salted_hash(&texts),
        }
    }

    /// Waits until no other request of this process with the same key is under way.
    pub(super) async fn turn(&self, once: Option<&Once>) -> Option<Held<(String, Hash)>> {
        match once {
            Some(once) => Some(self.turns.lock((once.agent_id.clone(), once.key)).await),
            None => None,
        }
    }

    /// What became of the same request before.
    pub(super) async fn earlier(&self, once: &Once) -> Result<Option<Earlier>, Error> {
        let (once, now) = (once.clone(), self.now());
        self.db
            .read(|tx| Box::pin(async move { once.earlier(tx, now).await }))
            .await
    }

    /// Forgets answers that are not given again any more.
    pub async fn drop_old_answers(&self) -> Result<(), Error> {
        let over = over(self.now());
        loop {
            let dropped: u64 = self
                .db
                .write(move |tx| {
                    Box::pin(async move { Ok::<_, Error>(tx.drop_key_records(over, BATCH).await?) })
                })
                .await?;
            if dropped < BATCH.into() {
                return Ok(());
            }
        }
    }
}

/// The JSON text of an answer.
pub(super) fn text(answer: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(answer).map_err(|_| StoreError::Corrupt("an answer"))
}

/// What was recorded then, or before, counts no more.
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

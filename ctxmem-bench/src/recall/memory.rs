//! The calls that an agent makes of a server, and what they answer.

use std::time::Duration;

use bytes::Bytes;
use ctxmem_types::{
    Delta, FactSearchRequest, FactsResponse, InjectRequest, InjectResponse, Scope, UpdateRequest,
    UpdateResponse, UserId, path,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::people::{Person, Turn};
use super::stub::Recorded;
use crate::load::Wire;
use crate::request;

/// How often an update is tried whose model fails.
const TRIES: u32 = 5;

/// A connection to a server, with a key.
pub(super) struct Memory {
    wire: Wire,
    key: String,
}

/// What a person's turns left.
#[derive(Default)]
pub(super) struct Told {
    /// The facts of each turn: as they were stored, and as they were recorded.
    pub(super) facts: Vec<Vec<String>>,
    /// How many facts made room for others.
    pub(super) evicted: usize,
    /// How many updates changed a block.
    pub(super) changed: usize,
    /// How many of these left all that was in it where it was.
    pub(super) kept: usize,
}

impl Memory {
    pub(super) async fn open(address: &str, key: &str) -> Self {
        Self {
            wire: Wire::open(address).await,
            key: key.to_owned(),
        }
    }

    /// Has a person say all turns. A stub answers each with what was recorded of it.
    pub(super) async fn tell(&mut self, person: &Person, recorded: Option<&Recorded>) -> Told {
        let mut told = Told::default();
        let mut before = String::new();
        for turn in &person.turns {
            if let Some(recorded) = recorded {
                recorded.finds(&turn.recorded);
            }
            let learned = match recorded {
                // What others say is not the user's, so the user says what was recorded.
                Some(_) => self.learn(&person.user, &turn.with_recorded()).await,
                None => self.learn(&person.user, turn).await,
            };
            let mut facts = learned.delta.as_ref().map(values).unwrap_or_default();
            if recorded.is_some() {
                // A fact that was known already is in no delta.
                facts.extend(turn.recorded.iter().map(|fact| fact.value.clone()));
            }
            told.facts.push(facts);
            told.evicted += learned
                .evicted
                .as_ref()
                .map_or(0, |gone| values(gone).len());
            let (block, _) = self.inject(&person.user, None).await;
            if !before.is_empty() && block != before {
                told.changed += 1;
                told.kept += usize::from(block.starts_with(&before));
            }
            before = block;
        }
        told
    }

    /// Learns from one turn.
    pub(super) async fn learn(&mut self, user: &UserId, turn: &Turn) -> UpdateResponse {
        let mut update = UpdateRequest::new(user.clone(), &turn.said, &turn.answered);
        update.at.clone_from(&turn.at);
        let request = self.post(path::UPDATE, &update);
        for tried in 1.. {
            let (status, body) = self.wire.exchange_any(&request).await;
            match status {
                "200" => return read(body),
                // The model failed, or was too slow.
                "502" | "503" | "504" if tried < TRIES => {}
                _ => panic!("an update was answered {status}"),
            }
            tokio::time::sleep(Duration::from_secs(1 << tried)).await;
        }
        unreachable!("the loop ends by an answer")
    }

    /// The block about a user, and what bears on a message beside it, if there is one.
    pub(super) async fn inject(
        &mut self,
        user: &UserId,
        message: Option<&str>,
    ) -> (String, Option<String>) {
        let mut inject = InjectRequest::new(user.clone(), "");
        inject.message = message.map(str::to_owned);
        let answer: InjectResponse = self.call(path::INJECT, &inject).await;
        let block = answer.injected_prompt.trim_end().to_owned();
        (block, answer.relevant)
    }

    /// What bears on a query most.
    pub(super) async fn search(&mut self, user: &UserId, query: &str, limit: usize) -> Vec<String> {
        let mut search = FactSearchRequest::new(query);
        search.limit = u32::try_from(limit).ok();
        values_of(self.call(&path::facts_search(user), &search).await)
    }

    /// All facts about a user.
    pub(super) async fn facts(&mut self, user: &UserId) -> Vec<String> {
        let request = request::get_with_key(&path::facts(user), &self.key);
        values_of(read(self.wire.exchange(&request).await))
    }

    async fn call<A: DeserializeOwned>(&mut self, path: &str, body: &impl Serialize) -> A {
        let request = self.post(path, body);
        let (status, body) = self.wire.exchange_any(&request).await;
        assert_eq!(status, "200", "POST {path}");
        read(body)
    }

    fn post(&self, path: &str, body: &impl Serialize) -> Bytes {
        request::post(path, &self.key, &serde_json::to_value(body).unwrap())
    }
}

fn read<A: DeserializeOwned>(body: &[u8]) -> A {
    serde_json::from_slice(body).unwrap()
}

fn values_of(listed: FactsResponse) -> Vec<String> {
    listed.facts.into_iter().map(|fact| fact.value).collect()
}

/// The values in a delta. In lists each stands alone, elsewhere several may be joined.
fn values(delta: &Delta) -> Vec<String> {
    let facts = delta.facts().flat_map(|fact| {
        let joined = Scope::from_storage_key(fact.storage_key)
            .is_some_and(|scope| [Scope::Preferences, Scope::CommunicationStyle].contains(&scope));
        let parts: Vec<&str> = if joined {
            fact.value.split("; ").collect()
        } else {
            vec![fact.value]
        };
        parts.into_iter().map(str::to_owned)
    });
    facts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_a_delta_joins_are_told_apart() {
        let delta =
            r#"{"preferences": {"likes": "tea; chess"}, "raw_history": ["Went up; came down"]}"#;
        let delta: Delta = serde_json::from_str(delta).unwrap();
        assert_eq!(values(&delta), ["tea", "chess", "Went up; came down"]);
    }
}

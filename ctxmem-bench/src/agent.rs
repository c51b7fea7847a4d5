//! The calls that an agent makes of a server, and what they answer.

use std::time::Duration;

use bytes::Bytes;
use ctxmem_types::{
    Context, FactRecord, FactSearchRequest, FactsResponse, InjectRequest, InjectResponse,
    Timestamp, UpdateRequest, UpdateResponse, UserId, path,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::load::Wire;
use crate::request;

/// How often an update is tried whose model fails.
const TRIES: u32 = 5;

/// An agent, connected to a server.
pub(crate) struct Agent {
    wire: Wire,
    key: String,
}

impl Agent {
    pub(crate) async fn connect(address: &str, key: &str) -> Self {
        Self {
            wire: Wire::open(address).await,
            key: key.to_owned(),
        }
    }

    /// Learns from one message, which has to be accepted.
    pub(crate) async fn tell(&mut self, user: &str, message: &str) {
        let learned = self.learn(user, message, "Noted.").await;
        assert!(learned.updated, "{learned:?}");
    }

    /// Learns from one exchange.
    pub(crate) async fn learn(&mut self, user: &str, said: &str, answered: &str) -> UpdateResponse {
        let update = UpdateRequest::new(id(user), said, answered);
        self.call(path::UPDATE, &update).await
    }

    /// The same, on that day, with a model that may fail now and then.
    pub(crate) async fn learn_patiently(
        &mut self,
        user: &str,
        said: &str,
        answered: &str,
        at: Option<Timestamp>,
    ) -> UpdateResponse {
        let mut update = UpdateRequest::new(id(user), said, answered);
        update.at = at;
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

    /// The prompt for a user, and what bears on a message beside it, if there is one.
    pub(crate) async fn inject(
        &mut self,
        user: &str,
        base: &str,
        message: Option<&str>,
    ) -> InjectResponse {
        let mut inject = InjectRequest::new(id(user), base);
        inject.message = message.map(str::to_owned);
        self.call(path::INJECT, &inject).await
    }

    /// How many bytes the answer to an inject has.
    pub(crate) async fn size_of_inject(&mut self, user: &str, base: &str) -> usize {
        let request = request::inject(&self.key, user, base);
        self.wire.exchange(&request).await.len()
    }

    /// The block about a user in a prompt, without the blank line before the base prompt.
    pub(crate) async fn block(&mut self, user: &str, base: &str) -> String {
        let prompt = self.inject(user, base, None).await.injected_prompt;
        let block = prompt.strip_suffix(base).unwrap();
        block.strip_suffix("\n\n").unwrap_or(block).to_owned()
    }

    /// What bears on a query most.
    pub(crate) async fn search(
        &mut self,
        user: &str,
        query: &str,
        limit: usize,
    ) -> Vec<FactRecord> {
        let mut search = FactSearchRequest::new(query);
        search.limit = u32::try_from(limit).ok();
        let found: FactsResponse = self.call(&path::facts_search(&id(user)), &search).await;
        found.facts
    }

    pub(crate) async fn facts(&mut self, user: &str) -> Vec<FactRecord> {
        let listed: FactsResponse = self.get(&path::facts(&id(user))).await;
        listed.facts
    }

    pub(crate) async fn context(&mut self, user: &str) -> Context {
        self.get(&path::context(&id(user))).await
    }

    async fn get<A: DeserializeOwned>(&mut self, path: &str) -> A {
        let request = request::get_with_key(path, &self.key);
        read(self.wire.exchange(&request).await)
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

fn id(user: &str) -> UserId {
    UserId::new(user).unwrap()
}

fn read<A: DeserializeOwned>(body: &[u8]) -> A {
    serde_json::from_slice(body).unwrap()
}

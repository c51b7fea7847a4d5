//! An agent, and what agents do over and over.

use std::ops::Deref;

use ctxmem_client::{Client, UserId};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::RawRequest;

/// A base prompt.
pub(crate) const BASE: &str = "You are a helpful assistant.";

/// An introduction that holds a name, a location and an editor.
pub(crate) const HELLO: &str = "My name is Ada and I live in Lisbon. I use Helix as my editor.";

/// An agent: a client, with the ids and the key that it uses.
pub(crate) struct Agent {
    /// The address of the server that it asks.
    url: String,
    pub(crate) id: String,
    pub(crate) key_id: String,
    pub(crate) key: String,
    pub(crate) client: Client,
}

impl Deref for Agent {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Agent {
    pub(super) fn new(url: &str, id: String, key_id: String, key: &SecretString) -> Self {
        let client = super::exact(url).api_key(key.clone()).build().unwrap();
        Self {
            url: url.to_owned(),
            id,
            key_id,
            key: key.expose_secret().to_owned(),
            client,
        }
    }

    /// A request built by hand, with the key.
    pub(crate) fn raw(&self, method: &str, path: &str) -> RawRequest {
        RawRequest::new(&self.url, method, path).key(&self.key)
    }

    /// An update, built by hand.
    pub(crate) fn raw_update(&self, user: &str, message: &str) -> RawRequest {
        let body = json!({"userId": user, "userMessage": message, "agentResponse": "Noted."});
        self.raw("POST", "/api/context/update").json(&body)
    }

    /// Sends an update with this message, and returns its answer.
    pub(crate) async fn tells(&self, user: &UserId, message: &str) -> Value {
        let answer = self.update(user, message, "Noted.").await.unwrap();
        serde_json::to_value(answer).unwrap()
    }

    /// The whole answer of inject for [`BASE`].
    pub(crate) async fn injects(&self, user: &UserId) -> Value {
        let injected = self.inject(user, BASE).await.unwrap();
        serde_json::to_value(injected.response()).unwrap()
    }

    /// The prompt that inject makes of [`BASE`].
    pub(crate) async fn prompt(&self, user: &UserId) -> String {
        self.inject(user, BASE).await.unwrap().into_prompt()
    }

    /// Why inject merged nothing stored.
    pub(crate) async fn reason(&self, user: &UserId) -> Option<String> {
        let injected = self.inject(user, BASE).await.unwrap();
        injected.reason().map(ToString::to_string)
    }

    /// The whole context as it goes over the wire.
    pub(crate) async fn reads(&self, user: &UserId) -> Value {
        let context = self.context(user).await.unwrap();
        serde_json::to_value(context).unwrap()
    }
}

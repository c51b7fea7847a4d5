//! The model that answers questions, behind an OpenAI-compatible endpoint.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use super::Model;

const TRIES: u32 = 6;

const TIMEOUT: Duration = Duration::from_mins(2);

pub(super) struct Reader<'m> {
    client: Client,
    model: &'m Model,
}

pub(super) struct Reply {
    pub(super) text: String,
    /// The tokens of the prompt and of the answer, where the endpoint counts them.
    pub(super) tokens: Option<[u64; 2]>,
}

impl<'m> Reader<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let client = Client::builder().timeout(TIMEOUT).build().unwrap();
        Self { client, model }
    }

    /// Asks once, and again where the endpoint is busy or fails.
    pub(super) async fn ask(&self, system: &str, user: &str) -> Reply {
        let mut body = json!({
            "model": self.model.name,
            "temperature": 0,
            "messages": [{ "role": "system", "content": system }, { "role": "user", "content": user }],
        });
        for tried in 1.. {
            match self.send(&body).await {
                Ok(reply) => return reply,
                // Some models take no temperature.
                Err(Some(StatusCode::BAD_REQUEST)) if body.get("temperature").is_some() => {
                    body.as_object_mut().unwrap().remove("temperature");
                }
                Err(status) => {
                    let passes = status.is_none_or(|status| {
                        status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
                    });
                    let status = status.map_or("nothing".to_owned(), |status| status.to_string());
                    assert!(
                        passes && tried < TRIES,
                        "the model's endpoint answered {status}"
                    );
                    tokio::time::sleep(Duration::from_secs(1 << tried)).await;
                }
            }
        }
        unreachable!("the loop ends by an answer")
    }

    /// The answer, or the status of the refusal.
    async fn send(&self, body: &Value) -> Result<Reply, Option<StatusCode>> {
        let url = format!("{}/chat/completions", self.model.url.trim_end_matches('/'));
        let mut request = self.client.post(url).json(body);
        if let Some(key) = &self.model.api_key {
            request = request.bearer_auth(key);
        }
        // The error would name the address, which may hold a password.
        let response = request.send().await.map_err(|_| None)?;
        if !response.status().is_success() {
            return Err(Some(response.status()));
        }
        let answer: Value = response.json().await.map_err(|_| None)?;
        let text = answer["choices"][0]["message"]["content"].as_str();
        let tokens = |name: &str| answer["usage"][name].as_u64();
        let tokens = tokens("prompt_tokens").zip(tokens("completion_tokens"));
        Ok(Reply {
            text: text.unwrap_or_default().trim().to_owned(),
            tokens: tokens.map(<[u64; 2]>::from),
        })
    }
}

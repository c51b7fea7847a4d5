//! `CTXMEM_API_KEY=ctxm_… OPENAI_API_KEY=sk-… cargo run --example chat`
//!
//! An agent that remembers: an interactive loop around any OpenAI-compatible endpoint. It
//! applies the cache hint if OpenAI serves the model and the model takes it (`gpt-4.1` does,
//! `gpt-4.1-mini` doesn't). Start a server first: `cargo run --release --bin ctxmem-server`
//!
//! | variable | default |
//! |---|---|
//! | `CTXMEM_BASE_URL` | `http://127.0.0.1:8080` |
//! | `CTXMEM_API_KEY` | none: required |
//! | `CTXMEM_USER` | `me` |
//! | `OPENAI_BASE_URL` | `https://api.openai.com/v1` |
//! | `OPENAI_API_KEY` | none: local endpoints need no key |
//! | `OPENAI_MODEL` | `gpt-4.1-mini` |

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use ctxmem_client::types::Delta;
use ctxmem_client::updates::{BackgroundUpdate, UpdateResult};
use ctxmem_client::{CacheTarget, Client, Turns, Updates, UserId};
use serde_json::{Value, json};

const BASE_PROMPT: &str = "You are a helpful assistant. Be brief.";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let memory = Client::builder()
        .base_url(env_or("CTXMEM_BASE_URL", "http://127.0.0.1:8080"))
        .api_key(std::env::var("CTXMEM_API_KEY").map_err(|_| "CTXMEM_API_KEY is not set")?)
        .build()?;
    let user = UserId::new(env_or("CTXMEM_USER", "me"))?;
    let model = Model::from_env()?;
    let turns = Turns::new(Updates::builder(memory).on_result(show).start());

    println!("Talk to the agent; an empty line ends it.");
    let talked = talk(&turns, &user, &model).await;
    // The last update may still be in the queue.
    let stats = turns.updates().shutdown(Duration::from_secs(10)).await;
    if stats.dropped > 0 {
        println!(
            "  (memory: {} messages were not learned from)",
            stats.dropped
        );
    }
    talked
}

async fn talk(
    turns: &Turns,
    user: &UserId,
    model: &Model,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut history: Vec<Value> = Vec::new();
    let mut lines = std::io::stdin().lock().lines();
    loop {
        print!("> ");
        std::io::stdout().flush()?;
        let Some(said) = lines.next().transpose()?.filter(|line| !line.is_empty()) else {
            return Ok(());
        };

        // Before the model call, what is remembered about the user becomes part of the prompt.
        // If memory is unavailable the turn goes on without it.
        let turn = turns.begin(user, BASE_PROMPT, said.as_str()).await;
        if let Some(fallback) = turn.system().fallback() {
            println!("  ({fallback})");
        } else if let Some(page) = turn.consent_url() {
            println!("  (memory: to let me remember you, visit {page})");
        } else if let Some(notice) = turn.system().notice() {
            println!("  (memory: {notice})");
        }
        let mut messages = vec![json!({"role": "system", "content": turn.prompt()})];
        messages.extend(history.iter().cloned());
        messages.push(json!({"role": "user", "content": said}));
        let mut body = json!({"model": model.name, "messages": messages});
        if let Some(target) = model.cache_target() {
            turn.system().apply_to(target, &mut body);
        }
        let answer = model.complete(&body).await?;
        println!("{answer}");

        // After it, the update is sent in the background.
        if turn.finish_with(answer.as_str()).is_err() {
            println!("  (memory: the queue is full)");
        }
        history.push(json!({"role": "user", "content": said}));
        history.push(json!({"role": "assistant", "content": answer}));
    }
}

/// Shows how an update ended: nothing fails silently.
fn show(update: &BackgroundUpdate) {
    if update.is_over_quota() {
        println!("  (memory: this month's updates are used up)");
    } else if let Some(response) = update.response() {
        for fact in response.delta.iter().flat_map(Delta::facts) {
            println!("  (remembered in {})", fact.storage_key);
        }
        for scope in update.denied_scopes() {
            println!("  (not remembered: {scope} is not granted)");
        }
    } else if let UpdateResult::Failed(error) = &update.result {
        println!("  (memory: {error})");
    }
}

struct Model {
    http: reqwest::Client,
    url: String,
    key: Option<String>,
    name: String,
}

impl Model {
    fn from_env() -> Result<Self, reqwest::Error> {
        let base = env_or("OPENAI_BASE_URL", "https://api.openai.com/v1");
        Ok(Self {
            http: reqwest::Client::builder()
                .timeout(Duration::from_mins(2))
                .build()?,
            url: format!("{}/chat/completions", base.trim_end_matches('/')),
            key: std::env::var("OPENAI_API_KEY").ok(),
            name: env_or("OPENAI_MODEL", "gpt-4.1-mini"),
        })
    }

    /// OpenAI's own endpoint only: another server may reject fields that it doesn't know,
    /// whatever it calls its models.
    fn cache_target(&self) -> Option<CacheTarget<'_>> {
        let is_openai = self.url.starts_with("https://api.openai.com/");
        is_openai.then_some(CacheTarget::OpenAiChat(&self.name))
    }

    async fn complete(&self, body: &Value) -> Result<String, Box<dyn std::error::Error>> {
        let mut request = self.http.post(&self.url).json(body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let answer: Value = request.send().await?.error_for_status()?.json().await?;
        let text = answer["choices"][0]["message"]["content"].as_str();
        Ok(text.ok_or("the model's answer has no text")?.to_owned())
    }
}

fn env_or(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

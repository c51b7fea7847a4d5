//! `CTXMEM_API_KEY=ctxm_… OPENAI_API_KEY=sk-… cargo run --example chat`
//!
//! An agent that remembers: an interactive loop around any OpenAI-compatible endpoint, with
//! the cache hint applied where OpenAI serves a model that takes it (`gpt-4.1` does,
//! `gpt-4.1-mini` doesn't). Start a server first: `cargo run --release --bin ctxmem-server`
//!
//! | variable | default |
//! |---|---|
//! | `CTXMEM_BASE_URL` | `http://127.0.0.1:8080` |
//! | `CTXMEM_API_KEY` | none: it is needed |
//! | `CTXMEM_USER` | `me` |
//! | `OPENAI_BASE_URL` | `https://api.openai.com/v1` |
//! | `OPENAI_API_KEY` | none: local endpoints need none |
//! | `OPENAI_MODEL` | `gpt-4.1-mini` |

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use ctxmem_client::{CacheTarget, Client, UserId};
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
    let mut turns: Vec<Value> = Vec::new();

    println!("Talk to the agent; an empty line ends it.");
    let mut lines = std::io::stdin().lock().lines();
    loop {
        print!("> ");
        std::io::stdout().flush()?;
        let Some(said) = lines.next().transpose()?.filter(|line| !line.is_empty()) else {
            return Ok(());
        };

        // Before the model call: what is known of the user becomes part of the prompt.
        let system = memory.inject(&user, BASE_PROMPT).await?;
        if let Some(notice) = system.notice() {
            println!("  (memory: {notice})");
        }
        let mut messages = vec![json!({"role": "system", "content": system.prompt()})];
        messages.extend(turns.iter().cloned());
        messages.push(json!({"role": "user", "content": said}));
        let mut body = json!({"model": model.name, "messages": messages});
        if let Some(target) = model.cache_target() {
            system.apply_to(target, &mut body);
        }
        let answer = model.complete(&body).await?;
        println!("{answer}");

        // After it: what the turn taught is stored, where the user granted its scope.
        let learned = memory.update(&user, said.as_str(), answer.as_str()).await?;
        for fact in learned.delta.unwrap_or_default().facts() {
            println!("  (remembered in {})", fact.storage_key);
        }
        if learned.limit_reached == Some(true) {
            println!("  (memory: this month's updates are used up)");
        }
        turns.push(json!({"role": "user", "content": said}));
        turns.push(json!({"role": "assistant", "content": answer}));
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

    /// OpenAI's own endpoint, or nothing: another server may refuse fields it doesn't know,
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

//! Tells the operator's application of news for users, by the conventions of <https://www.standardwebhooks.com>: a POST of
//! JSON that is signed, and repeated until it is answered with a status of 200 to 299. It says who did what to whose
//! memory, and nothing of what is stored.
//!
//! What waits here is in memory: an end of the process loses it, and the user's page has it nevertheless.

use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::Utc;
use ctxmem_types::Timestamp;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use secrecy::{ExposeSecret as _, SecretSlice};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::core::{Grants, News, NewsKind};

/// How long the application may take for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait before each repetition: a quarter of an hour together.
const PAUSES: [Duration; 6] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_mins(2),
    Duration::from_mins(5),
    Duration::from_mins(8),
];

/// How many are sent, or wait for their repetition, at a time. The others wait for them, and of these
/// some are not told when there are too many.
const UNDER_WAY: usize = 500;

/// Where the operator's application is told, and the key by which it knows who tells it.
#[derive(Clone, Debug)]
pub struct WebhookConfig {
    /// Where it is told.
    pub url: Url,
    /// The key of the signatures.
    pub key: SecretSlice<u8>,
}

pub(crate) async fn send(
    config: WebhookConfig,
    grants: Arc<Grants>,
    mut news: mpsc::Receiver<News>,
) {
    let client = Client::builder()
        .timeout(TIMEOUT)
        .redirect(Policy::none())
        .no_proxy()
        .build();
    let Ok(client) = client else {
        tracing::error!("TLS can't be set up: the webhook is not sent");
        return;
    };
    let config = Arc::new(config);
    // What is under way ends with this future.
    let mut deliveries = JoinSet::new();
    while let Some(news) = news.recv().await {
        while deliveries.try_join_next().is_some() {}
        if deliveries.len() >= UNDER_WAY {
            deliveries.join_next().await;
        }
        let (config, client) = (Arc::clone(&config), client.clone());
        let grants = Arc::clone(&grants);
        deliveries.spawn(async move {
            if !deliver(&config, &client, &news).await {
                grants.note_untold();
            }
        });
    }
}

/// Sends one until it is taken, and answers whether it was.
async fn deliver(config: &WebhookConfig, client: &Client, news: &News) -> bool {
    // The same each time: by it the application knows a repetition.
    let id = format!("msg_{}", Uuid::now_v7().simple());
    let body = body(news);
    for pause in PAUSES.into_iter().map(Some).chain([None]) {
        let failure = match post(config, client, &id, &body).await {
            Ok(()) => return true,
            Err(failure) => failure,
        };
        let Some(pause) = pause else {
            tracing::warn!(failure, "a webhook was not taken, and is not sent again");
            break;
        };
        tracing::debug!(failure, "a webhook was not taken; it is sent again");
        tokio::time::sleep(pause).await;
    }
    false
}

async fn post(config: &WebhookConfig, client: &Client, id: &str, body: &str) -> Result<(), String> {
    let sent_at = Utc::now().timestamp();
    let request = client
        .post(config.url.clone())
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", sent_at)
        .header("webhook-signature", signature(config, id, sent_at, body))
        .body(body.to_owned());
    // What reqwest says names the address, which may hold a password.
    match request.send().await {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => Err(format!("answered {}", answer.status().as_u16())),
        Err(error) if error.is_timeout() => Err("no answer in time".to_owned()),
        Err(_) => Err("not reached".to_owned()),
    }
}

fn signature(config: &WebhookConfig, id: &str, sent_at: i64, body: &str) -> String {
    let signed = format!("{id}.{sent_at}.{body}");
    let key = hmac::Key::new(hmac::HMAC_SHA256, config.key.expose_secret());
    let signature = hmac::sign(&key, signed.as_bytes());
    format!("v1,{}", STANDARD.encode(signature.as_ref()))
}

fn body(news: &News) -> String {
    let kind = match news.kind {
        NewsKind::AgentWaits => "agent.waiting",
        NewsKind::AgentBegan => "agent.allowed",
        NewsKind::FactDeleted => "fact.deleted",
        NewsKind::MemoryErased => "memory.erased",
    };
    json!({
        "type": kind,
        "timestamp": Timestamp::from_unix_millis(news.at),
        "data": { "userId": news.user_id, "agentId": &*news.agent_id },
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_the_standards_example() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let config = WebhookConfig {
            url: Url::parse("https://app.example/hook").unwrap(),
            key: key.into(),
        };
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let signed = signature(&config, id, 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert!(!format!("{config:?}").contains("MfKQ") && !format!("{config:?}").contains("49"));
    }
}

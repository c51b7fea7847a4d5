//! The flags for telling the operator's application of news for users.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};

use super::{CliError, address};
use crate::core::is_local;
use crate::webhook::WebhookConfig;

/// What secrets of Standard Webhooks begin with.
const PREFIX: &str = "whsec_";
/// How many bytes a secret has at least.
const MIN_BYTES: usize = 24;

/// Where the application is told, and how it knows who tells it.
#[derive(Clone, Debug, Args)]
pub(super) struct WebhookArgs {
    /// Tell your application here when an agent waits for a user, begins without asking, or deletes;
    /// by <https://www.standardwebhooks.com> [default: none]
    #[arg(long, env = "CTXMEM_WEBHOOK_URL", value_name = "URL")]
    webhook_url: Option<Url>,
    /// Sign that with this secret: whsec_ and at least 24 bytes in base64; prefer the environment
    /// variable
    #[arg(
        long,
        env = "CTXMEM_WEBHOOK_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    webhook_secret: Option<SecretString>,
}

impl WebhookArgs {
    pub(super) fn config(self) -> Result<Option<WebhookConfig>, CliError> {
        let (url, secret) = match (self.webhook_url, self.webhook_secret) {
            (None, None) => return Ok(None),
            (Some(url), Some(secret)) => (url, secret),
            (Some(_), None) => return Err(usage("--webhook-url: it needs --webhook-secret")),
            (None, Some(_)) => return Err(usage("--webhook-secret: it needs --webhook-url")),
        };
        if url.scheme() != "https" && !(url.scheme() == "http" && is_local(&url)) {
            return Err(usage(
                "--webhook-url: expected an https address, or one on this machine",
            ));
        }
        if address::has_user(&url) {
            return Err(usage("--webhook-url: it must hold no password"));
        }
        let key = secret.expose_secret().strip_prefix(PREFIX);
        let key = key.and_then(|key| STANDARD.decode(key).ok());
        let key = key.filter(|key| key.len() >= MIN_BYTES).ok_or_else(|| {
            usage("--webhook-secret: expected whsec_ and what `openssl rand -base64 32` prints")
        })?;
        let key = key.into();
        Ok(Some(WebhookConfig { url, key }))
    }
}

fn usage(problem: &str) -> CliError {
    CliError::Usage(problem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn config(url: Option<&str>, secret: Option<&str>) -> Result<Option<WebhookConfig>, CliError> {
        let args = WebhookArgs {
            webhook_url: url.map(|url| Url::parse(url).unwrap()),
            webhook_secret: secret.map(|secret| secret.to_owned().into()),
        };
        args.config()
    }

    #[test]
    fn an_address_and_a_secret_are_taken_together() {
        assert!(config(None, None).unwrap().is_none());
        for url in ["https://app.example/hook", "http://localhost:3000/hook"] {
            let taken = config(Some(url), Some(SECRET)).unwrap().unwrap();
            assert_eq!(taken.url.as_str(), url);
            assert_eq!(taken.key.expose_secret().len(), 24);
        }
    }

    #[test]
    fn what_is_unusable_is_refused_by_the_name_of_the_flag() {
        let url = Some("https://app.example/hook");
        for (url, secret, flag) in [
            (url, None, "--webhook-url"),
            (None, Some(SECRET), "--webhook-secret"),
            (Some("http://app.example/"), Some(SECRET), "--webhook-url"),
            (Some("ftp://localhost/"), Some(SECRET), "--webhook-url"),
            (
                Some("https://a:b@app.example/"),
                Some(SECRET),
                "--webhook-url",
            ),
            (url, Some("whsec_MfKQ9r8G"), "--webhook-secret"),
            (
                url,
                Some("whsec_!fKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                "--webhook-secret",
            ),
            (url, Some(&SECRET[6..]), "--webhook-secret"),
        ] {
            let text = config(url, secret).unwrap_err().to_string();
            assert!(text.starts_with(&format!("{flag}: ")), "{text}");
            assert!(!text.contains("MfKQ") && !text.contains("a:b"), "{text}");
        }
    }
}

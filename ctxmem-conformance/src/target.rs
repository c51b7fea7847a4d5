//! The deployment to test, and whether it can be tested at all.

use std::time::Duration;

use ctxmem_client::{BuildError, Client, Error, RetryPolicy, UserClient, UserId};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use crate::Args;
use crate::verdict::Verdict;
use crate::wire::Caller;

/// Long enough for a deployment with a slow model.
const TIMEOUT: Duration = Duration::from_secs(90);
/// Leaves room for the rest of the user id.
const MAX_PREFIX_BYTES: usize = 100;
/// Shorter cookie values may occur in texts by chance.
const MIN_SECRET_BYTES: usize = 8;

/// A deployment, and the credentials for it.
pub struct Target {
    pub(crate) url: String,
    pub(crate) http: reqwest::Client,
    pub(crate) a: Agent,
    pub(crate) b: Option<Agent>,
    pub(crate) session: Option<Session>,
    pub(crate) user_prefix: String,
    pub(crate) allow_limits: bool,
    pub(crate) secrets: Secrets,
}

/// An agent, with its key.
pub(crate) struct Agent {
    pub(crate) id: Option<String>,
    pub(crate) key: SecretString,
    pub(crate) client: Client,
}

/// A signed-in user.
pub(crate) struct Session {
    pub(crate) user: UserId,
    pub(crate) cookie: SecretString,
    pub(crate) client: UserClient,
}

/// Why a run can't begin. No text repeats a key or a cookie.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// The arguments are missing something or contradict each other.
    #[error("{0}")]
    Usage(&'static str),
    /// A setting is not valid.
    #[error("{0}")]
    Setting(#[from] BuildError),
    /// The HTTP client could not be set up.
    #[error("the HTTP client could not be set up")]
    Http(#[from] reqwest::Error),
    /// Nothing answers at the address.
    #[error("the deployment can't be reached: {0}")]
    Unreachable(Error),
}

impl Target {
    /// Checks the arguments, and that the deployment answers and accepts the credentials.
    ///
    /// # Errors
    ///
    /// An [`Unusable`] that says why a run can't begin.
    pub async fn reach(args: Args) -> Result<Self, Unusable> {
        let target = Self::new(args)?;
        // Any answer, even an error, can be judged.
        if let Err(error @ Error::Transport(_)) = target.a.client.health().await {
            return Err(Unusable::Unreachable(error));
        }
        target.check_credentials().await?;
        Ok(target)
    }

    pub(crate) fn new(args: Args) -> Result<Self, Unusable> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let secret = |text: Option<SecretString>| text.filter(|t| !t.expose_secret().is_empty());
        let url = given(args.url).ok_or(Unusable::Usage("--url is empty"))?;
        let key = secret(args.key).ok_or(Unusable::Usage("--key is empty"))?;
        let (agent_id, second_id) = (given(args.agent_id), given(args.second_agent_id));
        let (second_key, cookie) = (secret(args.second_key), secret(args.session_cookie));
        let http = reqwest::Client::builder()
            .redirect(Policy::none())
            .connect_timeout(Duration::from_secs(10))
            .build()?;
        let agent = |id, key: SecretString| {
            let client = Client::builder()
                .base_url(&url)
                .api_key(key.clone())
                .http_client(http.clone())
                .inject_timeout(TIMEOUT)
                .update_timeout(TIMEOUT)
                .management_timeout(TIMEOUT)
                .with_demo()
                // The rules judge every answer, so none may be hidden by a retry.
                .retry(RetryPolicy::none());
            client.build().map(|client| Agent { id, key, client })
        };
        let usage = |what| Err(Unusable::Usage(what));
        let secrets = Secrets::new([Some(&key), second_key.as_ref()], cookie.as_ref());
        let a = agent(agent_id, key)?;
        let b = match (second_key, second_id) {
            (None, None) => None,
            (Some(key), id @ Some(_)) => Some(agent(id, key)?),
            _ => return usage("--second-key and --second-agent-id belong together"),
        };
        if b.as_ref().is_some_and(|b| b.id == a.id) {
            return usage("--second-agent-id is the id of agent A; expected another agent");
        }
        let session = match (cookie, given(args.session_user)) {
            (None, None) => None,
            (Some(cookie), Some(user)) => Some(Session {
                user: UserId::new(user)
                    .map_err(|_| Unusable::Usage("--session-user can't be a user id"))?,
                client: a.client.as_user(cookie.clone())?,
                cookie,
            }),
            _ => return usage("--session-cookie and --session-user belong together"),
        };
        let user_prefix = given(args.user_prefix).unwrap_or_else(random_prefix);
        if user_prefix.len() > MAX_PREFIX_BYTES || user_prefix.contains('\0') {
            return usage("--user-prefix: expected at most 100 bytes without NUL");
        }
        Ok(Self {
            url: url.trim().trim_end_matches('/').to_owned(),
            http,
            a,
            b,
            session,
            user_prefix,
            allow_limits: args.allow_limits,
            secrets,
        })
    }

    /// With a mistyped key every rule would fail, which would say nothing about the deployment.
    async fn check_credentials(&self) -> Result<(), Unusable> {
        let unknown_user = self.user(0);
        let answer = self.a.client.context(&unknown_user).await;
        accepted(answer, "the deployment refuses --key (401)")?;
        if let Some(b) = &self.b {
            let answer = b.client.context(&unknown_user).await;
            accepted(answer, "the deployment refuses --second-key (401)")?;
        }
        let Some(session) = &self.session else {
            return Ok(());
        };
        let answer = session
            .client
            .revoke_grant(Uuid::new_v4().to_string())
            .await;
        accepted(answer, "the deployment refuses --session-cookie (401)")?;
        let known = self.a.client.context(&session.user).await;
        if known.is_ok_and(|context| !context.is_empty()) {
            return Err(Unusable::Usage(
                "something is stored of --session-user, and it would be erased; sign in a user \
                 made up for this",
            ));
        }
        Ok(())
    }

    /// The test user with this number. With the default prefix the id is a UUID.
    pub(crate) fn user(&self, n: u64) -> UserId {
        self.user_called(&format!("{n:012x}"))
    }

    /// The test user whose id ends with this text.
    pub(crate) fn user_called(&self, text: &str) -> UserId {
        let id = format!("{}{text}", self.user_prefix);
        // The prefix has been checked, and our own texts are short.
        UserId::new(id).unwrap_or_else(|_| unreachable!("a made-up user id is valid"))
    }
}

impl Agent {
    /// The agent's id, if it was given on the command line.
    pub(crate) fn id(&self) -> Result<&str, Verdict> {
        let id = self.id.as_deref();
        id.ok_or_else(|| Verdict::without("--agent-id"))
    }

    /// The same, or an id that is nobody's.
    pub(crate) fn any_id(&self) -> &str {
        let nobody = "00000000-0000-4000-8000-000000000000";
        self.id.as_deref().unwrap_or(nobody)
    }

    /// This agent, as it calls by its key.
    pub(crate) fn caller(&self) -> Caller<'_> {
        Caller::Key(&self.key)
    }
}

/// Whether the deployment knew who asked; any other answer can be judged.
fn accepted<T>(answer: Result<T, Error>, otherwise: &'static str) -> Result<(), Unusable> {
    match answer {
        Err(error) if error.status() == Some(401) => Err(Unusable::Usage(otherwise)),
        _ => Ok(()),
    }
}

fn random_prefix() -> String {
    let mut uuid = Uuid::new_v4().to_string();
    uuid.truncate("00000000-0000-4000-8000-".len());
    uuid
}

/// Texts that must not appear in a report.
#[derive(Clone)]
pub(crate) struct Secrets(Vec<SecretString>);

impl Secrets {
    fn new(keys: [Option<&SecretString>; 2], cookie: Option<&SecretString>) -> Self {
        let mut secrets: Vec<SecretString> = keys.into_iter().flatten().cloned().collect();
        if let Some(cookie) = cookie {
            secrets.push(cookie.clone());
            // The value alone is secret too: it may come back under another name.
            if let Some((_, value)) = cookie.expose_secret().split_once('=')
                && value.len() >= MIN_SECRET_BYTES
            {
                secrets.push(value.into());
            }
        }
        Self(secrets)
    }

    /// Whether the text contains one of them.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        self.0
            .iter()
            .any(|secret| text.contains(secret.expose_secret()))
    }

    /// The text with stars instead of secrets.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.expose_secret(), "***")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_scrubbed_in_every_form() {
        let key = SecretString::from("c3VwZXI=");
        let cookie = SecretString::from("session=s3ss10n-token");
        let secrets = Secrets::new([Some(&key), None], Some(&cookie));
        let text = "key c3VwZXI=, cookie session=s3ss10n-token, token s3ss10n-token, a=b";
        assert!(secrets.are_in(text));
        assert_eq!(secrets.scrub(text), "key ***, cookie ***, token ***, a=b");
        assert!(!secrets.are_in("a=b"));
    }

    #[test]
    fn test_users_are_uuids_by_default() {
        let args = |user_prefix| Args {
            url: Some("http://127.0.0.1:1".to_owned()),
            key: Some("k".into()),
            user_prefix,
            ..Args::default()
        };
        let target = Target::new(args(None)).unwrap();
        assert!(Uuid::parse_str(target.user(7).as_str()).is_ok());
        let target = Target::new(args(Some("conf-".to_owned()))).unwrap();
        assert_eq!(target.user(7).as_str(), "conf-000000000007");
        for prefix in ["x".repeat(101), "\0".to_owned()] {
            assert!(Target::new(args(Some(prefix))).is_err());
        }
    }
}

//! A run: the deployment, and the answers so far.

pub(crate) mod scenarios;

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ctxmem_client::{Error, UserId};
use tokio::sync::OnceCell;

use crate::target::{Agent, Session, Target};
use crate::test_users::TestUsers;
use crate::verdict::Verdict;
use crate::wire::{Answer, RATE_LIMIT_RETRIES, Wire};
use scenarios::{KeyGrant, NarrowGrant, SignedInUser, UserLifecycle};

pub(crate) struct Run {
    target: Target,
    wire: Wire,
    test_users: TestUsers,
    users: AtomicU64,
    pub(crate) health: OnceCell<Result<Answer, Verdict>>,
    pub(crate) lifecycle: OnceCell<UserLifecycle>,
    pub(crate) narrow_grant: OnceCell<Result<NarrowGrant, Verdict>>,
    pub(crate) key_grant: OnceCell<Result<KeyGrant, Verdict>>,
    pub(crate) signed_in_user: OnceCell<Result<SignedInUser, Verdict>>,
}

impl Run {
    pub(crate) fn new(target: Target) -> Self {
        Self {
            wire: Wire::new(&target),
            target,
            test_users: TestUsers::default(),
            users: AtomicU64::new(1),
            health: OnceCell::new(),
            lifecycle: OnceCell::new(),
            narrow_grant: OnceCell::new(),
            key_grant: OnceCell::new(),
            signed_in_user: OnceCell::new(),
        }
    }

    /// A text of a verdict without the run's keys and cookies.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.target.secrets.scrub(text)
    }

    pub(crate) fn url(&self) -> &str {
        &self.target.url
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.wire
    }

    pub(crate) fn test_users(&self) -> &TestUsers {
        &self.test_users
    }

    pub(crate) fn allows_limits(&self) -> bool {
        self.target.allow_limits
    }

    pub(crate) fn a(&self) -> &Agent {
        &self.target.a
    }

    pub(crate) fn b(&self) -> Result<&Agent, Verdict> {
        let b = self.target.b.as_ref();
        b.ok_or_else(|| Verdict::without("--second-key and --second-agent-id"))
    }

    pub(crate) fn agents(&self) -> impl Iterator<Item = &Agent> {
        [Some(&self.target.a), self.target.b.as_ref()]
            .into_iter()
            .flatten()
    }

    pub(crate) fn session(&self) -> Result<&Session, Verdict> {
        let session = self.target.session.as_ref();
        session.ok_or_else(|| Verdict::without("--session-cookie and --session-user"))
    }

    /// A user that no test has used yet.
    pub(crate) fn new_user(&self) -> UserId {
        self.target.user(self.users.fetch_add(1, Ordering::Relaxed))
    }

    /// The user whose id ends with this text.
    pub(crate) fn user_called(&self, text: &str) -> UserId {
        self.target.user_called(text)
    }

    /// Makes a call through the client, and retries it while the rate limit is exceeded.
    pub(crate) async fn retry_rate_limited<T, F>(&self, call: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        for _ in 0..RATE_LIMIT_RETRIES {
            match call().await {
                Err(error) if error.status() == Some(429) => {
                    let wait = error.retry_after().unwrap_or(Duration::from_secs(2));
                    tokio::time::sleep(wait.max(Duration::from_millis(250))).await;
                }
                answer => return answer,
            }
        }
        call().await
    }
}

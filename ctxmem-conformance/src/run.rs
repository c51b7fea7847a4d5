//! A run: the deployment, what was learned of it so far, and the loop over all rules.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ctxmem_client::{Error, UserId};
use futures_util::FutureExt as _;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::cleanup::Ledger;
use crate::interrupts;
use crate::report::Row;
use crate::rule::{Rule, Verdict};
use crate::rules::SECTIONS;
use crate::stories::{Granted, Lifetime, Narrow, Signed};
use crate::target::{Agent, Session, Target};
use crate::wire::{Answer, PATIENCE, Wire};

pub(crate) struct Run {
    target: Target,
    wire: Wire,
    ledger: Ledger,
    users: AtomicU64,
    pub(crate) health: OnceCell<Result<Answer, Verdict>>,
    pub(crate) lifetime: OnceCell<Lifetime>,
    pub(crate) narrow: OnceCell<Result<Narrow, Verdict>>,
    pub(crate) granted: OnceCell<Result<Granted, Verdict>>,
    pub(crate) signed: OnceCell<Result<Signed, Verdict>>,
}

impl Run {
    pub(crate) fn new(target: Target) -> Self {
        Self {
            wire: Wire::new(&target),
            target,
            ledger: Ledger::default(),
            users: AtomicU64::new(1),
            health: OnceCell::new(),
            lifetime: OnceCell::new(),
            narrow: OnceCell::new(),
            granted: OnceCell::new(),
            signed: OnceCell::new(),
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.target.url
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.wire
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
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

    /// A user nobody has heard of.
    pub(crate) fn new_user(&self) -> UserId {
        self.target.user(self.users.fetch_add(1, Ordering::Relaxed))
    }

    /// The user whose id ends in this text.
    pub(crate) fn user_called(&self, text: &str) -> UserId {
        self.target.user_called(text)
    }

    /// Makes a call of the client again as long as there are too many requests.
    pub(crate) async fn patiently<T, F>(&self, call: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        for _ in 0..PATIENCE {
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

/// Checks one rule after the other, until done or interrupted.
pub(crate) async fn all_rules(
    run: &Run,
    interrupts: &mut UnboundedReceiver<()>,
) -> (Vec<Row>, bool) {
    let mut rows = Vec::new();
    for rule in SECTIONS.iter().flat_map(|section| section.rules) {
        let verdict = tokio::select! {
            verdict = check(run, rule) => verdict,
            () = interrupts::next(interrupts) => return (rows, true),
        };
        rows.push(Row {
            id: rule.id,
            rule: rule.text,
            verdict: verdict.map(|text| run.target.secrets.scrub(text)),
        });
    }
    (rows, false)
}

/// Checks one rule. A check that breaks must not keep the others from being made, nor the
/// test users from being removed.
async fn check(run: &Run, rule: &Rule) -> Verdict {
    match AssertUnwindSafe((rule.check)(run)).catch_unwind().await {
        Ok(Ok(verdict) | Err(verdict)) => verdict,
        Err(_) => Verdict::fail("a check that works", "a fault in ctxmem-conformance itself"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Args;

    #[tokio::test]
    async fn a_check_that_panics_is_a_verdict() {
        let args = Args {
            url: Some("http://127.0.0.1:1".to_owned()),
            key: Some("ctxm_key".into()),
            ..Args::default()
        };
        let run = Run::new(Target::new(args).unwrap());
        let rule = Rule {
            id: "a.rule",
            text: "It panics",
            check: |_| Box::pin(async { panic!("as told") }),
        };
        let verdict = check(&run, &rule).await;
        assert!(matches!(verdict, Verdict::Fail { .. }), "{verdict}");
    }
}

//! Checks the rules.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::interrupts;
use crate::report::Row;
use crate::rule::Rule;
use crate::rules::SECTIONS;
use crate::run::Run;
use crate::verdict::Verdict;

/// Checks all rules one after the other, until interrupted. The flag says whether it was.
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
            verdict: verdict.map(|text| run.scrub(text)),
        });
    }
    (rows, false)
}

/// Checks one rule. A check that panics must prevent neither the other checks nor the
/// cleanup.
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
    use crate::target::Target;

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
            check: |_| Box::pin(async { panic!("on purpose") }),
        };
        let verdict = check(&run, &rule).await;
        assert!(matches!(verdict, Verdict::Fail { .. }), "{verdict}");
    }
}

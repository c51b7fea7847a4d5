//! Each broken rule is found, by its own row, and no report holds a secret.

use ctxmem_conformance::{Report, Verdict};

use crate::fake::{Fake, Fault, secrets};
use crate::support::{checked, failed, not_testable};

async fn report_on(fault: Fault) -> Report {
    let fake = Fake::with(fault).start().await;
    let report = checked(fake.args()).await;
    for text in [report.to_string(), report.json(), format!("{report:?}")] {
        for secret in secrets() {
            assert!(!text.contains(secret), "{fault:?}: {text}");
        }
    }
    report
}

/// These rules fail and no other.
async fn breaks(fault: Fault, rules: &[&str]) {
    let report = report_on(fault).await;
    assert_eq!(failed(&report), rules, "{fault:?}\n{report}");
    assert_eq!(report.exit_status(), 1);
}

#[tokio::test]
async fn what_is_said_of_keys() {
    let report = report_on(Fault::OtherUnauthorizedText).await;
    let refusals = failed(&report);
    assert_eq!(refusals.len(), 11, "{report}");
    assert!(
        refusals.iter().all(|id| id.starts_with("auth.")),
        "{report}"
    );
    assert_eq!(report.exit_status(), 1);
    breaks(Fault::KeyEchoed, &["errors.no_key"]).await;
    breaks(Fault::KeyInHeader, &["errors.no_key"]).await;
    breaks(Fault::HealthNeedsKey, &["health.open"]).await;
}

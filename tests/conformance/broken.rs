//! The report finds each broken rule in its own row, and contains no secrets.

use ctxmem_conformance::Report;
use futures_util::future::join_all;

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

/// For each fault exactly these rules fail. Deployments are checked concurrently, because each
/// check waits several seconds for a grant to expire.
async fn each_breaks(faults: &[(Fault, &[&str])]) {
    let checks = faults.iter().map(|(fault, rules)| async move {
        let report = report_on(*fault).await;
        assert_eq!(failed(&report), *rules, "{fault:?}\n{report}");
        assert_eq!(report.exit_status(), 1, "{fault:?}");
    });
    join_all(checks).await;
}

#[tokio::test]
async fn keys() {
    each_breaks(&[
        (
            Fault::OtherUnauthorizedText,
            &[
                "auth.inject.missing",
                "auth.inject.invalid",
                "auth.update.missing",
                "auth.update.invalid",
                "auth.read.missing",
                "auth.read.invalid",
                "auth.delete.missing",
                "auth.delete.invalid",
                "auth.grants.missing",
                "auth.grants.invalid",
                "auth.scheme",
            ],
        ),
        (Fault::HealthNeedsKey, &["health.open"]),
        (Fault::KeyEchoed, &["errors.no_key"]),
        (Fault::KeyInHeader, &["errors.no_key"]),
    ])
    .await;
}

#[tokio::test]
async fn answers() {
    each_breaks(&[
        (
            Fault::AlwaysRecommended,
            &[
                "inject.recommended",
                "inject.no_scopes",
                "inject.empty_capsule",
            ],
        ),
        (Fault::OtherRetention, &["inject.retention"]),
        (Fault::NoBlankLine, &["inject.seeded_demo", "inject.block"]),
        (Fault::DeltaByScope, &["update.delta_keys"]),
        (Fault::SecondsOnly, &["context.last_updated"]),
        (Fault::OtherExpiry, &["grants.expires_at"]),
        (Fault::ExtractsNothing, &["update.extracts"]),
    ])
    .await;
}

#[tokio::test]
async fn scopes_and_grants() {
    each_breaks(&[
        (Fault::DeniedIsStored, &["update.denied_dropped"]),
        (
            Fault::DeniedIsMerged,
            &["inject.empty_capsule", "inject.scoped"],
        ),
        (
            Fault::GrantIgnoresScopes,
            &[
                "inject.no_scopes",
                "inject.empty_capsule",
                "inject.scoped",
                "update.denied",
                "update.denied_dropped",
                "update.all_denied",
                "facts.scoped",
                "grants.scopes",
                "grants.storage_key",
            ],
        ),
        (
            Fault::AnyAgentId,
            &[
                "inject.agent_mismatch",
                "update.agent_mismatch",
                "grants.foreign_agent",
                "grants.foreign_key",
            ],
        ),
        (Fault::KeyRevokes, &["grants.revoke_by_key"]),
        (
            Fault::RevokeDoesNothing,
            &[
                "grants.revoked_read",
                "grants.revoked_inject",
                "grants.revoked_update",
            ],
        ),
        (Fault::DeleteSparesOtherAgents, &["context.deleted_others"]),
        (
            Fault::DecodesTwice,
            &["user_ids.percent", "user_ids.look_alikes"],
        ),
    ])
    .await;
}

#[tokio::test]
async fn additions() {
    each_breaks(&[
        (Fault::RelevantUnasked, &["inject.no_message"]),
        (Fault::MessageInPrompt, &["inject.message"]),
        (Fault::TimeRefused, &["update.at"]),
        (
            Fault::TimeNotNamed,
            &["update.at_malformed", "update.at_future"],
        ),
        (Fault::SearchFindsNothing, &["facts.search", "facts.limit"]),
        (Fault::SearchIgnoresLimit, &["facts.limit"]),
        (Fault::SearchIgnoresGrants, &["facts.no_grant"]),
        (Fault::SearchIgnoresScopes, &["facts.scoped"]),
        (Fault::AnySearch, &["facts.blank_query", "facts.no_limit"]),
    ])
    .await;
}

#[tokio::test]
async fn errors() {
    each_breaks(&[
        (
            Fault::WrongCode,
            &[
                "grants.revoke_unknown",
                "errors.unknown_path",
                "errors.codes",
            ],
        ),
        (
            Fault::HtmlErrors,
            &[
                "grants.revoke_unknown",
                "errors.unknown_path",
                "errors.wrong_method",
                "errors.shape",
                "errors.json",
            ],
        ),
        (
            Fault::MissingFieldsTaken,
            &[
                "inject.no_user",
                "inject.no_prompt",
                "inject.wrong_type",
                "update.no_user",
                "update.no_message",
                "update.no_response",
                "update.wrong_type",
                "grants.no_user",
                "grants.no_agent",
                "grants.no_scopes",
                "grants.wrong_type",
            ],
        ),
    ])
    .await;
    let report = report_on(Fault::ErrorsWithoutCode).await;
    assert!(failed(&report).contains(&"errors.shape"), "{report}");
    assert!(failed(&report).contains(&"inject.bad_json"), "{report}");
    assert!(!failed(&report).contains(&"errors.codes"), "{report}");
}

#[tokio::test]
async fn a_deletion_that_deletes_nothing_is_found_and_the_remaining_users_are_named() {
    let report = report_on(Fault::DeleteKeepsEverything).await;
    let failed = failed(&report);
    for rule in [
        "context.deleted_read",
        "context.deleted_for_good",
        "user_ids.uuid",
    ] {
        assert!(failed.contains(&rule), "{rule}\n{report}");
    }
    assert!(!report.left_behind.is_empty(), "{report}");
    let table = report.to_string();
    assert!(table.contains("\nCould not be removed: "), "{table}");
}

#[tokio::test]
async fn with_the_quota_used_up_updates_are_not_testable() {
    let report = report_on(Fault::QuotaUsedUp).await;
    assert!(failed(&report).is_empty(), "{report}");
    let verdict = report.verdict("update.extracts").unwrap().to_string();
    assert_eq!(
        verdict,
        "not testable without a monthly quota that is not used up"
    );
    assert!(not_testable(&report).contains(&"inject.block"), "{report}");
}

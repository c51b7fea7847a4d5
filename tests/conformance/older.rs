//! A deployment that answers in the older forms conforms, and the report names the forms.

use crate::fake::Fake;
use crate::support::{checked, failed, variant};

#[tokio::test]
async fn the_forms_are_named_and_nothing_fails() {
    let fake = Fake::older().start().await;
    let report = checked(fake.args()).await;
    assert!(failed(&report).is_empty(), "{report}");
    assert_eq!(report.exit_status(), 0);
    assert!(report.left_behind.is_empty(), "{report}");
    for (id, form) in [
        ("health.status", "{ok: true}"),
        ("health.timestamp", "{ok: true}"),
        ("inject.fresh", "only injectedPrompt"),
        ("inject.auto_grant", "404 while nothing is stored"),
        ("inject.retention", "no cacheHint"),
        ("inject.no_scopes", "only injectedPrompt"),
        ("update.at_malformed", "at is ignored"),
        ("update.at_future", "at is ignored"),
        ("update.delta_form", "plain strings"),
        ("update.all_denied", "updated: false"),
        ("context.no_grant", "404 NOT_FOUND"),
        ("context.ongoing_tasks", "plain strings"),
        ("context.raw_history", "absent"),
        ("context.preferences", "names to plain strings"),
        ("context.general", "absent"),
        ("context.source_type", "absent"),
        ("context.emotional_state", "present"),
        ("facts.search", "not offered"),
        ("facts.limit", "not offered"),
        ("facts.no_grant", "not offered"),
        ("facts.scoped", "not offered"),
        ("facts.blank_query", "not offered"),
        ("facts.no_limit", "not offered"),
        ("grants.expires_at", "expiresAt is not taken"),
        ("grants.revoke_again", "404 NOT_FOUND"),
        ("user_ids.slash", "userId must be a UUID"),
    ] {
        assert_eq!(variant(&report, id), form, "{id}");
    }
}

#[tokio::test]
async fn the_primary_forms_pass() {
    let fake = Fake::new().start().await;
    let report = checked(fake.args()).await;
    assert!(failed(&report).is_empty(), "{report}");
    assert_eq!(report.summary.variant, 0, "{report}");
    assert!(report.left_behind.is_empty(), "{report}");
}

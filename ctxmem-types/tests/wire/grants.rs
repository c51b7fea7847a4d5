//! Grant requests, grants and revocations.

use ctxmem_types::{
    Grant, GrantRequest, GrantResponse, RevokeResponse, Scope, ScopeName, Timestamp, UserId,
};

use crate::golden;

fn grant_of(file: &str) -> Grant {
    golden::exact::<GrantResponse>(file).grant
}

#[test]
fn a_request_names_user_agent_and_scopes() {
    let request: GrantRequest = golden::exact("grants/request.json");

    let expected = GrantRequest::new(
        UserId::new("5b0c1c1e-6f0a-4c8e-9d43-2f1f6f0f7a11").unwrap(),
        "0d6a4c0e-33f5-4a53-8a53-7f6f2f0f9b22",
        [Scope::Preferences, Scope::Goals],
    );
    assert_eq!(request, expected);
}

#[test]
fn a_request_may_ask_for_no_scope_and_have_an_expiry() {
    let request: GrantRequest = golden::exact("grants/request_without_scopes.json");
    assert!(request.scopes.is_empty());

    let request: GrantRequest = golden::exact("grants/request_with_expiry.json");
    let expiry: Timestamp = "2026-12-31T23:59:59Z".parse().unwrap();
    assert_eq!(request.expires_at, Some(expiry));
}

#[test]
fn a_request_may_name_scopes_by_storage_key() {
    let request: GrantRequest = golden::exact("grants/request_by_storage_keys.json");

    let scopes: Vec<_> = request.scopes.iter().filter_map(ScopeName::scope).collect();
    assert_eq!(
        scopes,
        [
            Scope::Goals,
            Scope::Knowledge,
            Scope::Relationships,
            Scope::History,
            Scope::CommunicationStyle
        ]
    );
}

#[test]
fn a_created_grant_is_active_and_has_no_expiry() {
    let grant = grant_of("grants/granted.json");

    assert_eq!(grant.id, "9c2e8a54-1d7b-4c7e-8b1e-3a5d7c9e1f33");
    assert_eq!(
        grant.scopes,
        [Scope::Preferences, Scope::Goals].map(ScopeName::from)
    );
    assert_eq!(grant.expires_at, None);
    assert!(!grant.revoked);
}

#[test]
fn a_grant_may_cover_all_scopes() {
    let grant = grant_of("grants/all_scopes.json");

    assert_eq!(grant.scopes, Scope::ALL.map(ScopeName::from));
}

#[test]
fn an_expiry_is_kept_in_any_precision_and_offset() {
    for (file, at) in [
        ("grants/expires_seconds.json", "2026-12-31T23:59:59Z"),
        (
            "grants/expires_milliseconds.json",
            "2026-12-31T23:59:59.25Z",
        ),
        (
            "grants/expires_microseconds.json",
            "2026-12-31T23:59:59.25Z",
        ),
        (
            "grants/expires_nanoseconds.json",
            "2026-12-31T23:59:59.250000001Z",
        ),
        ("grants/expires_offset.json", "2026-12-31T23:59:59Z"),
        ("grants/expires_no_offset.json", "2026-12-31T23:59:59.25Z"),
    ] {
        let expected: Timestamp = at.parse().unwrap();
        assert_eq!(grant_of(file).expires_at, Some(expected), "{file}");
    }
}

#[test]
fn a_grant_may_be_revoked() {
    let grant = grant_of("grants/granted_but_revoked.json");

    assert!(grant.revoked);
    assert!(grant.expires_at.is_some());
}

#[test]
fn unknown_scopes_of_a_grant_are_kept() {
    let grant = grant_of("grants/unknown_scope.json");

    let scopes: Vec<_> = grant.scopes.iter().map(ScopeName::scope).collect();
    assert_eq!(scopes, [Some(Scope::General), None, Some(Scope::Goals)]);
    assert_eq!(grant.scopes[1].as_str(), "emotional_state");
}

#[test]
fn unknown_fields_are_kept() {
    let request: GrantRequest = golden::exact("grants/request_with_unknown_fields.json");
    assert_eq!(request.extra["purpose"], "support");
    let response: GrantResponse = golden::exact("grants/unknown_fields.json");
    assert!(response.extra.contains_key("replaced"));
    assert!(response.grant.extra.keys().eq(["created_at", "source"]));
    let response: RevokeResponse = golden::exact("grants/revoked_with_unknown_fields.json");
    assert_eq!(response.extra["at"], "2026-03-01T09:30:00.000Z");
}

#[test]
fn an_absent_expiry_is_none_and_is_written_as_null() {
    let response: GrantResponse = golden::rewritten("grants/without_expires_at.json");

    assert_eq!(response.grant.expires_at, None);
}

#[test]
fn a_revocation_is_confirmed() {
    let response: RevokeResponse = golden::exact("grants/revoked.json");

    assert!(response.revoked);
    assert!(response.extra.is_empty());
}

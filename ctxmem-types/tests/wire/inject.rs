//! Inject requests and responses.

use ctxmem_types::{CacheHint, InjectReason, InjectRequest, InjectResponse, UserId};

use crate::golden;

const BASE_PROMPT: &str = "You are a helpful assistant.";

#[test]
fn a_request_holds_a_user_and_a_prompt() {
    let request: InjectRequest = golden::exact("inject/request.json");

    let user_id = UserId::new("5b0c1c1e-6f0a-4c8e-9d43-2f1f6f0f7a11").unwrap();
    assert_eq!(request, InjectRequest::new(user_id, BASE_PROMPT));
}

#[test]
fn a_request_may_name_its_agent() {
    let request: InjectRequest = golden::exact("inject/request_with_agent.json");
    let agent = "0d6a4c0e-33f5-4a53-8a53-7f6f2f0f9b22";
    assert_eq!(request.agent_id.as_deref(), Some(agent));
    let request: InjectRequest = golden::rewritten("inject/request_with_null_agent.json");
    assert_eq!(request.agent_id, None);
}

#[test]
fn a_request_may_be_for_any_text_as_user_id() {
    let request: InjectRequest = golden::exact("inject/request_of_any_user_id.json");

    assert_eq!(request.user_id.as_str(), "mira@example.org/2 ☂");
    assert_eq!(request.base_prompt, "");
}

#[test]
fn an_enriched_prompt_has_no_reason() {
    let response: InjectResponse = golden::exact("inject/enriched.json");

    assert!(response.is_enriched(BASE_PROMPT));
    assert!(response.injected_prompt.starts_with("System:\n"));
    assert_eq!((response.reason, response.notice), (None, None));
    assert_eq!(response.seeded, None);
    let hint = response.cache_hint.unwrap();
    assert!(hint.recommended);
    assert_eq!(hint.retention.as_deref(), Some("24h"));
    let param = hint.provider_param.unwrap();
    assert_eq!(param["prompt_cache_retention"], "24h");
}

#[test]
fn a_new_hint_is_in_the_primary_form() {
    let hint = serde_json::to_value(CacheHint::new(true, "Stored context was merged."));
    let expected = serde_json::json!({
        "recommended": true,
        "retention": "24h",
        "reason": "Stored context was merged.",
        "providerParam": {"prompt_cache_retention": "24h"},
    });
    assert_eq!(hint.unwrap(), expected);
}

#[test]
fn every_reason_leaves_the_prompt_as_it_was() {
    for (file, reason) in [
        ("inject/no_grant.json", InjectReason::NoGrant),
        ("inject/no_scopes.json", InjectReason::NoScopes),
        ("inject/empty.json", InjectReason::Empty),
        ("inject/empty_capsule.json", InjectReason::EmptyCapsule),
    ] {
        let response: InjectResponse = golden::exact(file);

        assert_eq!(response.reason, Some(reason), "{file}");
        assert_eq!(response.injected_prompt, BASE_PROMPT, "{file}");
        assert!(!response.is_enriched(BASE_PROMPT), "{file}");
        assert!(!response.cache_hint.unwrap().recommended, "{file}");
        assert!(response.notice.is_some(), "{file}");
        assert_eq!(response.seeded, None, "{file}");
    }
}

#[test]
fn who_has_to_be_asked_is_sent_to_a_page() {
    let response: InjectResponse = golden::exact("inject/no_grant_with_consent_url.json");

    assert_eq!(response.reason, Some(InjectReason::NoGrant));
    assert_eq!(response.injected_prompt, BASE_PROMPT);
    let page = "https://memory.example.com/consent/8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";
    assert_eq!(response.consent_url.as_deref(), Some(page));
    assert!(response.extra.is_empty());
}

#[test]
fn demo_facts_are_no_enrichment() {
    let response: InjectResponse = golden::exact("inject/seeded_demo.json");

    assert_eq!(response.reason, Some(InjectReason::SeededDemo));
    assert_eq!(response.seeded, Some(true));
    assert_ne!(response.injected_prompt, BASE_PROMPT);
    assert!(!response.is_enriched(BASE_PROMPT));
    assert!(!response.cache_hint.unwrap().recommended);
}

#[test]
fn older_deployments_answer_only_a_prompt() {
    let response: InjectResponse = golden::exact("inject/only_prompt.json");

    assert_eq!(response.cache_hint, None);
    assert!(!response.is_enriched(BASE_PROMPT));
    assert!(response.is_enriched("Another prompt."));
    // They may add a reason.
    let response: InjectResponse = golden::exact("inject/only_prompt_and_reason.json");
    assert_eq!(response.reason, Some(InjectReason::NoGrant));
    assert_eq!(response.notice, None);
}

#[test]
fn an_unknown_reason_is_kept() {
    let response: InjectResponse = golden::exact("inject/unknown_reason.json");

    let reason = response.reason.clone().unwrap();
    assert_eq!(reason, InjectReason::Other("paused_by_user".to_owned()));
    assert_eq!(reason.to_string(), "paused_by_user");
    assert!(!response.is_enriched(BASE_PROMPT));
}

#[test]
fn unknown_fields_are_kept() {
    let request: InjectRequest = golden::exact("inject/request_with_unknown_fields.json");
    assert_eq!(request.extra["tokenBudget"], 600);
    assert_eq!(request.extra["hints"]["locale"], "de-CH");
    let response: InjectResponse = golden::exact("inject/unknown_fields.json");

    assert!(response.extra.keys().eq(["capsuleVersion", "sources"]));
    let hint = response.cache_hint.unwrap();
    assert_eq!(hint.extra["ttl"], 86400);
    assert_eq!((hint.retention, hint.provider_param), (None, None));
}

#[test]
fn the_older_name_of_the_provider_parameter_is_understood() {
    let response: InjectResponse = golden::rewritten("inject/openai_param.json");

    let param = response.cache_hint.unwrap().provider_param.unwrap();
    assert_eq!(param["prompt_cache_retention"], "24h");
    assert_eq!(param["prompt_cache_key"], "u-42");
}

#[test]
fn every_reason_has_one_text() {
    for (reason, text) in [
        (InjectReason::NoGrant, "no_grant"),
        (InjectReason::NoScopes, "no_scopes"),
        (InjectReason::Empty, "empty"),
        (InjectReason::EmptyCapsule, "empty_capsule"),
        (InjectReason::SeededDemo, "seeded_demo"),
        (InjectReason::Other("No_Grant".to_owned()), "No_Grant"),
    ] {
        assert_eq!(reason.as_str(), text);
        assert_eq!(InjectReason::from(text), reason);
    }
}

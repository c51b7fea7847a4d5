//! Error bodies.

use ctxmem_types::{ErrorBody, ErrorCode};

use crate::golden;

#[test]
fn every_code_has_a_body() {
    for (file, code) in [
        ("error/bad_request.json", ErrorCode::BadRequest),
        ("error/unauthorized.json", ErrorCode::Unauthorized),
        ("error/forbidden.json", ErrorCode::Forbidden),
        ("error/not_found.json", ErrorCode::NotFound),
        ("error/rate_limited.json", ErrorCode::RateLimited),
        ("error/model_error.json", ErrorCode::ModelError),
        ("error/persistence_error.json", ErrorCode::PersistenceError),
        ("error/internal_error.json", ErrorCode::InternalError),
    ] {
        let body: ErrorBody = golden::exact(file);

        assert_eq!(body.code, code, "{file}");
        assert_eq!(ErrorCode::from(code.as_str()), code, "{file}");
        assert_eq!(body, ErrorBody::new(body.error.clone(), code), "{file}");
    }
}

#[test]
fn who_has_to_be_asked_is_sent_to_a_page() {
    let body: ErrorBody = golden::exact("error/forbidden_with_consent_url.json");

    assert_eq!(body.code, ErrorCode::Forbidden);
    let page = "https://memory.example.com/consent/8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";
    assert_eq!(body.consent_url.as_deref(), Some(page));
    assert!(body.extra.is_empty());
}

#[test]
fn an_unknown_code_is_kept() {
    let body: ErrorBody = golden::exact("error/unknown_code.json");

    assert_eq!(body.code, ErrorCode::Other("PAYMENT_REQUIRED".to_owned()));
    assert_eq!(body.code.to_string(), "PAYMENT_REQUIRED");
}

#[test]
fn codes_are_compared_letter_by_letter() {
    assert_eq!(
        ErrorCode::from("not_found"),
        ErrorCode::Other("not_found".to_owned())
    );
}

#[test]
fn unknown_fields_are_kept() {
    let body: ErrorBody = golden::exact("error/unknown_fields.json");

    assert_eq!(body.extra["retry_after"], 12);
    assert_eq!(body.extra["request_id"], "r-1");
}

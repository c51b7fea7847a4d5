//! Sign-in links: the request for one, and the answer.

use ctxmem_types::{SignInLinkRequest, SignInLinkResponse, Timestamp, UserId};

use crate::golden;

#[test]
fn a_request_names_the_user() {
    let request: SignInLinkRequest = golden::exact("sign_in_link/request.json");

    assert_eq!(request, SignInLinkRequest::new(UserId::new("ada").unwrap()));
    let request: SignInLinkRequest = golden::exact("sign_in_link/request_with_unknown_fields.json");
    assert_eq!(request.extra["locale"], "pt");
}

#[test]
fn an_answer_holds_the_link_and_its_end() {
    let link: SignInLinkResponse = golden::exact("sign_in_link/minted.json");

    assert_eq!(link.url, "https://memory.example.com/sign-in?token=Zk3v");
    let end: Timestamp = "2026-03-01T09:45:00Z".parse().unwrap();
    assert_eq!(link.expires_at, end);
    assert!(link.extra.is_empty());
    let link: SignInLinkResponse = golden::exact("sign_in_link/minted_with_unknown_fields.json");
    assert_eq!(link.extra["uses"], 1);
}

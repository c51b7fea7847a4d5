//! Paths, and user ids in them.

use ctxmem_types::{InvalidUserId, UserId, path};
use proptest::prelude::*;

use crate::arbitrary::{text, user_id};

fn segment_of(user_id: &str) -> String {
    let path = path::context(&UserId::new(user_id).unwrap());
    path.strip_prefix("/api/context/").unwrap().to_owned()
}

#[test]
fn every_endpoint_has_its_path() {
    assert_eq!(path::INJECT, "/api/context/inject");
    assert_eq!(path::UPDATE, "/api/context/update");
    assert_eq!(path::GRANTS, "/api/grants");
    assert_eq!(path::HEALTH, "/api/health");
    assert_eq!(
        path::context(&UserId::new("u-1").unwrap()),
        "/api/context/u-1"
    );
    assert_eq!(
        path::facts_search(&UserId::new("a/b").unwrap()),
        "/api/context/a%2Fb/facts/search"
    );
    assert_eq!(path::grant("9c2e8a54-1d7b"), "/api/grants/9c2e8a54-1d7b");
    assert_eq!(path::grant("a/b ü"), "/api/grants/a%2Fb%20%C3%BC");
}

#[test]
fn a_user_id_is_one_escaped_segment() {
    for (user_id, segment) in [
        ("a-b_c.d~e", "a-b_c.d~e"),
        ("a/b", "a%2Fb"),
        ("a\\b", "a%5Cb"),
        ("%2F", "%252F"),
        ("100%", "100%25"),
        ("a b+c", "a%20b%2Bc"),
        ("?#[]", "%3F%23%5B%5D"),
        ("é", "%C3%A9"),
        ("\n", "%0A"),
        ("inject", "inject"),
        ("...", "..."),
        ("../x", "..%2Fx"),
    ] {
        assert_eq!(segment_of(user_id), segment);
        assert_eq!(path::decode_user_id(segment).unwrap().as_str(), user_id);
    }
}

#[test]
fn a_segment_is_decoded_exactly_once() {
    for (segment, user_id) in [
        ("a%2Fb", "a/b"),
        ("a%2fb", "a/b"),
        ("%2541", "%41"),
        ("%25", "%"),
        ("%2525", "%25"),
        ("%61", "a"),
        ("a+b", "a+b"),
        ("é", "é"),
        ("%252e%252e", "%2e%2e"),
    ] {
        assert_eq!(path::decode_user_id(segment).unwrap().as_str(), user_id);
    }
}

fn refuses(segments: &[&str]) {
    for segment in segments {
        let decoded = path::decode_user_id(segment);
        assert_eq!(decoded, Err(InvalidUserId), "{segment:?}");
    }
}

#[test]
fn broken_escapes_are_refused() {
    refuses(&["%", "a%", "%2", "%zz", "%2g", "%%41", "%é1", "%+1", "% 1"]);
}

#[test]
fn bytes_that_are_not_utf_8_are_refused() {
    refuses(&["%ff", "%C3", "%C3a", "%ED%A0%80", "%C0%AF"]);
}

#[test]
fn dot_segments_are_refused_in_every_spelling() {
    refuses(&[".", "..", "%2e", "%2E", "%2e%2e", ".%2E", "%2e."]);
}

#[test]
fn a_segment_that_breaks_the_rule_for_user_ids_is_refused() {
    refuses(&["", "%00", "a%00", &"%61".repeat(257)]);
    assert!(path::decode_user_id(&"%61".repeat(256)).is_ok());
}

proptest! {
    #[test]
    fn any_user_id_survives_a_path(user_id in user_id()) {
        let segment = segment_of(user_id.as_str());
        let unreserved = |c: char| c.is_ascii_alphanumeric() || "-_.~%".contains(c);
        prop_assert!(segment.chars().all(unreserved), "{segment}");
        prop_assert_eq!(path::decode_user_id(&segment), Ok(user_id));
    }

    #[test]
    fn any_segment_is_refused_or_is_a_user_id(segment in "(%[0-9a-fA-F]{2}|%|.){0,20}") {
        if let Ok(user_id) = path::decode_user_id(&segment) {
            let again = segment_of(user_id.as_str());
            prop_assert_eq!(path::decode_user_id(&again), Ok(user_id));
        }
    }

    #[test]
    fn a_grant_id_stays_within_its_segment(grant_id in text()) {
        let path = path::grant(&grant_id);
        prop_assert_eq!(path.matches('/').count(), 3);
        prop_assert!(!path.contains(['?', '#', '\\']));
    }
}

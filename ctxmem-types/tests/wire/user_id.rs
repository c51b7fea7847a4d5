//! The rule for user ids.

use std::collections::HashSet;

use ctxmem_types::{InvalidUserId, UserId};
use proptest::prelude::*;

use crate::arbitrary::text;

#[test]
fn any_text_may_be_a_user_id() {
    for text in [
        "5b0c1c1e-6f0a-4c8e-9d43-2f1f6f0f7a11",
        "a",
        "...",
        ". ",
        "../..",
        "%2e",
        " ",
        "\n",
        "\u{202e}",
        "mira@example.org",
        "名前/ümlaut?#[]&=+;\"'\\",
        "😀",
    ] {
        assert_eq!(UserId::new(text).unwrap().as_str(), text);
    }
}

#[test]
fn a_user_id_has_1_to_256_bytes() {
    assert_eq!(UserId::MAX_BYTES, 256);
    assert!(UserId::new("a".repeat(256)).is_ok());
    assert!(UserId::new("é".repeat(128)).is_ok());
    for text in [
        String::new(),
        "a".repeat(257),
        "é".repeat(129),
        "é".repeat(128) + "a",
    ] {
        assert_eq!(
            UserId::new(&*text),
            Err(InvalidUserId),
            "{} bytes",
            text.len()
        );
    }
}

#[test]
fn nul_and_dot_segments_are_refused() {
    for text in ["\0", "a\0", "\0a", "a\0b", ".", ".."] {
        assert_eq!(UserId::new(text), Err(InvalidUserId), "{text:?}");
    }
}

#[test]
fn every_way_to_make_a_user_id_checks_it() {
    assert_eq!("..".parse::<UserId>(), Err(InvalidUserId));
    assert_eq!(UserId::try_from(".."), Err(InvalidUserId));
    assert_eq!(UserId::try_from("..".to_owned()), Err(InvalidUserId));
    assert!(serde_json::from_str::<UserId>(r#""..""#).is_err());
    assert!(serde_json::from_str::<UserId>(r#""\u0000""#).is_err());
}

#[test]
fn look_alikes_are_different_users() {
    let ids = [
        "mira",
        "Mira",
        "mira ",
        " mira",
        "mirа",
        "mi\u{200b}ra",
        "é",
        "e\u{301}",
        "ſ",
        "s",
        "%41",
        "A",
    ];
    let users: HashSet<_> = ids.map(|id| UserId::new(id).unwrap()).into();
    assert_eq!(users.len(), ids.len());
}

#[test]
fn a_refusal_says_the_rule() {
    assert_eq!(
        InvalidUserId.to_string(),
        "expected 1 to 256 bytes of text without NUL, other than `.` and `..`"
    );
}

proptest! {
    #[test]
    fn a_user_id_is_the_text_it_was_made_of(text in text()) {
        if let Ok(user_id) = UserId::new(&*text) {
            prop_assert_eq!(user_id.as_str(), &*text);
            prop_assert_eq!(user_id.as_ref(), &*text);
            let json = serde_json::to_string(&user_id).unwrap();
            prop_assert_eq!(&json, &serde_json::to_string(&text).unwrap());
            prop_assert_eq!(serde_json::from_str::<UserId>(&json).unwrap(), user_id);
        } else {
            prop_assert!(matches!(&*text, "" | "." | "..") || text.contains('\0') || text.len() > 256);
        }
    }
}

//! Texts that must never come back in an error or in `Debug`.

/// The word that shows that a text was repeated.
pub(crate) const WORD: &str = "canary";

/// Texts with the word that look like parts of serde's messages.
pub(crate) const TEXTS: [&str; 10] = [
    "canary",
    "`canary`",
    "canary, expected canary",
    "canary at line 7 column 7",
    "canary`, expected a canary at line 7 column 7, expected canary",
    "missing field `canary`",
    "invalid type: canary, expected canary",
    "expected canary",
    "canary\0", // breaks the rule for user ids
    "\n[0].canary: \u{1b}[31m\"",
];

//! A secret, and what is said about it.

use super::super::secrets::contains_secret;
use super::super::text::{Word, join};
use super::vocabulary::{PERSONAL, has, is_name, is_short};
use crate::lists::WordList;

/// Words by which a message tells something beside a secret.
static TELLING: WordList = WordList::new(&[
    "use", "always", "prefer", "live", "moved", "booking", "our", "building", "working", "deploy",
]);

/// What a secret is called.
static CALLED: WordList = WordList::new(&[
    "password",
    "passwort",
    "contraseña",
    "passe",
    "senha",
    "wachtwoord",
    "pin",
    "code",
    "key",
    "token",
    "secret",
    "login",
    "credential",
    "credentials",
    "card",
    "cvv",
    "otp",
    "wifi",
    "leak",
    "leaked",
    "rotate",
    "valid",
    "safe",
    "strong",
    "paste",
    "pasted",
]);

/// Whether a clause of a message with a secret is the secret or deals with it.
pub(super) fn is_about_it(words: &[Word]) -> bool {
    if has(words, &TELLING) {
        return false;
    }
    contains_secret(&join(words)) || (is_short(words, 8) && !tells(words))
}

/// "I administer the cluster", "Usamos Proxmox en casa": a subject of its own, or a name.
fn tells(words: &[Word]) -> bool {
    let names = words.len() >= 4 && words.iter().skip(1).any(is_name);
    (has(words, &PERSONAL) || names) && !has(words, &CALLED)
}

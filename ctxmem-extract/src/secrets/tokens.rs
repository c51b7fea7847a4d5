//! Secrets that give themselves away by their form: key blocks, known token prefixes,
//! passwords inside URLs, and strings that nobody would call a word.

use std::sync::LazyLock;

use super::prefixes::holds_known;
use crate::sections::section;

pub(super) const LISTS: &str = include_str!("../../data/gate/tokens.txt");

/// What stands in URLs that carry a token.
static IN_URLS: LazyLock<Vec<&str>> = LazyLock::new(|| section(LISTS, "in urls").collect());
static BEFORE_TOKENS: LazyLock<Vec<&str>> =
    LazyLock::new(|| section(LISTS, "before tokens").collect());

/// Whether the text holds a private key in PEM form, with whatever dashes it was pasted.
pub(super) fn contains_key_block(text: &str) -> bool {
    let framed = |begin: &str, key: &str| text.contains(begin) && text.contains(key);
    framed("-BEGIN", "PRIVATE KEY")
        || framed("-begin", "private key")
        || text.contains("PuTTY-User-Key-File")
}

/// Whether one word of a text has the form of a secret.
pub(super) fn is_token(word: &str) -> bool {
    if !may_be_token(word) {
        return false;
    }
    if holds_known(word) || holds_bot_token(word) {
        return true;
    }
    let bare = word.trim_matches(|c: char| "\"'`()[]{}<>,;:!?".contains(c));
    let bare = bare.trim_end_matches('.');
    if bare.contains("://") {
        return is_url_with_secret(bare);
    }
    // `NAME=value` is judged by the value.
    let value = match bare.split_once('=') {
        Some((_, value)) if !value.is_empty() => value,
        _ => bare,
    };
    looks_like_a_password(value)
        || parts(bare).any(|part| looks_random(part) || is_licence_key(part))
}

/// Most words are short and without digits, which no secret is, except for URLs.
fn may_be_token(word: &str) -> bool {
    word.len() >= SHORTEST_KEY
        || word
            .bytes()
            .any(|byte| byte.is_ascii_digit() || byte == b':')
}

/// Length of the shortest key that may do without digits.
const SHORTEST_KEY: usize = 20;

/// The values in `Name=x;Key=value==`. The `=` at the end of a value belong to it.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split([
        ';', ':', '&', ',', '|', '@', '"', '\'', '`', '(', ')', '<', '>', '\\',
    ])
    .flat_map(|assigned| {
        let unpadded = assigned.trim_end_matches('=');
        let last = unpadded.rfind('=').map_or(0, |at| at + 1);
        let (names, value) = assigned.split_at(last);
        names.split('=').chain(std::iter::once(value))
    })
}

/// Whether the word names what follows it as a digest, which is public: "commit 9fceb02…".
pub(super) fn announces_a_digest(word: &str) -> bool {
    let word = word.trim_end_matches(':');
    section(LISTS, "digests").any(|name| word.eq_ignore_ascii_case(name))
}

/// Whether the word is a digest as Git and checksums write them.
pub(super) fn is_digest(word: &str) -> bool {
    matches!(word.len(), 40 | 64)
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, 'a'..='f'))
}

/// `712345678:AAHk81…`, of a Telegram bot: an id, and 35 characters.
fn holds_bot_token(word: &str) -> bool {
    word.match_indices(':').any(|(at, _)| {
        let (id, secret) = (word.get(..at), word.get(at + 1..));
        let digits = id.map_or(0, |id| {
            id.bytes()
                .rev()
                .take_while(u8::is_ascii_digit)
                .take(11)
                .count()
        });
        let secret = secret.unwrap_or_default().bytes().take(36);
        let length = secret
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_'))
            .count();
        (8..=10).contains(&digits) && length == 35
    })
}

/// A URL that carries a password or a token.
fn is_url_with_secret(word: &str) -> bool {
    let Some((_, rest)) = word.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let signs_in = authority.rsplit_once('@').is_some_and(|(user, _)| {
        let password = user.split_once(':').map(|(_, password)| password);
        password.map_or_else(|| looks_random(user), |password| !password.is_empty())
    });
    if signs_in {
        return true;
    }
    let lower = rest.to_ascii_lowercase();
    IN_URLS.iter().any(|part| lower.contains(part)) || opens_a_door(rest, &lower)
}

/// `https://example.com/invite/k81mQpLz72XvTb90`: whoever has the address may enter.
fn opens_a_door(url: &str, lower: &str) -> bool {
    let lower = lower.split('/');
    let pairs = lower.zip(url.split('/').skip(1));
    pairs.into_iter().any(|(before, part)| {
        let part = part.split(['?', '#', '&']).next().unwrap_or_default();
        BEFORE_TOKENS.contains(&before)
            && part.len() >= 16
            && part.bytes().any(|c| c.is_ascii_digit())
            && !is_name(part)
    })
}

/// Long hexadecimal or base64 text.
fn looks_random(part: &str) -> bool {
    if !part.is_ascii() {
        return false;
    }
    let digits = part.strip_prefix("0x").filter(|rest| rest.len() == 64);
    let is_hex = |text: &str| {
        text.len() >= 32
            && text.bytes().all(|c| c.is_ascii_hexdigit())
            && text.bytes().any(|c| c.is_ascii_digit())
    };
    is_hex(digits.unwrap_or(part))
        || part.split(['.', '-']).any(is_hex)
        || part.split('.').any(looks_encoded)
}

fn looks_encoded(part: &str) -> bool {
    let body = part.as_bytes();
    if body.len() < 22
        || !body
            .iter()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=' | b'_' | b'-'))
    {
        return false;
    }
    let digits = body.iter().filter(|c| c.is_ascii_digit()).count();
    let changes = changes_of_kind(body);
    let is_mixed =
        body.iter().any(u8::is_ascii_uppercase) && body.iter().any(u8::is_ascii_lowercase);
    // Of base64 no more than the padding shows what it is.
    let is_padded = part.ends_with('=') && body.len().is_multiple_of(4);
    let is_dense = (is_padded || digits > 0) && changes * 2 >= body.len();
    is_mixed
        && ((body.len() >= 24 && digits >= 3 && changes * 5 >= body.len())
            || (is_dense && (is_padded || body.len() >= 24)))
        && !is_name(part)
}

/// Whether the word is made of words and numbers, as names of files and branches are:
/// `Screenshot_2024-01-05`, `feature/ABC-12-OAuth2`.
pub(super) fn is_name(word: &str) -> bool {
    // A word changes once or twice from letters to digits, and seldom from small letters to capitals.
    let is_plain = |part: &str| {
        let body = part.as_bytes();
        let is_digit = |at: usize| body.get(at).is_some_and(u8::is_ascii_digit);
        let turns = (1..body.len())
            .filter(|at| is_digit(*at) != is_digit(at - 1))
            .count();
        turns <= 2 && changes_of_kind(body) * 4 <= body.len() + 4
    };
    !word.ends_with('=') && word.split(['-', '_', '.', '/', '+', ' ']).all(is_plain)
}

/// How often neighbouring characters differ in kind; words and names change rarely.
fn changes_of_kind(body: &[u8]) -> usize {
    let kind = |c: u8| {
        (
            c.is_ascii_digit(),
            c.is_ascii_uppercase(),
            c.is_ascii_lowercase(),
        )
    };
    body.windows(2)
        .filter(|pair| matches!(pair, [a, b] if kind(*a) != kind(*b)))
        .count()
}

/// Upper case, lower case, digit and a symbol that names and versions don't use, or `_` in what is
/// no name either.
fn looks_like_a_password(word: &str) -> bool {
    let len = word.chars().count();
    let is_mark = |c| matches!(c, '!' | '$' | '%' | '^' | '&' | '*' | '~' | '?' | '§');
    (8..=64).contains(&len)
        && !word.contains('/')
        && word.chars().any(char::is_uppercase)
        && word.chars().any(char::is_lowercase)
        && word.chars().any(|c| c.is_ascii_digit())
        && (word.contains(is_mark) || (word.contains('_') && !is_name(word)))
}

/// `ABCD1-EFGH2-IJKL3-MNOP4`: at least four groups, all of the same length.
fn is_licence_key(word: &str) -> bool {
    let mut groups = word.split('-');
    let Some(length) = groups.next().map(str::len) else {
        return false;
    };
    let count = |is: fn(&u8) -> bool| word.bytes().filter(is).count();
    (4..=8).contains(&length)
        && groups.clone().count() >= 3
        && groups.all(|group| group.len() == length)
        && word
            .bytes()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == b'-')
        && count(u8::is_ascii_uppercase) >= 4
        && count(u8::is_ascii_digit) >= 2
}

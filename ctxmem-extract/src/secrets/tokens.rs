//! Secrets that give themselves away by their form: key blocks, known token prefixes,
//! passwords inside URLs, and strings that nobody would call a word.

use std::sync::LazyLock;

use crate::sections::section;

const LISTS: &str = include_str!("../../data/gate/tokens.txt");

/// Prefixes of tokens and how many characters follow at least.
static PREFIXES: LazyLock<Vec<(&str, usize)>> = LazyLock::new(|| {
    let entries = section(LISTS, "prefixes").filter_map(|line| line.split_once(' '));
    entries
        .filter_map(|(prefix, least)| Some((prefix, least.parse().ok()?)))
        .collect()
});

/// What stands in URLs that carry a token.
static IN_URLS: LazyLock<Vec<&str>> = LazyLock::new(|| section(LISTS, "in urls").collect());

/// Whether the text holds a private key in PEM form.
pub(super) fn contains_key_block(text: &str) -> bool {
    (text.contains("-----BEGIN") && text.contains("PRIVATE KEY"))
        || text.contains("PuTTY-User-Key-File")
}

/// Whether one word of a text has the form of a secret.
pub(super) fn is_token(word: &str) -> bool {
    if !may_be_token(word) {
        return false;
    }
    let bare = word.trim_matches(|c: char| "\"'`()[]{}<>,;:!?".contains(c));
    let bare = bare.trim_end_matches('.');
    // `NAME=value` is judged by the value.
    let value = match bare.split_once('=') {
        Some((_, value)) if !value.is_empty() && !bare.contains("://") => value,
        _ => bare,
    };
    has_token_prefix(value)
        || is_cloud_key(value)
        || is_jwt(value)
        || is_url_with_secret(bare)
        || looks_random(value)
        || looks_like_a_password(value)
        || is_social_security_number(value)
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

/// `078-05-1120`
fn is_social_security_number(word: &str) -> bool {
    word.split('-').map(str::len).eq([3, 2, 4])
        && word.chars().all(|c| c.is_ascii_digit() || c == '-')
}

fn has_token_prefix(word: &str) -> bool {
    PREFIXES.iter().any(|(prefix, least)| {
        let Some((before, rest)) = word.split_once(prefix) else {
            return false;
        };
        let starts_a_word = before
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric());
        starts_a_word && rest.len() >= *least && rest.bytes().any(|c| c.is_ascii_digit())
    })
}

fn is_cloud_key(word: &str) -> bool {
    let aws = (word.starts_with("AKIA") || word.starts_with("ASIA"))
        && word.len() == SHORTEST_KEY
        && word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    aws || (word.starts_with("AIza") && word.len() >= 35)
}

fn is_jwt(word: &str) -> bool {
    word.starts_with("eyJ") && word.len() > 30 && word.matches('.').count() >= 1
}

/// A URL that carries a password or a token.
fn is_url_with_secret(word: &str) -> bool {
    let Some((_, rest)) = word.split_once("://") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let password = authority
        .rsplit_once('@')
        .and_then(|(user, _)| user.split_once(':'))
        .is_some_and(|(_, password)| !password.is_empty());
    let lower = rest.to_ascii_lowercase();
    password || IN_URLS.iter().any(|part| lower.contains(part))
}

/// Long hexadecimal or base64 text.
fn looks_random(word: &str) -> bool {
    if !word.is_ascii() || word.contains("://") {
        return false;
    }
    let digits = word.strip_prefix("0x").filter(|rest| rest.len() == 64);
    let digits = digits.unwrap_or(word);
    let hex = digits.len() >= 32
        && digits.chars().all(|c| c.is_ascii_hexdigit())
        && digits.chars().any(|c| c.is_ascii_digit());
    hex || word.split('.').any(looks_encoded)
}

fn looks_encoded(part: &str) -> bool {
    let body: Vec<char> = part.chars().collect();
    body.len() >= 24
        && body
            .iter()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-'))
        && body.iter().filter(|c| c.is_ascii_digit()).count() >= 3
        && body.iter().any(char::is_ascii_uppercase)
        && body.iter().any(char::is_ascii_lowercase)
        && changes_of_kind(&body) * 5 >= body.len()
}

/// How often neighbouring characters differ in kind; words and names change rarely.
fn changes_of_kind(body: &[char]) -> usize {
    let kind = |c: &char| {
        (
            c.is_ascii_digit(),
            c.is_ascii_uppercase(),
            c.is_ascii_lowercase(),
        )
    };
    body.windows(2)
        .filter(|pair| matches!(pair, [a, b] if kind(a) != kind(b)))
        .count()
}

/// Upper case, lower case, digit and a symbol that names and versions don't use.
fn looks_like_a_password(word: &str) -> bool {
    let len = word.chars().count();
    (8..=64).contains(&len)
        && !word.contains("://")
        && !word.contains('/')
        && word.chars().any(char::is_uppercase)
        && word.chars().any(char::is_lowercase)
        && word.chars().any(|c| c.is_ascii_digit())
        && word
            .chars()
            .any(|c| matches!(c, '!' | '$' | '%' | '^' | '&' | '*' | '~' | '?' | '_' | '§'))
}

//! Secrets that a label announces: "password: …", "the code is 482913", `API_KEY=…`.

use std::borrow::Cow;

use crate::lists::{WordList, lower, sign};

/// A word of a text.
struct Word<'a> {
    text: &'a str,
    /// In lower case.
    low: Cow<'a, str>,
    /// The sign of `low`.
    sign: u64,
}

impl<'a> Word<'a> {
    fn new(text: &'a str) -> Self {
        let low = lower(text);
        Self {
            text,
            sign: sign(&low),
            low,
        }
    }
}

/// Whether the word at `n` is one of these.
fn is(words: &[Word<'_>], n: usize, some: &[&str]) -> bool {
    words
        .get(n)
        .is_some_and(|word| some.contains(&word.low.as_ref()))
}

/// Labels after which anything but an ordinary word is a secret.
static LABELS: WordList = WordList::new(&[
    "password",
    "passwords",
    "passwd",
    "passwort",
    "kennwort",
    "contraseña",
    "contrasena",
    "senha",
    "wachtwoord",
    "pwd",
    "pass",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "apikey",
    "credential",
    "credentials",
    "bearer",
    "jwt",
    "psk",
    "passe",
    "clave",
    "parola",
    "lösenord",
    "hasło",
    "heslo",
    "salasana",
    "adgangskode",
    "şifre",
    "пароль",
    "密码",
    "密码是",
    "密碼",
    "密碼是",
    "パスワード",
    "パスワードは",
    "비밀번호",
    "비밀번호는",
    "authorization",
]);

/// Ends of longer names that are labels: `PGPASSWORD`.
const LABEL_ENDS: &[&str] = &["password", "passwd", "passwort"];

/// Labels after which several plain words are a secret, the second where `phrase` follows.
const PHRASE_KINDS: &[&str] = &["seed", "recovery", "mnemonic", "backup", "secret", "pass"];

/// Words with which people say to whom or what a password belongs.
const BELONGS: &[&str] = &[
    "for", "of", "on", "to", "del", "de", "della", "für", "von", "pour", "du",
];

/// Words before a value that only stress it.
const STILL: &[&str] = &["still", "now", "just", "always", "simply", "noch", "immer"];

/// Numbers that are called codes and open nothing.
const OPEN_CODES: &[&str] = &[
    "zip", "postal", "post", "country", "area", "error", "exit", "status", "dialling", "dialing",
    "promo", "discount", "response", "http", "dress", "colour", "color", "bar", "qr", "product",
    "source", "course", "airport", "currency", "language", "sort", "return", "voucher",
];

/// What a code is called.
static CODE_NAMES: WordList = WordList::new(&[
    "code", "passcode", "código", "codigo", "codice", "kod", "otp", "pin", "код",
]);

/// Words that may stand between such a name and the code.
const CODE_FILLERS: &[&str] = &[
    "de",
    "di",
    "verificación",
    "verificacion",
    "seguridad",
    "confirmación",
    "acceso",
    "vérification",
    "sécurité",
    "confirmation",
    "verifica",
    "verificação",
    "segurança",
];

/// Words that become a label when `key` follows.
const KEY_KINDS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "auth",
    "encryption",
];

/// Labels after which a short number is a secret.
static CODE_LABELS: WordList = WordList::new(&[
    "pin", "otp", "cvv", "cvc", "cvv2", "tan", "2fa", "totp", "mfa",
]);

/// Words that make `code` such a label.
const CODE_KINDS: &[&str] = &[
    "verification",
    "security",
    "login",
    "auth",
    "authentication",
    "time",
    "sms",
    "backup",
    "recovery",
    "access",
    "confirmation",
    "2fa",
    "gate",
    "door",
    "sign-in",
    "one-time",
];

/// Words that may stand between a label and its secret.
const LINKS: &[&str] = &[
    "is", "was", "=", ":", "->", "=>", "to", "are", "ist", "es", "est", "lautet", "è", "é", "jest",
    "är", "er", "basic", "bearer",
];

/// What people say of a password without telling it.
const REMARKS: &[&str] = &[
    "a",
    "an",
    "the",
    "too",
    "not",
    "no",
    "wrong",
    "weak",
    "strong",
    "short",
    "long",
    "expired",
    "required",
    "stored",
    "saved",
    "invalid",
    "missing",
    "correct",
    "incorrect",
    "empty",
    "safe",
    "secure",
    "unknown",
    "in",
    "on",
    "for",
    "with",
    "by",
    "from",
    "at",
    "and",
    "or",
    "that",
    "my",
    "your",
    "his",
    "her",
    "their",
    "our",
    "it",
    "this",
    "what",
    "always",
    "never",
    "still",
    "now",
    "hashed",
    "encrypted",
    "shared",
    "rotated",
    "leaked",
    "good",
    "bad",
    "easy",
    "hard",
    "only",
    "jwt",
    "oauth",
    "kept",
    "managed",
    "reset",
    "being",
    "the same",
    "very",
    "really",
    "out",
];

/// Words that turn a label into a subject one may talk about.
const SUBJECTS: &[&str] = &[
    "manager",
    "managers",
    "reset",
    "resets",
    "rotation",
    "policy",
    "hashing",
    "store",
    "storage",
    "generator",
    "field",
    "form",
    "length",
    "management",
    "santa",
    "expiry",
    "auth",
    "authentication",
    "bucket",
    "buckets",
    "count",
    "limit",
    "limits",
    "usage",
];

/// Whether a label in the text is followed by its secret.
pub(super) fn contains_labelled(text: &str) -> bool {
    let words = words(text);
    let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
    (0..words.len()).any(|n| {
        label_at(&words, n).is_some_and(|label| {
            follows(&words, n + 1, label)
                || (label == Label::Secret && is_told_later(&words, n + 1))
        }) || tells_a_phrase(&words, n)
            || (has_digits && tells_a_code(&words, n))
    })
}

/// "The password for the NAS is changeme123".
fn is_told_later(words: &[Word<'_>], n: usize) -> bool {
    let is = |n, some| is(words, n, some);
    if !is(n, BELONGS) {
        return false;
    }
    let Some(mut value) = (n + 1..n + 8).find(|n| is(*n, LINKS) && !is(*n, BELONGS)) else {
        return false;
    };
    while is(value, LINKS) || is(value, STILL) {
        value += 1;
    }
    words.get(value).is_some_and(|value| {
        let value = value.text;
        value.chars().any(|c| c.is_ascii_digit())
            && value.chars().any(char::is_alphabetic)
            && value.len() >= 6
    })
}

/// "My seed phrase is orbit lemon …", "the passphrase is wobbly teapot lantern".
fn tells_a_phrase(words: &[Word<'_>], n: usize) -> bool {
    let low = |n: usize| words.get(n).map(|word| word.low.as_ref());
    let Some(word) = low(n) else { return false };
    let before = n.checked_sub(1).and_then(low).unwrap_or_default();
    let named = matches!(word, "passphrase" | "mnemonic")
        || (word == "phrase" && PHRASE_KINDS.contains(&before));
    if !named {
        return false;
    }
    let Some(link) = (n + 1..n + 6)
        .find(|n| low(*n).is_some_and(|word| matches!(word, "is" | "was" | "=" | ":" | "ist")))
    else {
        return false;
    };
    let remark =
        low(link + 1).is_none_or(|word| REMARKS.contains(&word) || SUBJECTS.contains(&word));
    !remark && words.len() >= link + 4
}

/// "Your code is 123456", "G-482913 is your verification code", "use 551 208 to sign in".
fn tells_a_code(words: &[Word<'_>], n: usize) -> bool {
    let is = |n, some: &[&str]| is(words, n, some);
    let is_code_name = |n| {
        words
            .get(n)
            .is_some_and(|word: &Word<'_>| CODE_NAMES.has_signed(&word.low, word.sign))
    };
    if is_code_name(n) {
        let open = n
            .checked_sub(1)
            .is_some_and(|before| is(before, OPEN_CODES));
        let mut at = n + 1;
        while at < n + 5 && is(at, CODE_FILLERS) {
            at += 1;
        }
        let linked = is(at, LINKS) || is(n, &["passcode"]);
        while at < n + 8 && is(at, LINKS) {
            at += 1;
        }
        // "The code is 1200 lines long"
        let counted = is(at + 1, &["lines", "files", "loc", "bytes"]);
        return linked && !open && !counted && code_len(words, at) >= 4;
    }
    if code_len(words, n) < 4 {
        return false;
    }
    let after = if code_len(words, n + 1) > 0 {
        n + 2
    } else {
        n + 1
    };
    let named = is(after, &["is", "ist", "es", "est"])
        && (after + 1..after + 5).any(is_code_name)
        && !(after + 1..after + 5).any(|n| is(n, OPEN_CODES));
    let used = is(after, &["to"])
        && is(
            after + 1,
            &["sign", "log", "login", "verify", "confirm", "authenticate"],
        );
    named || used
}

/// Whether the name itself says that its value is a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    let words = words(name);
    words
        .iter()
        .enumerate()
        .any(|(n, word)| match label_at(&words, n) {
            Some(Label::Code) => true,
            Some(Label::Secret) => {
                word.text != "pass"
                    && !words
                        .get(n + 1)
                        .is_some_and(|next| SUBJECTS.contains(&next.text))
            }
            None => false,
        })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Secret,
    Code,
}

/// The label that ends with the word at `n`.
fn label_at(words: &[Word<'_>], n: usize) -> Option<Label> {
    let whole = words.get(n)?;
    let before = n
        .checked_sub(1)
        .and_then(|n| words.get(n))
        .map_or("", |word| word.low.as_ref());
    if whole.low.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return label(&whole.low, whole.sign, before);
    }
    // `DB_PASSWORD`, `client_secret`, `API_KEY`
    let word = whole.low.trim_start_matches(['"', '\'', '`']);
    let mut parts = word.rsplit(['_', '-']).filter(|part| !part.is_empty());
    let last = parts.next().unwrap_or_default();
    label(last, sign(last), parts.next().unwrap_or(before))
}

/// The label that a word with this sign is, or makes with the one before it.
fn label(word: &str, sign: u64, before: &str) -> Option<Label> {
    let named = LABELS.has_signed(word, sign) || LABEL_ENDS.iter().any(|end| word.ends_with(end));
    if named || (word == "key" && KEY_KINDS.contains(&before)) || word == "apikey" {
        Some(Label::Secret)
    } else if CODE_LABELS.has_signed(word, sign) || (word == "code" && CODE_KINDS.contains(&before))
    {
        Some(Label::Code)
    } else {
        None
    }
}

/// Whether what follows a label is a secret rather than a remark about one.
fn follows(words: &[Word<'_>], mut n: usize, label: Label) -> bool {
    let mut linked = None;
    while let Some(word) = words.get(n) {
        if !LINKS.contains(&word.low.as_ref()) {
            break;
        }
        linked = Some(word.text);
        n += 1;
    }
    let Some(value) = words.get(n) else {
        return false;
    };
    let (value, lower) = (value.text, value.low.as_ref());
    if label == Label::Code {
        return is_code(words, n);
    }
    if SUBJECTS.contains(&lower) || REMARKS.contains(&lower) {
        return false;
    }
    let has_digit = value.chars().any(|c| c.is_ascii_digit());
    let mixed = has_digit && value.chars().any(char::is_alphabetic);
    let symbols = value
        .chars()
        .any(|c| !c.is_alphanumeric() && !matches!(c, '-' | '.' | '\'' | '/'));
    match linked {
        // `password: letmein`, `pwd=letmein`
        Some("=" | ":") => {
            words.len() == n + 1 || mixed || symbols || has_digit || linked == Some("=")
        }
        // "my password is swordfish": told, unless the sentence goes on
        Some("is" | "was" | "ist" | "es" | "est" | "lautet") => {
            mixed || symbols || has_digit || (told_as_own(words, n) && lower.len() > 3)
        }
        _ => (mixed && value.len() >= 6) || (symbols && value.len() >= 6),
    }
}

/// "my password is swordfish" at the end of what is said.
fn told_as_own(words: &[Word<'_>], n: usize) -> bool {
    n + 1 == words.len()
        && words
            .iter()
            .any(|word| word.low.contains("pass") || word.text.eq_ignore_ascii_case("kennwort"))
}

/// A number of three to eight digits, possibly in two groups.
fn is_code(words: &[Word<'_>], n: usize) -> bool {
    code_len(words, n) >= 3
}

/// How many digits a code has that begins here; 0 when there is none.
fn code_len(words: &[Word<'_>], n: usize) -> usize {
    let digits: usize = words
        .iter()
        .skip(n)
        .map(|word| word.text.strip_prefix("G-").unwrap_or(word.text))
        .take_while(|word| word.chars().all(|c| c.is_ascii_digit() || c == '-'))
        .take(3)
        .map(|word| word.chars().filter(char::is_ascii_digit).count())
        .sum();
    if (3..=8).contains(&digits) { digits } else { 0 }
}

/// Words, with `:` and `=` as words of their own and without surrounding punctuation.
fn words(text: &str) -> Vec<Word<'_>> {
    // Room for all at once: words have four letters or more as a rule, the space included.
    let mut words = Vec::with_capacity(text.len() / 4 + 1);
    let mut push = |word| {
        let word = bare(word);
        if !word.is_empty() {
            words.push(Word::new(word));
        }
    };
    // `User=app;Password=…`, `?user=app&password=…`
    for chunk in text.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&')) {
        if !chunk.contains(MARKS) {
            push(chunk);
            continue;
        }
        for piece in chunk.split_inclusive(MARKS) {
            let (word, mark) = piece.split_at(piece.trim_end_matches(MARKS).len());
            push(word);
            push(mark);
        }
    }
    words
}

/// Marks that are words of their own.
const MARKS: [char; 2] = ['=', ':'];

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return word;
    }
    // An opening quote stays: what is quoted behind a label is told, not remarked.
    word.trim_start_matches(['(', '[', '{', '<', ','])
        .trim_end_matches(|c: char| "\"'`()[]{}<>,;#".contains(c))
        .trim_end_matches(['.', '!', '?'])
        .trim_end_matches(['"', '\''])
}

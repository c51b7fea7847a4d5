//! Secrets that a label announces: "password: …", "the code is 482913", `API_KEY=…`.

/// Labels after which anything but an ordinary word is a secret.
const LABELS: &[&str] = &[
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
const CODE_LABELS: &[&str] = &[
    "pin", "otp", "cvv", "cvc", "cvv2", "tan", "2fa", "totp", "mfa",
];

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
    "is", "was", "=", ":", "->", "=>", "to", "are", "ist", "es", "est", "lautet",
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
    (0..words.len()).any(|n| label_at(&words, n).is_some_and(|label| follows(&words, n + 1, label)))
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
                *word != "pass"
                    && !words
                        .get(n + 1)
                        .is_some_and(|next| SUBJECTS.contains(&next.as_str()))
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
fn label_at(words: &[String], n: usize) -> Option<Label> {
    let word = words
        .get(n)?
        .trim_start_matches(['"', '\'', '`'])
        .to_lowercase();
    let before = n
        .checked_sub(1)
        .and_then(|n| words.get(n))
        .map(|word| word.to_lowercase())
        .unwrap_or_default();
    // `DB_PASSWORD`, `client_secret`, `API_KEY`
    let mut parts = word.rsplit(['_', '-']).filter(|part| !part.is_empty());
    let last = parts.next().unwrap_or_default();
    let earlier = parts.next().unwrap_or(&before);
    if LABELS.contains(&last) || (last == "key" && KEY_KINDS.contains(&earlier)) || last == "apikey"
    {
        Some(Label::Secret)
    } else if CODE_LABELS.contains(&last) || (last == "code" && CODE_KINDS.contains(&earlier)) {
        Some(Label::Code)
    } else {
        None
    }
}

/// Whether what follows a label is a secret rather than a remark about one.
fn follows(words: &[String], mut n: usize, label: Label) -> bool {
    let mut linked = None;
    while let Some(word) = words.get(n) {
        if !LINKS.contains(&word.to_lowercase().as_str()) {
            break;
        }
        linked = Some(word.as_str());
        n += 1;
    }
    let Some(value) = words.get(n) else {
        return false;
    };
    let lower = value.to_lowercase();
    if label == Label::Code {
        return is_code(words, n);
    }
    if SUBJECTS.contains(&lower.as_str()) || REMARKS.contains(&lower.as_str()) {
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
fn told_as_own(words: &[String], n: usize) -> bool {
    n + 1 == words.len()
        && words.iter().any(|word| {
            word.to_lowercase().contains("pass") || word.eq_ignore_ascii_case("kennwort")
        })
}

/// A number of three to eight digits, possibly in two groups.
fn is_code(words: &[String], n: usize) -> bool {
    let digits: String = words
        .iter()
        .skip(n)
        .take_while(|word| word.chars().all(|c| c.is_ascii_digit() || c == '-'))
        .take(2)
        .flat_map(|word| word.chars())
        .filter(char::is_ascii_digit)
        .collect();
    (3..=8).contains(&digits.len())
}

/// Words, with `:` and `=` as words of their own and without surrounding punctuation.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if matches!(c, '=' | ':') {
            spaced.push(' ');
            spaced.push(c);
            spaced.push(' ');
        } else {
            spaced.push(c);
        }
    }
    spaced
        .split_whitespace()
        .map(|word| {
            // An opening quote stays: what is quoted behind a label is told, not remarked.
            word.trim_start_matches(['(', '[', '{', '<', ','])
                .trim_end_matches(|c: char| "\"'`()[]{}<>,;".contains(c))
                .trim_end_matches(['.', '!', '?'])
                .trim_end_matches(['"', '\''])
                .to_owned()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

//! Secrets that a label announces: "password: …", "the code is 482913", `API_KEY=…`, "passport
//! number …".
//!
//! It splits texts itself: `:` and `=` are words here, the parts of `User=app;Password=…` stand
//! apart, and a password keeps the marks inside it. `text/words.rs` drops all of that, and reads
//! only what is left when the secrets are out.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::sections::sections;

/// The roles of a word in texts that give secrets away: a bit for each section of the file.
type Kinds = u32;

/// The sections by their bits.
const SECTIONS: [&str; 18] = [
    "labels",
    "phrase kinds",
    "belongs",
    "still",
    "open codes",
    "code names",
    "code fillers",
    "key kinds",
    "code labels",
    "code kinds",
    "links",
    "remarks",
    "subjects",
    "locks",
    "number kinds",
    "number words",
    "numbers",
    "passports",
];
const LABEL: Kinds = 1;
const PHRASE_KIND: Kinds = 1 << 1;
const BELONGS: Kinds = 1 << 2;
const STILL: Kinds = 1 << 3;
const OPEN_CODE: Kinds = 1 << 4;
const CODE_NAME: Kinds = 1 << 5;
const CODE_FILLER: Kinds = 1 << 6;
const KEY_KIND: Kinds = 1 << 7;
const CODE_LABEL: Kinds = 1 << 8;
const CODE_KIND: Kinds = 1 << 9;
const LINK: Kinds = 1 << 10;
const REMARK: Kinds = 1 << 11;
const SUBJECT: Kinds = 1 << 12;
const LOCK: Kinds = 1 << 13;
const NUMBER_KIND: Kinds = 1 << 14;
const NUMBER_WORD: Kinds = 1 << 15;
const NUMBER: Kinds = 1 << 16;
const PASSPORT: Kinds = 1 << 17;

static KINDS: LazyLock<HashMap<&str, Kinds>> = LazyLock::new(|| {
    let mut kinds: HashMap<&str, Kinds> = HashMap::new();
    for (section, line) in sections(include_str!("../../data/gate/labels.txt")) {
        let bit = SECTIONS.iter().position(|name| *name == section);
        for word in line.split(' ') {
            *kinds.entry(word).or_default() |= bit.map_or(0, |bit| 1 << bit);
        }
    }
    kinds
});

fn kinds(word: &str) -> Kinds {
    KINDS.get(word).copied().unwrap_or_default()
}

/// Ends of longer names that are labels: `PGPASSWORD`.
const LABEL_ENDS: &[&str] = &["password", "passwd", "passwort"];

/// A word of a text.
struct MarkedWord<'a> {
    text: &'a str,
    /// In lower case.
    low: Cow<'a, str>,
    kinds: Kinds,
}

impl<'a> MarkedWord<'a> {
    fn new(text: &'a str) -> Self {
        let is_low = !text.contains(char::is_uppercase);
        let low = if is_low {
            text.into()
        } else {
            Cow::Owned(text.to_lowercase())
        };
        Self {
            text,
            kinds: kinds(&low),
            low,
        }
    }

    fn digits(&self) -> usize {
        self.text.bytes().filter(u8::is_ascii_digit).count()
    }

    /// Letters and digits.
    fn is_mixed(&self) -> bool {
        self.digits() > 0 && self.text.chars().any(char::is_alphabetic)
    }
}

/// The words of a text, asked about by their place. Whatever the text, no question that is asked of
/// each word looks at all the others: who sends a long one would otherwise keep a processor busy.
struct MarkedText<'a> {
    words: Vec<MarkedWord<'a>>,
    /// For each place the first from there on where no link stands.
    past_links: Vec<usize>,
    /// Whether a word says that the text is about a password, once somebody has asked.
    names_password: OnceCell<bool>,
}

impl<'a> MarkedText<'a> {
    fn new(words: Vec<MarkedWord<'a>>) -> Self {
        let mut past_links: Vec<usize> = (0..words.len()).collect();
        let mut past = words.len();
        for (n, word) in words.iter().enumerate().rev() {
            if word.kinds & LINK == 0 {
                past = n;
            }
            past_links[n] = past;
        }
        Self {
            names_password: OnceCell::new(),
            past_links,
            words,
        }
    }

    /// Whether the word at `n` is one of these.
    fn is(&self, n: usize, kinds: Kinds) -> bool {
        self.words
            .get(n)
            .is_some_and(|word| word.kinds & kinds != 0)
    }

    fn low(&self, n: usize) -> &str {
        self.words.get(n).map_or("", |word| &word.low)
    }

    /// The first place from `n` on where none of these stands.
    fn skip(&self, mut n: usize, kinds: Kinds) -> usize {
        while self.is(n, kinds) {
            n += 1;
        }
        n
    }

    fn names_password(&self) -> bool {
        let names = |word: &MarkedWord<'_>| word.low.contains("pass") || word.low == "kennwort";
        *self
            .names_password
            .get_or_init(|| self.words.iter().any(names))
    }

    /// The first place from `n` on where no link stands.
    fn skip_links(&self, n: usize) -> usize {
        self.past_links.get(n).copied().unwrap_or(n)
    }

    /// "The password for the NAS is changeme123".
    fn is_told_later(&self, n: usize) -> bool {
        if !self.is(n, BELONGS) {
            return false;
        }
        let link = (n + 1..n + 8).find(|n| self.is(*n, LINK) && !self.is(*n, BELONGS));
        let value = link.and_then(|link| self.words.get(self.skip(link, LINK | STILL)));
        value.is_some_and(|value| value.is_mixed() && value.text.len() >= 6)
    }

    /// "My seed phrase is orbit lemon …", "the passphrase is wobbly teapot lantern".
    fn tells_a_phrase(&self, n: usize) -> bool {
        let named = match self.low(n) {
            "passphrase" | "mnemonic" => true,
            "phrase" => n > 0 && self.is(n - 1, PHRASE_KIND),
            _ => false,
        };
        let is_link = |n: &usize| matches!(self.low(*n), "is" | "was" | "=" | ":" | "ist");
        named
            && (n + 1..n + 6).find(is_link).is_some_and(|link| {
                let told = self.words.len() >= link + 4;
                told && !self.is(link + 1, REMARK | SUBJECT)
            })
    }

    /// "Your code is 123456", "the code for the door: 4471", "G-482913 is your verification
    /// code", "use 551 208 to sign in".
    fn tells_a_code(&self, n: usize) -> bool {
        if self.is(n, CODE_NAME) {
            if n > 0 && self.is(n - 1, OPEN_CODE) {
                return false;
            }
            let lock = (n + 1..n + 5).rfind(|n| self.is(*n, LOCK));
            let at = lock.map_or_else(|| self.skip(n + 1, CODE_FILLER), |lock| lock + 1);
            let linked = self.is(at, LINK) || self.low(n) == "passcode";
            let at = self.skip_links(at);
            // "The code is 1200 lines long"
            let counted = matches!(self.low(at + 1), "lines" | "files" | "loc" | "bytes");
            return linked && !counted && self.code_len(at) >= 4;
        }
        if self.code_len(n) < 4 {
            return false;
        }
        let after = n + 1 + usize::from(self.code_len(n + 1) > 0);
        let behind = |kinds| (after + 1..after + 5).any(|n| self.is(n, kinds));
        let named = matches!(self.low(after), "is" | "ist" | "es" | "est")
            && behind(CODE_NAME)
            && !behind(OPEN_CODE);
        let verbs = ["sign", "log", "login", "verify", "confirm", "authenticate"];
        named || (self.low(after) == "to" && verbs.contains(&self.low(after + 1)))
    }

    /// "Insurance number 65 170839 J 003", "Kontonummer: 532013000", "passport C01X00T47".
    fn tells_a_number(&self, n: usize) -> bool {
        let near = |n: usize, kinds| (n.saturating_sub(4)..n).any(|n| self.is(n, kinds));
        let value = self.skip_links(n + 1);
        if self.is(n, PASSPORT) {
            let mixed = |word: &MarkedWord<'_>| word.text.len() >= 7 && word.is_mixed();
            return self.words.get(value).is_some_and(mixed);
        }
        let ends = self.is(n, NUMBER)
            || (self.is(n, NUMBER_WORD) && near(n, NUMBER_KIND))
            || (self.is(n, NUMBER_KIND) && near(n, NUMBER_WORD));
        // Groups of digits, with a letter or two between them.
        let groups = self.words.get(value..).unwrap_or_default().iter();
        let groups = groups.take_while(|word| word.digits() > 0 || word.text.len() <= 2);
        ends && groups.take(8).map(MarkedWord::digits).sum::<usize>() >= 5
    }

    /// The label that ends with the word at `n`.
    fn label(&self, n: usize) -> Option<Label> {
        let whole = self.words.get(n)?;
        let before = if n > 0 {
            self.words.get(n - 1)?.kinds
        } else {
            0
        };
        if whole.low.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return label(&whole.low, whole.kinds, before);
        }
        // `DB_PASSWORD`, `client_secret`, `API_KEY`
        let word = whole.low.trim_start_matches(['"', '\'', '`']);
        let mut parts = word.rsplit(['_', '-']).filter(|part| !part.is_empty());
        let last = parts.next().unwrap_or_default();
        label(last, kinds(last), parts.next().map_or(before, kinds))
    }

    /// Whether what follows a label is a secret rather than a remark about one.
    fn follows(&self, n: usize, label: Label) -> bool {
        let at = self.skip_links(n);
        let linked = if at > n { self.low(at - 1) } else { "" };
        let Some(value) = self.words.get(at) else {
            return false;
        };
        if label == Label::Code {
            return self.code_len(at) > 0;
        }
        if self.is(at, SUBJECT | REMARK) {
            return false;
        }
        let (mixed, long) = (value.is_mixed(), value.text.len() >= 6);
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '\'' | '/');
        let symbols = !value.text.chars().all(plain);
        let ends = self.words.len() == at + 1;
        match linked {
            "=" => true,
            // `password: letmein`
            ":" => ends || symbols || value.digits() > 0,
            // "my password is swordfish": told, unless the sentence goes on
            "is" | "was" | "ist" | "es" | "est" | "lautet" => {
                symbols
                    || value.digits() > 0
                    || (ends && value.low.len() > 3 && self.names_password())
            }
            _ => long && (mixed || symbols),
        }
    }

    /// How many digits a code has that begins here, possibly in groups; 0 when there is none.
    fn code_len(&self, n: usize) -> usize {
        let rest = self.words.get(n..).unwrap_or_default();
        let digits: usize = rest
            .iter()
            .map(|word| word.text.strip_prefix("G-").unwrap_or(word.text))
            .take_while(|word| word.chars().all(|c| c.is_ascii_digit() || c == '-'))
            .take(3)
            .map(|word| word.bytes().filter(u8::is_ascii_digit).count())
            .sum();
        if (3..=8).contains(&digits) { digits } else { 0 }
    }
}

/// Whether a label in the text is followed by its secret.
pub(super) fn contains_labelled(text: &str) -> bool {
    let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
    let text = marked_words(text);
    (0..text.words.len()).any(|n| {
        text.label(n).is_some_and(|label| {
            text.follows(n + 1, label) || (label == Label::Secret && text.is_told_later(n + 1))
        }) || text.tells_a_phrase(n)
            || (has_digits && (text.tells_a_code(n) || text.tells_a_number(n)))
    })
}

/// Whether the name itself says that its value is a secret.
pub(super) fn names_a_secret(name: &str) -> bool {
    let name = marked_words(name);
    (0..name.words.len()).any(|n| match name.label(n) {
        Some(Label::Secret) => name.low(n) != "pass" && !name.is(n + 1, SUBJECT),
        Some(Label::Code) => true,
        None => {
            let after = |kinds| n > 0 && name.is(n - 1, kinds);
            name.is(n, NUMBER) || (name.is(n, NUMBER_WORD) && after(NUMBER_KIND))
        }
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Secret,
    Code,
}

/// The label that a word is, or makes with the one before it.
fn label(word: &str, kinds: Kinds, before: Kinds) -> Option<Label> {
    let named = kinds & LABEL != 0 || LABEL_ENDS.iter().any(|end| word.ends_with(end));
    if named || (word == "key" && before & KEY_KIND != 0) {
        Some(Label::Secret)
    } else if kinds & CODE_LABEL != 0 || (word == "code" && before & CODE_KIND != 0) {
        Some(Label::Code)
    } else {
        None
    }
}

/// Words, with `:` and `=` as words of their own and without surrounding punctuation.
fn marked_words(text: &str) -> MarkedText<'_> {
    // Room for all at once: words have four letters or more as a rule, the space included.
    let mut words = Vec::with_capacity(text.len() / 4 + 1);
    let mut push = |word| {
        let word = bare(word);
        if !word.is_empty() {
            words.push(MarkedWord::new(word));
        }
    };
    // `User=app;Password=…`, `?user=app&password=…`
    for chunk in text.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&')) {
        for piece in chunk.split_inclusive(MARKS) {
            let (word, mark) = piece.split_at(piece.trim_end_matches(MARKS).len());
            push(word);
            push(mark);
        }
    }
    MarkedText::new(words)
}

/// Marks that are words of their own.
const MARKS: [char; 2] = ['=', ':'];

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    // An opening quote stays: a quoted word after a label is the secret, not a remark.
    word.trim_start_matches(['(', '[', '{', '<', ','])
        .trim_end_matches(|c: char| "\"'`()[]{}<>,;#".contains(c))
        .trim_end_matches(['.', '!', '?'])
        .trim_end_matches(['"', '\''])
}

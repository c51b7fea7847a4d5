//! Secrets that a label announces: "password: …", "the code is 482913", `API_KEY=…`, "passport
//! number …".

use super::commands::tells_by_command;
use super::marked::{
    BELONGS, CODE_FILLER, CODE_KIND, CODE_LABEL, CODE_NAME, KEY_KIND, Kinds, LABEL, LINK, LOCK,
    MarkedText, MarkedWord, NETWORK, NUMBER, NUMBER_KIND, NUMBER_WORD, OPEN_CODE, PASSPORT, REMARK,
    STILL, SUBJECT, kinds, marked_words,
};

/// Ends of longer names that are labels: `PGPASSWORD`.
const LABEL_ENDS: &[&str] = &["password", "passwd", "passwort"];

impl MarkedText<'_> {
    /// "The password for the NAS is changeme123".
    fn is_told_later(&self, n: usize) -> bool {
        if !self.is(n, BELONGS) {
            return false;
        }
        let link = (n + 1..n + 8).find(|n| self.is(*n, LINK) && !self.is(*n, BELONGS));
        let value = link.and_then(|link| self.words.get(self.skip(link, LINK | STILL)));
        value.is_some_and(|value| value.is_mixed() && value.text.len() >= 6)
    }

    /// "Wifi is `GuestHall` / `plumCake_1987`".
    fn tells_a_network(&self, n: usize) -> bool {
        let link = n + 1;
        self.is(n, NETWORK)
            && matches!(self.low(link), ":" | "is" | "ist")
            && (link + 2..link + 5)
                .find(|n| self.low(*n) == "/")
                .and_then(|slash| self.words.get(slash + 1))
                .is_some_and(|value| value.text.len() >= 6 && !value.text.contains('/'))
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
            // `Authorization: Bearer …`
            "basic" | "bearer" if self.low(at.saturating_sub(2)) == ":" => long,
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
    text.holds_recovery_words()
        || (0..text.words.len()).any(|n| {
            text.label(n).is_some_and(|label| {
                text.follows(n + 1, label) || (label == Label::Secret && text.is_told_later(n + 1))
            }) || text.tells_a_phrase(n)
                || text.tells_a_network(n)
                || tells_by_command(&text, n)
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

//! Redaction: cuts the clauses that hold secrets out of a text.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::contains_secret;
use crate::sections::section;

/// The text without the clauses that hold a secret, label and value. No part of a secret stays:
/// where no single clause shows it, the sentence, the line or the whole text goes.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    if !contains_secret(text) {
        return Cow::Borrowed(text);
    }
    let (before, after) = around_key_block(text);
    let left = [before, after].map(|text| cut(text, Part::Line));
    let left = left.concat();
    Cow::Owned(if contains_secret(&left) {
        String::new()
    } else {
        left.trim().to_owned()
    })
}

/// The text before a key block and the text behind it. Every line of a block belongs to the secret.
fn around_key_block(text: &str) -> (&str, &str) {
    let Some(begin) = marks(text, ["BEGIN", "begin"]).next() else {
        return (text, "");
    };
    let (before, block) = text.split_at(begin);
    let end = marks(block, ["END", "end"]).last();
    let end = end.and_then(|end| block.get(end..)).unwrap_or_default();
    (
        before.trim_end_matches(is_dash),
        end.split_once('\n').map_or("", |(_, after)| after),
    )
}

/// Where one of the words stands behind a dash.
fn marks<'t>(text: &'t str, words: [&'static str; 2]) -> impl Iterator<Item = usize> + 't {
    let found = text.char_indices().filter(|(_, c)| is_dash(*c));
    found.filter_map(move |(at, dash)| {
        let at = at + dash.len_utf8();
        let rest = text.get(at..)?;
        words
            .iter()
            .any(|word| rest.starts_with(word))
            .then_some(at)
    })
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// What begins a clause without a comma: the speaker goes on to something else.
static JOINTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let joints = section(include_str!("../../data/gate/joints.txt"), "joints");
    joints.map(|joint| format!(" {joint} ")).collect()
});

/// What a text is divided into, the coarsest first.
#[derive(Clone, Copy)]
enum Part {
    Line,
    Sentence,
    Clause,
}

impl Part {
    fn finer(self) -> Option<Self> {
        match self {
            Self::Line => Some(Self::Sentence),
            Self::Sentence => Some(Self::Clause),
            Self::Clause => None,
        }
    }

    /// The parts of a text, each with the mark at its end.
    fn of(self, text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let end = rest.char_indices().find_map(|(at, c)| {
                let end = at + c.len_utf8();
                let spaced = || rest.get(end..).is_some_and(|after| after.starts_with(' '));
                let ends = match self {
                    Self::Line => c == '\n',
                    Self::Sentence => matches!(c, '.' | '!' | '?') && spaced(),
                    Self::Clause => matches!(c, ',' | ';') && spaced(),
                };
                let joined = matches!(self, Self::Clause)
                    && c == ' '
                    && at > 0
                    && rest.get(at..).is_some_and(|rest| {
                        JOINTS.iter().any(|joint| rest.starts_with(joint.as_str()))
                    });
                if joined {
                    return Some(at);
                }
                (ends || matches!(c, '。' | '！' | '？')).then_some(end)
            });
            let (part, left) = rest.split_at(end.unwrap_or(rest.len()));
            rest = left;
            (!part.is_empty()).then_some(part)
        })
    }
}

/// The text without those of its parts that hold a secret; nothing where a secret is spread over
/// several.
fn cut(text: &str, part: Part) -> String {
    let mut left = String::with_capacity(text.len());
    for piece in part.of(text) {
        if !contains_secret(piece) {
            left.push_str(piece);
        } else if let Some(finer) = part.finer() {
            left.push_str(&cut(piece, finer));
        }
    }
    let has_lost = left.len() < text.len();
    if has_lost && matches!(part, Part::Clause) {
        let end = left.trim_end_matches([',', ';', ' ']).len();
        left.truncate(end);
        let mark = text.chars().next_back().filter(|c| ".!?\n".contains(*c));
        let mark = mark.filter(|c| !left.is_empty() && !left.ends_with(*c));
        left.extend(mark);
    }
    if contains_secret(&left) {
        String::new()
    } else {
        left
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::secrets::samples;

    #[test]
    fn the_clause_goes_and_the_rest_stays() {
        for (text, left) in samples::cut() {
            assert_eq!(without_secrets(&text), left, "{text}");
        }
    }

    #[test]
    fn no_sample_leaves_a_trace() {
        for secret in samples::secrets() {
            let text = format!("I live in Porto. {secret}\nI use Helix.");
            let left = without_secrets(&text);
            assert!(!contains_secret(&left), "{text}");
            let whole = left.contains("Helix") || text.contains("-----BEGIN");
            assert!(left.contains("Porto") && whole, "{text}: {left}");
        }
        for text in samples::harmless() {
            assert!(matches!(without_secrets(text), Cow::Borrowed(_)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_left_holds_a_secret(text in any::<String>(), label in "(pin|password|code)(:| is|\n|, )") {
            let text = format!("{text} {label} hunter22 4711 {text}");
            prop_assert!(!contains_secret(&without_secrets(&text)));
        }
    }
}

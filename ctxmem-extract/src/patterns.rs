//! The patterns of `data/slots.txt` and `data/requests.txt`: lines over the words of a sentence.
//!
//! Some two hundred of them are looked for in every sentence. Each needs some words to fit at all, so one pass over
//! the sentence tells the few that may, for all later steps. A pattern is compiled when it first may fit: to
//! compile all of them would cost each start of a server some 60 ms and 11 MiB.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::{Captures, Regex};
use regex_syntax::hir::{Hir, HirKind};

use crate::sections::sections;
use crate::statements::features::is_unspaced;
use crate::text::words::{Words, folded};

pub(crate) const SLOTS: &str = include_str!("../data/slots.txt");
pub(crate) const REQUESTS: &str = include_str!("../data/requests.txt");

/// The sections of `data/slots.txt` that hold patterns.
pub(crate) const SLOT_KINDS: [&str; 13] = [
    "name",
    "known name",
    "location",
    "known place",
    "workplace",
    "near",
    "zone",
    "diet",
    "health",
    "allergy",
    "tools",
    "units",
    "style",
];

/// Those of `data/requests.txt`.
const REQUEST_KINDS: [&str; 17] = [
    "remember",
    "weak",
    "standing",
    "standing weak",
    "refers",
    "goes on",
    "goes on as a wish",
    "announced",
    "happens",
    "each time",
    "back",
    "off the record",
    "forget",
    "forget back",
    "no longer",
    "given up",
    "finished",
];

struct Pattern {
    kind: &'static str,
    row: String,
    compiled: OnceLock<Regex>,
}

struct Patterns {
    each: Vec<Pattern>,
    /// What one of the patterns needs, and which do so.
    needed: AhoCorasick,
    by_needed: Vec<Vec<usize>>,
    /// Those that need nothing in particular.
    always: Vec<usize>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let slots = sections(SLOTS).filter(|(kind, _)| SLOT_KINDS.contains(kind));
    let requests = sections(REQUESTS).filter(|(kind, _)| REQUEST_KINDS.contains(kind));
    Patterns::of(slots.chain(requests))
});

impl Patterns {
    #[expect(clippy::expect_used, reason = "they are compiled in")]
    fn of(rows: impl Iterator<Item = (&'static str, &'static str)>) -> Self {
        let (mut each, mut always) = (Vec::new(), Vec::new());
        let mut literals: Vec<Vec<u8>> = Vec::new();
        let mut by_needed: Vec<Vec<usize>> = Vec::new();
        for (number, (kind, line)) in rows.enumerate() {
            let row = expression(line);
            let parsed = regex_syntax::parse(&row).expect("a regular expression");
            match needed(&parsed) {
                None => always.push(number),
                Some(any) => {
                    for literal in any {
                        let known = literals.iter().position(|known| *known == literal);
                        let at = known.unwrap_or(literals.len());
                        if known.is_none() {
                            literals.push(literal);
                            by_needed.push(Vec::new());
                        }
                        by_needed.get_mut(at).expect("it was added").push(number);
                    }
                }
            }
            each.push(Pattern {
                kind,
                row,
                compiled: OnceLock::new(),
            });
        }
        Self {
            each,
            needed: AhoCorasick::new(literals).expect("few literals"),
            by_needed,
            always,
        }
    }

    /// The patterns that may fit, in their order.
    fn may_fit(&self, text: &str) -> Vec<usize> {
        let found = self.needed.find_overlapping_iter(text);
        let mut may: Vec<usize> = found
            .filter_map(|found| self.by_needed.get(found.pattern().as_usize()))
            .chain(Some(&self.always))
            .flatten()
            .copied()
            .collect();
        may.sort_unstable();
        may.dedup();
        may
    }
}

/// Texts of which one stands in whatever fits, the longest such.
fn needed(part: &Hir) -> Option<Vec<Vec<u8>>> {
    match part.kind() {
        HirKind::Literal(literal) => Some(vec![literal.0.to_vec()]),
        HirKind::Capture(capture) => needed(&capture.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => needed(&repeated.sub),
        HirKind::Alternation(parts) => {
            let each: Option<Vec<_>> = parts.iter().map(needed).collect();
            each.map(|each| each.concat())
        }
        HirKind::Concat(parts) => parts
            .iter()
            .filter_map(needed)
            .max_by_key(|any| any.iter().map(Vec::len).min()),
        _ => None,
    }
}

/// The patterns of some kinds that may fit a sentence, each with its kind. Most do.
pub(crate) fn each_fit<'w>(
    words: &'w Words<'_>,
    is_meant: impl Fn(&'static str) -> bool + 'w,
) -> impl Iterator<Item = (&'static str, &'static Regex)> + 'w {
    let may = words
        .patterns
        .get_or_init(|| PATTERNS.may_fit(&words.folded));
    may.iter()
        .filter_map(|number| PATTERNS.each.get(*number))
        .filter(move |pattern| is_meant(pattern.kind))
        .map(|pattern| {
            let compiled = pattern.compiled.get_or_init(|| regex(&pattern.row));
            (pattern.kind, compiled)
        })
}

/// Where a pattern fits from a place on. Most don't fit, which is found out without room for captures.
pub(crate) fn captures_at<'t>(regex: &Regex, text: &'t str, from: usize) -> Option<Captures<'t>> {
    regex
        .is_match_at(text, from)
        .then(|| regex.captures_at(text, from))?
}

/// A pattern that is compiled in, so that a mistake in it fails every test.
#[expect(clippy::expect_used, reason = "it is compiled in")]
pub(crate) fn regex(row: &str) -> Regex {
    Regex::new(row).expect("a regular expression")
}

/// A line as an expression over [`Words::folded`].
pub(crate) fn expression(line: &str) -> String {
    let mut pattern = String::from(" ");
    let mut chars = folded(line)
        .chars()
        .collect::<Vec<_>>()
        .into_iter()
        .peekable();
    while let Some(c) = chars.next() {
        match c {
            '(' => pattern.push_str("(?:"),
            '[' => pattern.push_str("(?:(?:"),
            ']' => {
                pattern.push_str(") )?");
                chars.next_if_eq(&' ');
            }
            '{' => {
                let inside: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let is_last = chars.peek().is_none();
                pattern.push_str(match &*inside {
                    "w" => "[^ ]+",
                    "?" => "(?:[^ ,.;]+ )?",
                    ".." => "[^,.;]+?",
                    // What is taken is nothing by itself.
                    "style" => "(?P<x>.*)",
                    "own" => "(?P<x>(?:i|my|we|our|i am|i have) .+)",
                    "is" => {
                        "(?P<x>(?:(?:the|my|our|your|all|these|those) )?[^ ]+ \
                         (?:is|are|was|has|have|must|should|will|can) .+)"
                    }
                    "thing" => "(?P<x>(?:a|an|my|our) [^ ]+ [^ ]+ .+)",
                    "end" => "(?:[^ \\w] )*$",
                    "old" if is_last => "(?P<old>.+)",
                    "old" => "(?P<old>.+?)",
                    _ if is_last => "(?P<x>.+)",
                    _ => "(?P<x>.+?)",
                });
                if inside == "?" {
                    chars.next_if_eq(&' ');
                }
            }
            c if is_unspaced(c) => {
                // Each is a word of its own.
                if !pattern.ends_with([' ', ':', '|', '(']) {
                    pattern.push(' ');
                }
                pattern.push(c);
                if chars
                    .peek()
                    .is_some_and(|next| !matches!(next, ')' | '|' | ']'))
                {
                    pattern.push(' ');
                }
            }
            '.' | '+' | '*' | '?' | '^' | '$' => {
                pattern.push('\\');
                pattern.push(c);
            }
            _ => pattern.push(c),
        }
    }
    if !pattern.ends_with("+)") && !pattern.ends_with("*)") && !pattern.ends_with('$') {
        // A word ends there.
        pattern.push(' ');
    }
    pattern
}

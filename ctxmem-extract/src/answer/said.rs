//! Grounding: compares a model's words with what the user said, quotes with some tolerance, numbers and names with
//! none.
//!
//! Models correct typos, spell out short forms and drop filler words when they quote. They also put a true quote beside
//! a value that it doesn't say. So a quote may differ a little, but the numbers of a value have to come from the
//! message, from a known fact that speaks of the same or from the day, and its names from the message or from what is
//! known.

use std::collections::HashSet;
use std::sync::LazyLock;

use chrono::{Datelike as _, NaiveDate};
use strsim::osa_distance;

use crate::Known;
use crate::days::{names_a_relative_day, number};
use crate::endings::PERSONS;
use crate::folded_words::{FoldedWords, is_insignificant, is_negative};
use crate::sections::{section, section_words};
use crate::slots::{is_known_name, tool_named_at};
use crate::text::sentences::sentences;
use crate::text::words::{Word, Words};

const LISTS: &str = include_str!("../../data/gate/evidence.txt");

/// Names of months and days, and short forms of them.
static CALENDAR: LazyLock<HashSet<&str>> =
    LazyLock::new(|| section_words(LISTS, "calendar").collect());

/// Whether a word is part of a date: "Thursdays" as well.
pub(crate) fn is_of_calendar(word: &str) -> bool {
    CALENDAR.contains(word)
        || word
            .strip_suffix('s')
            .is_some_and(|one| CALENDAR.contains(one))
}

/// Numbers as words, with their digits: `couple 2`.
static NUMBER_WORDS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    section(LISTS, "number words")
        .filter_map(|line| line.split_once(' '))
        .flat_map(|(digits, words)| words.split(' ').map(move |word| (word, digits)))
        .collect()
});

/// Longest quote that is compared word by word, in words.
const LONGEST_QUOTE: usize = 64;

/// The user's message, prepared for comparison.
pub(super) struct Said<'m> {
    message: &'m str,
    folded: FoldedWords,
    words: Vec<String>,
    /// Each word once, and which of them each of `words` is: comparing is what costs.
    distinct: Vec<String>,
    numbers: Vec<usize>,
    digits: HashSet<String>,
    /// The words of what is known: a name among them was not made up.
    known: HashSet<String>,
    /// Whether a day may have been worked out from it.
    tells_days: bool,
    /// Whether it is written in letters without case, so that names are spelled otherwise in a value.
    is_caseless: bool,
    today: NaiveDate,
}

impl<'m> Said<'m> {
    pub(super) fn of(message: &'m str, known: &[Known], today: NaiveDate) -> Self {
        let words = spelled_out(message);
        let mut digits = digits_in(&words);
        for (word, number) in &*NUMBER_WORDS {
            if words.iter().any(|said| said == word) {
                digits.insert((*number).to_owned());
            }
        }
        digits.extend(
            words
                .iter()
                .filter_map(|word| Some(number(word)?.to_string())),
        );
        let is_relative =
            || sentences(message).any(|sentence| names_a_relative_day(&Words::of(sentence)));
        let has_digits = message.contains(|c: char| c.is_ascii_digit());
        let names_month = || words.iter().any(|word| CALENDAR.contains(&**word));
        let mut distinct = words.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let numbers = words
            .iter()
            .filter_map(|word| distinct.binary_search(word).ok());
        Self {
            message,
            numbers: numbers.collect(),
            distinct,
            tells_days: is_relative() || (!has_digits && names_month()),
            is_caseless: message
                .chars()
                .any(|c| c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase()),
            folded: FoldedWords::of(message),
            known: known
                .iter()
                .flat_map(|known| spelled_out(&known.value))
                .collect(),
            digits,
            words,
            today,
        }
    }

    pub(super) fn folded(&self) -> &FoldedWords {
        &self.folded
    }

    pub(super) fn text(&self) -> String {
        self.words.join(" ")
    }

    /// Whether the user said what is quoted, give or take a corrected typo or a dropped filler word. Anything may stand
    /// in place of `…` and `;`.
    pub(super) fn contains_quote(&self, quote: &str) -> bool {
        if self.folded.contains_quote(quote) || self.says_in_a_hurry(quote) {
            return true;
        }
        let mut from = 0;
        let mut says = false;
        for part in quote.replace("...", "…").split(['…', ';']) {
            let part = spelled_out(part);
            let Some(end) = self.end_of(&part, from) else {
                return false;
            };
            from = end;
            says = says || part.len() > 2 || part.iter().any(|word| word.chars().count() > 3);
        }
        says
    }

    /// Whether the message is the quote without its apostrophes: "wont" for "won't". Spelled out they differ, so the words
    /// are compared as they stand, one after the other.
    fn says_in_a_hurry(&self, quote: &str) -> bool {
        if !quote.contains(APOSTROPHES) {
            return false;
        }
        let quote: Vec<(&str, String)> = quote
            .split_whitespace()
            .map(|word| (word, bare(word)))
            .filter(|(_, bare)| !bare.is_empty())
            .collect();
        // Marks say nothing.
        if quote.is_empty() {
            return false;
        }
        let said = self.message.split_whitespace().map(bare);
        let said: Vec<String> = said.filter(|word| !word.is_empty()).collect();
        said.windows(quote.len()).any(|said| {
            let mut pairs = said.iter().zip(&quote);
            pairs.all(|(said, (word, quoted))| {
                let is_short = word.trim_matches(APOSTROPHES).contains(APOSTROPHES);
                // "want" is no typo of "won't".
                let may_differ = !(is_short && quoted.ends_with("nt"));
                said == quoted || may_differ && alike(said, quoted)
            })
        })
    }

    /// Behind which word a quote ends that begins from a word on: its words in order, at most a quarter of them
    /// missing and about as many others between. What denies and what has digits may be neither.
    fn end_of(&self, quote: &[String], from: usize) -> Option<usize> {
        let length = quote.len();
        if length == 0 || length > LONGEST_QUOTE {
            return None;
        }
        // "I'm on Fedora" says nothing without its last word.
        let significant = quote.iter().filter(|word| !is_insignificant(word)).count();
        let may_miss = length / 4;
        let may_add = 1 + length / 4;
        let said = self.numbers.get(from..).unwrap_or_default();
        // For each end in the message: how many words of the quote are missing so far, and how many are between.
        let mut best = vec![Some((0, 0)); said.len() + 1];
        for (n, word) in quote.iter().enumerate() {
            let fits: Vec<bool> = self
                .distinct
                .iter()
                .map(|other| alike(word, other))
                .collect();
            let may_be_missing = !is_negative(word)
                && !has_digit(word)
                && (significant > 3 || is_insignificant(word));
            let missing = |so_far: Option<(usize, usize)>| {
                let (missing, added) = so_far?;
                (may_be_missing && missing < may_miss).then_some((missing + 1, added))
            };
            let mut next = Vec::with_capacity(best.len());
            next.push(missing(best.first().copied().flatten()));
            for (at, number) in said.iter().enumerate() {
                let before =
                    |row: &[Option<(usize, usize)>], at: usize| row.get(at).copied().flatten();
                let is_same = fits.get(*number).copied().unwrap_or_default();
                let matched = before(&best, at).filter(|_| is_same);
                let left_out = missing(before(&best, at + 1));
                let may_be_between = n + 1 < length
                    && self
                        .distinct
                        .get(*number)
                        .is_some_and(|word| !is_negative(word));
                let between = before(&next, at)
                    .filter(|(_, added)| may_be_between && *added < may_add)
                    .map(|(missing, added)| (missing, added + 1));
                let cheapest = [matched, left_out, between].into_iter().flatten();
                next.push(cheapest.min_by_key(|(missing, added)| missing + added));
            }
            best = next;
        }
        best.iter().position(Option::is_some).map(|end| from + end)
    }

    /// Whether the numbers of a value come from here, from the fact that it replaces or from the day, and its names
    /// from here or from what is known.
    pub(super) fn supports(&self, value: &str, replaced: &str, is_name: bool) -> bool {
        let replaced = spelled_out(replaced);
        let known_digits = digits_in(&replaced);
        let has_number = |run: &String| {
            self.digits.contains(run) || known_digits.contains(run) || self.is_worked_out(run)
        };
        digits_in(&spelled_out(value)).iter().all(has_number)
            && (self.is_caseless || self.names_all(&Words::of(value), &replaced, is_name))
    }

    /// Whether all that is named in a value is named in the message or in the fact that it replaces. The first word
    /// begins with a capital anyway: only with `is_name`, or where it is known as a name, does it name something.
    fn names_all(&self, value: &Words<'_>, replaced: &[String], is_name: bool) -> bool {
        let mut at = 0;
        while let Some(word) = value.each.get(at) {
            if let Some((length, names)) = tool_named_at(value, at)
                && names
                    .iter()
                    .any(|name| self.folded.contains(&FoldedWords::of(name)))
            {
                at += length;
                continue;
            }
            let low = value.low(at);
            let is_named = word.is_capitalised()
                && !is_of_calendar(low)
                && low != "i"
                && !low.starts_with("i ")
                && (is_name || at > 0 || is_known_name(value, at) || begins_with_a_name(value));
            let is_known =
                || self.known.contains(low) || replaced.iter().any(|known| alike(known, low));
            if is_named && !self.names(low) && !is_known() {
                // "NYC" for New York City.
                match self.initials(value, at) {
                    Some(length) => at += length,
                    None => return false,
                }
                continue;
            }
            at += 1;
        }
        true
    }

    /// How many words from one on begin with the letters of a short word of the message.
    fn initials(&self, value: &Words<'_>, at: usize) -> Option<usize> {
        let initials: String = (at..value.each.len())
            .take_while(|n| value.each.get(*n).is_some_and(Word::is_capitalised))
            .filter_map(|n| value.low(n).chars().next())
            .collect();
        let of = |length: &usize| {
            let short = initials.get(..*length)?;
            let is_short = |said: &String| said.starts_with(short) && said.len() <= length + 1;
            self.words.iter().any(is_short).then_some(*length)
        };
        (2..=initials.len().min(4))
            .rev()
            .find_map(|length| of(&length))
    }

    /// Whether the message names what a word of a value names, perhaps in short.
    fn names(&self, low: &str) -> bool {
        let parts = || {
            low.split([' ', '-', '.', '/', '&'])
                .filter(|part| !part.is_empty())
        };
        let is_said = |part: &str| {
            self.words.iter().any(|said| {
                alike(said, part) || (part.chars().count() > 3 && said.starts_with(part))
            })
        };
        is_said(low)
            || parts().all(is_said)
            // "pg" for Postgres.
            || self.words.iter().any(|said| is_short_for(said, low))
    }

    /// Whether a number belongs to a day that may have been worked out, or to this year or the next.
    fn is_worked_out(&self, run: &str) -> bool {
        let Ok(number) = run.parse::<i32>() else {
            return false;
        };
        let year = self.today.year();
        let near = (year - 1..=year + 1).contains(&number);
        near || (self.tells_days && (number <= 31 || (year - 100..=year + 10).contains(&number)))
            // Three in the afternoon is 15.
            || ((13..24).contains(&number) && self.digits.contains(&(number - 12).to_string()))
            || number == 0
    }
}

/// Whether a value begins with a name, though any first word has a capital: "Selin, wife", "SELIN lives there".
fn begins_with_a_name(value: &Words<'_>) -> bool {
    let Some(first) = value.each.first() else {
        return false;
    };
    let is_shouted = first.text.chars().count() > 1 && first.text.chars().all(char::is_uppercase);
    let is_somebody = value.each.get(1).is_some_and(|mark| mark.text == ",")
        && value.each.len() > 2
        && PERSONS.contains(value.low(2));
    is_shouted || is_somebody
}

/// Whether a short word of the message may be short for a name: it begins with the same letter, and its letters follow
/// each other in it.
fn is_short_for(said: &str, name: &str) -> bool {
    let is_short = (2..=4).contains(&said.len()) && said.chars().all(char::is_alphabetic);
    let mut letters = name.chars();
    is_short
        && said.chars().next() == name.chars().next()
        && said.chars().all(|c| letters.any(|letter| letter == c))
        && !is_of_calendar(said)
        && !is_insignificant(said)
}

const APOSTROPHES: [char; 2] = ['\'', '\u{2019}'];

/// A word in lower case without its marks.
fn bare(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The words with short forms spelled out, without marks.
fn spelled_out(text: &str) -> Vec<String> {
    let words = Words::of(text);
    words
        .folded
        .split(' ')
        .filter(|word| word.contains(char::is_alphanumeric))
        .map(|word| word.replace(APOSTROPHES, ""))
        .collect()
}

/// The numbers in words, without leading zeros and parted at marks; also `12000` for "12k" and "12,000".
fn digits_in(words: &[String]) -> HashSet<String> {
    let mut digits = HashSet::new();
    let mut before: Option<String> = None;
    for word in words {
        let runs: Vec<&str> = word
            .split(|c: char| !c.is_ascii_digit())
            .filter(|run| !run.is_empty())
            .collect();
        for run in &runs {
            let bare = run.trim_start_matches('0');
            digits.insert(if bare.is_empty() { "0" } else { bare }.to_owned());
        }
        if let [run] = &*runs
            && word.strip_prefix(run) == Some("k")
        {
            digits.insert(format!("{run}000"));
        }
        if runs.len() > 1 && word.bytes().all(|c| c.is_ascii_digit() || c == b'.') {
            digits.insert(runs.concat());
        }
        before = match before {
            Some(before) if word.len() == 3 && word.bytes().all(|c| c.is_ascii_digit()) => {
                Some(before + word)
            }
            _ => word
                .bytes()
                .all(|c| c.is_ascii_digit())
                .then(|| word.clone()),
        };
        digits.extend(before.clone());
    }
    digits
}

/// Whether two words are the same but for a typo. Digits are none.
fn alike(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let letters = one.chars().count().min(other.chars().count());
    let most = match letters {
        0..4 => return false,
        4..8 => 1,
        _ => 2,
    };
    // Typos hardly ever stand at the beginning.
    one.chars().next() == other.chars().next()
        && !has_digit(one)
        && !has_digit(other)
        && one.len().abs_diff(other.len()) <= 2 * most
        && letters <= 40
        && osa_distance(one, other) <= most
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::samples;

    fn said(message: &str) -> Said<'_> {
        let today = NaiveDate::from_ymd_opt(2026, 11, 26).expect("a day");
        Said::of(message, &[], today)
    }

    #[test]
    fn a_quote_may_be_tidied_up() {
        for (message, quote) in samples(LISTS, "sample tidied quotes") {
            assert!(said(&message).contains_quote(&quote), "{message}: {quote}");
        }
    }

    #[test]
    fn a_quote_of_something_else_is_none() {
        for (message, quote) in
            samples(LISTS, "sample foreign quotes").chain(samples(LISTS, "sample misquotes"))
        {
            assert!(!said(&message).contains_quote(&quote), "{message}: {quote}");
        }
    }

    /// Messages of the regression sets, and what they say in four words and more.
    fn messages() -> Vec<(String, Vec<String>)> {
        let sets = [
            include_str!("../../tests/regression/a.jsonl"),
            include_str!("../../tests/regression/b.jsonl"),
            include_str!("../../tests/regression/c.jsonl"),
            include_str!("../../tests/regression/d.jsonl"),
            include_str!("../../tests/regression/dev.jsonl"),
        ];
        let of = |line: &str| {
            let item: serde_json::Value = serde_json::from_str(line).expect("an interaction");
            let message = item["userMessage"].as_str().expect("a message").to_owned();
            let said = sentences(&message).filter(|said| spelled_out(said).len() >= 4);
            let said = said.map(str::to_owned).collect();
            (message, said)
        };
        sets.into_iter().flat_map(str::lines).map(of).collect()
    }

    /// The message as somebody types it in a hurry: without apostrophes, and each long word without its fourth letter.
    fn in_a_hurry(message: &str) -> String {
        let word = |word: &str| -> String {
            let word: String = word.chars().filter(|c| !['\'', '’'].contains(c)).collect();
            let is_long = word.chars().count() > 8 && word.chars().all(char::is_alphabetic);
            let letters = word.chars().enumerate();
            letters
                .filter(|(n, _)| !(is_long && *n == 3))
                .map(|(_, c)| c)
                .collect()
        };
        message.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn quotes_are_told_from_what_others_said() {
        let messages = messages();
        let (mut exact, mut mended, mut foreign) = (0, 0, 0);
        let (mut lost, mut taken) = (Vec::new(), Vec::new());
        for (n, (message, quotes)) in messages.iter().enumerate() {
            let (own, hurried) = (said(message), in_a_hurry(message));
            for quote in quotes {
                assert!(own.contains_quote(quote), "{quote}");
                exact += 1;
                if hurried != *message && !hurried.contains(quote.as_str()) {
                    mended += 1;
                    if !said(&hurried).contains_quote(quote) {
                        lost.push(format!("{hurried}: {quote}"));
                    }
                }
            }
            for other in (1..4).map(|step| &messages[(n + step * 131) % messages.len()]) {
                let there = said(&other.0);
                for quote in quotes
                    .iter()
                    .filter(|quote| !other.0.contains(quote.as_str()))
                {
                    foreign += 1;
                    if there.contains_quote(quote) {
                        taken.push(format!("{}: {quote}", other.0));
                    }
                }
            }
        }
        println!(
            "exact {exact}, mended {mended}, foreign {foreign}, of which taken {}",
            taken.len()
        );
        assert!(exact > 1_000 && mended > 300 && foreign > 3_518);
        assert_eq!(lost, [""; 0]);
        assert!(taken.len() * 3_518 <= foreign, "{taken:#?}");
    }

    #[test]
    fn numbers_and_names_come_from_what_was_said() {
        for (message, value) in samples(LISTS, "sample supported") {
            assert!(
                said(&message).supports(&value, "", false),
                "{message}: {value}"
            );
        }
        for (message, value) in samples(LISTS, "sample made up") {
            assert!(
                !said(&message).supports(&value, "", false),
                "{message}: {value}"
            );
        }
        assert!(said("she got a job").supports(
            "Selin, wife, 41, has a job",
            "Selin, wife, 41",
            false
        ));
    }
}

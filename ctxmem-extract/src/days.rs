//! Days that are named by the day of the exchange: "tomorrow" means another one a week later, so the day stands
//! beside it, in square brackets.

use std::cell::LazyCell;
use std::fmt::Write as _;
use std::sync::LazyLock;

use chrono::{Datelike as _, Days, Months, NaiveDate};

use crate::hash::{WordMap, WordSet};
use crate::sections::{section, section_words};
use crate::text::words::Words;

const FILE: &str = include_str!("../data/days.txt");

/// What a phrase counts.
#[derive(Clone, Copy)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
    Weekday,
}

/// A phrase as words, and how many of which unit it lies away.
struct Phrase {
    words: Vec<String>,
    unit: Unit,
    distance: i32,
}

/// The phrases by their first word, the longest first.
static PHRASES: LazyLock<WordMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: WordMap<String, Vec<Phrase>> = WordMap::default();
    for line in section(FILE, "relative") {
        let Some((phrase, meaning)) = line.split_once(" = ") else {
            continue;
        };
        let Some((unit, distance)) = meaning.split_once(' ') else {
            continue;
        };
        let words: Vec<String> = phrase.split(' ').flat_map(word_of_phrase).collect();
        let unit = match unit.trim_end_matches('s') {
            "day" => Unit::Day,
            "week" => Unit::Week,
            "month" => Unit::Month,
            "year" => Unit::Year,
            _ => Unit::Weekday,
        };
        let first = words.first().cloned().unwrap_or_default();
        let of_word = phrases.entry(first).or_default();
        of_word.push(Phrase {
            words,
            unit,
            distance: distance.parse().unwrap_or_default(),
        });
        of_word.sort_by_key(|phrase| std::cmp::Reverse(phrase.words.len()));
    }
    phrases
});

fn word_of_phrase(word: &str) -> Vec<String> {
    if word.starts_with('{') {
        return vec![word.to_owned()];
    }
    Words::of(word)
        .folded
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

/// The days of the week in every language that dates are read in, as people write them.
pub fn weekdays() -> impl Iterator<Item = &'static str> {
    section(FILE, "weekdays").flat_map(|line| line.split(", "))
}

static WEEKDAYS: LazyLock<WordMap<String, u32>> = LazyLock::new(|| numbered("weekdays", 0));
static NUMBERS: LazyLock<WordMap<String, u32>> = LazyLock::new(|| numbered("numbers", 1));
static EVERY: LazyLock<WordSet<&str>> = LazyLock::new(|| section_words(FILE, "every").collect());
static MONTHS: LazyLock<WordSet<String>> = LazyLock::new(|| folded("months"));
static PAST: LazyLock<WordSet<String>> = LazyLock::new(|| folded("past"));
static PRESENT: LazyLock<WordSet<String>> = LazyLock::new(|| folded("present"));

fn folded(name: &'static str) -> WordSet<String> {
    section_words(FILE, name)
        .map(|word| Words::of(word).folded.trim().to_owned())
        .collect()
}

fn numbered(name: &'static str, from: u32) -> WordMap<String, u32> {
    let lines = section(FILE, name);
    let entries = lines.flat_map(|line| line.split(", ").zip(from..));
    let forms = entries.flat_map(|(forms, n)| forms.split('|').map(move |form| (form, n)));
    forms
        .map(|(form, n)| (Words::of(form).folded.trim().to_owned(), n))
        .collect()
}

/// A sentence with the day beside each relative one, as it was on `today`.
pub(crate) fn with_days(words: &Words<'_>, today: NaiveDate) -> String {
    let mut text = String::with_capacity(words.sentence.len() + 16);
    let mut copied = 0;
    let mut at = 0;
    // "Next week from Wednesday to Sunday": the days follow each other.
    let mut from = today;
    // Once, however many days are named.
    let tense = LazyCell::new(|| tense(words));
    while at < words.each.len() {
        let is_any = at > 0 && EVERY.contains(words.low(at - 1));
        let found = phrase_at(words, at).filter(|found| {
            let is_weekday = matches!(found.unit, Unit::Weekday);
            !(is_any || is_weekday && is_dated(words, at + found.length))
        });
        let day = found
            .as_ref()
            .and_then(|found| found.day(today, from, || *tense));
        let (Some(found), Some((day, named))) = (found, day) else {
            at += 1;
            continue;
        };
        from = from.max(day);
        at += found.length;
        let end = words.each.get(at - 1).map_or(copied, |word| word.place.end);
        text.push_str(words.sentence.get(copied..end).unwrap_or_default());
        let _ = write!(text, " [{named}]");
        copied = end;
    }
    text.push_str(words.sentence.get(copied..).unwrap_or_default());
    text
}

/// Whether the date stands behind a day of the week, which ends before this word: "Monday, April 3".
fn is_dated(words: &Words<'_>, at: usize) -> bool {
    let is_month = |n: usize| MONTHS.contains(words.low(n));
    let is_ordinal = |n: usize| {
        let digits = words.low(n).trim_end_matches(char::is_alphabetic);
        let ending = words.low(n).trim_start_matches(digits);
        !digits.is_empty() && matches!(ending, "st" | "nd" | "rd" | "th")
    };
    (at..at + 4).any(is_month) || (at..at + 3).any(is_ordinal)
}

/// When something happens.
#[derive(Clone, Copy)]
enum Tense {
    Past,
    Future,
    /// Some of it has happened, and some may not have.
    Mixed,
}

fn tense(words: &Words<'_>) -> Tense {
    let each = || words.folded.split_whitespace();
    let is_past = |word: &str| {
        // "Needed" and the like, but not "need".
        PAST.contains(word) || word.len() > 4 && word.ends_with("ed") && !PRESENT.contains(word)
    };
    // "Am" by itself is German as well.
    let is_present = words.folded.contains(" i am ") || each().any(|word| PRESENT.contains(word));
    match (each().any(is_past), is_present) {
        (true, true) => Tense::Mixed,
        (true, false) => Tense::Past,
        (false, _) => Tense::Future,
    }
}

/// Whether a sentence names a day by its distance.
pub(crate) fn names_a_relative_day(words: &Words<'_>) -> bool {
    (0..words.each.len()).any(|at| phrase_at(words, at).is_some())
}

/// A relative day that was found.
struct Relative {
    length: usize,
    unit: Unit,
    distance: i32,
    weekday: u32,
    number: u32,
}

/// The longest phrase that begins with a word.
fn phrase_at(words: &Words<'_>, at: usize) -> Option<Relative> {
    let first = words.low(at);
    let named = |key: &str| PHRASES.get(key).into_iter().flatten();
    let phrases = named(first)
        .chain(named("{n}").filter(|_| number(first).is_some()))
        .chain(named("{weekday}").filter(|_| WEEKDAYS.contains_key(first)));
    phrases.into_iter().find_map(|phrase| {
        let (mut weekday, mut count) = (0, 1);
        let fits = phrase.words.iter().enumerate().all(|(n, part)| {
            let word = words.low(at + n);
            match &**part {
                "{n}" => number(word).inspect(|number| count = *number).is_some(),
                "{weekday}" => WEEKDAYS.get(word).inspect(|day| weekday = **day).is_some(),
                part => part == word,
            }
        });
        fits.then_some(Relative {
            length: phrase.words.len(),
            unit: phrase.unit,
            distance: phrase.distance,
            weekday,
            number: count,
        })
    })
}

/// The number that a word or digits name.
pub(crate) fn number(word: &str) -> Option<u32> {
    let digits = word.parse().ok().filter(|n| *n < 1000);
    digits.or_else(|| NUMBERS.get(word).copied())
}

impl Relative {
    /// The day, week, month or year: its first day, and its name. Days of the week are counted from `from` on, unless
    /// the last one is meant.
    fn day(
        &self,
        today: NaiveDate,
        from: NaiveDate,
        tense: impl FnOnce() -> Tense,
    ) -> Option<(NaiveDate, String)> {
        let count = self.distance.unsigned_abs() * self.number;
        let days = |count: u32| {
            let days = Days::new(count.into());
            if self.distance < 0 {
                today.checked_sub_days(days)
            } else {
                today.checked_add_days(days)
            }
        };
        let months = |count: u32| {
            let months = Months::new(count);
            if self.distance < 0 {
                today.checked_sub_months(months)
            } else {
                today.checked_add_months(months)
            }
        };
        let day = match self.unit {
            Unit::Day => days(count)?,
            Unit::Weekday => self.weekday(today, from, tense())?,
            Unit::Week => monday(days(count * 7)?)?,
            Unit::Month => months(count)?,
            Unit::Year => months(count * 12)?,
        };
        let named = match self.unit {
            Unit::Day | Unit::Weekday => day.to_string(),
            Unit::Week => format!("week of {day}"),
            Unit::Month => day.format("%Y-%m").to_string(),
            Unit::Year => day.year().to_string(),
        };
        Some((day, named))
    }

    fn weekday(&self, today: NaiveDate, from: NaiveDate, tense: Tense) -> Option<NaiveDate> {
        let here = |day: NaiveDate| day.weekday().num_days_from_monday();
        let ahead = |day: NaiveDate| (self.weekday + 7 - here(day)) % 7;
        let ago = |days: u32| today.checked_sub_days(Days::new(days.into()));
        match (self.distance, tense) {
            // Of the next week, as most people mean it.
            (1, _) => monday(today)?.checked_add_days(Days::new((7 + self.weekday).into())),
            (-1, _) => ago((here(today) + 6 - self.weekday) % 7 + 1),
            (_, Tense::Past) => ago((7 - ahead(today)) % 7),
            (_, Tense::Future) => from.checked_add_days(Days::new(ahead(from).into())),
            // A wrong day is worse than none.
            (_, Tense::Mixed) => None,
        }
    }
}

fn monday(day: NaiveDate) -> Option<NaiveDate> {
    let since = day.weekday().num_days_from_monday();
    day.checked_sub_days(Days::new(since.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_stands_beside_a_relative_one() {
        // A Wednesday.
        let today = NaiveDate::from_ymd_opt(2026, 11, 25).unwrap();
        for (said, expected) in [
            (
                "I have an exam tomorrow at 3 pm.",
                "I have an exam tomorrow [2026-11-26] at 3 pm.",
            ),
            (
                "My exam is on Friday.",
                "My exam is on Friday [2026-11-27].",
            ),
            ("We met on Friday.", "We met on Friday [2026-11-20]."),
            (
                "On Friday, I was diagnosed with asthma",
                "On Friday [2026-11-20], I was diagnosed with asthma",
            ),
            (
                "I had a bad fever on Monday",
                "I had a bad fever on Monday [2026-11-23]",
            ),
            (
                "Am Freitag war ich beim Arzt",
                "Am Freitag [2026-11-20] war ich beim Arzt",
            ),
            (
                "I was told that my exam is on Friday",
                "I was told that my exam is on Friday",
            ),
            (
                "I've had a fever since Monday",
                "I've had a fever since Monday [2026-11-23]",
            ),
            ("I began on Monday April 3", "I began on Monday April 3"),
            (
                "The wedding is on Saturday the 12th",
                "The wedding is on Saturday the 12th",
            ),
            ("We moved two years ago", "We moved two years ago [2024]"),
            (
                "I start next week",
                "I start next week [week of 2026-11-30]",
            ),
            (
                "I'm in Oslo next week, from Wednesday to Sunday",
                "I'm in Oslo next week [week of 2026-11-30], from Wednesday [2026-12-02] to Sunday [2026-12-06]",
            ),
            ("I train every Monday", "I train every Monday"),
            ("Il lunedì lavoro da casa", "Il lunedì lavoro da casa"),
            (
                "Morgen habe ich eine Prüfung",
                "Morgen [2026-11-26] habe ich eine Prüfung",
            ),
            ("我明天考试", "我明天 [2026-11-26]考试"),
            ("I was born in 1990", "I was born in 1990"),
        ] {
            assert_eq!(with_days(&Words::of(said), today), expected);
        }
    }
}

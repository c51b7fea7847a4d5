//! Days: where a date ends, and what day a relative one is.
//!
//! "Next Friday" is another day a week later, so that no relative day is ever stored: it becomes
//! a date or is left out.

use std::collections::HashMap;
use std::sync::LazyLock;

use chrono::{Datelike, Days, Months, NaiveDate};

use super::lexicon::{self, List};
use crate::text::{Gap, Language, Word};

/// What a relative phrase counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
    Weekday,
    /// Not a day that can be named: it is left out.
    None,
}

/// A phrase in words, and how many of which unit it lies away.
type Relative = (Vec<&'static str>, Unit, i32);

struct Names {
    /// Of each language, in their order.
    months: [Vec<&'static str>; 4],
    /// The numbers of months and weekdays, whatever the language.
    month: HashMap<&'static str, u32>,
    weekday: HashMap<&'static str, u32>,
    /// Relative phrases by their first word, the longest first.
    relative: HashMap<&'static str, Vec<Relative>>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names {
        months: [const { Vec::new() }; 4],
        month: HashMap::new(),
        weekday: HashMap::new(),
        relative: HashMap::new(),
    };
    for line in include_str!("../../data/dates.txt").lines() {
        if let Some((head, list)) = line
            .split_once(": ")
            .filter(|(head, _)| !head.contains('='))
        {
            let list: Vec<&str> = list.split(", ").collect();
            let Some((what, language)) = head.split_once(' ') else {
                continue;
            };
            let numbers = match what {
                "weekdays" => &mut names.weekday,
                _ => &mut names.month,
            };
            numbers.extend(list.iter().copied().zip(0..));
            if what == "months"
                && let Some(n) = ["en", "de", "fr", "es"]
                    .iter()
                    .position(|of| *of == language)
            {
                names.months[n] = list;
            }
        } else if let Some((phrase, meaning)) = line.split_once(" = ") {
            let words: Vec<&str> = phrase.split(' ').collect();
            let Some((unit, distance)) = meaning.split_once(' ') else {
                continue;
            };
            let unit = match unit {
                "day" | "days" => Unit::Day,
                "week" | "weeks" => Unit::Week,
                "month" | "months" => Unit::Month,
                "year" | "years" => Unit::Year,
                "weekday" => Unit::Weekday,
                _ => Unit::None,
            };
            let first = words.first().copied().unwrap_or_default();
            let phrases = names.relative.entry(first).or_default();
            let at = phrases.partition_point(|(known, ..)| known.len() >= words.len());
            phrases.insert(at, (words, unit, distance.parse().unwrap_or(0)));
        }
    }
    names
});

/// Words before a date that need no other before it.
const PREPOSITIONS: &[&str] = &[
    "on", "in", "by", "before", "until", "till", "since", "from", "after", "of", "for", "am",
    "bis", "seit", "vor", "im", "nach", "ab", "le", "avant", "depuis", "pour", "en", "el", "antes",
    "hasta", "desde", "para", "de", "due", "around", "the", "d'ici",
];

/// What a day of the week alone means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weekdays {
    /// The next one.
    Come,
    /// The last one: it tells of something done.
    Past,
    /// Any of them: "the garage is closed on Tuesday".
    Recur,
}

/// The text with its relative days as dates.
pub(super) fn resolve(
    text: &str,
    today: NaiveDate,
    weekdays: Weekdays,
    language: Language,
) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let low: Vec<String> = words
        .iter()
        .map(|word| {
            word.trim_matches([',', '.', ';', ':', '!', '(', ')'])
                .to_lowercase()
        })
        .collect();
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let mut n = 0;
    while n < words.len() {
        let every = n > 0
            && matches!(
                low[n - 1].as_str(),
                "every" | "each" | "jeden" | "chaque" | "cada" | "le" | "los"
            );
        let found = relative_at(&low, n).filter(|(_, unit, distance, ..)| {
            !every && (weekdays != Weekdays::Recur || *unit != Unit::Weekday || *distance != 0)
        });
        let Some((len, unit, distance, weekday, number)) = found else {
            out.push(words[n].to_owned());
            n += 1;
            continue;
        };
        let mark: String = words[n + len - 1]
            .chars()
            .rev()
            .take_while(|c| matches!(c, ',' | ';'))
            .collect();
        // "by Friday" keeps its preposition.
        let led = matches!(
            low[n].as_str(),
            "on" | "by" | "until" | "before" | "am" | "bis"
        ) && unit == Unit::Weekday;
        let bare = out
            .last()
            .is_none_or(|before| !PREPOSITIONS.contains(&&*before.to_lowercase()));
        if let Some(day) = day(today, unit, distance, weekday, number, weekdays, language) {
            if led {
                out.push(words[n].to_owned());
            } else if bare {
                out.push(lead(unit, language).to_owned());
            }
            out.push(day + &mark);
        } else if !bare {
            out.pop();
        }
        n += len;
    }
    out.retain(|word| !word.is_empty());
    out.join(" ")
}

/// The relative phrase that begins with the word at `at`: its length, what it counts and how far,
/// the weekday and the number in it.
fn relative_at(low: &[String], at: usize) -> Option<(usize, Unit, i32, u32, u32)> {
    let first = low.get(at)?.as_str();
    let named = |key: &str| NAMES.relative.get(key).into_iter().flatten();
    let phrases = named(first)
        .chain(named("{n}").filter(|_| number(first).is_some()))
        .chain(named("{weekday}").filter(|_| NAMES.weekday.contains_key(first)));
    for (phrase, unit, distance) in phrases {
        let (mut weekday, mut count) = (0, 1);
        let fits = phrase.iter().enumerate().all(|(n, part)| {
            let Some(word) = low.get(at + n).map(String::as_str) else {
                return false;
            };
            match *part {
                "{n}" => number(word).inspect(|number| count = *number).is_some(),
                "{weekday}" => NAMES
                    .weekday
                    .get(word)
                    .inspect(|day| weekday = **day)
                    .is_some(),
                part => part == word,
            }
        });
        if fits {
            return Some((phrase.len(), *unit, *distance, weekday, count));
        }
    }
    None
}

fn number(word: &str) -> Option<u32> {
    const NUMBERS: &[&[&str]] = &[
        &["one", "einem", "ein", "un", "una", "einer"],
        &["two", "zwei", "deux", "dos"],
        &["three", "drei", "trois", "tres"],
        &["four", "vier", "quatre", "cuatro"],
        &["five", "fünf", "cinq", "cinco"],
        &["six", "sechs", "seis"],
        &["seven", "sieben", "sept", "siete"],
        &["eight", "acht", "huit", "ocho"],
        &["nine", "neun", "neuf", "nueve"],
        &["ten", "zehn", "dix", "diez"],
    ];
    word.parse().ok().filter(|n| *n < 1000).or_else(|| {
        let at = NUMBERS.iter().position(|names| names.contains(&word))?;
        u32::try_from(at + 1).ok()
    })
}

/// What stands before a date that has nothing before it.
const fn lead(unit: Unit, language: Language) -> &'static str {
    match (language, unit) {
        (Language::English, Unit::Day | Unit::Weekday) => "on",
        (Language::German, Unit::Day | Unit::Weekday) => "am",
        (Language::French, Unit::Day | Unit::Weekday) => "le",
        (Language::Spanish, Unit::Day | Unit::Weekday) => "el",
        (Language::German, Unit::Week) => "in der",
        (Language::German, Unit::Year) => "",
        (Language::German, _) => "im",
        (Language::French | Language::Spanish, Unit::Week) => "la",
        (Language::English, _) => "in",
        (Language::French | Language::Spanish, _) => "en",
    }
}

/// The day, week, month or year that is meant, in words of the language.
fn day(
    today: NaiveDate,
    unit: Unit,
    distance: i32,
    weekday: u32,
    number: u32,
    weekdays: Weekdays,
    language: Language,
) -> Option<String> {
    let count = u32::try_from(distance.abs()).ok()? * number;
    let back = distance < 0;
    let days = |count: u32| {
        let days = Days::new(count.into());
        if back {
            today.checked_sub_days(days)
        } else {
            today.checked_add_days(days)
        }
    };
    let months = |count: u32| {
        let months = Months::new(count);
        if back {
            today.checked_sub_months(months)
        } else {
            today.checked_add_months(months)
        }
    };
    match unit {
        Unit::Day => Some(date(days(count)?, language)),
        Unit::Week => {
            let day = days(count * 7)?;
            let monday =
                day.checked_sub_days(Days::new(day.weekday().num_days_from_monday().into()))?;
            let monday = date(monday, language);
            Some(match language {
                Language::English => format!("the week of {monday}"),
                Language::German => format!("Woche vom {monday}"),
                Language::French => format!("semaine du {monday}"),
                Language::Spanish => format!("semana del {monday}"),
            })
        }
        Unit::Month => {
            let month = months(count)?;
            Some(format!("{} {}", month_name(month, language), month.year()))
        }
        Unit::Year => Some(months(count * 12)?.year().to_string()),
        Unit::Weekday => {
            let here = today.weekday().num_days_from_monday();
            let ahead = (weekday + 7 - here) % 7;
            let day = match distance {
                // Of the next week, as most people mean it.
                1 => today.checked_add_days(Days::new((7 - here + weekday).into()))?,
                -1 => today.checked_sub_days(Days::new(((here + 6 - weekday) % 7 + 1).into()))?,
                _ if weekdays == Weekdays::Past => {
                    today.checked_sub_days(Days::new(((7 - ahead) % 7).into()))?
                }
                _ => today.checked_add_days(Days::new(ahead.into()))?,
            };
            Some(date(day, language))
        }
        Unit::None => None,
    }
}

fn month_name(day: NaiveDate, language: Language) -> String {
    let name = NAMES.months[language as usize]
        .get(day.month0() as usize)
        .copied()
        .unwrap_or_default();
    match language {
        Language::English | Language::German => super::capitalised(name),
        _ => name.to_owned(),
    }
}

/// A date as it is written in the language.
fn date(day: NaiveDate, language: Language) -> String {
    let (number, month, year) = (day.day(), month_name(day, language), day.year());
    match language {
        Language::English | Language::French => format!("{number} {month} {year}"),
        Language::German => format!("{number}. {month} {year}"),
        Language::Spanish => format!("{number} de {month} de {year}"),
    }
}

/// Behind the last word of the date that begins with the word at `at`.
pub(super) fn end(words: &[Word<'_>], at: usize, limit: usize) -> Option<usize> {
    let low = |n: usize| {
        words
            .get(n)
            .filter(|word| n < limit && (n == at || word.gap <= Gap::Comma))
            .map(|word| &*word.low)
    };
    let is_month = |n| low(n).is_some_and(|word| NAMES.month.contains_key(word));
    let is_day = |n| {
        low(n).is_some_and(|word| {
            let digits = word.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h', '.', 'e']);
            digits
                .parse::<u32>()
                .is_ok_and(|day| (1..=31).contains(&day))
                && word.len() <= digits.len() + 2
        })
    };
    let year = |n| {
        low(n)
            .and_then(|word| word.parse::<u32>().ok())
            .is_some_and(|year| (1900..2200).contains(&year))
    };
    let with_year = |n: usize| {
        let of = usize::from(matches!(low(n), Some("de" | "of" | "del")));
        if year(n + of) { n + of + 1 } else { n }
    };
    let text: Vec<String> = (at..limit.min(at + 6))
        .map_while(|n| low(n).map(str::to_owned))
        .collect();
    if let Some((len, ..)) = relative_at(&text, 0) {
        return Some(at + len);
    }
    let mut n = at;
    while low(n).is_some_and(|word| lexicon::has(List::DateLeads, word)) && n < at + 4 {
        n += 1;
    }
    if is_day(n) {
        let of = usize::from(matches!(low(n + 1), Some("of" | "de")));
        if is_month(n + 1 + of) {
            return Some(with_year(n + 2 + of));
        }
        let ordinal = low(n).is_some_and(|word| word.ends_with(|c: char| c.is_alphabetic()));
        return (n > at
            && (ordinal
                || low(n - 1)
                    .is_some_and(|word| matches!(word, "le" | "el" | "am" | "den" | "the"))))
        .then_some(n + 1);
    }
    if is_month(n) {
        let day = n + usize::from(is_day(n + 1));
        return Some(with_year(day + 1));
    }
    if low(n).is_some_and(|word| NAMES.weekday.contains_key(word)) || year(n) {
        return Some(n + 1);
    }
    let named = low(n).is_some_and(|word| {
        lexicon::has(List::NamedTimes, word)
            || lexicon::has(List::NamedUnits, word)
                && n > at
                && matches!(low(n - 1), Some("of" | "the"))
    });
    named.then_some(n + 1)
}

//! Days: where a date ends, and what day a relative one is.
//!
//! "Next Friday" is another day a week later, so a relative day is never stored: it becomes a date
//! or is left out.

use std::collections::HashMap;
use std::sync::LazyLock;

use chrono::{Datelike, Days, Months, NaiveDate};

use crate::language::Language;
use crate::lists::{self, List, Table};
use crate::text::{Gap, Word};

/// The unit that a relative phrase counts.
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

/// How people name days, in all languages: they mix them.
#[derive(Default)]
struct Names {
    /// The numbers of months and weekdays.
    month: HashMap<&'static str, u32>,
    weekday: HashMap<&'static str, u32>,
    /// Numbers in words.
    number: HashMap<&'static str, u32>,
    /// Relative phrases by their first word, the longest first.
    relative: HashMap<&'static str, Vec<Relative>>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = Names::default();
    for language in Language::ALL {
        let numbered = |table| lists::entries(table, language).zip(0..);
        names.month.extend(numbered(Table::Months));
        names.month.extend(numbered(Table::ShortMonths));
        names.weekday.extend(numbered(Table::Weekdays));
        for (forms, n) in numbered(Table::Counts) {
            names
                .number
                .extend(forms.split('|').map(|form| (form, n + 1)));
        }
        for (phrase, meaning) in lists::relative_days(language) {
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

/// How dates are written in a language.
struct Style {
    months: Vec<&'static str>,
    /// What is put before a date that has nothing before it, by unit.
    leads: HashMap<&'static str, &'static str>,
    /// Days, weeks and months, with the parts in braces.
    forms: HashMap<&'static str, &'static str>,
}

static STYLES: LazyLock<[Style; Language::COUNT]> = LazyLock::new(|| {
    Language::ALL.map(|language| Style {
        months: lists::entries(Table::Months, language).collect(),
        leads: lists::pairs(Table::Leads, language).collect(),
        forms: lists::pairs(Table::DateForms, language).collect(),
    })
});

impl Style {
    fn of(language: Language) -> &'static Self {
        &STYLES[language as usize]
    }

    /// What is put before a date that has nothing before it.
    fn lead(&self, unit: Unit) -> &'static str {
        let name = match unit {
            Unit::Day | Unit::Weekday => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Year | Unit::None => "year",
        };
        self.leads.get(name).copied().unwrap_or_default()
    }

    /// The day, in one of the forms.
    fn write(&self, form: &str, day: NaiveDate) -> String {
        let month = self.months.get(day.month0() as usize).copied();
        let month = month.unwrap_or_default();
        let form = self.forms.get(form).copied().unwrap_or_default();
        form.replace("{day}", &day.day().to_string())
            .replace("{Month}", &super::capitalised(month))
            .replace("{month}", month)
            .replace("{year}", &day.year().to_string())
    }

    /// The week that begins on this day.
    fn write_week(&self, monday: NaiveDate) -> String {
        let form = self.forms.get("week").copied().unwrap_or_default();
        form.replace("{monday}", &self.write("day", monday))
    }
}

/// What a day of the week alone means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weekdays {
    /// The next one.
    Upcoming,
    /// The last one: the fact is about the past.
    Past,
    /// Any of them: "the garage is closed on Tuesday".
    Recurring,
}

/// The text with its relative days as dates.
pub(super) fn resolve(
    text: &str,
    today: NaiveDate,
    weekdays: Weekdays,
    language: Language,
) -> String {
    let style = Style::of(language);
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
        let every = n > 0 && lists::has(List::Every, &low[n - 1]);
        let found = relative_at(&low, n).filter(|(_, unit, distance, ..)| {
            !every && (weekdays != Weekdays::Recurring || *unit != Unit::Weekday || *distance != 0)
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
        let led = lists::has(List::KeptBeforeDays, &low[n]) && unit == Unit::Weekday;
        let bare = out
            .last()
            .is_none_or(|before| !lists::has(List::BeforeDates, &before.to_lowercase()));
        if let Some(day) = day(today, unit, distance, weekday, number, weekdays, style) {
            if led {
                out.push(words[n].to_owned());
            } else if bare {
                out.push(style.lead(unit).to_owned());
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
    let digits = word.parse().ok().filter(|n| *n < 1000);
    digits.or_else(|| NAMES.number.get(word).copied())
}

/// The day, week, month or year that a phrase refers to, in words of the language.
fn day(
    today: NaiveDate,
    unit: Unit,
    distance: i32,
    weekday: u32,
    number: u32,
    weekdays: Weekdays,
    style: &Style,
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
        Unit::Day => Some(style.write("day", days(count)?)),
        Unit::Week => {
            let day = days(count * 7)?;
            let monday =
                day.checked_sub_days(Days::new(day.weekday().num_days_from_monday().into()))?;
            Some(style.write_week(monday))
        }
        Unit::Month => Some(style.write("month", months(count)?)),
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
            Some(style.write("day", day))
        }
        Unit::None => None,
    }
}

/// The end of the date that begins with the word at `at`.
pub(super) fn end(words: &[Word<'_>], at: usize, limit: usize) -> Option<usize> {
    let low = |n: usize| {
        words
            .get(n)
            .filter(|word| n < limit && (n == at || word.gap <= Gap::Comma))
            .map(|word| &*word.low)
    };
    let is_in = |n, list| low(n).is_some_and(|word| lists::has(list, word));
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
        let of = usize::from(is_in(n, List::BeforeYears));
        if year(n + of) { n + of + 1 } else { n }
    };
    let text: Vec<String> = (at..limit.min(at + 6))
        .map_while(|n| low(n).map(str::to_owned))
        .collect();
    if let Some((len, ..)) = relative_at(&text, 0) {
        return Some(at + len);
    }
    let mut n = at;
    while is_in(n, List::DateLeads) && n < at + 4 {
        n += 1;
    }
    if is_day(n) {
        let of = usize::from(is_in(n + 1, List::BeforeMonths));
        if is_month(n + 1 + of) {
            return Some(with_year(n + 2 + of));
        }
        let ordinal = low(n).is_some_and(|word| word.ends_with(|c: char| c.is_alphabetic()));
        return (n > at && (ordinal || is_in(n - 1, List::BeforeNumbers))).then_some(n + 1);
    }
    if is_month(n) {
        let day = n + usize::from(is_day(n + 1));
        return Some(with_year(day + 1));
    }
    if low(n).is_some_and(|word| NAMES.weekday.contains_key(word)) || year(n) {
        return Some(n + 1);
    }
    let named = is_in(n, List::NamedTimes)
        || is_in(n, List::NamedUnits) && n > at && is_in(n - 1, List::BeforeUnits);
    named.then_some(n + 1)
}

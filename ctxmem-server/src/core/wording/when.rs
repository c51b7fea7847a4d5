//! Time phrases at the end of a fact, which say when it holds. Pure.

/// The most words of a date ("on the 5th of March 2026").
const LONGEST: usize = 6;

const MONTHS: &str =
    "january february march april may june july august september october november december";

const AMOUNTS: &[&str] = &[
    "a", "an", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "twelve", "few", "many", "several", "some",
];

const UNITS: &[&str] = &["day", "week", "month", "year", "decade"];

/// The words of a fact, in two parts.
pub(super) struct Split<'w> {
    /// What it says.
    pub(super) what: &'w [String],
    /// The date since or at which it holds; none of "last year" or "for two years".
    pub(super) date: Option<&'w [String]>,
}

/// Parts the words of a fact, in lower case.
pub(super) fn split(words: &[String]) -> Split<'_> {
    let first = words.len().saturating_sub(LONGEST).max(1);
    for at in first..words.len() {
        let (what, tail) = words.split_at(at);
        if let Some(date) = dated(what, tail) {
            let date = Some(date);
            return Split { what, date };
        }
        if is_vague(tail) {
            return Split { what, date: None };
        }
    }
    Split {
        what: words,
        date: None,
    }
}

/// The date in a phrase like "since 2024". After a single word a date is what the fact is about:
/// "born in 1984".
fn dated<'w>(what: &[String], tail: &'w [String]) -> Option<&'w [String]> {
    let (preposition, date) = tail.split_first()?;
    let any = |is: fn(&str) -> bool| date.iter().any(|word| is(word));
    let known = |word: &String| {
        is_year(word) || is_month(word) || is_day(word) || ["of", "the"].contains(&&**word)
    };
    let fits = match &**preposition {
        "since" => true,
        "in" => what.len() > 1 && !any(is_day),
        "on" => what.len() > 1 && any(is_day),
        _ => false,
    };
    (fits && date.iter().all(known) && (any(is_year) || any(is_month))).then_some(date)
}

/// Whether a phrase is one like "last year", "since last year", "for two years" or "two years ago".
fn is_vague(tail: &[String]) -> bool {
    let tail: Vec<&str> = tail.iter().map(String::as_str).collect();
    match tail[..] {
        ["last", unit]
        | ["since", "last", unit]
        | ["for", "a", "few", unit]
        | ["a", "few", unit, "ago"] => is_unit(unit),
        ["for", amount, unit] | [amount, unit, "ago"] => is_amount(amount) && is_unit(unit),
        _ => false,
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year| (1900..2100).contains(&year))
}

fn is_month(word: &str) -> bool {
    let mut months = MONTHS.split(' ');
    months.any(|month| month == word || word.len() == 3 && month.starts_with(word))
}

/// Also a month as a number: `2026-03-05` is three words.
fn is_day(word: &str) -> bool {
    let number = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .unwrap_or(word);
    number.len() <= 2 && number.parse().is_ok_and(|day| (1..32).contains(&day))
}

fn is_amount(word: &str) -> bool {
    AMOUNTS.contains(&word) || word.len() <= 2 && word.parse::<u8>().is_ok()
}

fn is_unit(word: &str) -> bool {
    UNITS.contains(&word.strip_suffix('s').unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said, and the date.
    fn split_text(text: &str) -> (String, Option<String>) {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let split = split(&words);
        (split.what.join(" "), split.date.map(|date| date.join(" ")))
    }

    #[test]
    fn a_date_at_the_end_is_no_part_of_what_is_said() {
        for date in [
            "since 2024",
            "since march",
            "since 5 march",
            "in 2025",
            "in march 2026",
            "in mar 2026",
            "on 5 march 2026",
            "on march 5th 2026",
            "on the 5th of march 2026",
            "on 2026 03 05",
        ] {
            let (_, day) = date.split_once(' ').unwrap();
            let expected = ("learning german".to_owned(), Some(day.to_owned()));
            assert_eq!(split_text(&format!("learning german {date}")), expected);
        }
        assert_eq!(split_text("rust since 2024").0, "rust");
    }

    #[test]
    fn a_vague_phrase_is_no_part_of_what_is_said_either() {
        for phrase in [
            "last year",
            "since last month",
            "for two years",
            "for 3 months",
            "for a year",
            "for a few weeks",
            "two years ago",
            "a few weeks ago",
        ] {
            let expected = ("learning german".to_owned(), None);
            assert_eq!(split_text(&format!("learning german {phrase}")), expected);
        }
    }

    #[test]
    fn what_is_no_date_stays() {
        for text in [
            "born in 1984",
            "since 2024",
            "learning german in berlin",
            "works in the office on friday",
            "wrote a thesis on 1968",
            "lives in house 2025 of 5",
            "sings in choir 12",
            "the apollo programme in 3000",
            "saves for two cars",
            "is the last one",
            "",
        ] {
            assert_eq!(split_text(text), (text.to_owned(), None));
        }
    }
}

//! Names of people, places and time zones, as people write them.

use std::ops::Range;

use super::lists::{is_in, listed_at};
use super::tools;
use crate::text::words::{Word, Words};

/// The longest name, in words: of scripts with spaces, and of others, where each character is a word.
const MOST_WORDS: usize = 5;
const MOST_CHARACTERS: usize = 8;

/// A person's name where one is expected: words in capitals, or the first word where people type none.
pub(super) fn person(words: &Words<'_>, taken: &Range<usize>) -> Option<Range<usize>> {
    let is_name = |low: &str| {
        !["not names", "ends", "small"]
            .iter()
            .any(|list| is_in(list, low))
            && !is_blank(low)
    };
    if let Some(name) = without_case(words, taken) {
        return Some(name);
    }
    let name = in_capitals(words, taken, "particles", &is_name);
    // "Dr. Root": a title belongs to the name, and its full stop ends nothing.
    let is_title = matches!(words.low(taken.start), "dr" | "prof" | "mr" | "mrs" | "ms");
    if is_title && words.low(taken.start + 1) == "." {
        let behind = taken.start + 2..taken.end;
        let behind = in_capitals(words, &behind, "particles", &is_name);
        return behind.map(|name| taken.start..name.end);
    }
    if name.is_some() {
        return name;
    }
    let first = words.each.get(taken.start)?;
    let low = words.low(taken.start);
    let alone = taken.start + 1 == taken.end
        || words.each.get(taken.start + 1).is_some_and(Word::is_mark)
        || is_in("ends", words.low(taken.start + 1))
        || is_in("between", words.low(taken.start + 1));
    let is_typed_small =
        alone && low.len() > 1 && low.chars().all(char::is_alphabetic) && is_name(low);
    (is_typed_small && !first.is_mark()).then_some(taken.start..taken.start + 1)
}

/// Whether something stands for a name that was left out: "XXXX", "[NAME]".
fn is_blank(low: &str) -> bool {
    // "丽丽" is a name.
    let first = low.chars().next();
    low == "name" || low.len() > 2 && low.is_ascii() && low.chars().all(|c| Some(c) == first)
}

/// The same behind "I am", where many other words may stand: only first names that are known count.
pub(super) fn known_person(words: &Words<'_>, taken: &Range<usize>) -> Option<Range<usize>> {
    let first = words.each.get(taken.start)?;
    let known = first.is_capitalised() && is_in("first names", words.low(taken.start));
    let name = known
        .then(|| in_capitals(words, taken, "particles", &|_| true))
        .flatten()?;
    let next = words.each.get(name.end);
    let ends = next.is_none_or(Word::is_mark)
        || matches!(
            words.low(name.end),
            "and" | "from" | "und" | "aus" | "et" | "y" | "de"
        );
    ends.then_some(name)
}

/// A place: words in capitals, with those behind a comma, or a known place in small letters.
pub(super) fn place(words: &Words<'_>, taken: &Range<usize>) -> Option<Range<usize>> {
    if let Some(place) = without_case(words, taken) {
        return Some(place);
    }
    let start = taken.start + usize::from(words.low(taken.start) == "the");
    let is_place = |low: &str| !is_in("not places", low) && low != "i" && low != "i am";
    // "We moved to Kubernetes."
    let known = listed_at(words, start, "places");
    let is_tool = |(length, _)| !tools::names_a_place_behind(words, start + length);
    if known.is_none() && tools::named_at(words, start).is_some_and(is_tool) {
        return None;
    }
    let taken = start..taken.end;
    if let Some(mut place) = in_capitals(words, &taken, "place particles", &is_place) {
        // "Portland, Oregon"
        while words.low(place.end) == ","
            && let Some(more) = in_capitals(
                words,
                &(place.end + 1..taken.end),
                "place particles",
                &is_place,
            )
            && words
                .each
                .get(more.end)
                .is_none_or(|next| !next.is_capitalised())
        {
            place.end = more.end;
        }
        return Some(place);
    }
    let is_word = is_in("word places", words.low(start));
    known.filter(|_| !is_word).map(|end| start..end)
}

/// The same where other words in capitals may stand as well: only places that are known count.
pub(super) fn known_place(words: &Words<'_>, taken: &Range<usize>) -> Option<Range<usize>> {
    let is_capital = words
        .each
        .get(taken.start)
        .is_some_and(Word::is_capitalised);
    let end = listed_at(words, taken.start, "places").filter(|_| is_capital)?;
    place(words, taken).filter(|place| place.end >= end)
}

/// A time zone as it is stored, and behind which word it ends.
pub(super) fn zone(words: &Words<'_>, taken: &Range<usize>) -> Option<(String, usize)> {
    let word = words.each.get(taken.start)?;
    let low = words.low(taken.start);
    // "Europe/Berlin"
    if words.low(taken.start + 1) == "/" {
        let mut end = taken.start + 3;
        while words.low(end) == "/" {
            end += 2;
        }
        let written = words.text(taken.start..end.min(words.each.len()));
        if let Ok(zone) = written.parse::<chrono_tz::Tz>() {
            return Some((zone.name().to_owned(), end));
        }
    }
    let is_offset = (low.starts_with("utc") || low.starts_with("gmt"))
        && low.get(3..).is_some_and(|rest| {
            rest.chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
        });
    let is_short = is_in("zones", low) && word.text.chars().all(char::is_uppercase);
    if is_offset || is_short {
        return Some((word.text.to_uppercase(), taken.start + 1));
    }
    let is_named = is_in("zone names", low) && words.low(taken.start + 1) == "time";
    is_named.then(|| (format!("{} time", capitalised(word.text)), taken.start + 2))
}

/// Words of a script without capitals, as far as the name may go.
fn without_case(words: &Words<'_>, taken: &Range<usize>) -> Option<Range<usize>> {
    let first = words
        .each
        .get(taken.start)
        .filter(|first| first.has_no_case())?;
    let alone = first.text.chars().count() == 1;
    let most = if alone { MOST_CHARACTERS } else { 2 };
    let end = (taken.start..taken.end.min(taken.start + most))
        .find(|n| {
            let word = words.each.get(*n);
            word.is_none_or(|word| {
                !word.has_no_case()
                    || matches!(word.text, "和" | "的" | "了" | "و" | "और" | "हूँ" | "है")
            })
        })
        .unwrap_or(taken.end.min(taken.start + most));
    (end > taken.start).then_some(taken.start..end)
}

/// Words in capitals, with small words between them that names may have.
fn in_capitals(
    words: &Words<'_>,
    taken: &Range<usize>,
    small: &str,
    may_be: &impl Fn(&str) -> bool,
) -> Option<Range<usize>> {
    let is_capital = |n: usize| {
        n < taken.end && words.each.get(n).is_some_and(Word::is_capitalised) && may_be(words.low(n))
    };
    let mut end = taken.start;
    while end < taken.end.min(taken.start + MOST_WORDS) {
        let particles = (0..2)
            .take_while(|n| is_in(small, words.low(end + n)))
            .count();
        if is_capital(end) {
            end += 1;
        } else if particles > 0
            && is_capital(end + particles)
            && (end > taken.start || small == "particles")
        {
            end += particles + 1;
        } else {
            break;
        }
    }
    (end > taken.start).then_some(taken.start..end)
}

/// A name as it is stored: as it was written, in capitals where people typed none.
pub(super) fn written(words: &Words<'_>, name: &Range<usize>) -> String {
    let text = words.text(name.clone());
    if is_in("short places", &text.to_lowercase()) {
        return text.to_uppercase();
    }
    if text.contains(char::is_uppercase) {
        return text.to_owned();
    }
    text.split(' ')
        .map(capitalised)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A text with a capital letter first.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(chars).collect()
}

//! Time zones: names of the zone database (from `chrono-tz`); and what people say besides,
//! for which there is no crate: abbreviations, offsets, spoken names.

use chrono_tz::Tz;

use crate::extract::lists::WordList;
use crate::extract::text::{Gap, Word};

const ABBREVIATIONS: &[&str] = &[
    "UTC", "GMT", "CET", "CEST", "EET", "EEST", "WET", "WEST", "BST", "IST", "MSK", "EST", "EDT",
    "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "HST", "BRT", "ART", "CLT", "JST", "KST",
    "SGT", "HKT", "PHT", "WIB", "ICT", "PKT", "GST", "EAT", "WAT", "CAT", "SAST", "AEST", "AEDT",
    "ACST", "AWST", "NZST", "NZDT", "ET", "PT",
];

static SPOKEN: WordList = WordList::new(&[
    "mountain",
    "pacific",
    "eastern",
    "central",
    "atlantic",
    "european",
    "london",
    "japan",
    "india",
    "indian",
    "moscow",
    "singapore",
    "israel",
    "australian",
    "british",
    "greenwich",
    "alaska",
    "hawaii",
]);

/// Letters of the longest abbreviation.
const LONGEST: usize = 4;

/// Whether the letters of the word are an abbreviation, as far as is seen without writing
/// them in upper case, which costs more.
fn may_be_abbreviated(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    !text.is_ascii()
        || ((2..=LONGEST).contains(&letters) && text.get(..letters).is_some_and(is_abbreviation))
}

/// Whether the letters are an abbreviation, in whatever case.
fn is_abbreviation(letters: &str) -> bool {
    ABBREVIATIONS
        .iter()
        .any(|zone| zone.eq_ignore_ascii_case(letters))
}

/// "CET", "UTC+2".
fn abbreviated(text: &str) -> Option<String> {
    let upper = text.to_uppercase();
    let letters: String = upper
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    let offset = upper.get(letters.len()..).unwrap_or_default();
    let is_offset = offset.is_empty()
        || (offset.len() <= 6
            && offset.starts_with(['+', '-'])
            && offset
                .chars()
                .skip(1)
                .all(|c| c.is_ascii_digit() || c == ':')
            && offset.len() > 1);
    let is_zone = is_abbreviation(&letters)
        && is_offset
        && (text.chars().all(|c| !c.is_lowercase()) || letters.len() > 2);
    is_zone.then_some(upper)
}

/// The time zone that begins with the word at `at`.
pub(super) fn zone_at(words: &[Word], at: usize) -> Option<(usize, String)> {
    let word = words.get(at)?;
    if may_be_abbreviated(&word.text)
        && let Some(zone) = abbreviated(&word.text)
    {
        return Some((at + 1, zone));
    }
    // Names without a region, such as "Japan" or "Eire", are countries before they are zones.
    if word.text.contains('/') && word.text.parse::<Tz>().is_ok() {
        return Some((at + 1, word.text.clone()));
    }
    if word.is_any(&SPOKEN) {
        let mut end = at + 1;
        let mut name = super::capture::capital(&word.text);
        while let Some(next) = words.get(end).filter(|next| next.gap == Gap::None) {
            if next.is_any(&["standard", "daylight", "european", "summer", "mean"]) {
                name.push(' ');
                name.push_str(&super::capture::capital(next.low()));
                end += 1;
            } else {
                if next.is_any(&["time", "timezone"]) {
                    return Some((end + 1, name + " Time"));
                }
                break;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::text::words;

    #[test]
    fn zones() {
        for (text, zone) in [
            ("CET", Some("CET")),
            ("utc", Some("UTC")),
            ("UTC+2", Some("UTC+2")),
            ("GMT-03:30", Some("GMT-03:30")),
            ("Europe/Lisbon", Some("Europe/Lisbon")),
            (
                "America/Argentina/Buenos_Aires",
                Some("America/Argentina/Buenos_Aires"),
            ),
            ("Mountain Time", Some("Mountain Time")),
            ("pacific standard time", Some("Pacific Standard Time")),
            ("central station", None),
            ("either/or", None),
            ("Europe/Atlantis", None),
            ("Etc/GMT+5", Some("Etc/GMT+5")),
            ("et", None),
            ("Utica", None),
        ] {
            assert_eq!(
                zone_at(&words(text), 0).map(|(_, z)| z).as_deref(),
                zone,
                "{text}"
            );
        }
    }
}

//! Time zones: names of the zone database (from `chrono-tz`); and what people say besides,
//! for which there is no crate: abbreviations, offsets, spoken names.

use chrono_tz::Tz;

use crate::lists::WordList;
use crate::text::{Gap, Word};

static ABBREVIATIONS: WordList = WordList::new(&[
    "utc", "gmt", "cet", "cest", "eet", "eest", "wet", "west", "bst", "ist", "msk", "est", "edt",
    "cst", "cdt", "mst", "mdt", "pst", "pdt", "akst", "hst", "brt", "art", "clt", "jst", "kst",
    "sgt", "hkt", "pht", "wib", "ict", "pkt", "gst", "eat", "wat", "cat", "sast", "aest", "aedt",
    "acst", "awst", "nzst", "nzdt", "et", "pt",
]);

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

/// Whether a closer look at the word is worth its while: it is an abbreviation, or begins with
/// as many letters as one has.
fn may_be_abbreviated(word: &Word) -> bool {
    let text = word.text.as_str();
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    !text.is_ascii()
        || if letters == text.len() {
            word.is_any(&ABBREVIATIONS)
        } else {
            (2..=LONGEST).contains(&letters)
        }
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
    let is_zone = ABBREVIATIONS.has(&letters.to_ascii_lowercase())
        && is_offset
        && (text.chars().all(|c| !c.is_lowercase()) || letters.len() > 2);
    is_zone.then_some(upper)
}

/// The time zone that begins with the word at `at`.
pub(super) fn zone_at(words: &[Word], at: usize) -> Option<(usize, String)> {
    let word = words.get(at)?;
    if may_be_abbreviated(word)
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
    use crate::text::words;

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

//! The languages of the pages, and which of them a reader gets.

use std::cmp::Reverse;

use http::HeaderMap;
use http::header::ACCEPT_LANGUAGE;
use unic_langid::LanguageIdentifier;

use super::{FILES, File};

/// How many entries of `Accept-Language` are looked at.
const MAX_ACCEPTED: usize = 50;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Language {
    #[default]
    English,
    German,
    French,
    Spanish,
}

/// The code of each language, as `lang`, the cookie and the folder of its words have it, and what it calls itself.
const NAMES: [(&str, &str); Language::ALL.len()] = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("es", "Español"),
];

impl Language {
    /// All of them, in the order of the switch.
    pub(crate) const ALL: [Self; 4] = [Self::English, Self::German, Self::French, Self::Spanish];

    /// As `lang` and the cookie have it.
    pub(crate) fn code(self) -> &'static str {
        NAMES[self as usize].0
    }

    /// What it calls itself.
    pub(crate) fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    pub(super) fn id(self) -> LanguageIdentifier {
        // It is well-formed.
        self.code().parse().unwrap_or_default()
    }

    pub(super) fn files(self) -> &'static [File] {
        FILES[self as usize]
    }

    /// The language with this code.
    pub(crate) fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.code() == code)
    }

    /// The language that a browser prefers.
    pub(crate) fn of_browser(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(ACCEPT_LANGUAGE).iter();
        Self::preferred(accepted.filter_map(|value| value.to_str().ok()))
    }

    /// The language that `Accept-Language` prefers; the first if it names none of ours.
    fn preferred<'v>(accepted: impl Iterator<Item = &'v str>) -> Self {
        let entries = accepted
            .flat_map(|value| value.split(','))
            .take(MAX_ACCEPTED);
        let entries: Vec<(&str, u16)> = entries.filter_map(entry).collect();
        // The most exact entry about a language counts: with `de;q=0, *` German is not wanted.
        let weight = |language: Self| {
            let own = entries.iter().filter(|(range, _)| language.is_in(range));
            let any = entries.iter().filter(|(range, _)| *range == "*");
            let own = own.map(|(_, weight)| *weight).max();
            own.or_else(|| any.map(|(_, weight)| *weight).max())
        };
        // What stands first wins among equals.
        let place = |of: Self| entries.iter().position(|(range, _)| of.is_in(range));
        Self::ALL
            .into_iter()
            .filter(|language| weight(*language).is_some_and(|weight| weight > 0))
            .min_by_key(|of| (Reverse(weight(*of)), place(*of).unwrap_or(usize::MAX)))
            .unwrap_or_default()
    }

    /// Whether a range such as `de-AT` is of this language.
    fn is_in(self, range: &str) -> bool {
        let primary = range.split('-').next().unwrap_or_default();
        primary.eq_ignore_ascii_case(self.code())
    }
}

/// A range and its weight in thousandths; `None` for what can't be read.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is from 0 to 1000"
)]
fn entry(text: &str) -> Option<(&str, u16)> {
    let mut parts = text.split(';');
    let range = parts.next()?.trim();
    let Some(weight) = parts.next() else {
        return Some((range, 1_000));
    };
    let (name, weight) = weight.split_once('=')?;
    let weight: f32 = weight.trim().parse().ok()?;
    let is_weight = name.trim().eq_ignore_ascii_case("q") && (0.0..=1.0).contains(&weight);
    is_weight.then(|| (range, (weight * 1_000.0).round() as u16))
}

#[cfg(test)]
mod tests {
    use super::Language::{self, English, French, German, Spanish};

    #[test]
    fn the_browsers_preference_is_understood() {
        for (accepted, expected) in [
            ("", English),
            ("de", German),
            ("DE-at", German),
            ("de-AT, en;q=0.5", German),
            ("en-GB, de;q=0.9", English),
            ("en;q=0.4, de;q=0.5", German),
            ("de;q=0.400, en;q=0.5", English),
            ("fr, de;q=0.3", French),
            ("fr-CA", French),
            ("es-419, en;q=0.8", Spanish),
            ("it, de;q=0.3", German),
            ("it", English),
            ("*", English),
            ("it, *;q=0.1", English),
            ("en;q=0, *", German),
            ("de;q=0", English),
            ("de;q=0, *;q=0.5", English),
            ("de;q=0, de-AT;q=0.2", German),
            ("de, en", German),
            ("en, de", English),
            ("en;q=0", English),
            // What can't be read is left out.
            ("de;q=2", English),
            ("de;q=-1", English),
            ("de;q=NaN", English),
            ("de;x=1", English),
            (";;;,,=,de;q=,q=1", English),
            ("dexter, deu", English),
        ] {
            assert_eq!(
                Language::preferred([accepted].into_iter()),
                expected,
                "{accepted}"
            );
        }
        // Several headers are one list.
        assert_eq!(Language::preferred(["it", "de"].into_iter()), German);
        let long = "x,".repeat(10_000) + "de";
        assert_eq!(Language::preferred([&*long].into_iter()), English);
    }
}

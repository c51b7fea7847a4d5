//! Instants as texts of RFC 3339, and back. Its tests compare it with chrono, which every program that
//! uses the client would compile for this alone: 4 % of what that takes.

const DAY: i64 = 24 * 60 * 60;
const NANOS: u32 = 1_000_000_000;

/// An instant of the years 0 to 9999, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant {
    /// Since the start of 1970.
    seconds: i64,
    nanos: u32,
}

impl Instant {
    pub(crate) const START: Self = Self {
        seconds: 0,
        nanos: 0,
    };

    /// The start of the year 0, and of the year 10,000.
    const YEARS: std::ops::Range<i64> = -62_167_219_200..253_402_300_800;

    fn new(seconds: i64, nanos: u32) -> Option<Self> {
        let is_known = Self::YEARS.contains(&seconds);
        is_known.then_some(Self { seconds, nanos })
    }

    pub(crate) fn from_unix_millis(millis: i64) -> Option<Self> {
        let nanos = u32::try_from(millis.rem_euclid(1_000)).ok()? * 1_000_000;
        Self::new(millis.div_euclid(1_000), nanos)
    }

    pub(crate) fn unix_millis(self) -> i64 {
        self.seconds * 1_000 + i64::from(self.nanos / 1_000_000)
    }

    #[cfg(feature = "chrono")]
    pub(crate) fn seconds(self) -> i64 {
        self.seconds
    }

    #[cfg(feature = "chrono")]
    pub(crate) fn nanos(self) -> u32 {
        self.nanos
    }

    pub(crate) fn to_text(self) -> String {
        let (year, month, day) = date(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        let millis = self.nanos / 1_000_000;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
    }

    /// A text of RFC 3339, or of ISO 8601 without an offset, which is UTC then.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut text = Reader(text.as_bytes());
        let year = text.number(4)?;
        text.one_of(b"-")?;
        let month = text.number(2).filter(|month| (1..=12).contains(month))?;
        text.one_of(b"-")?;
        let days = days_of(year, month);
        let day = text.number(2).filter(|day| (1..=days).contains(day))?;
        text.one_of(b"Tt ")?;
        let hour = text.number(2).filter(|hour| *hour < 24)?;
        text.one_of(b":")?;
        let minute = text.number(2).filter(|minute| *minute < 60)?;
        text.one_of(b":")?;
        // A leap second is the first of the next minute.
        let second = text.number(2).filter(|second| *second <= 60)?;
        let nanos = text.fraction()?;
        let offset = text.offset()?;
        let of_day = hour * 3_600 + minute * 60 + second;
        Self::new(day_of(year, month, day) * DAY + of_day - offset, nanos)
    }
}

/// What is left to read of a text.
struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    fn one_of(&mut self, expected: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        if !expected.contains(first) {
            return None;
        }
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self, digits: usize) -> Option<i64> {
        let mut number = 0;
        for _ in 0..digits {
            number = number * 10 + i64::from(self.one_of(b"0123456789")? - b'0');
        }
        Some(number)
    }

    /// Nanoseconds, and more digits, which nobody needs.
    fn fraction(&mut self) -> Option<u32> {
        if self.one_of(b".").is_none() {
            return Some(0);
        }
        let (mut nanos, mut place) = (0, NANOS);
        let mut digits = 0;
        while let Some(digit) = self.one_of(b"0123456789") {
            place /= 10;
            nanos += u32::from(digit - b'0') * place;
            digits += 1;
        }
        (digits > 0).then_some(nanos)
    }

    /// The offset from UTC in seconds, which ends the text.
    fn offset(&mut self) -> Option<i64> {
        let offset = match self.one_of(b"Zz+-") {
            None | Some(b'Z' | b'z') => 0,
            Some(sign) => {
                let hours = self.number(2).filter(|hours| *hours < 24)?;
                self.one_of(b":")?;
                let minutes = self.number(2).filter(|minutes| *minutes < 60)?;
                let offset = hours * 3_600 + minutes * 60;
                if sign == b'-' { -offset } else { offset }
            }
        };
        self.0.is_empty().then_some(offset)
    }
}

fn days_of(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The number of a day, 0 for the first of 1970. Years begin in March here, so that a leap day ends one:
/// <https://howardhinnant.github.io/date_algorithms.html>
fn day_of(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year
        - 719_468
}

fn date(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12 + 1;
    (400 * era + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Datelike as _, SecondsFormat};
    use proptest::prelude::*;

    use super::*;

    /// What chrono makes of a text: seconds and nanoseconds.
    fn by_chrono(text: &str) -> Option<(i64, u32)> {
        let at = DateTime::parse_from_rfc3339(text)
            .or_else(|_| DateTime::parse_from_rfc3339(&format!("{text}Z")));
        let at = at.ok()?.to_utc();
        let is_known = (0..=9_999).contains(&at.year());
        // It has the leap second as nanoseconds of the one before.
        let whole = i64::from(at.timestamp_subsec_nanos() / NANOS);
        let nanos = at.timestamp_subsec_nanos() % NANOS;
        is_known.then_some((at.timestamp() + whole, nanos))
    }

    fn by_us(text: &str) -> Option<(i64, u32)> {
        Instant::read(text).map(|at| (at.seconds, at.nanos))
    }

    #[test]
    fn days_are_those_that_chrono_has() {
        let mut seconds = Instant::YEARS.start;
        while let Some(at) = Instant::new(seconds, 7_000_000) {
            let chronos = DateTime::from_timestamp(seconds, 7_000_000).unwrap();
            let text = chronos.to_rfc3339_opts(SecondsFormat::Millis, true);
            assert_eq!(at.to_text(), text);
            assert_eq!(Instant::read(&text), Some(at));
            seconds += 11 * DAY + 3_607;
        }
    }

    proptest! {
        #[test]
        fn what_chrono_reads_is_read_as_it_reads_it(
            text in "[0-9]{4}-(0[0-9]|1[0-3])-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:([0-5][0-9]|6[01])(\\.[0-9]{0,12})?([Zz]|[+-][0-2][0-9]:[0-6][0-9])?",
        ) {
            prop_assert_eq!(by_us(&text), by_chrono(&text), "{}", text);
        }

        #[test]
        fn what_it_does_not_read_is_no_timestamp(text in ".{0,40}", at in 0_usize..30, by in "[0-9TZ:+. -]?") {
            prop_assert_eq!(by_us(&text), by_chrono(&text), "{}", text);
            let mut changed = "2026-03-01T09:30:00.123+01:00".to_owned();
            let at = at.min(28);
            changed.replace_range(at..=at, &by);
            prop_assert_eq!(by_us(&changed), by_chrono(&changed), "{}", changed);
        }
    }
}

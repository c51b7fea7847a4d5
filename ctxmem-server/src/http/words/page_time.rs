//! Points in time as pages show them.

use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use ctxmem_types::Timestamp;

use super::{Language, Phrase};

/// A point in time on a page: exact for programs, to the minute for people.
#[derive(Clone, Debug)]
pub(crate) struct PageTime {
    at: DateTime<Utc>,
    style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Long,
    Short,
    Second,
}

impl PageTime {
    /// From milliseconds since 1970, with the month in full.
    pub(crate) fn new(millis: i64) -> Self {
        Self::styled(millis, Style::Long)
    }

    /// From milliseconds since 1970, with the month abbreviated for tables.
    pub(crate) fn short(millis: i64) -> Self {
        Self::styled(millis, Style::Short)
    }

    /// From milliseconds since 1970, with the seconds.
    pub(crate) fn to_the_second(millis: i64) -> Self {
        Self::styled(millis, Style::Second)
    }

    fn styled(millis: i64, style: Style) -> Self {
        Self {
            at: DateTime::from_timestamp_millis(millis).unwrap_or_default(),
            style,
        }
    }

    /// For programs, to the millisecond.
    pub(crate) fn iso(&self) -> String {
        Timestamp::from(self.at).to_string()
    }

    /// For people.
    pub(crate) fn text(&self, language: Language) -> String {
        let (month, clock) = match self.style {
            Style::Long => ("month", "%H:%M"),
            Style::Short => ("month-short", "%H:%M"),
            Style::Second => ("month-short", "%H:%M:%S"),
        };
        let month = Phrase::new(month).arg("month", self.at.month());
        let text = Phrase::new("time")
            .arg("day", self.at.day().to_string())
            .arg("month", month)
            .arg("year", self.at.year().to_string())
            .arg("clock", self.at.format(clock).to_string());
        text.plain(language).into_owned()
    }

    /// As an element of a page.
    pub(crate) fn html(&self, language: Language) -> String {
        format!(
            "<time datetime=\"{}\">{}</time>",
            self.iso(),
            self.text(language)
        )
    }
}

impl AsRef<Self> for PageTime {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// A day of a year that is known.
pub(crate) fn day(day: NaiveDate) -> Phrase {
    let month = Phrase::new("month-short").arg("month", day.month());
    Phrase::new("day")
        .arg("day", day.day().to_string())
        .arg("month", month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_minutes_and_programs_milliseconds() {
        let millis = 1_772_355_601_234;
        for (time, english, german) in [
            (
                PageTime::new(millis),
                "1 March 2026, 09:00 UTC",
                "1. März 2026, 09:00 UTC",
            ),
            (
                PageTime::short(millis),
                "1 Mar 2026, 09:00 UTC",
                "1. März 2026, 09:00 UTC",
            ),
            (
                PageTime::to_the_second(millis),
                "1 Mar 2026, 09:00:01 UTC",
                "1. März 2026, 09:00:01 UTC",
            ),
        ] {
            assert_eq!(time.iso(), "2026-03-01T09:00:01.234Z");
            assert_eq!(time.text(Language::English), english);
            assert_eq!(time.text(Language::German), german);
        }
    }
}

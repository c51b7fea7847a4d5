//! Points in time as pages show them.

use chrono::DateTime;
use ctxmem_types::Timestamp;

/// A point in time on a page: exact for programs, to the minute for people.
pub(super) struct PageTime {
    pub(super) iso: String,
    pub(super) text: String,
}

impl PageTime {
    /// From milliseconds since 1970, with the month in full.
    pub(super) fn new(millis: i64) -> Self {
        Self::formatted(millis, "%-d %B %Y, %H:%M UTC")
    }

    /// From milliseconds since 1970, with the month abbreviated for tables.
    pub(super) fn short(millis: i64) -> Self {
        Self::formatted(millis, "%-d %b %Y, %H:%M UTC")
    }

    /// From milliseconds since 1970, with the seconds.
    pub(super) fn to_the_second(millis: i64) -> Self {
        Self::formatted(millis, "%-d %b %Y, %H:%M:%S UTC")
    }

    fn formatted(millis: i64, format: &str) -> Self {
        let instant = DateTime::from_timestamp_millis(millis).unwrap_or_default();
        Self {
            iso: Timestamp::from(instant).to_string(),
            text: instant.format(format).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_minutes_and_programs_milliseconds() {
        let millis = 1_772_355_601_234;
        for (time, text) in [
            (PageTime::new(millis), "1 March 2026, 09:00 UTC"),
            (PageTime::short(millis), "1 Mar 2026, 09:00 UTC"),
        ] {
            assert_eq!(time.iso, "2026-03-01T09:00:01.234Z");
            assert_eq!(time.text, text);
        }
    }
}

//! Instants for people.

use chrono::DateTime;
use ctxmem_types::Timestamp;

/// An instant on a page: for machines, and to the minute for people.
pub(super) struct When {
    pub(super) iso: String,
    pub(super) text: String,
}

impl When {
    /// From milliseconds since 1970.
    pub(super) fn at(millis: i64) -> Self {
        let instant = DateTime::from_timestamp_millis(millis).unwrap_or_default();
        Self {
            iso: Timestamp::from(instant).to_string(),
            text: instant.format("%-d %B %Y, %H:%M UTC").to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_minutes_and_machines_milliseconds() {
        let when = When::at(1_772_355_601_234);
        assert_eq!(when.iso, "2026-03-01T09:00:01.234Z");
        assert_eq!(when.text, "1 March 2026, 09:00 UTC");
    }
}

//! Days in the address of a page, in the time zone of whoever reads it: the script adds it to forms, and without it
//! days are in UTC.

use chrono::{Days, NaiveDate};

use crate::core::Error;

/// How far a time zone is from UTC at most, in minutes.
const FARTHEST: i64 = 14 * 60;

/// A time zone, in minutes east of UTC.
#[derive(Clone, Copy, Default)]
pub(super) struct Zone(i64);

impl Zone {
    /// Reads a field; an empty one is UTC.
    pub(super) fn of(field: &str) -> Result<Self, Error> {
        if field.is_empty() {
            return Ok(Self::default());
        }
        let minutes = field.parse().ok();
        minutes
            .filter(|minutes| (-FARTHEST..=FARTHEST).contains(minutes))
            .map(Self)
            .ok_or_else(|| Error::BadRequest("zone: expected minutes east of UTC".to_owned()))
    }

    /// When a day begins, in milliseconds since 1970; `None` for an empty field.
    pub(super) fn start(self, field: &str, day: &str) -> Result<Option<i64>, Error> {
        self.midnight(field, day, 0)
    }

    /// When it ends.
    pub(super) fn end(self, field: &str, day: &str) -> Result<Option<i64>, Error> {
        self.midnight(field, day, 1)
    }

    /// From which instant on and up to which the days from one to another last; `None` where both fields are empty.
    pub(super) fn period(self, from: &str, to: &str) -> Result<Option<(i64, i64)>, Error> {
        Ok(match (self.start("from", from)?, self.end("to", to)?) {
            (None, None) => None,
            (from, to) => Some((from.unwrap_or(i64::MIN), to.unwrap_or(i64::MAX))),
        })
    }

    fn midnight(self, field: &str, day: &str, days_later: u64) -> Result<Option<i64>, Error> {
        if day.is_empty() {
            return Ok(None);
        }
        NaiveDate::parse_from_str(day, "%Y-%m-%d")
            .ok()
            .and_then(|day| day.checked_add_days(Days::new(days_later)))
            .and_then(|day| day.and_hms_opt(0, 0, 0))
            .map(|midnight| Some(midnight.and_utc().timestamp_millis() - self.0 * 60_000))
            .ok_or_else(|| Error::BadRequest(format!("{field}: expected a day such as 2026-03-01")))
    }
}

//! Days in the address of a page.

use chrono::{Days, NaiveDate};

use crate::core::Error;

/// When a day begins, in UTC, in milliseconds since 1970; `None` for an empty field.
pub(super) fn start(field: &str, day: &str) -> Result<Option<i64>, Error> {
    midnight(field, day, 0)
}

/// When it ends.
pub(super) fn end(field: &str, day: &str) -> Result<Option<i64>, Error> {
    midnight(field, day, 1)
}

/// From which instant on and up to which the days from one to another last; `None` where both fields are empty.
pub(super) fn period(from: &str, to: &str) -> Result<Option<(i64, i64)>, Error> {
    Ok(match (start("from", from)?, end("to", to)?) {
        (None, None) => None,
        (from, to) => Some((from.unwrap_or(i64::MIN), to.unwrap_or(i64::MAX))),
    })
}

fn midnight(field: &str, day: &str, days_later: u64) -> Result<Option<i64>, Error> {
    if day.is_empty() {
        return Ok(None);
    }
    NaiveDate::parse_from_str(day, "%Y-%m-%d")
        .ok()
        .and_then(|day| day.checked_add_days(Days::new(days_later)))
        .and_then(|day| day.and_hms_opt(0, 0, 0))
        .map(|midnight| Some(midnight.and_utc().timestamp_millis()))
        .ok_or_else(|| Error::BadRequest(format!("{field}: expected a day such as 2026-03-01")))
}

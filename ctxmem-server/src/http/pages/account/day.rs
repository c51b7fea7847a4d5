//! Days in the address of a page.

use chrono::NaiveDate;

use crate::core::Error;

/// How long a day is.
pub(super) const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// When a day begins, in UTC; `None` for an empty field.
pub(super) fn start(field: &str, day: &str) -> Result<Option<i64>, Error> {
    if day.is_empty() {
        return Ok(None);
    }
    let start = NaiveDate::parse_from_str(day, "%Y-%m-%d");
    let start = start.ok().and_then(|day| day.and_hms_opt(0, 0, 0));
    let start = start
        .ok_or_else(|| Error::BadRequest(format!("{field}: expected a day such as 2026-03-01")))?;
    Ok(Some(start.and_utc().timestamp_millis()))
}

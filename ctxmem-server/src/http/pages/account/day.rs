//! Days in the address of a page, in the time zone of whoever reads it: the script adds it to forms, and without it
//! days are in UTC.

use chrono::{Days, Duration, NaiveDate, TimeZone as _};
use chrono_tz::Tz;

use crate::core::Error;

pub(super) struct Zone(Tz);

impl Zone {
    /// Reads a field with a name of the zone database; an empty one is UTC.
    pub(super) fn of(field: &str) -> Result<Self, Error> {
        if field.is_empty() {
            return Ok(Self(Tz::UTC));
        }
        field.parse().map(Self).map_err(|_| {
            Error::BadRequest("zone: expected a time zone such as Europe/Berlin".to_owned())
        })
    }

    /// From which instant on and up to which a day lasts, in milliseconds since 1970; `None` for an empty field.
    pub(super) fn day(&self, field: &str, day: &str) -> Result<Option<(i64, i64)>, Error> {
        let begins = self.midnight(field, day, 0)?;
        Ok(begins.zip(self.midnight(field, day, 1)?))
    }

    /// The same for the days between those of the fields `from` and `to`, of which either may be empty; `None` where
    /// both are.
    pub(super) fn period(&self, from: &str, to: &str) -> Result<Option<(i64, i64)>, Error> {
        let (begins, ends) = (self.midnight("from", from, 0)?, self.midnight("to", to, 1)?);
        Ok(match (begins, ends) {
            (None, None) => None,
            (begins, ends) => Some((begins.unwrap_or(i64::MIN), ends.unwrap_or(i64::MAX))),
        })
    }

    /// When a day begins, or one so many days later; `None` for an empty field.
    fn midnight(&self, field: &str, day: &str, days_later: u64) -> Result<Option<i64>, Error> {
        if day.is_empty() {
            return Ok(None);
        }
        let midnight = NaiveDate::parse_from_str(day, "%Y-%m-%d")
            .ok()
            .and_then(|day| day.checked_add_days(Days::new(days_later)))
            .and_then(|day| day.and_hms_opt(0, 0, 0));
        // Where the clock is set forward at midnight, the day begins an hour later.
        let at = midnight.and_then(|midnight| {
            let at = |local| self.0.from_local_datetime(&local).earliest();
            at(midnight).or_else(|| at(midnight.checked_add_signed(Duration::hours(1))?))
        });
        at.map(|at| Some(at.timestamp_millis()))
            .ok_or_else(|| Error::BadRequest(format!("{field}: expected a day such as 2026-03-01")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_begin_and_end_where_the_reader_is() {
        let hours = |zone: &str, day: &str| {
            let zone = Zone::of(zone).unwrap();
            let (from, to) = zone.period(day, day).unwrap().unwrap();
            let at = chrono::DateTime::from_timestamp_millis(from).unwrap();
            (at.format("%d %H:%M").to_string(), (to - from) / 3_600_000)
        };
        let hour = |text: &str, hours| (text.to_owned(), hours);
        assert_eq!(hours("", "2026-03-29"), hour("29 00:00", 24));
        assert_eq!(hours("Asia/Tokyo", "2026-03-29"), hour("28 15:00", 24));
        // The clocks go forward, and back again.
        assert_eq!(hours("Europe/Berlin", "2026-03-29"), hour("28 23:00", 23));
        assert_eq!(hours("Europe/Berlin", "2026-10-25"), hour("24 22:00", 25));
        // At midnight, so that the day begins at one.
        assert_eq!(
            hours("America/Santiago", "2026-09-06"),
            hour("06 04:00", 23)
        );
        assert!(Zone::of("Middle-earth/Shire").is_err());
    }
}

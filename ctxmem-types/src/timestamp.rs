//! Instants in JSON.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

#[cfg(feature = "chrono")]
use chrono::{DateTime, SubsecRound, Utc};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use crate::calendar::Instant;

/// An ISO 8601 instant that keeps its original text.
///
/// Made from a clock, it prints as UTC with milliseconds (`2026-03-01T09:30:00.000Z`), the
/// form of the interface. Read from text, it is written back unchanged, whatever offset or
/// precision it has. Text without an offset is taken as UTC. Two timestamps are equal if they
/// are the same instant.
///
/// Years outside 0 to 9999 (in UTC) have no four-digit form and can't be read.
#[derive(Clone, Debug)]
pub struct Timestamp {
    text: String,
    at: Instant,
}

impl Timestamp {
    /// The instant, for programs that use chrono (feature `chrono`).
    #[cfg(feature = "chrono")]
    pub fn at(&self) -> DateTime<Utc> {
        let at = DateTime::from_timestamp(self.at.seconds(), self.at.nanos());
        // Its year has four digits.
        at.unwrap_or(DateTime::UNIX_EPOCH)
    }

    /// The text in JSON.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Milliseconds since the start of 1970, UTC.
    pub fn unix_millis(&self) -> i64 {
        self.at.unix_millis()
    }

    /// The instant this many milliseconds after the start of 1970, UTC; `None` outside the years
    /// 0 to 9999.
    pub fn from_unix_millis(millis: i64) -> Option<Self> {
        let at = Instant::from_unix_millis(millis)?;
        Some(Self {
            text: at.to_text(),
            at,
        })
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Timestamp {}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}

#[cfg(feature = "chrono")]
impl From<DateTime<Utc>> for Timestamp {
    /// Truncates to milliseconds, so that the instant equals its text. A time beyond the years 0 to 9999 is
    /// the start of 1970.
    fn from(at: DateTime<Utc>) -> Self {
        let at = Self::from_unix_millis(at.trunc_subsecs(3).timestamp_millis());
        at.unwrap_or_else(Self::start)
    }
}

impl Timestamp {
    fn start() -> Self {
        let at = Instant::START;
        Self {
            text: at.to_text(),
            at,
        }
    }
}

impl From<SystemTime> for Timestamp {
    /// Truncates to milliseconds, so that the instant equals its text. A time beyond the years 0 to 9999 is the start of 1970.
    fn from(at: SystemTime) -> Self {
        let millis = match at.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).ok(),
            Err(before) => i64::try_from(before.duration().as_millis())
                .ok()
                .map(|millis| -millis),
        };
        let at = millis.and_then(Self::from_unix_millis);
        at.unwrap_or_else(Self::start)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The text is not an ISO 8601 instant. The error does not repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidTimestamp;

impl fmt::Display for InvalidTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected an ISO 8601 timestamp such as 2026-03-01T09:30:00Z")
    }
}

impl std::error::Error for InvalidTimestamp {}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let at = Instant::read(text).ok_or(InvalidTimestamp)?;
        Ok(Self {
            text: text.to_owned(),
            at,
        })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_of_the_standard_library_makes_one() {
        for (at, text) in [
            (UNIX_EPOCH, "1970-01-01T00:00:00.000Z"),
            (
                UNIX_EPOCH + Duration::from_millis(1_772_357_400_123),
                "2026-03-01T09:30:00.123Z",
            ),
            (
                UNIX_EPOCH - Duration::from_secs(1),
                "1969-12-31T23:59:59.000Z",
            ),
            (
                UNIX_EPOCH + Duration::from_secs(1 << 40),
                "1970-01-01T00:00:00.000Z",
            ),
        ] {
            assert_eq!(Timestamp::from(at).as_str(), text);
        }
    }
}

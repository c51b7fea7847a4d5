//! Timestamps as text and as instants.

use chrono::{DateTime, TimeDelta, Utc};
use ctxmem_types::{InvalidTimestamp, Timestamp};
use proptest::prelude::*;

use crate::arbitrary::{MILLIS, timestamp};

fn read(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn a_clock_is_written_as_utc_with_milliseconds() {
    for (millis, text) in [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_772_357_400_000, "2026-03-01T09:30:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (*MILLIS.start(), "0000-01-01T00:00:00.000Z"),
        (*MILLIS.end(), "9999-12-31T23:59:59.999Z"),
    ] {
        let timestamp = Timestamp::from_unix_millis(millis).unwrap();
        assert_eq!(timestamp.as_str(), text);
        assert_eq!(timestamp.to_string(), text);
        assert_eq!(timestamp.unix_millis(), millis);
    }
}

#[test]
fn years_without_four_digits_are_refused() {
    for millis in [MILLIS.start() - 1, MILLIS.end() + 1, i64::MIN, i64::MAX] {
        assert_eq!(Timestamp::from_unix_millis(millis), None, "{millis}");
    }
    for text in ["9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01"] {
        assert_eq!(text.parse::<Timestamp>(), Err(InvalidTimestamp), "{text}");
    }
}

#[test]
fn a_clock_finer_than_milliseconds_is_the_instant_that_is_written() {
    for nanos in [1, 999_999, 1_999_999] {
        for start in [
            DateTime::UNIX_EPOCH,
            DateTime::UNIX_EPOCH - TimeDelta::days(1),
        ] {
            let timestamp = Timestamp::from(start + TimeDelta::nanoseconds(nanos));
            assert_eq!(read(timestamp.as_str()), timestamp);
            assert_eq!(read(timestamp.as_str()).at(), timestamp.at());
        }
    }
}

#[test]
fn text_is_kept_as_it_came() {
    for text in [
        "2026-03-01T09:30:00Z",
        "2026-03-01T09:30:00.5Z",
        "2026-03-01T09:30:00.000000Z",
        "2026-03-01T09:30:00.123456789+00:00",
        "2026-03-01T15:00:00+05:30",
        "2026-03-01T09:30:00-00:00",
        "2026-03-01t09:30:00z",
        "2026-03-01 09:30:00Z",
        "2026-03-01T09:30:00",
        "2026-03-01T09:30:00.25",
        "2024-02-29T00:00:00Z",
        "2016-12-31T23:59:60Z",
    ] {
        assert_eq!(read(text).as_str(), text);
    }
}

#[test]
fn timestamps_are_equal_when_they_are_the_same_instant() {
    let utc = read("2026-03-01T09:30:00Z");
    for same in [
        "2026-03-01T09:30:00.000Z",
        "2026-03-01T09:30:00+00:00",
        "2026-03-01T15:00:00+05:30",
        "2026-02-28T21:30:00-12:00",
        "2026-03-01T09:30:00",
    ] {
        assert_eq!(read(same), utc, "{same}");
    }
    assert_ne!(read("2026-03-01T09:30:00.001Z"), utc);
}

#[test]
fn timestamps_are_ordered_by_instant() {
    let text_order_misleads = [
        "2026-03-01T09:30:00+05:30",
        "2026-03-01T09:29:59Z",
        "2026-03-01T09:30:00",
        "2026-03-01T08:30:00.1-01:00",
    ];
    assert!(text_order_misleads.map(read).is_sorted());
}

#[test]
fn what_is_no_instant_is_refused() {
    for text in [
        "",
        "now",
        "1772357400",
        "2026-03-01",
        "2026-13-01T09:30:00Z",
        "2026-00-01T09:30:00Z",
        "2026-02-29T09:30:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T09:60:00Z",
        "2026-03-01T09:30:61Z",
        "2026-03-01T09:30Z",
        "2026-03-01T09:30",
        "26-03-01T09:30:00Z",
        "2026-3-1T9:30:0",
        " 2026- 3- 1T 9:30: 0",
        "+2026-03-01T09:30:00",
        "2026-03-01T09:30:00.",
        "2026-03-01T09:30:00.Z",
        "2026-03-01T09:30:00ZZ",
        "2026-03-01T09:30:00Z ",
        " 2026-03-01T09:30:00Z",
        "2026-03-01T09:30:00+25:00",
        "2026-03-01T09:30:00+0530",
        "2026-03-01T09:30:00 UTC",
        "20260301T093000Z",
        "2026-W09-7T09:30:00Z",
        "10000-01-01T00:00:00Z",
        "2026-03-01T09:30:00Z\0",
        "２０２６-03-01T09:30:00Z",
    ] {
        assert_eq!(text.parse::<Timestamp>(), Err(InvalidTimestamp), "{text:?}");
    }
}

#[test]
fn a_refusal_says_what_is_expected() {
    assert_eq!(
        InvalidTimestamp.to_string(),
        "expected an ISO 8601 timestamp such as 2026-03-01T09:30:00Z"
    );
}

proptest! {
    #[test]
    fn text_and_instant_agree(timestamp in timestamp()) {
        let again = read(timestamp.as_str());
        prop_assert_eq!(again.at(), timestamp.at());
        prop_assert_eq!(again.as_str(), timestamp.as_str());
        let millis = Timestamp::from_unix_millis(timestamp.unix_millis()).unwrap();
        prop_assert_eq!(millis.unix_millis(), timestamp.unix_millis());
    }

    #[test]
    fn any_instant_of_a_clock_can_be_read_back(millis in MILLIS, nanos in 0..1_000_000_i64) {
        let at: DateTime<Utc> = DateTime::from_timestamp_millis(millis).unwrap();
        let timestamp = Timestamp::from(at + TimeDelta::nanoseconds(nanos));
        prop_assert_eq!(timestamp.unix_millis(), millis);
        prop_assert_eq!(read(timestamp.as_str()), timestamp);
    }

    #[test]
    fn any_text_is_refused_or_kept(text in "[0-9TZ:. +-]{0,30}|.{0,30}") {
        if let Ok(timestamp) = text.parse::<Timestamp>() {
            prop_assert_eq!(timestamp.as_str(), text);
        }
    }
}

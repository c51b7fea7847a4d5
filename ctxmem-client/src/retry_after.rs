//! Reads from the headers of a response how long to wait. Pure: the caller passes in the time.

use std::time::Duration;

use ctxmem_types::Timestamp;

use crate::time::{SystemTime, UNIX_EPOCH};

/// The longest wait that the client accepts.
const MAX_WAIT: Duration = Duration::from_mins(5);

/// Smaller numbers are spans, larger ones instants in seconds since 1970.
const EPOCH_SECONDS: f64 = 1e9;
/// Larger numbers are instants in milliseconds since 1970.
const EPOCH_MILLIS: f64 = 1e11;

/// The wait that `Retry-After` asks for, otherwise the time until `X-RateLimit-Reset`. Both
/// are read in every form in use. Instants are compared with the service's own `Date` if it
/// sends one, so a wrong local clock does no harm. Values that can't be read are ignored.
pub(crate) fn wait(
    retry_after: Option<&str>,
    reset: Option<&str>,
    date: Option<&str>,
    now: SystemTime,
) -> Option<Duration> {
    let now = date.and_then(http_date).unwrap_or(now);
    let parse = |text: &str| parse(text.trim(), now);
    retry_after
        .and_then(parse)
        .or_else(|| reset.and_then(parse))
        .map(|wait| wait.min(MAX_WAIT))
}

fn parse(text: &str, now: SystemTime) -> Option<Duration> {
    let until = |at: SystemTime| at.duration_since(now).unwrap_or_default();
    if let Some(number) = number(text) {
        return Some(if number >= EPOCH_SECONDS {
            let seconds = if number >= EPOCH_MILLIS {
                number / 1000.0
            } else {
                number
            };
            // An instant that a clock can't represent is in the distant future.
            Duration::try_from_secs_f64(seconds)
                .ok()
                .and_then(|since| UNIX_EPOCH.checked_add(since))
                .map_or(MAX_WAIT, until)
        } else {
            Duration::try_from_secs_f64(number).ok()?
        });
    }
    if text
        .strip_prefix('-')
        .is_some_and(|rest| number(rest).is_some())
    {
        return Some(Duration::ZERO);
    }
    span(text)
        .or_else(|| http_date(text).map(until))
        .or_else(|| text.parse().ok().map(|at| until(instant(&at))))
}

/// Digits with at most one decimal point. `f64` alone would also read `inf` and `1e5`.
fn number(text: &str) -> Option<f64> {
    let plain = text.starts_with(|c: char| c.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if plain { text.parse().ok() } else { None }
}

/// A span such as `6m0s`, `1.5s` or `250ms`.
fn span(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c != '.' && !c.is_ascii_digit())?;
        let (amount, after) = rest.split_at(digits);
        let unit_end = after
            .find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let seconds = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        total += number(amount)? * seconds;
        rest = after;
    }
    // A span that does not fit into a duration is longer than any wait that we accept.
    (!text.is_empty()).then(|| Duration::try_from_secs_f64(total).unwrap_or(MAX_WAIT))
}

/// An HTTP date, in the current form or one of the two obsolete ones.
fn http_date(text: &str) -> Option<SystemTime> {
    let at = httpdate::parse_http_date(text).ok()?;
    let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(UNIX_EPOCH + since)
}

/// Instants before 1970 are taken as 1970.
fn instant(at: &Timestamp) -> SystemTime {
    let millis = u64::try_from(at.unix_millis()).unwrap_or(0);
    UNIX_EPOCH + Duration::from_millis(millis)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2026-03-01T09:30:00Z.
    const NOW: u64 = 1_772_357_400;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn millis(text: &str) -> Option<u128> {
        wait(Some(text), None, None, at(NOW)).map(|wait| wait.as_millis())
    }

    #[test]
    fn every_form_in_use_is_understood() {
        for (text, expected) in [
            ("0", 0),
            ("12", 12_000),
            (" 12 ", 12_000),
            ("1.5", 1_500),
            ("-3", 0),
            ("86400", 300_000),
            ("1772357430", 30_000),
            ("1772357430.25", 30_250),
            ("1772357000", 0),
            ("1772357430000", 30_000),
            ("99999999999999999999999999", 300_000),
            ("6m0s", 300_000),
            ("1m30s", 90_000),
            ("1.5s", 1_500),
            ("250ms", 250),
            ("1h", 300_000),
            ("Sun, 01 Mar 2026 09:30:45 GMT", 45_000),
            ("Sunday, 01-Mar-26 09:30:45 GMT", 45_000),
            ("Sun Mar  1 09:30:45 2026", 45_000),
            ("Sun, 01 Mar 2026 09:00:00 GMT", 0),
            ("2026-03-01T09:30:20Z", 20_000),
            ("2026-03-01T10:30:20.5+01:00", 20_500),
        ] {
            assert_eq!(millis(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_counts_as_absent() {
        for text in [
            "",
            " ",
            "soon",
            "inf",
            "NaN",
            "1e5",
            "1.2.3",
            ".",
            "12 s",
            "5x",
            "s",
            "-",
            "-x",
            "1m30",
            "Sun, 99 Mar 2026 09:30:45 GMT",
            "٣",
        ] {
            assert_eq!(millis(text), None, "{text}");
        }
    }

    #[test]
    fn retry_after_goes_before_the_reset() {
        let now = at(NOW);
        let seconds = |wait: Option<Duration>| wait.map(|wait| wait.as_secs());
        assert_eq!(seconds(wait(Some("2"), Some("60"), None, now)), Some(2));
        assert_eq!(seconds(wait(Some("soon"), Some("60"), None, now)), Some(60));
        assert_eq!(seconds(wait(None, Some("60"), None, now)), Some(60));
        assert_eq!(seconds(wait(None, None, None, now)), None);
    }

    #[test]
    fn a_wrong_clock_is_corrected_by_the_date() {
        let date = Some("Sun, 01 Mar 2026 09:30:00 GMT");
        for wrong_by_hours in [0, 1, 48] {
            let ours = at(NOW + wrong_by_hours * 3600);
            let reset = wait(None, Some("1772357410"), date, ours);
            assert_eq!(reset, Some(Duration::from_secs(10)));
        }
        let garbage = wait(None, Some("1772357410"), Some("today"), at(NOW));
        assert_eq!(garbage, Some(Duration::from_secs(10)));
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in ".{0,40}", date in ".{0,40}", now in 0..4_000_000_000_u64) {
            let wait = wait(Some(&text), Some(&text), Some(&date), at(now));
            prop_assert!(wait.is_none_or(|wait| wait <= MAX_WAIT));
        }

        #[test]
        fn no_number_breaks_it(text in "[0-9.]{1,400}(ms|s|m|h|d)?", now in 0..4_000_000_000_u64) {
            let wait = wait(Some(&text), None, None, at(now));
            prop_assert!(wait.is_none_or(|wait| wait <= MAX_WAIT));
        }
    }
}

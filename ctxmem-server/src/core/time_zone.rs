//! The date where the user is. Pure.

use chrono::{DateTime, FixedOffset, NaiveDate, Offset as _, Utc};
use chrono_tz::TZ_VARIANTS;

/// Abbreviations that the zone database lacks and that mean the same offset everywhere, in minutes
/// east of UTC. Others, such as `IST`, `CST` and `BST`, mean several.
const ABBREVIATIONS: &[(&str, i32)] = &[
    ("acst", 570),
    ("aedt", 660),
    ("aest", 600),
    ("akdt", -480),
    ("akst", -540),
    ("awst", 480),
    ("brt", -180),
    ("cest", 120),
    ("edt", -240),
    ("eest", 180),
    ("jst", 540),
    ("kst", 540),
    ("mdt", -360),
    ("msk", 180),
    ("nzdt", 780),
    ("nzst", 720),
    ("pdt", -420),
    ("sast", 120),
    ("west", 60),
];

/// The largest offset from UTC.
const MAX_MINUTES: i32 = 14 * 60;

/// The date at this instant in a user's time zone: a name from the zone database, an offset from
/// UTC, or an abbreviation. If the zone is missing or ambiguous, this is the date in UTC.
pub(super) fn day(now: DateTime<Utc>, zone: Option<&str>) -> NaiveDate {
    let offset = zone.and_then(|zone| offset_at(now, zone.trim()));
    offset.map_or(now.date_naive(), |offset| {
        now.with_timezone(&offset).date_naive()
    })
}

fn offset_at(now: DateTime<Utc>, zone: &str) -> Option<FixedOffset> {
    let is_zone = |name: &str| zone.eq_ignore_ascii_case(name);
    if let Some(known) = TZ_VARIANTS.iter().find(|known| is_zone(known.name())) {
        return Some(now.with_timezone(known).offset().fix());
    }
    let abbreviated = ABBREVIATIONS.iter().find(|(name, _)| is_zone(name));
    let minutes = abbreviated.map(|(_, minutes)| *minutes);
    FixedOffset::east_opt(minutes.or_else(|| minutes_east(zone))? * 60)
}

/// Reads `UTC+2`, `GMT-03:30` or `+0530`.
fn minutes_east(zone: &str) -> Option<i32> {
    let upper = zone.to_ascii_uppercase();
    let prefix = ["UTC", "GMT"]
        .iter()
        .find_map(|name| upper.strip_prefix(name));
    let offset = prefix.unwrap_or(&upper).trim();
    let (sign, digits) = match offset.chars().next()? {
        '+' => (1, &offset[1..]),
        '-' => (-1, &offset[1..]),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None => digits.split_at_checked(digits.len().min(2))?,
    };
    let number = |text: &str| {
        let is_number = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<i32>().unwrap_or(0))
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let east = hours * 60 + minutes;
    (minutes < 60 && east <= MAX_MINUTES && !digits.is_empty()).then_some(sign * east)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day_in(now: &str, zone: &str) -> String {
        day(now.parse().unwrap(), Some(zone)).to_string()
    }

    #[test]
    fn the_day_is_that_of_the_zone() {
        // Half an hour to midnight, in UTC.
        for (zone, day) in [
            ("UTC", "2026-03-05"),
            ("Europe/Lisbon", "2026-03-05"),
            ("Europe/Berlin", "2026-03-06"),
            ("europe/berlin", "2026-03-06"),
            ("CET", "2026-03-06"),
            ("cest", "2026-03-06"),
            (" Asia/Tokyo ", "2026-03-06"),
            ("JST", "2026-03-06"),
            ("America/New_York", "2026-03-05"),
            ("UTC+1", "2026-03-06"),
            ("UTC +01:00", "2026-03-06"),
            ("GMT+0:30", "2026-03-06"),
            ("GMT+0:29", "2026-03-05"),
            ("+0530", "2026-03-06"),
            ("GMT-03:30", "2026-03-05"),
        ] {
            assert_eq!(day_in("2026-03-05T23:30:00Z", zone), day, "{zone}");
        }
        for (zone, day) in [
            ("America/New_York", "2026-03-04"),
            ("UTC-1", "2026-03-04"),
            ("PDT", "2026-03-04"),
            ("Asia/Kolkata", "2026-03-05"),
        ] {
            assert_eq!(day_in("2026-03-05T00:30:00Z", zone), day, "{zone}");
        }
        // In summer Lisbon is an hour ahead.
        assert_eq!(
            day_in("2026-07-05T23:30:00Z", "Europe/Lisbon"),
            "2026-07-06"
        );
    }

    #[test]
    fn a_doubtful_zone_is_utc() {
        for zone in [
            "",
            "IST",
            "CST",
            "Pacific Time",
            "Lisbon",
            "UTC+25",
            "UTC+1:75",
            "UTC+",
            "+",
            "+é1",
            "UTC+1:2:3",
            "UTC++1",
            "Europe/Atlantis",
        ] {
            assert_eq!(day_in("2026-03-05T23:59:00Z", zone), "2026-03-05", "{zone}");
            assert_eq!(day_in("2026-03-05T00:00:00Z", zone), "2026-03-05", "{zone}");
        }
        let now = "2026-03-05T23:30:00Z".parse().unwrap();
        assert_eq!(day(now, None).to_string(), "2026-03-05");
    }

    proptest! {
        #[test]
        fn any_text_gives_a_day(zone in "(UTC|GMT)?[+-]?\\PC{0,8}") {
            let _ = day("2026-03-05T23:30:00Z".parse().unwrap(), Some(&zone));
        }
    }
}

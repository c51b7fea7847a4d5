//! Bar charts, drawn on the server as SVG, with a sentence and a table for people who can't see
//! them.

use chrono::NaiveDate;

use crate::http::words::{Phrase, page_time};

/// The size of the drawing. Browsers scale it.
const WIDTH: i64 = 320;
const HEIGHT: i64 = 130;
/// The area of the bars. The scale's numbers are left of it, the days below.
const LEFT: i64 = 34;
const TOP: i64 = 8;
const BOTTOM: i64 = 110;
/// The gap between two bars.
const GAP: f64 = 2.0;
/// The least height of a bar, so that small numbers remain visible.
const LEAST: f64 = 1.5;

/// One number per day, as bars.
pub(super) struct Chart {
    pub(super) title: Phrase,
    pub(super) about: Phrase,
    /// The bars' class in the stylesheet, 1 to 5.
    pub(super) colour: u8,
    pub(super) total: i64,
    /// The chart in a sentence.
    pub(super) words: Phrase,
    pub(super) bars: Vec<Bar>,
    pub(super) lines: Vec<ScaleLine>,
    pub(super) first_day: Option<Phrase>,
    pub(super) last_day: Option<Phrase>,
    pub(super) days: Vec<Day>,
}

/// A bar of the drawing.
pub(super) struct Bar {
    pub(super) x: String,
    pub(super) y: String,
    pub(super) width: String,
    pub(super) height: String,
    /// The tooltip.
    pub(super) words: Phrase,
}

/// A line of the scale.
pub(super) struct ScaleLine {
    pub(super) y: String,
    pub(super) label_y: String,
    pub(super) label: String,
}

/// A row of the table.
pub(super) struct Day {
    pub(super) exact: String,
    pub(super) shown: Phrase,
    pub(super) number: i64,
}

impl Chart {
    pub(super) const VIEW_BOX: &'static str = "0 0 320 130";
    pub(super) const LEFT: i64 = LEFT;
    pub(super) const RIGHT: i64 = WIDTH;
    pub(super) const DAYS_Y: i64 = HEIGHT - 4;

    /// A chart of these days, in this order. Negative numbers count as zero.
    pub(super) fn new(
        title: Phrase,
        about: Phrase,
        colour: u8,
        numbers: Vec<(NaiveDate, i64)>,
    ) -> Self {
        let days: Vec<Day> = numbers.into_iter().map(Day::new).collect();
        let highest = days.iter().map(|day| day.number).max().unwrap_or(0);
        let scale = Scale::reaching(highest);
        let end = |day: Option<&Day>| day.map(|day| day.shown.clone());
        Self {
            words: words(&title, &days),
            title,
            about,
            colour,
            total: days.iter().map(|day| day.number).sum(),
            bars: bars(&days, &scale),
            lines: scale.lines(),
            first_day: end(days.first()),
            last_day: end(days.last()),
            days,
        }
    }
}

impl Day {
    fn new((day, number): (NaiveDate, i64)) -> Self {
        Self {
            exact: day.format("%Y-%m-%d").to_string(),
            shown: page_time::day(day),
            number: number.max(0),
        }
    }
}

/// A scale from zero to a round number.
struct Scale {
    top: i64,
}

impl Scale {
    /// The scale that ends at the next 1, 2 or 5 with any number of zeros.
    fn reaching(highest: i64) -> Self {
        let mut ten = 1_i64;
        loop {
            for digit in [1, 2, 5] {
                let top = ten.saturating_mul(digit);
                if top >= highest {
                    return Self { top };
                }
            }
            ten = ten.saturating_mul(10);
        }
    }

    /// The height of a number, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a drawing needs no more")]
    fn share(&self, number: i64) -> f64 {
        number as f64 / self.top as f64
    }

    fn lines(&self) -> Vec<ScaleLine> {
        let mut numbers = vec![0, self.top];
        if self.top % 2 == 0 {
            numbers.insert(1, self.top / 2);
        }
        numbers
            .into_iter()
            .map(|number| {
                let y = place(self.share(number));
                ScaleLine {
                    y: text(y),
                    label_y: text(y + 4.0),
                    label: short(number),
                }
            })
            .collect()
    }
}

fn bars(days: &[Day], scale: &Scale) -> Vec<Bar> {
    let step = f64::from(u16::try_from(WIDTH - LEFT).unwrap_or(1))
        / f64::from(u16::try_from(days.len().max(1)).unwrap_or(1));
    let mut x = f64::from(u16::try_from(LEFT).unwrap_or(0)) + GAP / 2.0;
    let mut bars = Vec::new();
    for day in days {
        if day.number > 0 {
            let bottom = place(0.0);
            let height = (bottom - place(scale.share(day.number))).max(LEAST);
            bars.push(Bar {
                x: text(x),
                y: text(bottom - height),
                width: text(step - GAP),
                height: text(height),
                words: Phrase::new("chart-bar")
                    .arg("day", &day.shown)
                    .arg("count", day.number),
            });
        }
        x += step;
    }
    bars
}

/// The y coordinate of a share of the scale.
fn place(share: f64) -> f64 {
    let (top, bottom) = (
        f64::from(i32::try_from(TOP).unwrap_or(0)),
        f64::from(i32::try_from(BOTTOM).unwrap_or(0)),
    );
    bottom - (bottom - top) * share
}

fn words(title: &Phrase, days: &[Day]) -> Phrase {
    let total: i64 = days.iter().map(|day| day.number).sum();
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return Phrase::new("chart-no-days").arg("title", title);
    };
    let of_span = |id| {
        let phrase = Phrase::new(id).arg("title", title);
        phrase.arg("first", &first.shown).arg("last", &last.shown)
    };
    // If several days share the maximum, the last one is named.
    match days.iter().max_by_key(|day| day.number) {
        Some(highest) if total > 0 => of_span("chart-in-words")
            .arg("total", total)
            .arg("most", highest.number)
            .arg("day", &highest.shown),
        _ => of_span("chart-nothing"),
    }
}

/// A number short enough to fit beside the scale.
fn short(number: i64) -> String {
    match number {
        n if n >= 1_000_000_000 && n % 1_000_000_000 == 0 => format!("{}G", n / 1_000_000_000),
        n if n >= 1_000_000 && n % 100_000 == 0 => with_tenth(n / 100_000, "M"),
        n if n >= 1_000 && n % 100 == 0 => with_tenth(n / 100, "k"),
        n => n.to_string(),
    }
}

fn with_tenth(tenths: i64, unit: &str) -> String {
    match tenths % 10 {
        0 => format!("{}{unit}", tenths / 10),
        tenth => format!("{}.{tenth}{unit}", tenths / 10),
    }
}

fn text(number: f64) -> String {
    format!("{number:.1}")
}

#[cfg(test)]
mod tests {
    use chrono::Days;

    use super::*;
    use crate::http::words::Language;

    fn said(phrase: &Phrase) -> String {
        phrase.plain(Language::English).into_owned()
    }

    fn chart(numbers: &[i64]) -> Chart {
        let first: NaiveDate = "2026-02-27".parse().unwrap();
        let days = (0..).map(|n| first + Days::new(n));
        Chart::new(
            Phrase::new("chart-injects"),
            Phrase::new("chart-injects-about"),
            1,
            days.zip(numbers.iter().copied()).collect(),
        )
    }

    fn number(text: &str) -> f64 {
        text.parse().unwrap()
    }

    #[test]
    fn a_scale_ends_in_the_next_round_number() {
        for (highest, top) in [
            (0, 1),
            (1, 1),
            (2, 2),
            (3, 5),
            (5, 5),
            (6, 10),
            (11, 20),
            (21, 50),
            (51, 100),
            (1_001, 2_000),
        ] {
            assert_eq!(Scale::reaching(highest).top, top, "{highest}");
        }
        assert!(Scale::reaching(i64::MAX).top == i64::MAX);
    }

    #[test]
    fn bars_are_as_high_as_their_numbers_and_stand_within_the_drawing() {
        let chart = chart(&[5, 0, 10, 1]);
        let heights: Vec<f64> = chart.bars.iter().map(|bar| number(&bar.height)).collect();
        assert_eq!(heights, [51.0, 102.0, 10.2]);
        let right = chart
            .bars
            .iter()
            .map(|bar| number(&bar.x) + number(&bar.width));
        assert!(right.into_iter().all(|x| x <= 320.0));
        for bar in &chart.bars {
            assert!((number(&bar.y) + number(&bar.height) - 110.0).abs() < 0.11);
            assert!(number(&bar.x) >= 34.0 && number(&bar.y) >= 8.0);
        }
        // The third day's bar stands in the third quarter.
        assert!((number(&chart.bars[1].x) - (34.0 + 2.0 * 71.5 + 1.0)).abs() < 0.1);
    }

    #[test]
    fn the_least_number_is_still_seen_and_nothing_is_not() {
        let chart = chart(&[100_000, 1, 0, -3]);
        assert_eq!(chart.bars.len(), 2);
        assert_eq!(chart.bars[1].height, "1.5");
        assert_eq!(chart.total, 100_001);
    }

    #[test]
    fn the_words_tell_what_is_seen() {
        assert_eq!(
            said(&chart(&[1, 4, 2]).words),
            "Injects per day, 27 Feb to 1 Mar: 7 in all, at most 4 on 28 Feb"
        );
        assert_eq!(
            said(&chart(&[0, 0]).words),
            "Injects per day, 27 Feb to 28 Feb: none"
        );
        assert_eq!(said(&chart(&[]).words), "Injects: no days");
        assert_eq!(said(&chart(&[1, 4, 2]).bars[1].words), "28 Feb: 4");
    }

    #[test]
    fn the_table_has_every_day() {
        let chart = chart(&[1, 0, 2]);
        let rows: Vec<(&str, i64)> = chart.days.iter().map(|d| (&*d.exact, d.number)).collect();
        assert_eq!(
            rows,
            [("2026-02-27", 1), ("2026-02-28", 0), ("2026-03-01", 2)]
        );
        let ends = [chart.first_day, chart.last_day].map(|day| said(&day.unwrap()));
        assert_eq!(ends, ["27 Feb", "1 Mar"]);
    }

    #[test]
    fn long_numbers_are_written_short() {
        let shorts = [0, 500, 1_000, 2_500, 200_000, 5_000_000, 2_000_000_000].map(short);
        assert_eq!(shorts, ["0", "500", "1k", "2.5k", "200k", "5M", "2G"]);
    }
}

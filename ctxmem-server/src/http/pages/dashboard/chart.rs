//! A chart of days, drawn on the server as SVG: stacked bars, what each day has where the pointer is, and a table for
//! people who can't see it or want the numbers. It needs no script.
//!
//! A library that draws in the browser was not taken: uPlot alone is 51 KB, twice all other scripts and styles, and
//! nothing would be there without it.

use chrono::NaiveDate;

use crate::http::words::{Phrase, page_time};

/// The size of the drawing, as the template has it. Browsers stretch it: texts are beside it.
const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 100.0;
/// The part of a day's width that stays free.
const GAP: f64 = 0.2;
/// The least height of a number that is not zero, so that it is seen.
const LEAST: f64 = 1.5;

/// What is counted, from the bottom of the bars to their top.
pub(super) struct Series {
    pub(super) title: Phrase,
    pub(super) about: Phrase,
    /// The class of its parts in the stylesheet, 1 to 7: up to 5 they are outcomes, the others are times.
    pub(super) colour: u8,
    /// The sum of all days, where there is a meaning to it.
    pub(super) total: Option<i64>,
}

/// How the numbers of a day stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// On each other: they are parts of a whole.
    Stacked,
    /// In front of each other, the largest one first: each is a part of the one before.
    Within,
}

/// Numbers by day, as bars.
pub(super) struct Chart {
    pub(super) title: Phrase,
    /// The chart in a sentence.
    pub(super) words: Phrase,
    pub(super) series: Vec<Series>,
    pub(super) columns: Vec<Column>,
    /// The number at the top of the scale.
    pub(super) top: Phrase,
    pub(super) days: Vec<Day>,
}

/// A day of the drawing.
pub(super) struct Column {
    pub(super) x: String,
    pub(super) width: String,
    /// The tooltip.
    pub(super) words: Phrase,
    pub(super) parts: Vec<Part>,
}

/// A number of a day.
pub(super) struct Part {
    pub(super) colour: u8,
    pub(super) y: String,
    pub(super) height: String,
}

/// A row of the table.
pub(super) struct Day {
    pub(super) exact: String,
    pub(super) shown: Phrase,
    /// In the order of the series.
    pub(super) numbers: Vec<i64>,
}

impl Day {
    /// Negative numbers count as zero.
    pub(super) fn new(day: NaiveDate, numbers: impl IntoIterator<Item = i64>) -> Self {
        Self {
            exact: day.format("%Y-%m-%d").to_string(),
            shown: page_time::day(day),
            numbers: numbers.into_iter().map(|number| number.max(0)).collect(),
        }
    }

    fn height(&self, kind: Kind) -> i64 {
        let numbers = self.numbers.iter();
        match kind {
            Kind::Stacked => numbers.sum(),
            Kind::Within => numbers.max().copied().unwrap_or(0),
        }
    }
}

impl Chart {
    /// A chart of these days, in this order. The sentence is the one with this id, which says the first and the last
    /// day, the highest bar and its day.
    pub(super) fn new(
        kind: Kind,
        title: Phrase,
        sentence: &'static str,
        series: Vec<Series>,
        days: Vec<Day>,
    ) -> Self {
        let heights = days.iter().map(|day| day.height(kind));
        let top = round(heights.max().unwrap_or(0));
        let words = words(kind, &title, sentence, &days);
        let columns = columns(kind, &series, &days, top);
        Self {
            words,
            title,
            columns,
            top: short(top),
            days,
            series,
        }
    }

    /// Whether there is nothing to be seen in it.
    pub(super) fn is_empty(&self) -> bool {
        let mut numbers = self.days.iter().flat_map(|day| &day.numbers);
        numbers.all(|number| *number == 0)
    }

    pub(super) fn first_day(&self) -> Option<&Phrase> {
        self.days.first().map(|day| &day.shown)
    }

    pub(super) fn last_day(&self) -> Option<&Phrase> {
        self.days.last().map(|day| &day.shown)
    }
}

/// The next 1, 2 or 5 with any number of zeros.
fn round(highest: i64) -> i64 {
    let mut ten = 1_i64;
    loop {
        for digit in [1, 2, 5] {
            let top = ten.saturating_mul(digit);
            if top >= highest {
                return top;
            }
        }
        ten = ten.saturating_mul(10);
    }
}

#[expect(clippy::cast_precision_loss, reason = "a drawing needs no more")]
fn columns(kind: Kind, series: &[Series], days: &[Day], top: i64) -> Vec<Column> {
    let step = WIDTH / days.len().max(1) as f64;
    let columns = days.iter().enumerate().map(|(n, day)| {
        let (mut parts, mut y) = (Vec::new(), HEIGHT);
        for (series, number) in series.iter().zip(&day.numbers) {
            if *number > 0 {
                let bottom = if kind == Kind::Stacked { y } else { HEIGHT };
                // What small numbers are raised by may be more than there is room for.
                let height = (HEIGHT * *number as f64 / top as f64)
                    .max(LEAST)
                    .min(bottom);
                y = bottom - height;
                parts.push(Part {
                    colour: series.colour,
                    y: text(y),
                    height: text(height),
                });
            }
        }
        let numbers = series.iter().zip(&day.numbers).map(|(series, number)| {
            Phrase::new("chart-part")
                .arg("title", &series.title)
                .arg("count", *number)
        });
        Column {
            x: text(step * (n as f64 + GAP / 2.0)),
            width: text(step * (1.0 - GAP)),
            words: Phrase::new("chart-bar")
                .arg("day", &day.shown)
                .arg("numbers", numbers.collect::<Vec<_>>()),
            parts,
        }
    });
    columns.collect()
}

fn words(kind: Kind, title: &Phrase, sentence: &'static str, days: &[Day]) -> Phrase {
    let total: i64 = days.iter().map(|day| day.height(kind)).sum();
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return Phrase::new("chart-no-days").arg("title", title);
    };
    let of_span = |id| {
        let phrase = Phrase::new(id).arg("title", title);
        phrase.arg("first", &first.shown).arg("last", &last.shown)
    };
    // If several days share the maximum, the last one is named.
    match days.iter().max_by_key(|day| day.height(kind)) {
        Some(highest) if total > 0 => of_span(sentence)
            .arg("total", total)
            .arg("most", highest.height(kind))
            .arg("day", &highest.shown),
        _ => of_span("chart-nothing"),
    }
}

/// A number short enough to fit beside the scale.
fn short(number: i64) -> Phrase {
    match number {
        n if n >= 1_000_000_000 && n % 1_000_000_000 == 0 => {
            Phrase::verbatim(&format!("{}G", n / 1_000_000_000))
        }
        n if n >= 1_000_000 && n % 100_000 == 0 => with_tenth(n / 100_000, "M"),
        n if n >= 1_000 && n % 100 == 0 => with_tenth(n / 100, "k"),
        n => Phrase::verbatim(&n.to_string()),
    }
}

fn with_tenth(tenths: i64, unit: &str) -> Phrase {
    match tenths % 10 {
        0 => Phrase::verbatim(&format!("{}{unit}", tenths / 10)),
        tenth => {
            let whole = Phrase::new("chart-tenth").arg("whole", tenths / 10);
            whole.arg("tenth", tenth).arg("unit", unit)
        }
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

    fn chart(numbers: &[[i64; 2]]) -> Chart {
        chart_of(Kind::Stacked, numbers)
    }

    fn chart_of(kind: Kind, numbers: &[[i64; 2]]) -> Chart {
        let first: NaiveDate = "2026-02-27".parse().unwrap();
        let series = [("chart-injects", 1), ("chart-updates", 2)].map(|(title, colour)| Series {
            title: Phrase::new(title),
            about: Phrase::new("chart-injects-about"),
            colour,
            total: None,
        });
        let days = (0..).map(|n| first + Days::new(n)).zip(numbers);
        let days = days.map(|(day, numbers)| Day::new(day, *numbers));
        let title = Phrase::new("chart-calls");
        Chart::new(kind, title, "chart-in-words", series.into(), days.collect())
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
            assert_eq!(round(highest), top, "{highest}");
        }
        assert_eq!(round(i64::MAX), i64::MAX);
    }

    #[test]
    fn parts_are_as_high_as_their_numbers_and_stand_on_each_other() {
        let chart = chart(&[[5, 3], [0, 0], [0, 10], [1, 0]]);
        let parts = |n: usize| -> Vec<(u8, &str, &str)> {
            let parts = chart.columns[n].parts.iter();
            parts
                .map(|part| (part.colour, &*part.y, &*part.height))
                .collect()
        };
        assert_eq!(said(&chart.top), "10");
        assert_eq!(parts(0), [(1, "50.0", "50.0"), (2, "20.0", "30.0")]);
        assert_eq!(parts(1), []);
        assert_eq!(parts(2), [(2, "0.0", "100.0")]);
        assert_eq!(parts(3), [(1, "90.0", "10.0")]);
        assert_eq!(chart.columns[2].x, "525.0");
        assert_eq!(chart.columns[2].width, "200.0");
    }

    #[test]
    fn bars_stand_within_the_drawing() {
        let chart = chart(&[[99_999, 1], [0, 100_000], [7, 3]]);
        let number = |text: &str| text.parse::<f64>().unwrap();
        for column in &chart.columns {
            assert!(number(&column.x) >= 0.0);
            assert!(number(&column.x) + number(&column.width) <= WIDTH);
            for part in &column.parts {
                assert!(number(&part.y) >= 0.0 && number(&part.height) >= 0.0);
                assert!(number(&part.y) + number(&part.height) <= HEIGHT);
            }
        }
    }

    #[test]
    fn what_is_within_another_stands_in_front_of_it() {
        let chart = chart_of(Kind::Within, &[[20, 5], [10, 10]]);
        let parts = chart.columns[0].parts.iter();
        let parts: Vec<_> = parts.map(|part| (&*part.y, &*part.height)).collect();
        assert_eq!(said(&chart.top), "20");
        assert_eq!(parts, [("0.0", "100.0"), ("75.0", "25.0")]);
        assert!(said(&chart.words).contains("at most 20 on 27 Feb"));
    }

    #[test]
    fn the_least_number_is_still_seen_and_nothing_is_not() {
        let chart = chart(&[[100_000, 0], [1, 0], [-3, 0]]);
        assert_eq!(chart.columns[1].parts[0].height, "1.5");
        assert!(chart.columns[2].parts.is_empty());
    }

    #[test]
    fn the_words_tell_what_is_seen() {
        let some = chart(&[[1, 0], [3, 1], [2, 0]]);
        assert_eq!(
            said(&some.words),
            "Calls per day, 27 Feb to 1 Mar: 7 in all, at most 4 on 28 Feb"
        );
        assert_eq!(said(&some.columns[1].words), "28 Feb: Injects 3, Updates 1");
        let none = chart(&[[0, 0], [0, 0]]);
        assert_eq!(said(&none.words), "Calls per day, 27 Feb to 28 Feb: none");
        assert!(none.is_empty() && !some.is_empty());
        assert_eq!(said(&chart(&[]).words), "Calls: no days");
    }

    #[test]
    fn the_table_has_every_day() {
        let chart = chart(&[[1, 2], [0, 0]]);
        let rows: Vec<(&str, &[i64])> = chart
            .days
            .iter()
            .map(|d| (&*d.exact, &*d.numbers))
            .collect();
        assert_eq!(rows, [("2026-02-27", &[1, 2][..]), ("2026-02-28", &[0, 0])]);
        let ends = [chart.first_day(), chart.last_day()].map(|day| said(day.unwrap()));
        assert_eq!(ends, ["27 Feb", "28 Feb"]);
    }

    #[test]
    fn long_numbers_are_written_short() {
        let shorts = [0, 500, 1_000, 2_500, 200_000, 5_000_000, 2_000_000_000].map(short);
        assert_eq!(
            shorts.each_ref().map(said),
            ["0", "500", "1k", "2.5k", "200k", "5M", "2G"]
        );
        assert_eq!(shorts[3].plain(Language::German), "2,5k");
    }
}

//! What the server counts of itself, for operators.
//!
//! Every layer counts; only `http/metrics` knows under which name that is shown. A count is one or
//! two atomic additions without a lock, so it is always made, whether or not anybody asks
//! (decision 053 says what it costs).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often something happened.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn count(&self) {
        self.add(1);
    }

    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many there are now.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicU64);

impl Gauge {
    /// One more, until the value is dropped.
    pub(crate) fn enter(&self) -> Entered<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Entered(self)
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts in a [`Gauge`].
pub(crate) struct Entered<'l>(&'l Gauge);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How often values were of which size.
#[derive(Debug)]
pub(crate) struct Histogram {
    /// The largest value of each bucket but the last, which has all that is greater.
    bounds: &'static [u64],
    buckets: Box<[AtomicU64]>,
    sum: AtomicU64,
    /// How many of what is recorded make one of what is shown.
    unit: f64,
}

/// A histogram at one moment.
#[derive(Debug, PartialEq)]
pub(crate) struct Distribution {
    /// For each bound how many values are no greater.
    pub(crate) up_to: Vec<(f64, u64)>,
    pub(crate) count: u64,
    pub(crate) sum: f64,
}

const NANOS_PER_SECOND: f64 = 1e9;

impl Histogram {
    /// For durations, with these bounds in nanoseconds.
    pub(crate) fn of_durations(bounds: &'static [u64]) -> Self {
        Self::new(bounds, NANOS_PER_SECOND)
    }

    /// For numbers.
    pub(crate) fn of_numbers(bounds: &'static [u64]) -> Self {
        Self::new(bounds, 1.0)
    }

    fn new(bounds: &'static [u64], unit: f64) -> Self {
        Self {
            bounds,
            buckets: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(),
            sum: AtomicU64::new(0),
            unit,
        }
    }

    pub(crate) fn record(&self, value: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    pub(crate) fn record_duration(&self, took: Duration) {
        self.record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Records how long something took that began then.
    pub(crate) fn record_since(&self, began: Instant) {
        self.record_duration(began.elapsed());
    }

    /// What was recorded so far. Where values are recorded meanwhile, the sum may be ahead of the
    /// buckets or behind them by these.
    #[expect(clippy::cast_precision_loss, reason = "shown as a float anyway")]
    pub(crate) fn read(&self) -> Distribution {
        let mut count = 0;
        let mut up_to = Vec::with_capacity(self.bounds.len());
        for (at, bucket) in self.buckets.iter().enumerate() {
            count += bucket.load(Ordering::Relaxed);
            if let Some(bound) = self.bounds.get(at) {
                up_to.push((*bound as f64 / self.unit, count));
            }
        }
        Distribution {
            up_to,
            count,
            sum: self.sum.load(Ordering::Relaxed) as f64 / self.unit,
        }
    }
}

/// Counters by the variants of an enum without data.
///
/// ```ignore
/// labels! {
///     /// Why a request was refused.
///     pub(crate) enum Reason { NotFound = "not_found", RateLimit = "rate_limit" }
/// }
/// let reasons = Counters::<Reason>::default();
/// ```
#[derive(Debug)]
pub(crate) struct Counters<L: Label> {
    counters: Box<[Counter]>,
    of: std::marker::PhantomData<L>,
}

/// One of a few values that a figure is split by.
pub(crate) trait Label: Copy + 'static {
    /// All values.
    const ALL: &'static [Self];

    /// The place in `ALL`.
    fn place(self) -> usize;

    /// How it is shown.
    fn name(self) -> &'static str;
}

impl<L: Label> Default for Counters<L> {
    fn default() -> Self {
        Self {
            counters: L::ALL.iter().map(|_| Counter::default()).collect(),
            of: std::marker::PhantomData,
        }
    }
}

impl<L: Label> Counters<L> {
    pub(crate) fn count(&self, label: L) {
        self.add(label, 1);
    }

    pub(crate) fn add(&self, label: L, more: u64) {
        self.counters[label.place()].add(more);
    }

    pub(crate) fn get(&self, label: L) -> u64 {
        self.counters[label.place()].get()
    }

    /// Each value with its count.
    pub(crate) fn read(&self) -> impl Iterator<Item = (L, u64)> {
        let counts = self.counters.iter().map(Counter::get);
        L::ALL.iter().copied().zip(counts)
    }
}

/// Defines an enum whose variants are [`Label`]s.
macro_rules! labels {
    (
        $(#[$of_enum:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$of_variant:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$of_enum])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $name {
            $($(#[$of_variant])* $variant,)+
        }

        impl $crate::figures::Label for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn place(self) -> usize {
                self as usize
            }

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

pub(crate) use labels;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_in_the_bucket_of_the_least_bound_that_is_not_smaller() {
        let histogram = Histogram::of_numbers(&[1, 10]);
        for value in [0, 1, 2, 10, 11, 1_000] {
            histogram.record(value);
        }
        let expected = Distribution {
            up_to: vec![(1.0, 2), (10.0, 4)],
            count: 6,
            sum: 1_024.0,
        };
        assert_eq!(histogram.read(), expected);
    }

    #[test]
    fn durations_are_shown_in_seconds() {
        let histogram = Histogram::of_durations(&[100_000, 2_500_000_000]);
        histogram.record_duration(Duration::from_micros(100));
        histogram.record_duration(Duration::from_millis(2_400));
        let expected = Distribution {
            up_to: vec![(0.0001, 1), (2.5, 2)],
            count: 2,
            sum: 2.4001,
        };
        assert_eq!(histogram.read(), expected);
    }

    #[test]
    fn a_gauge_falls_when_what_entered_is_dropped() {
        let gauge = Gauge::default();
        let first = gauge.enter();
        let second = gauge.enter();
        assert_eq!(gauge.get(), 2);
        drop(first);
        drop(second);
        assert_eq!(gauge.get(), 0);
    }

    #[test]
    fn each_label_has_a_counter_of_its_own() {
        labels! {
            enum Fruit {
                Apple = "apple",
                Pear = "pear",
            }
        }
        let counters = Counters::<Fruit>::default();
        counters.count(Fruit::Pear);
        counters.add(Fruit::Pear, 2);
        let read: Vec<_> = counters
            .read()
            .map(|(label, n)| (label.name(), n))
            .collect();
        assert_eq!(read, [("apple", 0), ("pear", 3)]);
    }
}

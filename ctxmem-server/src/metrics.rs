//! Declares metrics, on top of the `prometheus` crate.
//!
//! Each layer declares and records its own in its module `metrics`. They have a registry of their
//! own, because tests run several servers in one process; `http/api/metrics` serves all of them. What
//! requests record is resolved once and not looked up by labels (decision 053 has the cost).

use std::marker::PhantomData;
use std::sync::OnceLock;

use prometheus::core::Collector;
use prometheus::{
    CounterVec, GaugeVec, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec,
    IntGauge, IntGaugeVec, Registry,
};

/// A metric that [`metrics!`] can declare.
pub(crate) trait Declare: Sized {
    fn declare(registry: &Registry, options: HistogramOpts, labels: &[&str]) -> Self;
}

macro_rules! declare {
    ($($metric:ty: |$options:ident, $labels:ident| $new:expr;)+) => {$(
        impl Declare for $metric {
            fn declare(registry: &Registry, $options: HistogramOpts, $labels: &[&str]) -> Self {
                register(registry, $new)
            }
        }
    )+};
}

declare! {
    CounterVec: |options, labels| Self::new(options.common_opts, labels);
    GaugeVec: |options, labels| Self::new(options.common_opts, labels);
    Histogram: |options, _labels| Self::with_opts(options);
    HistogramVec: |options, labels| Self::new(options, labels);
    IntCounter: |options, _labels| Self::with_opts(options.common_opts);
    IntCounterVec: |options, labels| Self::new(options.common_opts, labels);
    IntGauge: |options, _labels| Self::with_opts(options.common_opts);
    IntGaugeVec: |options, labels| Self::new(options.common_opts, labels);
}

#[expect(
    clippy::expect_used,
    reason = "names, labels and buckets are constants that tests declare"
)]
fn register<C: Collector + Clone + 'static>(
    registry: &Registry,
    metric: prometheus::Result<C>,
) -> C {
    let metric = metric.expect("valid names, labels and buckets");
    let registered = registry.register(Box::new(metric.clone()));
    registered.expect("a name that no other metric has");
    metric
}

/// The doc comment of a metric is its help text.
pub(crate) fn options(name: &str, doc: &str, buckets: &[&[f64]]) -> HistogramOpts {
    HistogramOpts::new(name, doc.trim()).buckets(buckets.concat())
}

/// Defines a struct of metrics in a registry of their own. Each has a help text, a name, the names
/// of its labels, and a histogram the upper bounds of its buckets. The tests below have an example.
macro_rules! metrics {
    (
        $(#[$of_struct:meta])*
        $visibility:vis struct $name:ident {$(
            $(#[doc = $help:literal])+
            $of_field:vis $field:ident: $metric:ty = $metric_name:literal
                $([$($label:literal),+])? $(in $buckets:ident)?;
        )+}
    ) => {
        $(#[$of_struct])*
        $visibility struct $name {
            registry: prometheus::Registry,
            $($(#[doc = $help])+ $of_field $field: $metric,)+
        }

        impl Default for $name {
            fn default() -> Self {
                let registry = prometheus::Registry::new();
                Self {
                    $($field: $crate::metrics::Declare::declare(
                        &registry,
                        $crate::metrics::options(
                            $metric_name,
                            concat!($($help),+),
                            &[$($buckets)?],
                        ),
                        &[$($($label),+)?],
                    ),)+
                    registry,
                }
            }
        }

        impl $name {
            /// The current values.
            pub(crate) fn gather(&self) -> Vec<prometheus::proto::MetricFamily> {
                self.registry.gather()
            }
        }
    };
}

pub(crate) use metrics;

/// A label whose values are the variants of an enum.
pub(crate) trait Label: Copy + 'static {
    /// The values as Prometheus has them, in the order of the variants.
    const VALUES: &'static [&'static str];

    /// The place of a variant in [`VALUES`](Self::VALUES).
    fn index(self) -> usize;
}

/// Defines an enum whose variants are the values of a [`Label`].
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

        impl $crate::metrics::Label for $name {
            const VALUES: &'static [&'static str] = &[$($text),+];

            fn index(self) -> usize {
                self as usize
            }
        }
    };
}

pub(crate) use labels;

/// A counter for each value of a label. All exist from the start, so that the first event is an
/// increase.
pub(crate) struct Counters<L>(Box<[IntCounter]>, PhantomData<L>);

impl<L: Label> Counters<L> {
    pub(crate) fn of(&self, value: L) -> &IntCounter {
        &self.0[value.index()]
    }
}

impl<L: Label> Declare for Counters<L> {
    fn declare(registry: &Registry, options: HistogramOpts, labels: &[&str]) -> Self {
        let counters = IntCounterVec::declare(registry, options, labels);
        let by_value = L::VALUES.iter().map(|it| counters.with_label_values(&[it]));
        Self(by_value.collect(), PhantomData)
    }
}

/// A histogram for each value of a label, which exists once it is asked for: not every server has
/// all of them.
pub(crate) struct Histograms<L> {
    all: HistogramVec,
    by_value: Box<[OnceLock<Histogram>]>,
    label: PhantomData<L>,
}

impl<L: Label> Histograms<L> {
    pub(crate) fn of(&self, value: L) -> &Histogram {
        let label = L::VALUES[value.index()];
        self.by_value[value.index()].get_or_init(|| self.all.with_label_values(&[label]))
    }
}

impl<L: Label> Declare for Histograms<L> {
    fn declare(registry: &Registry, options: HistogramOpts, labels: &[&str]) -> Self {
        Self {
            all: HistogramVec::declare(registry, options, labels),
            by_value: L::VALUES.iter().map(|_| OnceLock::new()).collect(),
            label: PhantomData,
        }
    }
}

/// Sets a gauge with these labels.
pub(crate) fn set<const N: usize>(
    gauges: &IntGaugeVec,
    labels: [&str; N],
    value: impl TryInto<i64>,
) {
    let value = value.try_into().unwrap_or(i64::MAX);
    gauges.with_label_values(&labels).set(value);
}

#[cfg(test)]
mod tests {
    use prometheus::TextEncoder;

    use super::*;

    labels! {
        enum Fruit {
            Apple = "apple",
            Pear = "pear",
        }
    }

    const WEIGHTS: &[f64] = &[0.25, 1.0];

    metrics! {
        struct FruitMetrics {
            /// Fruits that
            /// were eaten.
            eaten: Counters<Fruit> = "fruits_eaten_total" ["fruit"];
            /// What fruits weigh.
            weights: Histograms<Fruit> = "fruit_weight_kilograms" ["fruit"] in WEIGHTS;
            /// How many there are.
            stock: IntGaugeVec = "fruits_in_stock";
        }
    }

    #[test]
    fn counters_are_there_from_the_start_and_other_metrics_once_they_are_known() {
        let metrics = FruitMetrics::default();
        let text = || {
            let text = TextEncoder::new().encode_to_string(&metrics.gather());
            text.unwrap()
        };
        let counters = "# HELP fruits_eaten_total Fruits that were eaten.\n\
                        # TYPE fruits_eaten_total counter\n\
                        fruits_eaten_total{fruit=\"apple\"} 0\n\
                        fruits_eaten_total{fruit=\"pear\"} 0\n";
        assert_eq!(text(), counters);
        metrics.eaten.of(Fruit::Pear).inc_by(3);
        metrics.weights.of(Fruit::Apple).observe(0.25);
        metrics.weights.of(Fruit::Apple).observe(2.0);
        set(&metrics.stock, [], 5_u64);
        let text = text();
        for line in [
            "fruits_eaten_total{fruit=\"pear\"} 3\n",
            "fruit_weight_kilograms_bucket{fruit=\"apple\",le=\"0.25\"} 1\n",
            "fruit_weight_kilograms_bucket{fruit=\"apple\",le=\"1\"} 1\n",
            "fruit_weight_kilograms_bucket{fruit=\"apple\",le=\"+Inf\"} 2\n",
            "fruit_weight_kilograms_sum{fruit=\"apple\"} 2.25\n",
            "fruits_in_stock 5\n",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(!text.contains("{fruit=\"pear\",le"), "{text}");
    }
}

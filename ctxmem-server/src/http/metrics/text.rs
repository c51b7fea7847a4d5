//! Prometheus' text format.

use std::fmt::{Display, Write as _};

use super::list::Metric;
use crate::figures::Histogram;

/// A page of metrics.
#[derive(Default)]
pub(super) struct Page {
    text: String,
}

/// A metric on the page, to which values are added.
pub(super) struct Values<'p> {
    text: &'p mut String,
    metric: &'static Metric,
}

impl Page {
    /// Begins a metric. Each is begun once.
    pub(super) fn metric(&mut self, metric: &'static Metric) -> Values<'_> {
        let Metric {
            name, kind, help, ..
        } = metric;
        let kind = kind.name();
        // Writing to a string can't fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Values {
            text: &mut self.text,
            metric,
        }
    }

    /// Adds a metric without labels.
    pub(super) fn value(&mut self, metric: &'static Metric, value: impl Display) {
        self.metric(metric).value([], value);
    }

    /// Adds a metric without labels, if there is a value.
    pub(super) fn known(&mut self, metric: &'static Metric, value: Option<impl Display>) {
        if let Some(value) = value {
            self.value(metric, value);
        }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

impl Values<'_> {
    /// Adds a value, with the values of the metric's labels in their order.
    pub(super) fn value<const N: usize>(&mut self, labels: [&str; N], value: impl Display) {
        self.line("", &labels, None, value);
    }

    /// Adds a histogram.
    pub(super) fn histogram<const N: usize>(&mut self, labels: [&str; N], histogram: &Histogram) {
        let read = histogram.read();
        for (bound, count) in read.up_to {
            self.line("_bucket", &labels, Some(&bound), count);
        }
        self.line("_bucket", &labels, Some(&"+Inf"), read.count);
        self.line("_sum", &labels, None, read.sum);
        self.line("_count", &labels, None, read.count);
    }

    fn line(
        &mut self,
        suffix: &str,
        labels: &[&str],
        bound: Option<&dyn Display>,
        value: impl Display,
    ) {
        debug_assert_eq!(labels.len(), self.metric.labels.len());
        let _ = write!(self.text, "{}{suffix}", self.metric.name);
        let mut before = '{';
        for (name, value) in self.metric.labels.iter().zip(labels) {
            // No value has a character that would have to be escaped: see the tests.
            let _ = write!(self.text, "{before}{name}=\"{value}\"");
            before = ',';
        }
        if let Some(bound) = bound {
            let _ = write!(self.text, "{before}le=\"{bound}\"");
            before = ',';
        }
        if before == ',' {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::{IN_FLIGHT, MODEL_DURATION, UPDATES};
    use super::*;

    #[test]
    fn a_page_is_written_as_prometheus_reads_it() {
        let mut page = Page::default();
        page.value(IN_FLIGHT, 3);
        let mut updates = page.metric(UPDATES);
        updates.value(["stored"], 2);
        updates.value(["filtered"], 0);
        let histogram = Histogram::of_durations(&[1_000_000, 2_500_000_000]);
        histogram.record(1_000_000);
        histogram.record(3_000_000_000);
        page.metric(MODEL_DURATION).histogram([], &histogram);
        let expected = "\
# HELP ctxmem_requests_in_flight Requests that are not answered yet.
# TYPE ctxmem_requests_in_flight gauge
ctxmem_requests_in_flight 3
# HELP ctxmem_updates_total Updates by what came of them.
# TYPE ctxmem_updates_total counter
ctxmem_updates_total{outcome=\"stored\"} 2
ctxmem_updates_total{outcome=\"filtered\"} 0
# HELP ctxmem_model_request_duration_seconds How long requests to the model took. Only with a model.
# TYPE ctxmem_model_request_duration_seconds histogram
ctxmem_model_request_duration_seconds_bucket{le=\"0.001\"} 1
ctxmem_model_request_duration_seconds_bucket{le=\"2.5\"} 1
ctxmem_model_request_duration_seconds_bucket{le=\"+Inf\"} 2
ctxmem_model_request_duration_seconds_sum 3.001
ctxmem_model_request_duration_seconds_count 2
";
        assert_eq!(page.into_text(), expected);
    }
}

//! A scrape of a server's `/metrics`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::process::{Home, ServerProcess};

/// The flag that every server here is started with.
pub(crate) const LISTEN: &str = "--metrics-listen 127.0.0.1:0";

/// How long something that happens by itself may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// The metrics of a server at one moment.
pub(crate) struct Scrape {
    pub(crate) text: String,
    /// By name and labels, as they are written.
    series: BTreeMap<String, f64>,
}

impl Scrape {
    pub(crate) async fn of(serving: &ServerProcess) -> Self {
        let asked = reqwest::get(metrics_url(serving)).await.unwrap();
        assert_eq!(asked.status(), 200);
        let kind = asked.headers()["content-type"].to_str().unwrap();
        assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
        let text = asked.text().await.unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let series = lines.map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        });
        let series: BTreeMap<String, f64> = series.collect();
        Self { text, series }
    }

    /// The first that is as a test expects.
    pub(crate) async fn once(serving: &ServerProcess, is_so: impl Fn(&Self) -> bool) -> Self {
        let began = Instant::now();
        loop {
            let scrape = Self::of(serving).await;
            if is_so(&scrape) {
                return scrape;
            }
            assert!(began.elapsed() < PATIENCE, "{}", scrape.text);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The value of a series; 0 where it is not there yet.
    pub(crate) fn value(&self, series: &str) -> f64 {
        self.series.get(series).copied().unwrap_or(0.0)
    }

    /// The value of a series that must be there.
    pub(crate) fn known(&self, series: &str) -> f64 {
        let found = self.series.get(series).copied();
        found.unwrap_or_else(|| panic!("{series} is missing: {}", self.text))
    }

    /// The names with labels of all series.
    pub(crate) fn series(&self) -> BTreeSet<String> {
        self.series.keys().cloned().collect()
    }

    /// The names of all metrics.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let helps = self.text.lines();
        let helps = helps.filter_map(|line| line.strip_prefix("# HELP "));
        helps
            .map(|help| help.split(' ').next().unwrap().to_owned())
            .collect()
    }
}

pub(crate) fn metrics_url(serving: &ServerProcess) -> &str {
    serving.announced["metrics_url"].as_str().unwrap()
}

/// A server with metrics and these flags.
pub(crate) async fn serve(home: &Home, flags: &str) -> ServerProcess {
    home.serve(&format!("{LISTEN} {flags}")).await
}

//! The operator's page, on the listener of the metrics: what is running, whether it is well, how much it holds, and
//! the settings in force. It is for one person who reads English already, so its words are in the template.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use askama::Template;
use chrono::{DateTime, SecondsFormat, Utc};
use http::StatusCode;
use prometheus::proto::MetricFamily;
use warp::filters::BoxedFilter;
use warp::reply::Response;
use warp::{Filter as _, path};

use super::assets::{FAVICON, STYLE};
use crate::core::Core;
use crate::http::engine::reply;

/// The families of metrics that it shows.
const STARTED: &str = "process_start_time_seconds";
const ROWS: &str = "ctxmem_stored_rows";
const COUNTED: &str = "ctxmem_stored_rows_counted_timestamp_seconds";
const ERASURES: &str = "ctxmem_erasures_total";

/// A setting and where its value is from.
#[derive(Clone, Debug)]
pub struct SettingInForce {
    /// As it is called in a configuration file.
    pub name: String,
    /// For people; a secret is not shown.
    pub value: String,
    /// A flag, the environment, a file or the default.
    pub from: String,
}

#[derive(Template)]
#[template(path = "operator.html")]
struct OperatorPage<'a> {
    version: &'static str,
    started: String,
    running: String,
    health: Vec<(String, String)>,
    rows: Vec<(String, u64)>,
    counted: String,
    erasures: Vec<(String, u64)>,
    backup: String,
    settings: &'a [SettingInForce],
}

/// Answers the page and what it loads.
pub(crate) fn routes(
    core: Arc<Core>,
    gather: impl Fn() -> Vec<MetricFamily> + Clone + Send + Sync + 'static,
    settings: Vec<SettingInForce>,
) -> BoxedFilter<(Response,)> {
    let settings: Arc<[SettingInForce]> = settings.into();
    let page = path::end().then(move || {
        let (core, families, settings) = (Arc::clone(&core), gather(), Arc::clone(&settings));
        async move { show(&core, &families, &settings).await }
    });
    let style = warp::path!("style.css").map(|| STYLE.alone());
    let icon = warp::path!("favicon.svg").map(|| FAVICON.alone());
    // One type: that of one filter within the other takes seconds to compile.
    let page = page.boxed().or(style.boxed()).unify().boxed();
    page.or(icon.boxed()).unify().boxed()
}

async fn show(core: &Core, families: &[MetricFamily], settings: &[SettingInForce]) -> Response {
    let health = core.operator.health().await;
    let started = value(families, STARTED).unwrap_or_default();
    let backup = match core.operator.last_backup().await {
        Ok(Some(at)) => format!("{} ({})", instant(at), ago(at)),
        Ok(None) => "none that is known here".to_owned(),
        Err(_) => "the database did not say".to_owned(),
    };
    let page = OperatorPage {
        version: env!("CTXMEM_VERSION"),
        started: instant(started),
        running: ago(started),
        health: health.checks.unwrap_or_default().into_iter().collect(),
        rows: labelled(families, ROWS),
        counted: value(families, COUNTED).map(ago).unwrap_or_default(),
        erasures: labelled(families, ERASURES),
        backup,
        settings,
    };
    match page.render() {
        Ok(page) => reply::html(StatusCode::OK, page),
        Err(error) => {
            tracing::error!(%error, "the operator's page could not be written");
            reply::html(StatusCode::INTERNAL_SERVER_ERROR, String::new())
        }
    }
}

/// The value of a metric that has no labels.
fn value(families: &[MetricFamily], name: &str) -> Option<f64> {
    let family = families.iter().find(|family| family.name() == name)?;
    Some(family.get_metric().first()?.get_gauge().get_value())
}

/// The values of a metric with one label, as "audit entries".
fn labelled(families: &[MetricFamily], name: &str) -> Vec<(String, u64)> {
    let found = families.iter().find(|family| family.name() == name);
    let metrics = found.into_iter().flat_map(MetricFamily::get_metric);
    let values = metrics.filter_map(|metric| {
        let label = metric.get_label().first()?.value().replace('_', " ");
        let count = metric.get_gauge().get_value() + metric.get_counter().get_value();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts of rows and of calls are whole and small"
        )]
        Some((label, count as u64))
    });
    values.collect()
}

/// An instant in seconds since 1970.
fn instant(seconds: f64) -> String {
    let at = UNIX_EPOCH + Duration::from_secs_f64(seconds.max(0.0));
    let at = DateTime::<Utc>::from(at);
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// How long ago that was: "3 days ago".
fn ago(seconds: f64) -> String {
    let then = UNIX_EPOCH + Duration::from_secs_f64(seconds.max(0.0));
    let since = SystemTime::now().duration_since(then).unwrap_or_default();
    let minutes = since.as_secs() / 60;
    let (count, unit) = match minutes {
        0..60 => (minutes, "minute"),
        60..1_440 => (minutes / 60, "hour"),
        _ => (minutes / 1_440, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_ago_is_said_in_the_largest_unit() {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs_f64();
        for (seconds, said) in [
            (5.0, "0 minutes ago"),
            (70.0, "1 minute ago"),
            (7_300.0, "2 hours ago"),
            (200_000.0, "2 days ago"),
        ] {
            assert_eq!(ago(now - seconds), said);
        }
        assert_eq!(instant(0.0), "1970-01-01T00:00:00Z");
    }
}

//! The metrics are documented, and the files in `deploy/` name no others.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use http::StatusCode;
use prometheus::proto::{MetricFamily, MetricType};
use serde_json::Value;

use super::Page;
use crate::extract::ModelConfig;
use crate::{App, Config, ExtractorConfig};

/// All metrics, as a server on SQLite with a model has them after a request.
static METRICS: LazyLock<Vec<MetricFamily>> = LazyLock::new(|| {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite://{}", folder.path().join("test.db").display());
        let url = "http://localhost".parse().unwrap();
        let mut config = Config::new(database, url);
        let model = "http://localhost:1/v1".parse().unwrap();
        let model = ModelConfig::new(model, "model", Duration::from_secs(1));
        config.extractor = ExtractorConfig::Model(Box::new(model));
        let state = App::open(config).await.unwrap().state;
        state.core.record_rows().await.unwrap();
        let took = Duration::ZERO;
        state
            .metrics
            .record_answer(None, StatusCode::OK, None, took);
        Page::new(Arc::clone(&state)).gather()
    })
});

/// The names of a metric's labels.
fn labels(metric: &MetricFamily) -> impl Iterator<Item = &str> {
    let labels = metric.get_metric()[0].get_label();
    labels.iter().map(prometheus::proto::LabelPair::name)
}

/// A file of the repository.
fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn each_metric_is_of_one_layer() {
    let names: HashSet<&str> = METRICS.iter().map(MetricFamily::name).collect();
    assert_eq!(names.len(), METRICS.len());
}

#[test]
fn the_document_lists_every_metric() {
    let mut expected = String::from("| name | kind | labels | what it says |\n|---|---|---|---|\n");
    for metric in METRICS.iter() {
        let labels: Vec<String> = labels(metric).map(|it| format!("`{it}`")).collect();
        let kind = format!("{:?}", metric.get_field_type()).to_lowercase();
        let _ = writeln!(
            expected,
            "| `{}` | {kind} | {} | {} |",
            metric.name(),
            labels.join(", "),
            metric.help()
        );
    }
    assert!(
        file("docs/metrics.md").contains(&format!("\n{expected}\n")),
        "docs/metrics.md should have:\n\n{expected}"
    );
}

#[test]
fn the_document_lists_every_label_and_its_values() {
    let document = file("docs/metrics.md");
    let (_, table) = document
        .split_once("| label | values |\n|---|---|\n")
        .unwrap();
    let rows = table.lines().map(|row| {
        let row = row.strip_prefix("| `").unwrap();
        row.split_once("` | ").unwrap()
    });
    let documented: BTreeMap<&str, &str> = rows.collect();
    let used: BTreeSet<&str> = METRICS.iter().flat_map(labels).collect();
    assert!(documented.keys().eq(&used), "{used:?}");
    for metric in METRICS.iter().flat_map(MetricFamily::get_metric) {
        for label in metric.get_label() {
            let (name, value) = (label.name(), label.value());
            // These change with each build.
            let is_free = ["version", "commit"].contains(&name);
            let is_said = documented[name].contains(&format!("`{value}`"));
            assert!(is_free || is_said, "{name}: {value}");
        }
    }
}

/// The metric that an expression means by this name, which may be that of a part of a histogram.
fn metric(name: &str) -> Option<&'static MetricFamily> {
    let found = |name: &str| METRICS.iter().find(|metric| metric.name() == name);
    let is_histogram = |it: &MetricFamily| it.get_field_type() == MetricType::HISTOGRAM;
    let part = |suffix| {
        let metric = found(name.strip_suffix(suffix)?)?;
        is_histogram(metric).then_some(metric)
    };
    match found(name) {
        // A histogram has no value of its own.
        Some(metric) => (!is_histogram(metric)).then_some(metric),
        None => ["_bucket", "_sum", "_count"].into_iter().find_map(part),
    }
}

/// What Prometheus itself adds, and what a bucket has.
const ADDED: [&str; 3] = ["job", "instance", "le"];

/// The words of an expression, and the signs between them.
fn tokens(expression: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = expression.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || "_:$".contains(c);
        let length = if first == '"' {
            rest[1..].find('"').unwrap() + 2
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind.trim_start();
    }
    tokens
}

/// What is wrong in an expression, and the labels that its metrics have.
fn check(expression: &str) -> Result<HashSet<&'static str>, String> {
    let tokens = tokens(expression);
    let mut known: HashSet<&str> = ADDED.into();
    let mut named = 0;
    for (at, token) in tokens.iter().enumerate() {
        if *token == "up" {
            named += 1;
        }
        if !token.starts_with("ctxmem_") && !token.starts_with("process_") {
            continue;
        }
        let metric = metric(token).ok_or_else(|| format!("there is no {token}"))?;
        named += 1;
        known.extend(labels(metric));
        if tokens.get(at + 1) != Some(&"{") {
            continue;
        }
        let selector = tokens[at + 2..].split(|token| *token == "}").next();
        for pair in selector.unwrap().split(|token| *token == ",") {
            let label = pair[0];
            if !labels(metric).chain(ADDED).any(|it| it == label) {
                return Err(format!("{token} has no label {label}"));
            }
        }
    }
    if named == 0 {
        return Err("it names no metric".to_owned());
    }
    for (at, token) in tokens.iter().enumerate() {
        if ["by", "on", "ignoring", "without"].contains(token) {
            let list = tokens[at + 2..].split(|token| *token == ")").next();
            for label in list.unwrap().iter().filter(|token| **token != ",") {
                if !known.contains(label) {
                    return Err(format!("no metric here has a label {label}"));
                }
            }
        }
    }
    Ok(known)
}

/// The names behind `before` up to the next character that is none of a name.
fn names_behind<'t>(text: &'t str, before: &str) -> Vec<&'t str> {
    let parts = text.split(before).skip(1);
    parts
        .map(str::trim_start)
        .map(|rest| {
            rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap()
        })
        .collect()
}

fn checked(expression: &str, of: &str) -> HashSet<&'static str> {
    check(expression).unwrap_or_else(|wrong| panic!("{of}: {wrong}: {expression}"))
}

#[test]
fn a_wrong_name_in_an_expression_is_found() {
    for good in [
        "rate(ctxmem_requests_total{status=\"500\", instance=~\"$instance\"}[5m])",
        "sum by (route, le) (rate(ctxmem_request_duration_seconds_bucket[5m])) > 1",
        "up{job=\"ctxmem\"} == 0",
    ] {
        assert!(check(good).is_ok(), "{good}: {:?}", check(good));
    }
    for bad in [
        "ctxmem_request_total",
        "ctxmem_requests_total_count",
        "ctxmem_request_duration_seconds",
        "ctxmem_requests_total{code=\"500\"}",
        "ctxmem_requests_total{status=\"500\",code=\"500\"}",
        "sum by (instance, status) (ctxmem_requests_in_flight)",
        "vector(1)",
    ] {
        assert!(check(bad).is_err(), "{bad}");
    }
}

#[test]
fn alerts_name_only_metrics_and_labels_that_exist() {
    let alerts = file("deploy/alerts.yml");
    let rules: Vec<&str> = alerts.split("- alert: ").skip(1).collect();
    assert!(rules.len() > 15);
    for rule in rules {
        let name = rule.lines().next().unwrap();
        let (_, expression) = rule.split_once("expr: ").unwrap();
        let end = ["\n        for: ", "\n        labels:"].map(|key| expression.find(key));
        let end = end.into_iter().flatten().min().unwrap();
        let expression = expression[..end].trim_start_matches('|');
        let labels = checked(expression, name);
        for label in names_behind(rule, "$labels.") {
            assert!(labels.contains(label), "{name}: no label {label}");
            // What is summed over is gone.
            let kept = !expression.contains("by (")
                || expression
                    .split("by (")
                    .skip(1)
                    .all(|list| list.split(')').next().unwrap().contains(label));
            assert!(kept, "{name}: {label} is summed over");
        }
    }
}

/// Every value under one of these keys, at any depth.
fn values_of<'v>(value: &'v Value, keys: &[&str], found: &mut Vec<(&'v Value, &'v str)>) {
    match value {
        Value::Array(values) => values.iter().for_each(|it| values_of(it, keys, found)),
        Value::Object(fields) => {
            for (key, inner) in fields {
                match inner.as_str() {
                    Some(text) if keys.contains(&key.as_str()) => found.push((value, text)),
                    _ => values_of(inner, keys, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_dashboard_names_only_metrics_and_labels_that_exist_and_leaves_out_none() {
    let dashboard = file("deploy/grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let mut expressions = Vec::new();
    values_of(&dashboard, &["expr", "definition"], &mut expressions);
    assert!(expressions.len() > 40);
    for (target, expression) in &expressions {
        let labels = checked(expression, "the dashboard");
        let legend = target["legendFormat"].as_str().unwrap_or_default();
        for label in names_behind(legend, "{{") {
            assert!(labels.contains(label), "{expression} has no {label}");
        }
    }
    // When the rows were counted is for an alert alone.
    let is_shown = |name: &&str| expressions.iter().any(|(_, text)| text.contains(*name));
    let names = METRICS.iter().map(MetricFamily::name);
    let left_out: Vec<&str> = names.filter(|name| !is_shown(name)).collect();
    assert_eq!(left_out, ["ctxmem_stored_rows_counted_timestamp_seconds"]);
}

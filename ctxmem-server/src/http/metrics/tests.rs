//! The list of metrics keeps Prometheus' conventions, and what is made from it names nothing else.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::list::{Kind, LABELS, METRICS, Metric};
use crate::http::ROUTES;

/// A file of the repository.
fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn names_keep_the_conventions_and_helps_are_one_sentence_or_more() {
    let mut names = HashSet::new();
    for metric in METRICS {
        let name = metric.name;
        assert!(names.insert(name), "{name} is there twice");
        let own = name.starts_with("ctxmem_") || name.starts_with("process_");
        assert!(own, "{name}");
        let is_counter = metric.kind == Kind::Counter;
        assert_eq!(name.ends_with("_total"), is_counter, "{name}");
        for reserved in ["_bucket", "_sum", "_count"] {
            assert!(!name.ends_with(reserved), "{name}");
        }
        assert!(!metric.labels.contains(&"le"), "{name}");
        assert!(metric.help.ends_with('.'), "{name}");
        assert!(!metric.help.contains(['\n', '\\']), "{name}");
    }
}

#[test]
fn the_meaning_of_every_label_is_said_once() {
    let mut described: Vec<&str> = LABELS.iter().map(|(label, _)| *label).collect();
    let mut used: Vec<&str> = METRICS
        .iter()
        .flat_map(|metric| metric.labels)
        .copied()
        .collect();
    described.sort_unstable();
    used.sort_unstable();
    used.dedup();
    assert_eq!(described, used);
}

#[test]
fn no_value_of_a_label_has_to_be_escaped() {
    for route in ROUTES {
        for text in [route.method(), route.template()] {
            assert!(!text.contains(['"', '\\', '\n']), "{text}");
        }
    }
    assert!(!env!("CTXMEM_VERSION").contains(['"', '\\', '\n']));
}

#[test]
fn every_value_of_a_label_is_documented() {
    use crate::core::{ErasureResult, ModelResult, UpdateResult};
    use crate::figures::Label;
    use crate::http::figures::{FailureReason, RefusalReason};

    fn names<L: Label>() -> Vec<&'static str> {
        L::ALL.iter().map(|label| label.name()).collect()
    }
    for (label, names) in [
        ("reason", names::<RefusalReason>()),
        ("cause", names::<FailureReason>()),
        ("outcome", names::<UpdateResult>()),
        ("result", names::<ErasureResult>()),
        ("result", names::<ModelResult>()),
    ] {
        let (_, meaning) = LABELS.iter().find(|(known, _)| *known == label).unwrap();
        for name in names {
            assert!(meaning.contains(&format!("`{name}`")), "{label}: {name}");
        }
    }
}

#[test]
fn the_document_lists_every_metric_and_label() {
    let mut expected = String::from("| name | kind | labels | what it says |\n|---|---|---|---|\n");
    for metric in METRICS {
        let labels: Vec<String> = metric.labels.iter().map(|it| format!("`{it}`")).collect();
        let (name, kind, help) = (metric.name, metric.kind.name(), metric.help);
        let _ = writeln!(
            expected,
            "| `{name}` | {kind} | {} | {help} |",
            labels.join(", ")
        );
    }
    expected.push_str("\n| label | values |\n|---|---|\n");
    for (label, meaning) in LABELS {
        let _ = writeln!(expected, "| `{label}` | {meaning} |");
    }
    let found = file("docs/metrics.md");
    assert!(
        found.ends_with(&expected),
        "docs/metrics.md should end with:\n\n{expected}"
    );
}

/// The metric that an expression means by this name, which may be that of a part of a histogram.
fn metric(name: &str) -> Option<&'static Metric> {
    let found = |name: &str| METRICS.iter().copied().find(|metric| metric.name == name);
    let part = |suffix| {
        let metric = found(name.strip_suffix(suffix)?)?;
        (metric.kind == Kind::Histogram).then_some(metric)
    };
    match found(name) {
        // A histogram has no value of its own.
        Some(metric) => (metric.kind != Kind::Histogram).then_some(metric),
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
    let mut labels: HashSet<&str> = ADDED.into();
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
        labels.extend(metric.labels);
        if tokens.get(at + 1) != Some(&"{") {
            continue;
        }
        let selector = tokens[at + 2..].split(|token| *token == "}").next();
        for pair in selector.unwrap().split(|token| *token == ",") {
            let label = pair[0];
            if !metric.labels.contains(&label) && !ADDED.contains(&label) {
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
                if !labels.contains(label) {
                    return Err(format!("no metric here has a label {label}"));
                }
            }
        }
    }
    Ok(labels)
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
    let shown = |metric: &&&Metric| {
        let name = metric.name;
        expressions.iter().any(|(_, text)| text.contains(name))
    };
    let left_out: Vec<&str> = METRICS
        .iter()
        .filter(|metric| !shown(metric))
        .map(|metric| metric.name)
        .collect();
    assert_eq!(left_out, ["ctxmem_stored_rows_counted_timestamp_seconds"]);
}

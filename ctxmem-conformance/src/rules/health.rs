//! `GET /api/health`.

use serde_json::Value;

use super::{is_utc, rules, shape};
use crate::rule::{Finding, Verdict};
use crate::run::Run;

rules! {
    "health.open" "Health is answered without authentication" => open();
    "health.status" "`status` is `ok`" => status();
    "health.checks" "`checks` tells the state of each dependency by name" => checks();
    "health.timestamp" "`timestamp` is an ISO 8601 instant in UTC" => timestamp();
}

const OLDER: &str = "{ok: true}";

async fn open(run: &Run) -> Finding {
    let health = run.health().await?;
    Verdict::of(health.is_success(), "a success", health)
}

async fn status(run: &Run) -> Finding {
    let health = run.health().await?;
    if health.field("ok") == Some(&Value::Bool(true)) && health.field("status").is_none() {
        return Ok(Verdict::variant(OLDER));
    }
    Verdict::of(
        health.text("status") == Some("ok"),
        "status: \"ok\"",
        health,
    )
}

async fn checks(run: &Run) -> Finding {
    let health = run.health().await?;
    if is_older(health) {
        return Ok(Verdict::variant(OLDER));
    }
    let checks = health.field("checks");
    let texts = checks
        .and_then(Value::as_object)
        .is_some_and(|checks| checks.values().all(Value::is_string));
    Verdict::of(texts, "an object of texts", shape(checks))
}

async fn timestamp(run: &Run) -> Finding {
    let health = run.health().await?;
    if is_older(health) {
        return Ok(Verdict::variant(OLDER));
    }
    let timestamp = health.text("timestamp");
    Verdict::of(
        timestamp.is_some_and(is_utc),
        "an ISO 8601 instant in UTC",
        timestamp.unwrap_or("nothing"),
    )
}

fn is_older(health: &crate::wire::Answer) -> bool {
    health.field("ok").is_some() && health.field("status").is_none()
}

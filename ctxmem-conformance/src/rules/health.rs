//! `GET /api/health`.

use serde_json::Value;

use super::{is_utc, rules, shape};
use crate::run::Run;
use crate::verdict::{Finding, Verdict};
use crate::wire::Answer;

rules! {
    "health.open" "Health is answered without authentication" => open();
    "health.status" "`status` is `ok`" => status();
    "health.checks" "`checks` tells the state of each dependency by name" => checks();
    "health.timestamp" "`timestamp` is an ISO 8601 instant in UTC" => timestamp();
}

async fn open(run: &Run) -> Finding {
    let health = run.health().await?;
    Verdict::of(health.is_success(), "a success", health)
}

/// A health report in the primary form; any other ends the check.
async fn report(run: &Run) -> Result<&Answer, Verdict> {
    let health = run.health().await?;
    if health.field("status").is_some() {
        return Ok(health);
    }
    Err(match health.field("ok") {
        Some(Value::Bool(true)) => Verdict::variant("{ok: true}"),
        Some(_) => Verdict::fail("{ok: true}", health),
        None if health.is_success() => Verdict::fail("{status} or {ok}", health),
        None => Verdict::without("a health report; see health.open"),
    })
}

async fn status(run: &Run) -> Finding {
    let health = report(run).await?;
    let kept = health.text("status") == Some("ok");
    Verdict::of(kept, "status: \"ok\"", health)
}

async fn checks(run: &Run) -> Finding {
    let checks = report(run).await?.field("checks");
    let texts = checks
        .and_then(Value::as_object)
        .is_some_and(|checks| checks.values().all(Value::is_string));
    Verdict::of(texts, "an object of texts", shape(checks))
}

async fn timestamp(run: &Run) -> Finding {
    let timestamp = report(run).await?.text("timestamp");
    let kept = timestamp.is_some_and(is_utc);
    let expected = "an ISO 8601 instant in UTC";
    Verdict::of(kept, expected, timestamp.unwrap_or("nothing"))
}

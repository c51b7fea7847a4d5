//! Rules about all errors and all answers.

#![expect(
    clippy::unused_async,
    reason = "rules have one form, whether they wait or not"
)]

use ctxmem_client::types::path;
use reqwest::Method;

use super::rules;
use crate::run::Run;
use crate::verdict::{Finding, Verdict};
use crate::wire::{Answer, Body};

rules! {
    "errors.unknown_path" "An unknown path: 404 NOT_FOUND" => unknown_path();
    "errors.wrong_method" "A method that a path does not take is refused" => wrong_method();
    "errors.shape" "Every error is `{error, code}`, both texts" => shape();
    "errors.codes" "Status and code of an error belong together" => codes();
    "errors.json" "Every answer is JSON" => json();
    "errors.no_key" "No answer repeats a key" => no_key();
    "errors.model" "A failing model: 502 MODEL_ERROR" => not_observable("a model that fails; it can't be made to from outside");
    "errors.persistence" "A failing database: 500 PERSISTENCE_ERROR or INTERNAL_ERROR" => not_observable("a database that fails; it can't be made to from outside");
}

/// The codes of the interface, and their statuses.
const CODES: [(&str, u16); 8] = [
    ("BAD_REQUEST", 400),
    ("UNAUTHORIZED", 401),
    ("FORBIDDEN", 403),
    ("NOT_FOUND", 404),
    ("RATE_LIMITED", 429),
    ("MODEL_ERROR", 502),
    ("PERSISTENCE_ERROR", 500),
    ("INTERNAL_ERROR", 500),
];

async fn unknown_path(run: &Run) -> Finding {
    let key = run.a().caller();
    let path = "/api/no-such-thing";
    let answer = run.wire().send(Method::GET, path, key, Body::None).await?;
    answer.must_be(404, "NOT_FOUND")
}

async fn wrong_method(run: &Run) -> Finding {
    let key = run.a().caller();
    let body = Body::Text("{}");
    let answer = run
        .wire()
        .send(Method::PUT, path::GRANTS, key, body)
        .await?;
    // The interface leaves the status open.
    let rejected = (400..500).contains(&answer.status) && is_error(&answer);
    Verdict::of(rejected, "4xx {error, code}", &answer)?;
    Ok(Verdict::pass(answer.status.to_string()))
}

fn is_error(answer: &Answer) -> bool {
    answer.text("error").is_some() && answer.text("code").is_some()
}

/// Passes if every error of the run so far meets the condition.
fn all_errors(run: &Run, expected: &str, condition: impl Fn(&Answer) -> bool) -> Finding {
    let observations = run.wire().observations();
    let errors = observations.errors.iter();
    let errors = errors.map(|(call, answer)| (call.as_str(), answer));
    let limited = observations.limited.iter();
    let limited = limited.map(|answer| ("too many requests", answer));
    for (call, answer) in errors.chain(limited) {
        Verdict::of(condition(answer), expected, format!("{answer} to {call}"))?;
    }
    Ok(match observations.errors.len() {
        0 => Verdict::without("an error"),
        n => Verdict::pass(format!("{n} errors")),
    })
}

async fn shape(run: &Run) -> Finding {
    all_errors(run, "{error, code}, both texts", is_error)
}

async fn codes(run: &Run) -> Finding {
    all_errors(run, "the status that belongs to the code", |answer| {
        let listed = CODES.iter().any(|(_, status)| *status == answer.status);
        // With a status that the interface does not list, any code is allowed.
        let fits = |code| !listed || CODES.contains(&(code, answer.status));
        answer.text("code").is_none_or(fits)
    })
}

async fn json(run: &Run) -> Finding {
    let broken = run.wire().observations().not_json.clone();
    Verdict::of(broken.is_none(), "JSON", broken.unwrap_or_default())
}

async fn no_key(run: &Run) -> Finding {
    let echo = run.wire().observations().key_echoed.clone();
    let found = echo.as_deref().unwrap_or_default();
    Verdict::of(echo.is_none(), "no key in any answer", found)
}

async fn not_observable(_: &Run, without: &str) -> Finding {
    Err(Verdict::without(without))
}

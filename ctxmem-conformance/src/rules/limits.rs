//! Rate limit and monthly quota. They are only exhausted if that is allowed, because the month's
//! quota is used up afterwards.

#![expect(
    clippy::unused_async,
    reason = "rules have one form, whether they wait or not"
)]

use std::time::{Duration, Instant};

use chrono::DateTime;
use ctxmem_client::UserId;
use ctxmem_client::types::path;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use super::rules;
use crate::run::Run;
use crate::run::scenarios::CORE;
use crate::verdict::{Finding, Verdict};
use crate::wire::{Answer, Body};

rules! {
    "limits.reset" "`X-RateLimit-Reset`, where it is sent, is a number or an instant" => reset();
    "limits.quota" "Monthly quota used up: 200 `{updated: false, limitReached: true}`" => quota();
    "limits.rate" "Too many requests: 429 RATE_LIMITED, `Rate limit exceeded.`, `X-RateLimit-Reset`" => rate();
}

/// How much is tried before a limit counts as unreachable.
const MAX_UPDATES: u32 = 2_000;
const MAX_REQUESTS: usize = 4_000;
const MAX_TIME: Duration = Duration::from_mins(2);
/// Requests at the same time.
const CONCURRENCY: usize = 16;

async fn reset(run: &Run) -> Finding {
    let Some(found) = run.wire().observations().reset.clone() else {
        return Err(Verdict::without("an answer that has the header"));
    };
    let instant = DateTime::parse_from_rfc3339(&found).is_ok()
        || DateTime::parse_from_rfc2822(&found).is_ok();
    let kept = found.parse::<f64>().is_ok() || instant;
    Verdict::of(kept, "seconds, or an instant", &found)
}

async fn quota(run: &Run) -> Finding {
    if !run.allows_limits() {
        return Err(Verdict::without("--allow-limits"));
    }
    let user = run.new_user();
    let started = Instant::now();
    for _ in 0..MAX_UPDATES {
        let answer = run.raw_update(run.a().caller(), &user, CORE).await?;
        if answer.field("limitReached").is_some() {
            let expected = json!({"updated": false, "limitReached": true});
            let kept = answer.status == 200 && answer.json.as_ref() == Some(&expected);
            return Verdict::of(kept, format!("200 {expected}"), answer);
        }
        Verdict::of(answer.is_success(), "an update", answer)?;
        if started.elapsed() > MAX_TIME {
            break;
        }
    }
    Err(Verdict::without("a quota of fewer updates"))
}

async fn rate(run: &Run) -> Finding {
    if run.wire().observations().limited.is_none() && run.allows_limits() {
        exhaust_rate_limit(run, &run.new_user()).await?;
    }
    let limited = run.wire().observations().limited.clone();
    match limited {
        Some(answer) => judge(&answer),
        None if run.allows_limits() => Err(Verdict::without("a limit of fewer requests")),
        None => Err(Verdict::without("--allow-limits")),
    }
}

/// Reads a context that does not exist until there is a 429.
async fn exhaust_rate_limit(run: &Run, user: &UserId) -> Result<(), Verdict> {
    let path = path::context(user);
    let key = run.a().caller();
    let started = Instant::now();
    for _ in 0..MAX_REQUESTS / CONCURRENCY {
        let requests =
            (0..CONCURRENCY).map(|_| run.wire().send_once(Method::GET, &path, key, Body::None));
        for answer in join_all(requests).await {
            answer?;
        }
        if run.wire().observations().limited.is_some() || started.elapsed() > MAX_TIME {
            break;
        }
    }
    Ok(())
}

fn judge(answer: &Answer) -> Finding {
    let expected = json!({"error": "Rate limit exceeded.", "code": "RATE_LIMITED"});
    let kept = answer.json.as_ref() == Some(&expected);
    Verdict::of(kept, format!("429 {expected}"), answer)?;
    let has_reset = answer.header("x-ratelimit-reset").is_some();
    Verdict::of(has_reset, "the header X-RateLimit-Reset", "none")
}

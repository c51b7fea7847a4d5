//! `POST /api/grants` and `DELETE /api/grants/{grantId}`.

use std::time::Duration;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use ctxmem_client::types::path;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::bodies::{lacking, naming_another, rejected};
use super::context::no_grant_inject;
use super::{answer_of, rules};
use crate::run::Run;
use crate::run::scenarios::{KeyGrant, QUOTA_LEFT};
use crate::verdict::{Finding, Verdict};
use crate::wire::{Answer, Body, Caller};

rules! {
    "grants.create" "A grant made with the agent's key: `{grant: {..}}`" => create();
    "grants.id" "`id` is a UUID" => id();
    "grants.user_id" "`user_id` is the user's id" => user_id();
    "grants.agent_id" "`agent_id` is the agent's id" => agent_id();
    "grants.scopes" "`scopes` are those that were asked for" => scopes();
    "grants.no_expiry" "Without an expiry `expires_at` is null" => no_expiry();
    "grants.active" "A new grant has `revoked` false" => active();
    "grants.reads" "Under the grant the context can be read" => reads();
    "grants.expires_at" "`expiresAt` comes back in `expires_at`" => expires_at();
    "grants.expired" "A grant that has expired gives no access" => expired();
    "grants.storage_key" "Scopes may be named by storage key (`ongoing_tasks`)" => storage_key();
    "grants.foreign_agent" "A grant for another agent than the key's: 403 FORBIDDEN" => naming_another(path::GRANTS);
    "grants.foreign_key" "A grant for this agent by another agent's key: 403 FORBIDDEN" => foreign_key();
    "grants.bad_json" "A body that is not JSON: 400 BAD_REQUEST" => rejected(path::GRANTS, "{,}");
    "grants.no_user" "Without `userId`: 400 BAD_REQUEST" => lacking(path::GRANTS, "userId");
    "grants.no_agent" "Without `agentId`: 400 BAD_REQUEST" => lacking(path::GRANTS, "agentId");
    "grants.no_scopes" "Without `scopes`: 400 BAD_REQUEST" => lacking(path::GRANTS, "scopes");
    "grants.wrong_type" "`scopes` that are not a list: 400 BAD_REQUEST" => wrong_type();
    "grants.unknown_scope" "A scope that does not exist: 400 BAD_REQUEST" => unknown_scope();
    "grants.bad_expiry" "An `expiresAt` that is no instant: 400 BAD_REQUEST" => bad_expiry();
    "grants.revoke_by_key" "An API key can't revoke, and the grant stays active" => revoke_by_key();
    "grants.revoke_by_nobody" "Revoking without a session: 401 UNAUTHORIZED" => revoke_by_nobody();
    "grants.by_session" "A signed-in user can grant" => by_session();
    "grants.revoke" "Revoking with the user's session: `{revoked: true}`" => revoke();
    "grants.revoked_read" "Under a revoked grant the context can't be read: 403 FORBIDDEN" => revoked_read();
    "grants.revoked_inject" "Under a revoked grant inject says `no_grant` and merges nothing" => revoked_inject();
    "grants.revoked_update" "Under a revoked grant an update is refused: 403 FORBIDDEN" => revoked_update();
    "grants.revoke_again" "Revoking again: `{revoked: true}`" => revoke_again();
    "grants.revoke_unknown" "Revoking an unknown grant: 404 NOT_FOUND" => revoke_unknown();
}

/// How soon the grant expires in the test that waits for that, and how long the test waits.
const EXPIRES_IN: TimeDelta = TimeDelta::seconds(4);
const POLLS: u32 = 30;
const POLL_INTERVAL: Duration = Duration::from_millis(400);

async fn create(run: &Run) -> Finding {
    grant(&run.key_grant().await?.answer)?;
    Ok(Verdict::PASS)
}

fn grant(answer: &Answer) -> Result<&Value, Verdict> {
    let grant = answer.object()?.get("grant");
    grant
        .filter(|grant| grant.is_object())
        .ok_or_else(|| Verdict::fail("{grant: {..}}", answer))
}

/// A field of the grant that agent A made with its key.
async fn field<'r>(run: &'r Run, name: &str) -> Result<(&'r KeyGrant, &'r Value), Verdict> {
    let key_grant = run.key_grant().await?;
    let field = grant(&key_grant.answer)?.get(name);
    let expected = format!("grant.{name}");
    let field = field.ok_or_else(|| Verdict::fail(expected, &key_grant.answer))?;
    Ok((key_grant, field))
}

async fn id(run: &Run) -> Finding {
    let (_, id) = field(run, "id").await?;
    let kept = id.as_str().is_some_and(|id| Uuid::parse_str(id).is_ok());
    Verdict::of(kept, "a UUID", id)
}

async fn user_id(run: &Run) -> Finding {
    let (key_grant, found) = field(run, "user_id").await?;
    let user = key_grant.user.as_str();
    Verdict::of(found == user, format!("{user:?}"), found)
}

async fn agent_id(run: &Run) -> Finding {
    let (_, found) = field(run, "agent_id").await?;
    let agent = run.a().id()?;
    Verdict::of(found == agent, format!("{agent:?}"), found)
}

async fn scopes(run: &Run) -> Finding {
    let (key_grant, found) = field(run, "scopes").await?;
    let names = found.as_array().into_iter().flatten();
    let mut names: Vec<&str> = names.filter_map(Value::as_str).collect();
    names.sort_unstable();
    let mut requested = key_grant.scopes;
    requested.sort_unstable();
    Verdict::of(names == requested, json!(requested).to_string(), found)
}

async fn no_expiry(run: &Run) -> Finding {
    let (_, found) = field(run, "expires_at").await?;
    Verdict::of(found.is_null(), "null", found)
}

async fn active(run: &Run) -> Finding {
    let (_, found) = field(run, "revoked").await?;
    Verdict::of(found == &Value::Bool(false), "false", found)
}

async fn reads(run: &Run) -> Finding {
    let key_grant = run.key_grant().await?;
    let answer = run.raw_read(run.a().caller(), &key_grant.user).await?;
    if answer.is_error(404, "NOT_FOUND") {
        return Ok(Verdict::variant("404 while nothing is stored"));
    }
    Verdict::of(answer.is_success(), "a context", answer)
}

/// Makes a grant for a new user that expires at this instant.
async fn grant_until(run: &Run, end: &str) -> Result<(ctxmem_client::UserId, Answer), Verdict> {
    let user = run.new_user();
    let answer = grant_by_key(run, json!({"userId": user, "expiresAt": end})).await?;
    if answer.is_error(400, "BAD_REQUEST") || grant(&answer)?["expires_at"].is_null() {
        return Err(Verdict::variant("expiresAt is not taken"));
    }
    Ok((user, answer))
}

async fn expires_at(run: &Run) -> Finding {
    let end = text(Utc::now() + TimeDelta::days(1));
    let (_, answer) = grant_until(run, &end).await?;
    let found = grant(&answer)?["expires_at"].as_str().unwrap_or_default();
    let same_instant =
        DateTime::parse_from_rfc3339(found).ok() == DateTime::parse_from_rfc3339(&end).ok();
    if same_instant && found != end {
        return Ok(Verdict::variant("the same instant, written otherwise"));
    }
    Verdict::of(found == end, end, found)
}

async fn expired(run: &Run) -> Finding {
    let end = text(deployment_now(run).await? + EXPIRES_IN);
    let (user, _) = grant_until(run, &end).await?;
    let key = run.a().caller();
    let mut reads = Vec::new();
    for _ in 0..POLLS {
        let answer = run.raw_read(key, &user).await?;
        if answer.is_error(403, "FORBIDDEN") {
            return Ok(Verdict::PASS);
        }
        reads.push(answer);
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    // The interface leaves open when expiry takes effect.
    Ok(match reads.pop() {
        Some(answer) if answer.is_success() => Verdict::variant("expiry is not enforced"),
        _ => Verdict::variant("404, before the expiry and after"),
    })
}

/// The time of the deployment's clock, if its answers have a date.
async fn deployment_now(run: &Run) -> Result<DateTime<Utc>, Verdict> {
    let (path, nobody) = (path::HEALTH, Caller::Nobody);
    let answer = run
        .wire()
        .send(Method::GET, path, nobody, Body::None)
        .await?;
    let date = answer.header("date").map(DateTime::parse_from_rfc2822);
    Ok(match date {
        Some(Ok(at)) => at.to_utc(),
        _ => Utc::now(),
    })
}

fn text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

async fn storage_key(run: &Run) -> Finding {
    let answer = grant_by_key(run, json!({"scopes": ["ongoing_tasks"]})).await?;
    if answer.is_error(400, "BAD_REQUEST") {
        return Ok(Verdict::variant("scope names only"));
    }
    let scopes = &grant(&answer)?["scopes"];
    match scopes[0].as_str() {
        Some(name @ ("goals" | "ongoing_tasks")) => {
            Ok(Verdict::pass(format!("answered as {name}")))
        }
        _ => Err(Verdict::fail("the scope goals", answer)),
    }
}

/// Requests a grant for a new user, with these fields changed.
async fn grant_by_key(run: &Run, change: Value) -> Result<Answer, Verdict> {
    let body = changed_body(run, change)?;
    run.post(run.a().caller(), path::GRANTS, &body).await
}

fn changed_body(run: &Run, change: Value) -> Result<Value, Verdict> {
    let mut body = json!({
        "userId": run.new_user(),
        "agentId": run.a().id()?,
        "scopes": ["preferences"],
    });
    if let (Some(body), Value::Object(change)) = (body.as_object_mut(), change) {
        body.extend(change);
    }
    Ok(body)
}

async fn foreign_key(run: &Run) -> Finding {
    let body = changed_body(run, Value::Null)?;
    let answer = run.post(run.b()?.caller(), path::GRANTS, &body).await?;
    answer.must_be(403, "FORBIDDEN")
}

async fn wrong_type(run: &Run) -> Finding {
    let answer = grant_by_key(run, json!({"scopes": "general"})).await?;
    answer.must_be(400, "BAD_REQUEST")
}

async fn unknown_scope(run: &Run) -> Finding {
    let answer = grant_by_key(run, json!({"scopes": ["shoe_size"]})).await?;
    if answer.is_success() {
        // The interface leaves open which names are rejected.
        return Ok(Verdict::variant("unknown scopes are taken"));
    }
    answer.must_be(400, "BAD_REQUEST")
}

async fn bad_expiry(run: &Run) -> Finding {
    let answer = grant_by_key(run, json!({"expiresAt": "next spring"})).await?;
    if answer.is_success() && grant(&answer)?["expires_at"].is_null() {
        return Ok(Verdict::variant("expiresAt is not taken"));
    }
    answer.must_be(400, "BAD_REQUEST")
}

async fn revoke_as(run: &Run, caller: Caller<'_>, id: &str) -> Result<Answer, Verdict> {
    let path = path::grant(id);
    run.wire()
        .send(Method::DELETE, &path, caller, Body::None)
        .await
}

async fn revoke_by_key(run: &Run) -> Finding {
    let (key_grant, id) = field(run, "id").await?;
    let key = run.a().caller();
    let answer = revoke_as(run, key, id.as_str().unwrap_or_default()).await?;
    let rejected = answer.is_error(401, "UNAUTHORIZED") || answer.is_error(403, "FORBIDDEN");
    Verdict::of(rejected, "401 UNAUTHORIZED or 403 FORBIDDEN", &answer)?;
    let read = run.raw_read(key, &key_grant.user).await?;
    let is_active = !read.is_error(403, "FORBIDDEN");
    Verdict::of(is_active, "a grant that is still active", &read)?;
    Ok(Verdict::pass(answer.status.to_string()))
}

async fn revoke_by_nobody(run: &Run) -> Finding {
    let id = Uuid::new_v4().to_string();
    let answer = revoke_as(run, Caller::Nobody, &id).await?;
    if answer.is_error(403, "FORBIDDEN") {
        return Ok(Verdict::variant("403 FORBIDDEN"));
    }
    answer.must_be(401, "UNAUTHORIZED")
}

async fn by_session(run: &Run) -> Finding {
    let answer = &run.signed_in_user().await?.grant;
    let user = run.session()?.user.as_str();
    let grant = grant(answer)?;
    let kept = grant["revoked"] == false && grant["user_id"] == user;
    Verdict::of(kept, "an active grant of the signed-in user", answer)
}

fn is_revoked(answer: &Answer) -> bool {
    answer.is_success() && answer.is_true("revoked")
}

async fn revoke(run: &Run) -> Finding {
    let user = run.signed_in_user().await?;
    answer_of(&user.read)?.object()?;
    let answer = answer_of(&user.revoke)?;
    Verdict::of(is_revoked(answer), "{revoked: true}", answer)
}

async fn revoked_read(run: &Run) -> Finding {
    answer_of(&run.signed_in_user().await?.read_revoked)?.must_be(403, "FORBIDDEN")
}

async fn revoked_inject(run: &Run) -> Finding {
    no_grant_inject(answer_of(&run.signed_in_user().await?.inject_revoked)?)
}

async fn revoked_update(run: &Run) -> Finding {
    let user = run.signed_in_user().await?;
    let answer = answer_of(&user.update_revoked)?;
    if answer.field("limitReached").is_some() {
        return Err(Verdict::without(QUOTA_LEFT));
    }
    // If calls may make a new grant, inject has said so and merged nothing.
    let inject = no_grant_inject(answer_of(&user.inject_revoked)?);
    if answer.is_success() && matches!(inject, Ok(Verdict::Variant { .. })) {
        return Ok(Verdict::variant("a new grant is made"));
    }
    answer.must_be(403, "FORBIDDEN")
}

async fn revoke_again(run: &Run) -> Finding {
    let answer = answer_of(&run.signed_in_user().await?.revoke_again)?;
    if answer.is_error(404, "NOT_FOUND") {
        return Ok(Verdict::variant("404 NOT_FOUND"));
    }
    Verdict::of(is_revoked(answer), "{revoked: true}", answer)
}

async fn revoke_unknown(run: &Run) -> Finding {
    let caller = Caller::Session(&run.session()?.cookie);
    let answer = revoke_as(run, caller, &Uuid::new_v4().to_string()).await?;
    answer.must_be(404, "NOT_FOUND")
}

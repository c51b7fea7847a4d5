//! `POST /api/context/update`.

use chrono::{TimeDelta, Utc};
use ctxmem_client::Scope;
use ctxmem_client::types::path;
use serde_json::{Map, Value, json};

use super::bodies::{lacking, naming_another, naming_itself, rejected, valid, wrong};
use super::{FactForm, answer_of, common_form, rules};
use crate::run::Run;
use crate::run::scenarios::{CORE, CORE_WORDS, QUOTA_LEFT};
use crate::verdict::{Finding, Verdict};
use crate::wire::Answer;

rules! {
    "update.status" "A successful update is answered 200" => status();
    "update.updated" "`updated` is true" => updated();
    "update.extracts" "Plain facts are extracted and returned in `delta`" => extracts();
    "update.delta_keys" "`delta` is keyed by storage keys" => delta_keys();
    "update.delta_form" "`delta` holds facts with `value` and `source_type`" => delta_form();
    "update.stored" "What `delta` says is in the context afterwards" => stored();
    "update.small_talk" "Small talk: `{updated: true, delta: {}}`" => small_talk();
    "update.nothing_new" "Facts known already: `{updated: true, delta: {}}`" => nothing_new();
    "update.auto_grant" "The first update makes the grant: the context can be read then" => auto_grant();
    "update.denied" "Facts in scopes that are not granted: named in `denied_scopes`, not in `delta`" => denied();
    "update.denied_notice" "`denied_scopes` comes with a notice for people" => denied_notice();
    "update.denied_dropped" "Facts in scopes that are not granted are not stored" => denied_dropped();
    "update.all_denied" "Every fact denied: `updated` true, `delta` empty" => all_denied();
    "update.at" "`at`, a past instant in RFC 3339, is accepted" => at();
    "update.at_malformed" "An `at` that is no instant: 400 BAD_REQUEST that begins with `at:`" => bad_at(at_yesterday());
    "update.at_future" "An `at` in the future: 400 BAD_REQUEST that begins with `at:`" => bad_at(at_tomorrow());
    "update.agent_match" "`agentId` of the key's agent is accepted" => naming_itself(path::UPDATE);
    "update.agent_mismatch" "`agentId` of another agent: 403 FORBIDDEN" => naming_another(path::UPDATE);
    "update.bad_json" "A body that is not JSON: 400 BAD_REQUEST" => rejected(path::UPDATE, "not JSON");
    "update.not_object" "A body that is not an object: 400 BAD_REQUEST" => rejected(path::UPDATE, "\"text\"");
    "update.no_user" "Without `userId`: 400 BAD_REQUEST" => lacking(path::UPDATE, "userId");
    "update.no_message" "Without `userMessage`: 400 BAD_REQUEST" => lacking(path::UPDATE, "userMessage");
    "update.no_response" "Without `agentResponse`: 400 BAD_REQUEST" => lacking(path::UPDATE, "agentResponse");
    "update.wrong_type" "A `userMessage` that is not a text: 400 BAD_REQUEST" => wrong(path::UPDATE, "userMessage", json!(["a", "list"]));
}

async fn core(run: &Run) -> Result<&Answer, Verdict> {
    let answer = answer_of(&run.lifecycle().await.core)?;
    answer.object()?;
    if answer.is_true("limitReached") {
        return Err(Verdict::without(QUOTA_LEFT));
    }
    Ok(answer)
}

async fn status(run: &Run) -> Finding {
    let answer = core(run).await?;
    Verdict::of(answer.status == 200, "200", answer)
}

async fn updated(run: &Run) -> Finding {
    let answer = core(run).await?;
    Verdict::of(answer.is_true("updated"), "updated: true", answer)
}

async fn extracts(run: &Run) -> Finding {
    let answer = core(run).await?;
    let kept = answer.delta().is_some_and(|delta| !delta.is_empty());
    Verdict::of(kept, format!("facts of {CORE:?} in delta"), answer)
}

/// The deltas of two updates, which together have facts in every scope.
async fn deltas(run: &Run) -> Result<[&Map<String, Value>; 2], Verdict> {
    let lifecycle = run.lifecycle().await;
    let core = lifecycle.delta()?;
    let more = answer_of(&lifecycle.more)?.delta();
    Ok([core, more.unwrap_or(core)])
}

async fn delta_keys(run: &Run) -> Finding {
    let deltas = deltas(run).await?;
    let mut keys = deltas.iter().flat_map(|delta| delta.keys());
    let is_known = |key: &str| key == "emotional_state" || Scope::from_storage_key(key).is_some();
    let unknown = keys.find(|key| !is_known(key));
    let came = unknown.map_or("", String::as_str);
    Verdict::of(
        unknown.is_none(),
        "storage keys such as ongoing_tasks",
        came,
    )
}

async fn delta_form(run: &Run) -> Finding {
    let deltas = deltas(run).await?;
    let mut facts = Vec::new();
    for value in deltas.iter().flat_map(|delta| delta.values()) {
        match value {
            Value::Array(list) => facts.extend(list),
            Value::Object(map) if !map.contains_key("value") => facts.extend(map.values()),
            // In every deployment `communication_style` is a single text.
            Value::String(_) => {}
            other => facts.push(other),
        }
    }
    match common_form(facts) {
        Some(FactForm::Primary) => Ok(Verdict::PASS),
        Some(FactForm::Plain) => Ok(Verdict::variant("plain strings")),
        Some(FactForm::Broken) => {
            let expected = "facts {value, source_type}, or plain strings";
            Err(Verdict::fail(expected, json!(deltas)))
        }
        None => Ok(Verdict::variant("texts by storage key")),
    }
}

async fn stored(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    let words = lifecycle.words()?;
    let read = answer_of(&lifecycle.read)?;
    let text = Value::from(read.object()?.clone()).to_string();
    let kept = words.iter().all(|word| text.contains(word));
    Verdict::of(kept, format!("a context with {}", words.join(", ")), read)
}

fn is_nothing_new(answer: &Answer) -> bool {
    answer.is_true("updated") && answer.delta().is_some_and(Map::is_empty)
}

async fn small_talk(run: &Run) -> Finding {
    let answer = answer_of(&run.lifecycle().await.small_talk)?;
    if answer.field("limitReached").is_some() {
        return Err(Verdict::without(QUOTA_LEFT));
    }
    Verdict::of(is_nothing_new(answer), "{updated: true, delta: {}}", answer)
}

async fn nothing_new(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    lifecycle.delta()?;
    let answer = answer_of(&lifecycle.core_again)?;
    answer.object()?;
    let delta = answer.field("delta");
    if answer.is_true("updated") && delta.is_some_and(|delta| delta != &json!({})) {
        // The interface leaves open whether a repeated fact is new.
        return Ok(Verdict::variant("known facts are in delta again"));
    }
    Verdict::of(is_nothing_new(answer), "{updated: true, delta: {}}", answer)
}

async fn auto_grant(run: &Run) -> Finding {
    let agent = run.a();
    let user = run.new_user();
    let update = run.update(agent, &user, CORE).await;
    let update = update.map_err(|error| Verdict::fail("an update", error))?;
    if update.limit_reached == Some(true) {
        return Err(Verdict::without(QUOTA_LEFT));
    }
    match run.retry_rate_limited(|| agent.client.context(&user)).await {
        Ok(_) => Ok(Verdict::PASS),
        Err(error) => Err(Verdict::fail("a context", error)),
    }
}

/// The answer to an update that was partly denied, if anything was extracted at all.
async fn mixed(run: &Run) -> Result<&Answer, Verdict> {
    let mixed = &run.narrow_grant().await?.mixed;
    mixed.object()?;
    run.lifecycle().await.delta()?;
    Ok(mixed)
}

async fn denied(run: &Run) -> Finding {
    let answer = mixed(run).await?;
    let scopes = answer.field("denied_scopes").and_then(Value::as_array);
    let named = scopes.is_some_and(|scopes| scopes.contains(&json!("general")));
    let delta = answer.delta();
    let written = delta.is_some_and(|delta| delta.contains_key("general"));
    let expected = "denied_scopes with general, and no general in delta";
    Verdict::of(named && !written, expected, answer)
}

async fn denied_notice(run: &Run) -> Finding {
    let answer = mixed(run).await?;
    if answer.field("denied_scopes").is_none() {
        return Err(Verdict::without("denied_scopes; see update.denied"));
    }
    Verdict::of(answer.text("notice").is_some(), "a notice", answer)
}

async fn denied_dropped(run: &Run) -> Finding {
    let narrow_grant = run.narrow_grant().await?;
    mixed(run).await?;
    let read = answer_of(&narrow_grant.b_read)?;
    if read.is_error(404, "NOT_FOUND") {
        return Ok(Verdict::variant("404 while nothing is stored"));
    }
    let text = Value::from(read.object()?.clone()).to_string();
    let [name, place, _] = CORE_WORDS;
    let kept = !text.contains(name) && !text.contains(place);
    Verdict::of(kept, "a context without facts of scope general", read)
}

async fn all_denied(run: &Run) -> Finding {
    let narrow_grant = run.narrow_grant().await?;
    mixed(run).await?;
    let answer = &narrow_grant.identity;
    answer.object()?;
    let denied = answer.field("denied_scopes").is_some();
    let delta = answer.field("delta");
    let empty = delta.is_none_or(|delta| delta == &json!({}));
    match answer.field("updated") {
        Some(Value::Bool(true)) if denied && empty => Ok(Verdict::PASS),
        Some(Value::Bool(false)) if denied && empty => Ok(Verdict::variant("updated: false")),
        _ => {
            let expected = "updated: true, delta: {}, denied_scopes";
            Err(Verdict::fail(expected, answer))
        }
    }
}

async fn at(run: &Run) -> Finding {
    let answer = said_at(run, "2026-03-01T09:30:00+01:00").await?;
    Verdict::of(answer.is_success(), "200", answer)
}

fn at_yesterday() -> String {
    "yesterday".to_owned()
}

fn at_tomorrow() -> String {
    (Utc::now() + TimeDelta::days(1)).to_rfc3339()
}

/// A client whose clock runs ahead sends the update again without the time, if it is told that the
/// time is what is wrong.
async fn bad_at(run: &Run, at: String) -> Finding {
    let answer = said_at(run, &at).await?;
    if answer.is_success() {
        return Ok(Verdict::variant("at is ignored"));
    }
    let text = answer.text("error").unwrap_or_default();
    let kept = text.starts_with("at:") && answer.is_error(400, "BAD_REQUEST");
    let expected = "400 {error: \"at: …\", code: \"BAD_REQUEST\"}";
    Verdict::of(kept, expected, answer)
}

async fn said_at(run: &Run, at: &str) -> Result<Answer, Verdict> {
    let mut body = valid(run, path::UPDATE);
    body["at"] = at.into();
    run.post(run.a().caller(), path::UPDATE, &body).await
}

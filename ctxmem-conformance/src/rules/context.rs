//! `GET` and `DELETE /api/context/{userId}`.

use serde_json::Value;

use super::{FactForm, answer_of, common_form, is_utc_with_millis, rules, shape};
use crate::calls::BASE;
use crate::run::Run;
use crate::run::scenarios::CORE_WORDS;
use crate::verdict::{Finding, Verdict};
use crate::wire::Answer;

rules! {
    "context.no_grant" "Reading without a grant: 403 FORBIDDEN" => no_grant();
    "context.user_id" "`userId` is the user's id" => user_id();
    "context.communication_style" "`communication_style` is a text" => communication_style();
    "context.ongoing_tasks" "`ongoing_tasks` is a list of facts" => list("ongoing_tasks");
    "context.key_relationships" "`key_relationships` is a list of facts" => list("key_relationships");
    "context.domain_expertise" "`domain_expertise` is a list of facts" => list("domain_expertise");
    "context.raw_history" "`raw_history` is a list" => raw_history();
    "context.preferences" "`preferences` maps names to facts" => map("preferences");
    "context.general" "`general` maps identity attributes to facts" => map("general");
    "context.source_type" "An extracted fact has `source_type` `observed`" => source_type();
    "context.emotional_state" "`emotional_state` is not in the primary form" => emotional_state();
    "context.last_updated" "`last_updated` is ISO 8601, UTC, with milliseconds" => last_updated();
    "context.delete_no_grant" "Deleting without a grant: 403 FORBIDDEN" => delete_no_grant();
    "context.delete" "Deleting: `{deleted: true}`" => delete();
    "context.deleted_read" "After a deletion the context can't be read: 403 FORBIDDEN" => deleted_read();
    "context.deleted_inject" "After a deletion inject says `no_grant` and merges nothing" => deleted_inject();
    "context.deleted_again" "Deleting again: 403 FORBIDDEN, or the same answer to the same agent" => deleted_again();
    "context.deleted_others" "A deletion revokes the grants of other agents, too" => deleted_others();
    "context.deleted_for_good" "After a deletion and a new grant nothing of before is there" => deleted_for_good();
}

const NOT_FOUND: &str = "404 NOT_FOUND";

/// 403, or the 404 that some deployments answer for users without a context.
fn no_access(answer: &Answer) -> Finding {
    if answer.is_error(404, "NOT_FOUND") {
        return Ok(Verdict::variant(NOT_FOUND));
    }
    answer.must_be(403, "FORBIDDEN")
}

async fn no_grant(run: &Run) -> Finding {
    no_access(answer_of(&run.lifecycle().await.read_before)?)
}

/// The context while facts are stored.
async fn context(run: &Run) -> Result<&Answer, Verdict> {
    let answer = answer_of(&run.lifecycle().await.read)?;
    answer.object()?;
    Ok(answer)
}

async fn user_id(run: &Run) -> Finding {
    let answer = context(run).await?;
    let user = run.lifecycle().await.user.as_str();
    let kept = answer.text("userId") == Some(user);
    Verdict::of(kept, format!("userId: {user:?}"), answer)
}

async fn communication_style(run: &Run) -> Finding {
    let style = context(run).await?.field("communication_style");
    Verdict::of(style.is_some_and(Value::is_string), "a text", shape(style))
}

fn forms<'v>(facts: impl IntoIterator<Item = &'v Value>, plain: &str, answer: &Answer) -> Finding {
    match common_form(facts) {
        Some(FactForm::Primary) => Ok(Verdict::PASS),
        Some(FactForm::Plain) => Ok(Verdict::variant(plain)),
        Some(FactForm::Broken) => Err(Verdict::fail("facts {value, source_type}", answer)),
        None => Ok(Verdict::pass("empty")),
    }
}

async fn list(run: &Run, name: &str) -> Finding {
    let answer = context(run).await?;
    match answer.field(name) {
        Some(Value::Array(facts)) => forms(facts, "plain strings", answer),
        other => Err(Verdict::fail("a list", shape(other))),
    }
}

async fn map(run: &Run, name: &str) -> Finding {
    let answer = context(run).await?;
    match answer.field(name) {
        Some(Value::Object(facts)) => forms(facts.values(), "names to plain strings", answer),
        None if name == "general" => Ok(Verdict::variant("absent")),
        other => Err(Verdict::fail("an object", shape(other))),
    }
}

async fn raw_history(run: &Run) -> Finding {
    match context(run).await?.field("raw_history") {
        // The interface leaves its entries open.
        Some(Value::Array(_)) => Ok(Verdict::PASS),
        None => Ok(Verdict::variant("absent")),
        other => Err(Verdict::fail("a list", shape(other))),
    }
}

async fn source_type(run: &Run) -> Finding {
    run.lifecycle().await.delta()?;
    let answer = context(run).await?;
    let mut facts = Vec::new();
    for value in answer.object()?.values() {
        match value {
            Value::Array(list) => facts.extend(list),
            Value::Object(map) => facts.extend(map.values()),
            _ => {}
        }
    }
    let types = facts.iter().filter_map(|fact| fact.get("source_type"));
    let types: Vec<&Value> = types.collect();
    if types.is_empty() {
        return Ok(Verdict::variant("absent"));
    }
    let kept = types.iter().all(|found| *found == "observed");
    Verdict::of(kept, "source_type: \"observed\"", answer)
}

async fn emotional_state(run: &Run) -> Finding {
    match context(run).await?.field("emotional_state") {
        None => Ok(Verdict::PASS),
        Some(Value::Object(state))
            if state.get("recent_sentiment").is_none_or(Value::is_string) =>
        {
            Ok(Verdict::variant("present"))
        }
        other => Err(Verdict::fail("{recent_sentiment: a text}", shape(other))),
    }
}

async fn last_updated(run: &Run) -> Finding {
    let answer = context(run).await?;
    let found = answer.text("last_updated");
    let kept = found.is_some_and(is_utc_with_millis);
    let expected = "an instant such as 2026-03-01T09:30:00.000Z";
    Verdict::of(kept, expected, found.unwrap_or("nothing"))
}

async fn delete_no_grant(run: &Run) -> Finding {
    no_access(answer_of(&run.lifecycle().await.delete_before)?)
}

async fn delete(run: &Run) -> Finding {
    let answer = answer_of(&run.lifecycle().await.delete)?;
    answer.object()?;
    Verdict::of(answer.is_true("deleted"), "{deleted: true}", answer)
}

async fn deleted_read(run: &Run) -> Finding {
    no_access(answer_of(&run.lifecycle().await.read_after)?)
}

async fn deleted_inject(run: &Run) -> Finding {
    no_grant_inject(answer_of(&run.lifecycle().await.inject_after)?)
}

/// What inject answers if the grant has ended.
pub(super) fn no_grant_inject(answer: &Answer) -> Finding {
    answer.object()?;
    let prompt = answer.prompt();
    let has_facts = CORE_WORDS.iter().any(|word| prompt.contains(word));
    match answer.text("reason") {
        Some("no_grant") if prompt == BASE => Ok(Verdict::PASS),
        // The interface only says that access has ended, not whether a new grant is made.
        Some(reason @ ("empty" | "seeded_demo")) if !has_facts => {
            Ok(Verdict::variant(format!("a new grant is made: {reason}")))
        }
        None if prompt == BASE && answer.field("cacheHint").is_none() => {
            Ok(Verdict::variant("only injectedPrompt"))
        }
        _ => {
            let expected = "reason: \"no_grant\" and the base prompt";
            Err(Verdict::fail(expected, answer))
        }
    }
}

async fn deleted_again(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    let again = answer_of(&lifecycle.delete_again)?;
    // The interface asks for a grant, which is gone. An agent whose answer got lost is helped more
    // by the same answer; that the user is deleted is what the other rules look at.
    if again.is_true("deleted") {
        return Ok(Verdict::pass("confirmed again"));
    }
    no_access(again)
}

async fn deleted_others(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    answer_of(&lifecycle.b_inject)?;
    no_access(answer_of(&lifecycle.b_read_after)?)
}

async fn deleted_for_good(run: &Run) -> Finding {
    let user = run.signed_in_user().await?;
    if !user.stored {
        return Err(Verdict::without("a stored fact; see update.extracts"));
    }
    answer_of(&user.delete)?.object()?;
    let has_no_facts = |answer: &Answer, text: &str| {
        let found = CORE_WORDS.iter().any(|word| text.contains(word));
        Verdict::of(!found, "nothing of the erased facts", answer)
    };
    let inject = answer_of(&user.inject_regranted)?;
    inject.object()?;
    has_no_facts(inject, inject.prompt())?;
    let read = answer_of(&user.read_regranted)?;
    if read.is_error(404, "NOT_FOUND") {
        return Ok(Verdict::variant(NOT_FOUND));
    }
    has_no_facts(read, &Value::from(read.object()?.clone()).to_string())
}

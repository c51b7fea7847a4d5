//! `POST /api/context/{userId}/facts/search`. It is an addition of ours, so a deployment may be without
//! it.

use serde_json::Value;

use super::{answer_of, rules};
use crate::run::Run;
use crate::run::scenarios::{CORE_WORDS, Step};
use crate::verdict::{Finding, Verdict};
use crate::wire::Answer;

rules! {
    "facts.search" "A search finds facts by their words, each with `id`, `scope` and `value`" => search();
    "facts.limit" "A search finds at most `limit` facts" => limit();
    "facts.no_grant" "A search without a grant: 403 FORBIDDEN" => no_grant();
    "facts.scoped" "Facts in scopes that are not granted are not found" => scoped();
    "facts.blank_query" "A `query` without words: 400 BAD_REQUEST" => blank_query();
    "facts.no_limit" "A `limit` of 0: 400 BAD_REQUEST" => no_limit();
}

/// The answer to a search, if the deployment has any.
fn searched(step: &Step) -> Result<&Answer, Verdict> {
    let answer = answer_of(step)?;
    if matches!(answer.status, 404 | 405) {
        return Err(Verdict::variant("not offered"));
    }
    Ok(answer)
}

fn found(answer: &Answer) -> Result<&[Value], Verdict> {
    let facts = answer.object()?.get("facts").and_then(Value::as_array);
    let facts = facts.ok_or_else(|| Verdict::fail("{facts: […]}", answer))?;
    Ok(facts)
}

/// Whether the value of one of the facts contains a word.
fn names(facts: &[Value], word: &str) -> bool {
    let mut values = facts.iter().filter_map(|fact| fact["value"].as_str());
    values.any(|value| value.contains(word))
}

async fn search(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    let answer = searched(&lifecycle.search)?;
    let words = lifecycle.words()?;
    let facts = found(answer)?;
    let mut fields = ["id", "scope", "value"].iter();
    let is_whole = fields.all(|field| facts.iter().all(|fact| fact[field].is_string()));
    let kept = is_whole && words.iter().all(|word| names(facts, word));
    let expected = format!("facts {{id, scope, value}} with {}", words.join(", "));
    Verdict::of(kept, expected, answer)
}

async fn limit(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    let answer = searched(&lifecycle.search_one)?;
    lifecycle.words()?;
    Verdict::of(found(answer)?.len() == 1, "one fact", answer)
}

async fn no_grant(run: &Run) -> Finding {
    searched(&run.lifecycle().await.search_before)?.must_be(403, "FORBIDDEN")
}

async fn scoped(run: &Run) -> Finding {
    let narrow_grant = run.narrow_grant().await?;
    let answer = searched(&narrow_grant.search)?;
    run.lifecycle().await.delta()?;
    let facts = found(answer)?;
    let [name, place, _] = CORE_WORDS;
    let kept = !names(facts, name) && !names(facts, place);
    Verdict::of(kept, "no fact of scope general", answer)
}

async fn blank_query(run: &Run) -> Finding {
    searched(&run.lifecycle().await.search_blank)?.must_be(400, "BAD_REQUEST")
}

async fn no_limit(run: &Run) -> Finding {
    searched(&run.lifecycle().await.search_none)?.must_be(400, "BAD_REQUEST")
}

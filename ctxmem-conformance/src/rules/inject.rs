//! `POST /api/context/inject`.

use ctxmem_client::types::path;
use ctxmem_client::{GrantRequest, InjectReason, Injected, Scope};
use serde_json::{Value, json};

use super::bodies::{lacking, naming_another, naming_itself, rejected, wrong};
use super::{answer_of, rules, shape};
use crate::calls::BASE;
use crate::run::Run;
use crate::run::scenarios::{CORE, UserLifecycle};
use crate::verdict::{Finding, Verdict};
use crate::wire::Answer;

rules! {
    "inject.fresh" "Nothing is stored of the user: `reason` is `seeded_demo` or `empty`" => fresh();
    "inject.seeded_demo" "The demo is merged before the base prompt and `seeded` is true" => seeded_demo();
    "inject.empty" "A new user once facts are stored elsewhere: `empty`, and the notice names update" => empty();
    "inject.status" "A successful inject is answered 200" => status();
    "inject.auto_grant" "The first inject makes the grant: the context can be read then" => auto_grant();
    "inject.block" "Stored facts: `System:`, the summary, a blank line, the base prompt unchanged" => block();
    "inject.facts" "The summary holds what was stored" => facts();
    "inject.enriched" "An enriched answer has neither `reason` nor `seeded`" => enriched();
    "inject.recommended" "`cacheHint.recommended` is true exactly when stored context was merged" => recommended();
    "inject.cache_hint" "`cacheHint` explains itself in `reason`" => cache_hint();
    "inject.retention" "`cacheHint.retention` is `24h`" => retention();
    "inject.provider_param" "`cacheHint.providerParam.prompt_cache_retention` is `24h`" => provider_param();
    "inject.unchanged" "With a reason other than `seeded_demo` the prompt is the base prompt" => unchanged();
    "inject.notice" "A reason comes with a notice for people" => notice();
    "inject.no_scopes" "A grant of no scopes: `no_scopes`" => no_scopes();
    "inject.empty_capsule" "Facts, but none in the granted scopes: `empty_capsule`" => empty_capsule();
    "inject.scoped" "Facts in scopes that are not granted are not merged" => scoped();
    "inject.no_message" "Without `message` there is no `relevant`" => no_message();
    "inject.message" "With `message` the prompt is the same to the byte; `relevant`, if there is any, is a text" => message();
    "inject.agent_match" "`agentId` of the key's agent is accepted" => naming_itself(path::INJECT);
    "inject.agent_mismatch" "`agentId` of another agent: 403 FORBIDDEN" => naming_another(path::INJECT);
    "inject.bad_json" "A body that is not JSON: 400 BAD_REQUEST" => rejected(path::INJECT, "{\"userId\": ");
    "inject.not_object" "A body that is not an object: 400 BAD_REQUEST" => rejected(path::INJECT, "[]");
    "inject.no_user" "Without `userId`: 400 BAD_REQUEST" => lacking(path::INJECT, "userId");
    "inject.no_prompt" "Without `basePrompt`: 400 BAD_REQUEST" => lacking(path::INJECT, "basePrompt");
    "inject.wrong_type" "A `basePrompt` that is not a text: 400 BAD_REQUEST" => wrong(path::INJECT, "basePrompt", json!(7));
}

const ONLY_PROMPT: &str = "only injectedPrompt";

/// The older form has no hint, and only sometimes a reason.
fn is_older(answer: &Answer) -> bool {
    answer.field("cacheHint").is_none()
}

/// The text of the block before the base prompt.
fn summary(answer: &Answer) -> Option<&str> {
    answer
        .text("injectedPrompt")?
        .strip_suffix(BASE)?
        .strip_suffix("\n\n")?
        .strip_prefix("System:\n")
        .filter(|summary| !summary.trim().is_empty())
}

async fn fresh(run: &Run) -> Finding {
    let answer = answer_of(&run.lifecycle().await.first_inject)?;
    answer.object()?;
    match answer.text("reason") {
        Some(reason @ ("seeded_demo" | "empty")) => Ok(Verdict::pass(reason)),
        None if is_older(answer) => Ok(Verdict::variant(ONLY_PROMPT)),
        _ => {
            let expected = "reason: \"seeded_demo\" or \"empty\"";
            Err(Verdict::fail(expected, answer))
        }
    }
}

async fn seeded_demo(run: &Run) -> Finding {
    let answer = answer_of(&run.lifecycle().await.first_inject)?;
    if answer.text("reason") != Some("seeded_demo") {
        return Err(Verdict::without("a developer that has stored no fact yet"));
    }
    let kept = answer.is_true("seeded") && summary(answer).is_some();
    let expected = "seeded: true and a block before the base prompt";
    Verdict::of(kept, expected, answer)
}

async fn empty(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    lifecycle.delta()?;
    let answer = answer_of(&lifecycle.other_user)?;
    answer.object()?;
    if is_older(answer) && answer.prompt() == BASE {
        return Ok(Verdict::variant(ONLY_PROMPT));
    }
    let notice = answer.text("notice").unwrap_or_default().to_lowercase();
    let kept = answer.text("reason") == Some("empty") && notice.contains("update");
    let expected = "reason: \"empty\" and a notice that says to call update";
    Verdict::of(kept, expected, answer)
}

async fn status(run: &Run) -> Finding {
    let answer = answer_of(&run.lifecycle().await.first_inject)?;
    let kept = answer.status == 200 && answer.text("injectedPrompt").is_some();
    Verdict::of(kept, "200 {injectedPrompt}", answer)
}

async fn auto_grant(run: &Run) -> Finding {
    let read = answer_of(&run.lifecycle().await.read_empty)?;
    if read.is_error(404, "NOT_FOUND") {
        return Ok(Verdict::variant("404 while nothing is stored"));
    }
    Verdict::of(read.is_success(), "a context", read)
}

/// The answer after facts were stored.
fn after_facts(lifecycle: &UserLifecycle) -> Result<&Answer, Verdict> {
    lifecycle.delta()?;
    let answer = answer_of(&lifecycle.inject)?;
    answer.object()?;
    Ok(answer)
}

async fn block(run: &Run) -> Finding {
    let answer = after_facts(run.lifecycle().await)?;
    let expected = "\"System:\\n\", a summary, \"\\n\\n\", the base prompt";
    Verdict::of(summary(answer).is_some(), expected, answer)
}

async fn facts(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    let prompt = after_facts(lifecycle)?;
    let words = lifecycle.words()?;
    let kept = words.iter().all(|word| prompt.prompt().contains(word));
    Verdict::of(kept, format!("a prompt with {}", words.join(", ")), prompt)
}

async fn enriched(run: &Run) -> Finding {
    let answer = after_facts(run.lifecycle().await)?;
    let plain = answer.field("reason").is_none() && answer.field("seeded").is_none();
    Verdict::of(plain, "neither reason nor seeded", answer)
}

/// Every inject of the scenario, in order.
fn injects(lifecycle: &UserLifecycle) -> Result<[&Answer; 4], Verdict> {
    let answers = [
        answer_of(&lifecycle.first_inject)?,
        answer_of(&lifecycle.inject)?,
        answer_of(&lifecycle.other_user)?,
        answer_of(&lifecycle.inject_after)?,
    ];
    for answer in answers {
        answer.object()?;
    }
    Ok(answers)
}

async fn recommended(run: &Run) -> Finding {
    let answers = injects(run.lifecycle().await)?;
    if answers.iter().all(|answer| is_older(answer)) {
        return Ok(Verdict::variant("no cacheHint"));
    }
    for answer in answers {
        let prompt = answer.text("injectedPrompt");
        let merged = prompt != Some(BASE) && answer.field("reason").is_none();
        let hint = answer.field("cacheHint");
        let hint = hint.and_then(|hint| hint.get("recommended"));
        let expected = format!("recommended: {merged}");
        Verdict::of(hint == Some(&Value::Bool(merged)), expected, answer)?;
    }
    Ok(Verdict::PASS)
}

/// A field of `cacheHint`, if there is a hint.
fn hint<'a>(lifecycle: &'a UserLifecycle, field: &str) -> Result<Option<&'a Value>, Verdict> {
    let answer = answer_of(&lifecycle.inject)?;
    let hint = answer.object()?.get("cacheHint");
    let hint = hint.ok_or_else(|| Verdict::variant("no cacheHint"))?;
    Ok(hint.get(field))
}

async fn cache_hint(run: &Run) -> Finding {
    let reason = hint(run.lifecycle().await, "reason")?;
    let kept = reason.is_some_and(Value::is_string);
    Verdict::of(kept, "a text", shape(reason))
}

async fn retention(run: &Run) -> Finding {
    let retention = hint(run.lifecycle().await, "retention")?;
    let kept = retention.and_then(Value::as_str) == Some("24h");
    Verdict::of(kept, "\"24h\"", retention.unwrap_or(&Value::Null))
}

async fn provider_param(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    let primary = hint(lifecycle, "providerParam")?;
    let found = primary.or(hint(lifecycle, "openaiParam")?);
    let found = found.unwrap_or(&Value::Null);
    let kept = found["prompt_cache_retention"] == "24h";
    Verdict::of(kept, "{prompt_cache_retention: \"24h\"}", found)?;
    Ok(match primary {
        Some(_) => Verdict::PASS,
        None => Verdict::variant("openaiParam"),
    })
}

async fn unchanged(run: &Run) -> Finding {
    let answers = injects(run.lifecycle().await)?;
    let mut unchanged = 0;
    for answer in answers {
        let reason = answer.text("reason");
        if reason.is_some_and(|reason| reason != "seeded_demo") {
            unchanged += 1;
            let prompt = answer.text("injectedPrompt");
            Verdict::of(prompt == Some(BASE), "the base prompt unchanged", answer)?;
        }
    }
    match unchanged {
        0 if answers.iter().all(|answer| is_older(answer)) => Ok(Verdict::variant(ONLY_PROMPT)),
        0 => Err(Verdict::without("an answer with such a reason")),
        _ => Ok(Verdict::PASS),
    }
}

async fn notice(run: &Run) -> Finding {
    let answers = injects(run.lifecycle().await)?;
    for answer in answers {
        let silent = answer.field("reason").is_some() && answer.text("notice").is_none();
        if silent && is_older(answer) {
            return Ok(Verdict::variant("injectedPrompt and reason"));
        }
        Verdict::of(!silent, "a notice", answer)?;
    }
    let mut reasons = answers.iter().map(|answer| answer.field("reason"));
    if reasons.all(|reason| reason.is_none()) {
        return Ok(Verdict::variant(ONLY_PROMPT));
    }
    Ok(Verdict::PASS)
}

/// Passes if the answer has no stored context for this reason.
fn with_reason(injected: &Injected, reason: &InjectReason) -> Finding {
    if injected.reason().is_none() && injected.cache_hint().is_none() && injected.prompt() == BASE {
        return Ok(Verdict::variant(ONLY_PROMPT));
    }
    let recommended = injected.cache_hint().is_some_and(|hint| hint.recommended);
    Verdict::of(
        injected.reason() == Some(reason) && injected.prompt() == BASE && !recommended,
        format!("reason: {:?} and the base prompt", reason.as_str()),
        match injected.reason() {
            Some(found) => format!("reason: {:?}", found.as_str()),
            None => "no reason".to_owned(),
        },
    )
}

async fn no_scopes(run: &Run) -> Finding {
    let agent = run.a();
    let user = run.new_user();
    let request = GrantRequest::new(user.clone(), agent.id()?, [] as [Scope; 0]);
    run.create_grant(&agent.client, &request)
        .await
        .map_err(|_| Verdict::without("a deployment that takes grants of no scopes"))?;
    let injected = run.inject(agent, &user).await;
    let injected = injected.map_err(|error| Verdict::fail("an answer", error))?;
    with_reason(&injected, &InjectReason::NoScopes)
}

async fn empty_capsule(run: &Run) -> Finding {
    let (a, b) = (run.a(), run.b()?);
    let user = run.new_user();
    let update = run.update(a, &user, CORE).await;
    let update = update.map_err(|error| Verdict::fail("an update", error))?;
    if update.delta.is_none_or(|delta| delta.is_empty()) {
        return Err(Verdict::without("a stored fact; see update.extracts"));
    }
    let request = GrantRequest::new(user.clone(), b.id()?, [Scope::Relationships]);
    run.create_grant(&b.client, &request)
        .await
        .map_err(|_| Verdict::without("a grant of one scope; see grants.create"))?;
    let injected = run.inject(b, &user).await;
    let injected = injected.map_err(|error| Verdict::fail("an answer", error))?;
    with_reason(&injected, &InjectReason::EmptyCapsule)
}

async fn scoped(run: &Run) -> Finding {
    let narrow_grant = run.narrow_grant().await?;
    run.lifecycle().await.delta()?;
    let answer = answer_of(&narrow_grant.inject)?;
    answer.object()?;
    let prompt = answer.prompt();
    let kept = !prompt.contains("Ada Marlow") && !prompt.contains("Lisbon");
    Verdict::of(kept, "no fact of scope general", answer)
}

async fn no_message(run: &Run) -> Finding {
    for answer in injects(run.lifecycle().await)? {
        Verdict::of(answer.field("relevant").is_none(), "no relevant", answer)?;
    }
    Ok(Verdict::PASS)
}

/// The same where a deployment ignores the message: what it must not do is change the prompt, which
/// would make the model provider's cache worthless.
async fn message(run: &Run) -> Finding {
    let lifecycle = run.lifecycle().await;
    let without = after_facts(lifecycle)?;
    let with = answer_of(&lifecycle.inject_for)?;
    with.object()?;
    let relevant = with.field("relevant");
    let is_text = relevant.is_none_or(Value::is_string);
    Verdict::of(is_text, "relevant: a text, or nothing", shape(relevant))?;
    let is_same = with.text("injectedPrompt") == without.text("injectedPrompt");
    Verdict::of(is_same, "the prompt without message", with)
}

//! Bodies of requests by agent A: a valid one for each path, and what must be rejected in it.

use ctxmem_client::types::path;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::calls::{inject_body, update_body};
use crate::run::Run;
use crate::verdict::{Finding, Verdict};
use crate::wire::Body;

/// A body for a new user that has all it needs.
pub(super) fn valid(run: &Run, path: &str) -> Value {
    let user = run.new_user();
    match path {
        path::INJECT => inject_body(&user),
        path::UPDATE => update_body(&user, "Hello!"),
        // The agent need not exist: every use of this is rejected for another reason.
        _ => json!({"userId": user, "agentId": run.a().any_id(), "scopes": ["general"]}),
    }
}

/// A text that is no body must be rejected.
pub(super) async fn rejected(run: &Run, path: &str, text: &'static str) -> Finding {
    let (key, body) = (run.a().caller(), Body::Text(text));
    let answer = run.wire().send(Method::POST, path, key, body).await?;
    answer.must_be(400, "BAD_REQUEST")
}

/// A body without this field must be rejected.
pub(super) async fn lacking(run: &Run, path: &str, field: &str) -> Finding {
    let mut body = valid(run, path);
    if let Some(body) = body.as_object_mut() {
        body.remove(field);
    }
    let answer = run.post(run.a().caller(), path, &body).await?;
    answer.must_be(400, "BAD_REQUEST")
}

/// A body with this value in a field must be rejected.
pub(super) async fn wrong(run: &Run, path: &str, field: &str, value: Value) -> Finding {
    let mut body = valid(run, path);
    body[field] = value;
    let answer = run.post(run.a().caller(), path, &body).await?;
    answer.must_be(400, "BAD_REQUEST")
}

/// A body that names the agent itself is taken.
pub(super) async fn naming_itself(run: &Run, path: &str) -> Finding {
    let agent = run.a();
    let mut body = valid(run, path);
    body["agentId"] = agent.id()?.into();
    let answer = run.post(agent.caller(), path, &body).await?;
    Verdict::of(answer.is_success(), "200", answer)
}

/// A body that names another agent, agent B if it is known, must be rejected.
pub(super) async fn naming_another(run: &Run, path: &str) -> Finding {
    let other = run.b().ok().and_then(|b| b.id.clone());
    let unknown = other.is_none();
    let mut body = valid(run, path);
    body["agentId"] = other.unwrap_or_else(|| Uuid::new_v4().to_string()).into();
    let answer = run.post(run.a().caller(), path, &body).await?;
    if unknown && answer.is_error(404, "NOT_FOUND") {
        return Ok(Verdict::variant("404 for an agent that does not exist"));
    }
    answer.must_be(403, "FORBIDDEN")
}

//! Authentication: missing and invalid keys.

use ctxmem_client::types::path;
use reqwest::Method;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::rules;
use crate::calls::{inject_body, update_body};
use crate::run::Run;
use crate::verdict::{Finding, Verdict};
use crate::wire::{Body, Caller};

rules! {
    "auth.inject.missing" "Inject without a key: 401 and the documented body" => missing(Endpoint::Inject);
    "auth.inject.invalid" "Inject with an invalid key: 401 and the documented body" => invalid(Endpoint::Inject);
    "auth.update.missing" "Update without a key: 401 and the documented body" => missing(Endpoint::Update);
    "auth.update.invalid" "Update with an invalid key: 401 and the documented body" => invalid(Endpoint::Update);
    "auth.read.missing" "Reading a context without a key: 401 and the documented body" => missing(Endpoint::Read);
    "auth.read.invalid" "Reading a context with an invalid key: 401 and the documented body" => invalid(Endpoint::Read);
    "auth.delete.missing" "Deleting a context without a key: 401 and the documented body" => missing(Endpoint::Delete);
    "auth.delete.invalid" "Deleting a context with an invalid key: 401 and the documented body" => invalid(Endpoint::Delete);
    "auth.grants.missing" "Creating a grant without a key or session: 401 and the documented body" => missing(Endpoint::Grants);
    "auth.grants.invalid" "Creating a grant with an invalid key: 401 and the documented body" => invalid(Endpoint::Grants);
    "auth.scheme" "Credentials of another scheme than Bearer are not a key" => other_scheme();
}

#[derive(Clone, Copy)]
enum Endpoint {
    Inject,
    Update,
    Read,
    Delete,
    Grants,
}

async fn missing(run: &Run, endpoint: Endpoint) -> Finding {
    rejected(run, endpoint, Caller::Nobody).await
}

async fn invalid(run: &Run, endpoint: Endpoint) -> Finding {
    let key = SecretString::from("ctxm_invalid0key0of0a0conformance0run");
    rejected(run, endpoint, Caller::Key(&key)).await
}

async fn other_scheme(run: &Run) -> Finding {
    rejected(
        run,
        Endpoint::Read,
        Caller::Authorization("Basic Y29uZjpydW4="),
    )
    .await
}

/// The error body has exactly these two fields and texts.
async fn rejected(run: &Run, endpoint: Endpoint, caller: Caller<'_>) -> Finding {
    let user = run.new_user();
    let (method, path, body) = match endpoint {
        Endpoint::Inject => (Method::POST, path::INJECT.to_owned(), inject_body(&user)),
        Endpoint::Update => (
            Method::POST,
            path::UPDATE.to_owned(),
            update_body(&user, "Hello"),
        ),
        Endpoint::Read => (Method::GET, path::context(&user), Value::Null),
        Endpoint::Delete => (Method::DELETE, path::context(&user), Value::Null),
        Endpoint::Grants => {
            // The agent need not exist: credentials are checked first.
            let agent = run
                .a()
                .id()
                .unwrap_or("00000000-0000-4000-8000-000000000000");
            let body = json!({"userId": user, "agentId": agent, "scopes": ["general"]});
            (Method::POST, path::GRANTS.to_owned(), body)
        }
    };
    let answer = if body.is_null() {
        run.wire().send(method, &path, caller, Body::None).await?
    } else {
        run.post(caller, &path, &body).await?
    };
    let expected = json!({"error": "Invalid API key.", "code": "UNAUTHORIZED"});
    let kept = answer.status == 401 && answer.json.as_ref() == Some(&expected);
    Verdict::of(kept, format!("401 {expected}"), answer)
}

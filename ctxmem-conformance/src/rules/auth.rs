//! Authentication: missing and invalid keys.

use ctxmem_client::types::path;
use reqwest::Method;
use serde_json::{Value, json};

use super::rules;
use crate::calls::{inject_body, update_body};
use crate::run::Run;
use crate::verdict::{Finding, Verdict};
use crate::wire::{Body, Caller};

rules! {
    "auth.inject.missing" "Inject without a key: 401 and the documented body" => rejected(Endpoint::Inject, Caller::Nobody);
    "auth.inject.invalid" "Inject with an invalid key: 401 and the documented body" => rejected(Endpoint::Inject, INVALID);
    "auth.update.missing" "Update without a key: 401 and the documented body" => rejected(Endpoint::Update, Caller::Nobody);
    "auth.update.invalid" "Update with an invalid key: 401 and the documented body" => rejected(Endpoint::Update, INVALID);
    "auth.read.missing" "Reading a context without a key: 401 and the documented body" => rejected(Endpoint::Read, Caller::Nobody);
    "auth.read.invalid" "Reading a context with an invalid key: 401 and the documented body" => rejected(Endpoint::Read, INVALID);
    "auth.delete.missing" "Deleting a context without a key: 401 and the documented body" => rejected(Endpoint::Delete, Caller::Nobody);
    "auth.delete.invalid" "Deleting a context with an invalid key: 401 and the documented body" => rejected(Endpoint::Delete, INVALID);
    "auth.grants.missing" "Creating a grant without a key or session: 401 and the documented body" => rejected(Endpoint::Grants, Caller::Nobody);
    "auth.grants.invalid" "Creating a grant with an invalid key: 401 and the documented body" => rejected(Endpoint::Grants, INVALID);
    "auth.scheme" "Credentials of another scheme than Bearer are not a key" => rejected(Endpoint::Read, BASIC);
}

#[derive(Clone, Copy)]
enum Endpoint {
    Inject,
    Update,
    Read,
    Delete,
    Grants,
}

const INVALID: Caller<'_> = Caller::Authorization("Bearer ctxm_invalid0key0of0a0conformance0run");
const BASIC: Caller<'_> = Caller::Authorization("Basic Y29uZjpydW4=");

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
            let body = json!({"userId": user, "agentId": run.a().any_id(), "scopes": ["general"]});
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

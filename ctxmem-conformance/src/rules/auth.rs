//! Authentication: missing and invalid keys.

use ctxmem_client::types::path;
use reqwest::Method;
use serde_json::json;

use super::bodies::valid;
use super::rules;
use crate::run::Run;
use crate::verdict::{Finding, Verdict};
use crate::wire::{Answer, Body, Caller};

rules! {
    "auth.inject.missing" "Inject without a key: 401 and the documented body" => posted(path::INJECT, Caller::Nobody);
    "auth.inject.invalid" "Inject with an invalid key: 401 and the documented body" => posted(path::INJECT, INVALID);
    "auth.update.missing" "Update without a key: 401 and the documented body" => posted(path::UPDATE, Caller::Nobody);
    "auth.update.invalid" "Update with an invalid key: 401 and the documented body" => posted(path::UPDATE, INVALID);
    "auth.read.missing" "Reading a context without a key: 401 and the documented body" => of_context(Method::GET, Caller::Nobody);
    "auth.read.invalid" "Reading a context with an invalid key: 401 and the documented body" => of_context(Method::GET, INVALID);
    "auth.delete.missing" "Deleting a context without a key: 401 and the documented body" => of_context(Method::DELETE, Caller::Nobody);
    "auth.delete.invalid" "Deleting a context with an invalid key: 401 and the documented body" => of_context(Method::DELETE, INVALID);
    "auth.grants.missing" "Creating a grant without a key or session: 401 and the documented body" => posted(path::GRANTS, Caller::Nobody);
    "auth.grants.invalid" "Creating a grant with an invalid key: 401 and the documented body" => posted(path::GRANTS, INVALID);
    "auth.scheme" "Credentials of another scheme than Bearer are not a key" => of_context(Method::GET, BASIC);
}

const INVALID: Caller<'_> = Caller::Authorization("Bearer ctxm_invalid0key0of0a0conformance0run");
const BASIC: Caller<'_> = Caller::Authorization("Basic Y29uZjpydW4=");

async fn posted(run: &Run, path: &str, caller: Caller<'_>) -> Finding {
    let answer = run.post(caller, path, &valid(run, path)).await?;
    unauthorized(&answer)
}

async fn of_context(run: &Run, method: Method, caller: Caller<'_>) -> Finding {
    let path = path::context(&run.new_user());
    let answer = run.wire().send(method, &path, caller, Body::None).await?;
    unauthorized(&answer)
}

/// The error body has exactly these two fields and texts.
fn unauthorized(answer: &Answer) -> Finding {
    let expected = json!({"error": "Invalid API key.", "code": "UNAUTHORIZED"});
    let kept = answer.status == 401 && answer.json.as_ref() == Some(&expected);
    Verdict::of(kept, format!("401 {expected}"), answer)
}

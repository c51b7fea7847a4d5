//! `/account`: the page on which a user sees which agents have access, and decides.

use askama::Template;
use ctxmem_types::{GrantRequest, InvalidTimestamp, Scope, Timestamp};
use http::StatusCode;
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;
use crate::core::{Error, Granter, State};

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage<'a> {
    user_id: &'a str,
    grants: Vec<GrantView>,
}

#[derive(Template)]
#[template(path = "signed_out.html")]
struct SignedOutPage;

struct GrantView {
    id: String,
    agent_id: String,
    agent_name: String,
    state: &'static str,
    active: bool,
    expires: Option<String>,
    since: String,
    scopes: Vec<ScopeView>,
}

struct ScopeView {
    name: &'static str,
    granted: bool,
}

pub(super) async fn show(call: Call) -> Result<Response, HttpError> {
    let user_id = match call.user().await {
        Ok(user_id) => user_id,
        Err(HttpError::Core(Error::NotSignedIn)) => {
            return Ok(reply::page(StatusCode::UNAUTHORIZED, &SignedOutPage));
        }
        Err(error) => return Err(error),
    };
    let grants = call.core().grants(&user_id).await?;
    let grants = grants
        .into_iter()
        .map(|(grant, agent, state)| GrantView {
            state: match state {
                State::Active if grant.scopes.is_empty() => "paused",
                State::Active => "has access",
                State::Expired => "expired",
                State::Revoked => "revoked",
            },
            active: state == State::Active,
            since: Timestamp::from_unix_millis(grant.created_at)
                .map(|at| at.to_string())
                .unwrap_or_default(),
            scopes: Scope::ALL
                .into_iter()
                .map(|scope| ScopeView {
                    name: scope.name(),
                    granted: grant.scopes.contains(scope),
                })
                .collect(),
            id: grant.id,
            agent_id: grant.agent_id,
            expires: grant.expires_text,
            agent_name: agent.name,
        })
        .collect();
    let page = AccountPage {
        user_id: user_id.as_str(),
        grants,
    };
    Ok(reply::page(StatusCode::OK, &page))
}

/// The form behind "Revoke".
pub(super) async fn revoke(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let core = call.core().clone();
    let form = call.form().await?;
    core.revoke_grant(user_id, field(&form, "grant_id")?)
        .await?;
    Ok(reply::see_other("/account"))
}

/// The form behind "Change" and "Allow again": the ticked scopes become the grant. A grant
/// that is changed keeps its expiry.
pub(super) async fn allow(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let core = call.core().clone();
    let form = call.form().await?;
    let scopes = form
        .iter()
        .filter(|(name, _)| name == "scope")
        .map(|(_, scope)| scope.as_str());
    let mut request = GrantRequest::new(user_id.clone(), field(&form, "agent_id")?, scopes);
    request.expires_at = field(&form, "expires_at")
        .ok()
        .map(|text| text.parse())
        .transpose()
        .map_err(|error: InvalidTimestamp| Error::BadRequest(format!("expires_at: {error}")))?;
    core.create_grant(Granter::User(user_id), request).await?;
    Ok(reply::see_other("/account"))
}

fn field(form: &[(String, String)], name: &str) -> Result<String, Error> {
    form.iter()
        .find_map(|(found, value)| (found == name).then(|| value.clone()))
        .ok_or_else(|| Error::BadRequest(format!("{name}: a required field is missing")))
}

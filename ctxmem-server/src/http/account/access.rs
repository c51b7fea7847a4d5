//! Who has access, and the forms by which a user decides about it.

use chrono::{DateTime, NaiveDateTime, Timelike as _, Utc};
use ctxmem_types::{GrantRequest, InvalidTimestamp, Scope, ScopeSet, Timestamp};
use warp::reply::Response;

use super::done::Done;
use super::{Call, HttpError, field};
use crate::core::{Error, Granter, State};
use crate::http::scopes;
use crate::http::when::When;
use crate::store::Access;

/// An agent that has, or had, access.
pub(super) struct AccessView {
    pub(super) grant_id: String,
    pub(super) agent_id: String,
    pub(super) agent_name: String,
    pub(super) agent_deleted: bool,
    /// What the grant amounts to, and the class of its badge.
    pub(super) state: &'static str,
    pub(super) tone: &'static str,
    /// Whether the grant is active.
    pub(super) active: bool,
    /// Whether the agent learns anything by it.
    pub(super) has_access: bool,
    pub(super) since: When,
    pub(super) ended: Option<When>,
    pub(super) last_used: Option<When>,
    pub(super) expires: Option<Expiry>,
    /// What it may read and write, at the end of a sentence; empty for nothing.
    pub(super) reach: String,
    pub(super) scopes: Vec<ScopeView>,
}

/// When an active grant ends.
pub(super) struct Expiry {
    pub(super) when: When,
    /// To the millisecond, as it was asked for.
    pub(super) exact: String,
    /// As the field for it has it.
    pub(super) local: String,
}

/// A scope to tick.
pub(super) struct ScopeView {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) granted: bool,
}

impl AccessView {
    pub(super) fn new(access: Access, state: State) -> Self {
        let grant = access.grant;
        let active = state == State::Active;
        let paused = active && grant.scopes.is_empty();
        let (text, tone) = match state {
            State::Active if paused => ("paused", "warn"),
            State::Active => ("has access", "good"),
            State::Expired => ("expired", ""),
            State::Revoked => ("revoked", ""),
        };
        let end = grant.expires_at.and_then(DateTime::from_timestamp_millis);
        Self {
            state: text,
            tone,
            active,
            has_access: active && !paused && !access.agent_deleted,
            since: When::at(grant.created_at),
            ended: match state {
                State::Active => None,
                State::Expired => grant.expires_at.map(When::at),
                State::Revoked => grant.revoked_at.map(When::at),
            },
            last_used: access.last_used_at.map(When::at),
            expires: end.filter(|_| active).map(|end| Expiry {
                when: When::at(end.timestamp_millis()),
                exact: grant.expires_text.unwrap_or_default(),
                local: local(end),
            }),
            reach: match grant.scopes {
                ScopeSet::ALL => " everything".to_owned(),
                ScopeSet::EMPTY => String::new(),
                some => format!(": {}", scopes::titles(some)),
            },
            scopes: Scope::ALL
                .into_iter()
                .map(|scope| ScopeView {
                    name: scope.name(),
                    title: scopes::title(scope),
                    granted: grant.scopes.contains(scope),
                })
                .collect(),
            grant_id: grant.id,
            agent_id: grant.agent_id,
            agent_name: access.agent_name,
            agent_deleted: access.agent_deleted,
        }
    }
}

/// The form behind "Revoke".
pub(in crate::http) async fn revoke(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let core = call.core().clone();
    let form = call.form().await?;
    core.revoke_grant(user_id, field(&form, "grant_id")?)
        .await?;
    Ok(Done::AccessRevoked.back())
}

/// The form behind "Save" and "Allow again": the ticked scopes become the grant, and it ends
/// when the form says.
pub(in crate::http) async fn allow(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let core = call.core().clone();
    let form = call.form().await?;
    let scopes = form
        .iter()
        .filter(|(name, _)| name == "scope")
        .map(|(_, scope)| scope.as_str());
    let mut request = GrantRequest::new(user_id.clone(), field(&form, "agent_id")?, scopes);
    request.expires_at = end(&form)?;
    core.create_grant(Granter::User(user_id), request).await?;
    Ok(Done::AccessChanged.back())
}

/// When the grant is to end. `expires_at` is when it does so far, to the millisecond: what
/// was not changed in the field, which has seconds only, stays as it was.
fn end(form: &[(String, String)]) -> Result<Option<Timestamp>, Error> {
    let exact = field(form, "expires_at")
        .ok()
        .map(|text| text.parse::<Timestamp>())
        .transpose()
        .map_err(|error: InvalidTimestamp| Error::BadRequest(format!("expires_at: {error}")))?;
    let Ok(asked) = field(form, "expires_at_local") else {
        return Ok(exact);
    };
    if asked.is_empty() {
        return Ok(None);
    }
    if exact
        .as_ref()
        .is_some_and(|exact| local(exact.at()) == asked)
    {
        return Ok(exact);
    }
    let with_seconds = NaiveDateTime::parse_from_str(&asked, "%Y-%m-%dT%H:%M:%S");
    let asked = with_seconds.or_else(|_| NaiveDateTime::parse_from_str(&asked, "%Y-%m-%dT%H:%M"));
    let asked = asked.ok().and_then(|naive| {
        let millis = naive.and_utc().timestamp_millis();
        Timestamp::from_unix_millis(millis)
    });
    let text = "expires_at_local: expected a date and time in UTC such as 2026-03-01T09:30";
    asked
        .map(Some)
        .ok_or_else(|| Error::BadRequest(text.to_owned()))
}

/// An instant as fields of the kind `datetime-local` have it, in UTC.
fn local(at: DateTime<Utc>) -> String {
    let format = if at.second() == 0 {
        "%Y-%m-%dT%H:%M"
    } else {
        "%Y-%m-%dT%H:%M:%S"
    };
    at.format(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(fields: &[(&str, &str)]) -> Result<Option<String>, String> {
        let form: Vec<(String, String)> = fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        end(&form)
            .map(|end| end.map(|end| end.to_string()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_field_in_utc_sets_clears_or_leaves_the_end() {
        let exact = ("expires_at", "2027-01-02T03:04:05.678+01:00");
        assert_eq!(ends(&[]), Ok(None));
        assert_eq!(ends(&[exact]), Ok(Some(exact.1.to_owned())));
        assert_eq!(ends(&[exact, ("expires_at_local", "")]), Ok(None));
        let unchanged = ("expires_at_local", "2027-01-02T02:04:05");
        assert_eq!(ends(&[exact, unchanged]), Ok(Some(exact.1.to_owned())));
        for (local, end) in [
            ("2027-01-02T02:04", "2027-01-02T02:04:00.000Z"),
            ("2027-01-02T02:04:06", "2027-01-02T02:04:06.000Z"),
        ] {
            let changed = ends(&[exact, ("expires_at_local", local)]);
            assert_eq!(changed, Ok(Some(end.to_owned())));
        }
        for wrong in [
            "soon",
            "2027-01-02",
            "2027-13-02T02:04",
            "99999-01-01T00:00",
        ] {
            let error = ends(&[("expires_at_local", wrong)]).unwrap_err();
            assert!(error.starts_with("expires_at_local: "), "{error}");
        }
    }
}

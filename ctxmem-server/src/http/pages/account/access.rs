//! The agents with access, and the forms that change it.

use chrono::{DateTime, NaiveDateTime, Timelike as _, Utc};
use ctxmem_types::{GrantRequest, InvalidTimestamp, ScopeSet, Timestamp};
use serde::Deserialize;

use super::APPS;
use super::frame::AccountFrame;
use crate::core::{AccessNow, AgentAccess, Caller, Error, State};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::choice::ScopeChoice;
use crate::http::pages::{Notice, scopes};
use crate::http::words::{PageTime, Phrase};
use crate::website::host;

/// An agent that has, or had, access.
pub(super) struct AccessView {
    pub(super) access: AgentAccess,
    /// The host of its website, where that confirmed the agent; empty otherwise.
    pub(super) website: String,
    /// The state of the grant in a word, and the class of its badge.
    pub(super) state: Phrase,
    pub(super) tone: &'static str,
    /// Whether the grant is active.
    pub(super) active: bool,
    since: PageTime,
    ended: Option<PageTime>,
    pub(super) expires: Option<Expiry>,
    /// What the agent may read and write.
    pub(super) reach: Phrase,
    /// The kinds to tick: what its keys reach.
    pub(super) scopes: Vec<ScopeChoice>,
    /// Which kinds its keys don't reach.
    pub(super) out_of_reach: Option<Phrase>,
}

/// When an active grant ends.
pub(super) struct Expiry {
    when: PageTime,
    /// To the millisecond, as it was requested.
    pub(super) exact: String,
    /// As a `datetime-local` field shows it.
    pub(super) local: String,
}

impl AccessView {
    pub(super) fn new(now: AccessNow) -> Self {
        let effective = now.effective();
        let AccessNow {
            access,
            state,
            reach,
        } = now;
        let grant = &access.grant;
        let active = state == State::Active;
        let (text, tone) = match state {
            State::Active if grant.scopes.is_empty() => ("access-paused", "warn"),
            State::Active if effective.is_empty() => ("access-idle", ""),
            State::Active => ("access-active", "good"),
            State::Expired => ("access-expired", ""),
            State::Revoked if grant.is_refusal() => ("access-refused", ""),
            State::Revoked => ("access-revoked", ""),
        };
        let end = grant.expires_at.and_then(DateTime::from_timestamp_millis);
        Self {
            state: Phrase::new(text),
            tone,
            active,
            since: PageTime::new(grant.since),
            ended: match state {
                State::Active => None,
                State::Expired => grant.expires_at.map(PageTime::new),
                State::Revoked => grant.revoked_at.map(PageTime::new),
            },
            expires: end.filter(|_| active).map(|end| Expiry {
                when: PageTime::new(end.timestamp_millis()),
                exact: grant.expires_text.clone().unwrap_or_default(),
                local: local(end),
            }),
            reach: match effective {
                ScopeSet::ALL => Phrase::new("access-reach-all"),
                ScopeSet::EMPTY if grant.scopes.is_empty() => Phrase::new("access-reach-nothing"),
                ScopeSet::EMPTY => Phrase::new("access-reach-idle"),
                some => Phrase::new("access-reach").arg("kinds", scopes::titles(some)),
            },
            out_of_reach: match ScopeSet::ALL.difference(reach) {
                ScopeSet::EMPTY => None,
                ScopeSet::ALL => Some(Phrase::new("access-no-key")),
                some => Some(Phrase::new("access-out-of-reach").arg("kinds", scopes::titles(some))),
            },
            scopes: ScopeChoice::of(reach.iter(), |scope| grant.scopes.contains(scope)),
            website: host(&access.website),
            access,
        }
    }

    /// Since when it is as it is, and until when.
    pub(super) fn period(&self) -> Phrase {
        let since = self.ended.as_ref().unwrap_or(&self.since);
        match &self.expires {
            Some(end) => Phrase::new("access-since-until")
                .arg("when", since)
                .arg("end", &end.when),
            None => Phrase::new("access-since").arg("when", since),
        }
    }

    /// The same, where the user may have paused everything.
    pub(super) fn in_frame(self, frame: &AccountFrame) -> Self {
        match &frame.paused {
            Some(at) if self.active => Self {
                state: Phrase::new("access-paused"),
                tone: "warn",
                since: at.clone(),
                reach: Phrase::new("access-after-pause").arg("reach", self.reach),
                ..self
            },
            _ => self,
        }
    }
}

/// The form behind "Revoke". It names the agent and no grant: what the agent has now ends, however long
/// the page was open.
pub(crate) async fn revoke(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let agent_id = ctx.field("agent_id").await?;
    ctx.core().grants.revoke_agent(user_id, agent_id).await?;
    Ok(Notice::AccessRevoked.redirect_to(APPS))
}

#[derive(Deserialize)]
struct AllowForm {
    agent_id: String,
    /// Those that are ticked.
    #[serde(default, rename = "scope")]
    scopes: Vec<String>,
    /// When the grant ends so far, to the millisecond.
    expires_at: Option<String>,
    /// When it should end, to the second: a browser's field has no milliseconds. Where it
    /// still shows `expires_at`, the end keeps its milliseconds.
    expires_at_local: Option<String>,
}

/// The form behind "Save": the ticked scopes become the grant, and it ends when the form says.
pub(crate) async fn allow(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let form: AllowForm = ctx.form().await?;
    let end = form.end()?;
    let mut request = GrantRequest::new(user_id.clone(), form.agent_id, form.scopes);
    request.expires_at = end;
    let grants = &ctx.core().grants;
    grants.create_grant(Caller::User(user_id), request).await?;
    Ok(Notice::AccessChanged.redirect_to(APPS))
}

impl AllowForm {
    fn end(&self) -> Result<Option<Timestamp>, Error> {
        let exact = self.expires_at.as_deref().map(str::parse::<Timestamp>);
        let exact = exact
            .transpose()
            .map_err(|error: InvalidTimestamp| Error::BadRequest(format!("expires_at: {error}")))?;
        let Some(entered) = &self.expires_at_local else {
            return Ok(exact);
        };
        if entered.is_empty() {
            return Ok(None);
        }
        if exact
            .as_ref()
            .is_some_and(|exact| local(exact.at()) == *entered)
        {
            return Ok(exact);
        }
        let naive = NaiveDateTime::parse_from_str(entered, "%Y-%m-%dT%H:%M:%S")
            .or_else(|_| NaiveDateTime::parse_from_str(entered, "%Y-%m-%dT%H:%M"));
        let end = naive.ok().and_then(|naive| {
            let millis = naive.and_utc().timestamp_millis();
            Timestamp::from_unix_millis(millis)
        });
        let text = "expires_at_local: expected a date and time in UTC such as 2026-03-01T09:30";
        end.map(Some)
            .ok_or_else(|| Error::BadRequest(text.to_owned()))
    }
}

/// A time in UTC, as `datetime-local` fields write it.
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
        let field = |name| {
            let mut fields = fields.iter();
            fields.find_map(|(found, value)| (*found == name).then(|| (*value).to_owned()))
        };
        let form = AllowForm {
            agent_id: String::new(),
            scopes: Vec::new(),
            expires_at: field("expires_at"),
            expires_at_local: field("expires_at_local"),
        };
        form.end()
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

//! `/consent/{agentId}`: where a user allows an agent, all of what it asks for or a part, or refuses
//! it. Agents that wait for the user show the address. Users who are not signed in come back here once they are.

use askama::Template;
use chrono::{DateTime, Duration, Utc};
use ctxmem_types::{GrantRequest, Timestamp};
use http::StatusCode;
use serde::Deserialize;

use super::account::frame::AccountFrame;
use super::account::signed_out;
use super::choice::{Choice, ScopeChoice};
use super::notice::Notice;
use super::sign_in::come_back;
use crate::core::{AskingAgent, Caller, Error, State};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::words::{Phrase, filters};
use crate::website::host;

/// For how long access can be given: the value of the form, and the days.
const ENDS: [(&str, Option<i64>); 3] = [("30", Some(30)), ("90", Some(90)), ("never", None)];

/// The page on which a user decides. Nothing is decided before: ticked is only what the agent's developer
/// says that it needs, and no end is chosen.
#[derive(Template)]
#[template(path = "consent/page.html")]
pub(super) struct ConsentPage {
    frame: AccountFrame,
    agent: AskingAgent,
    /// The name of its website's host; empty without one.
    host: String,
    /// How the agent stands to the user now, as a sentence.
    standing: Phrase,
    scopes: Vec<ScopeChoice>,
    /// Whether some of them are needed.
    has_needs: bool,
    ends: Vec<Choice>,
    /// Whether the form came without a kind, and without an end.
    nothing_ticked: bool,
    no_end: bool,
    action: String,
    client: Option<ClientView>,
}

/// What is known of a client that asks over OAuth.
struct ClientView {
    /// How it asked, which its form repeats.
    request: String,
    /// The host to which the user is sent back.
    host: String,
    /// Whether that is the user's own machine.
    is_local: bool,
}

/// What follows the decision: the way back to the agent.
#[derive(Template)]
#[template(path = "consent/decided.html")]
struct DecidedPage {
    frame: AccountFrame,
    done: Option<Phrase>,
    agent_name: String,
    /// The address that the agent's developer registered. Nothing that a request brings is in it.
    return_url: String,
}

impl ConsentPage {
    /// `sent` is what was decided and can't be carried out.
    pub(super) fn new(frame: AccountFrame, agent: AskingAgent, sent: Option<&Decision>) -> Self {
        let needs = &agent.profile.needs;
        let scopes = ScopeChoice::of(agent.scopes.iter(), |scope| match sent {
            Some(sent) => sent.scopes.iter().any(|ticked| ticked == scope.name()),
            None => needs.contains_key(&scope),
        });
        let until = sent.and_then(|sent| sent.until.as_deref());
        let ends = ENDS.map(|(value, days)| {
            let title = days.map_or_else(
                || Phrase::new("consent-until-revoked"),
                |days| Phrase::new("consent-days").arg("days", days),
            );
            Choice::new(value, title, until == Some(value))
        });
        Self {
            frame,
            host: host(&agent.profile.url),
            standing: Phrase::new(match agent.grant.as_ref().map(|(_, state)| state) {
                Some(State::Active) => "consent-has-access",
                Some(State::Expired) => "consent-expired",
                Some(State::Revoked) => "consent-refused",
                None => "consent-no-access",
            }),
            has_needs: scopes.iter().any(|it| needs.contains_key(&it.scope)),
            scopes,
            ends: ends.into(),
            nothing_ticked: sent.is_some_and(|sent| sent.scopes.is_empty()),
            no_end: sent.is_some_and(|sent| sent.until.is_none()),
            action: format!("/consent/{}", agent.id),
            client: None,
            agent,
        }
    }

    /// The same for a client that asks over OAuth by this query of the page at this path. It sends the user
    /// back to this host.
    pub(super) fn of_client(self, path: &str, query: &str, host: String, is_local: bool) -> Self {
        let client = ClientView {
            request: query.to_owned(),
            host,
            is_local,
        };
        Self {
            action: path.to_owned(),
            client: Some(client),
            ..self
        }
    }

    /// Whether a program on the user's own machine asks, which is of nobody who is known.
    fn is_local(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.is_local)
    }

    fn is_refused(&self) -> bool {
        self.nothing_ticked || self.no_end
    }
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let agent_id = ctx.param();
    let Some(user_id) = ctx.user_or_nobody().await? else {
        let asking = ctx.core().grants.agent_name(&agent_id).await?;
        let page = signed_out::page(&ctx, asking);
        return Ok(come_back(&ctx, page, ctx.request.path()));
    };
    let core = ctx.core();
    let agent = core.grants.asking_agent(&user_id, &agent_id).await?;
    let frame = AccountFrame::of(core, &user_id).await?;
    if let Some(done @ (Notice::AgentAllowed | Notice::AgentRefused)) = Notice::of(&ctx) {
        let page = DecidedPage {
            frame,
            done: Some(done.text()),
            agent_name: agent.name,
            return_url: agent.profile.return_url,
        };
        return ctx.page(&page);
    }
    ctx.page(&ConsentPage::new(frame, agent, None))
}

/// What a user decided.
#[derive(Deserialize)]
pub(super) struct Decision {
    /// How a client asked over OAuth; empty on the page of an agent.
    #[serde(default)]
    pub(super) request: String,
    /// `allow` or `refuse`.
    #[serde(rename = "decision")]
    pub(super) choice: String,
    /// Those that are ticked.
    #[serde(default, rename = "scope")]
    pub(super) scopes: Vec<String>,
    until: Option<String>,
}

impl Decision {
    /// Whether something is ticked, and an end is chosen.
    pub(super) fn is_complete(&self) -> bool {
        !self.scopes.is_empty() && self.until.is_some()
    }

    pub(super) fn end(&self, now: DateTime<Utc>) -> Result<Option<Timestamp>, Error> {
        let Some(until) = &self.until else {
            return Ok(None);
        };
        let end = ENDS.iter().find(|(value, _)| value == until);
        let (_, days) = end.ok_or_else(|| {
            Error::BadRequest("until: expected 30, 90 (days) or never".to_owned())
        })?;
        let end = days.map(|days| now + Duration::days(days));
        Ok(end.and_then(|end| Timestamp::from_unix_millis(end.timestamp_millis())))
    }
}

pub(crate) async fn decide(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let agent_id = ctx.param();
    let core = ctx.core();
    // What names no agent is refused below.
    let path = format!("/consent/{agent_id}");
    let sent: Decision = ctx.form().await?;
    match &*sent.choice {
        "refuse" => {
            core.grants.refuse_agent(&user_id, &agent_id).await?;
            Ok(Notice::AgentRefused.redirect_to(&path))
        }
        "allow" if !sent.is_complete() => {
            let agent = core.grants.asking_agent(&user_id, &agent_id).await?;
            let frame = AccountFrame::of(core, &user_id).await?;
            let page = ConsentPage::new(frame, agent, Some(&sent));
            ctx.page_of(StatusCode::BAD_REQUEST, &page)
        }
        "allow" => {
            let mut request = GrantRequest::new(user_id.clone(), agent_id, sent.scopes.clone());
            request.expires_at = sent.end(core.sign_in.time())?;
            core.grants
                .create_grant(Caller::User(user_id), request)
                .await?;
            Ok(Notice::AgentAllowed.redirect_to(&path))
        }
        _ => Err(Error::BadRequest("decision: expected allow or refuse".to_owned()).into()),
    }
}

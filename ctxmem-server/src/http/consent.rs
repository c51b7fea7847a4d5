//! `/consent/{agentId}`: where a user allows an agent, all of what it asks for or a part, or refuses
//! it. Agents that wait for the user show the address. Who is not signed in comes back after that.

use std::sync::Arc;

use askama::Template;
use chrono::{DateTime, Duration, Utc};
use ctxmem_types::{GrantRequest, ScopeSet, Timestamp, UserId};
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::account::{AccountNotice, SignedOutPage};
use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::page_time::PageTime;
use super::request_context::RequestContext;
use super::sign_in::{OidcLink, come_back};
use super::words::{Phrase, filters};
use super::{reply, scopes};
use crate::core::{AskingAgent, Caller, Core, Error, Purpose, State};

/// For how long access can be given: the value of the form, and the days.
const ENDS: [(&str, Option<i64>); 5] = [
    ("never", None),
    ("1", Some(1)),
    ("7", Some(7)),
    ("30", Some(30)),
    ("365", Some(365)),
];

#[derive(Template)]
#[template(path = "consent/page.html")]
struct ConsentPage<'a> {
    user_id: &'a str,
    agent: AskingAgent,
    initials: String,
    asked: Option<AskedView>,
    /// How the agent stands to the user now, as a sentence.
    standing: Phrase,
    ask: DecideForm,
}

/// How often an agent that waits has called.
pub(super) struct AskedView {
    pub(super) first: PageTime,
    pub(super) last: PageTime,
    pub(super) times: i64,
}

/// The form with which a user decides.
pub(super) struct DecideForm {
    pub(super) agent_id: String,
    pub(super) agent_name: String,
    pub(super) scopes: Vec<ScopeChoice>,
    pub(super) ends: Vec<EndChoice>,
    /// Whether nothing was ticked when it was sent.
    pub(super) is_refused: bool,
}

/// A kind of fact to tick.
pub(super) struct ScopeChoice {
    pub(super) name: &'static str,
    pub(super) title: Phrase,
    pub(super) meaning: Phrase,
    pub(super) ticked: bool,
}

/// An end to choose.
pub(super) struct EndChoice {
    pub(super) value: &'static str,
    pub(super) text: Phrase,
    pub(super) chosen: bool,
}

impl DecideForm {
    /// With everything ticked that is asked for, and no end.
    pub(super) fn new(agent_id: &str, agent_name: &str, asked: ScopeSet) -> Self {
        Self {
            agent_id: agent_id.to_owned(),
            agent_name: agent_name.to_owned(),
            scopes: asked
                .iter()
                .map(|scope| ScopeChoice {
                    name: scope.name(),
                    title: scopes::title(scope),
                    meaning: scopes::meaning(scope),
                    ticked: true,
                })
                .collect(),
            ends: ENDS
                .iter()
                .map(|&(value, days)| EndChoice {
                    value,
                    text: days.map_or_else(
                        || Phrase::new("consent-until-revoked"),
                        |days| Phrase::new("consent-days").arg("days", days),
                    ),
                    chosen: days.is_none(),
                })
                .collect(),
            is_refused: false,
        }
    }

    /// With the choices that were sent, which can't be carried out.
    fn with(mut self, sent: &Decision) -> Self {
        for scope in &mut self.scopes {
            scope.ticked = sent.scopes.iter().any(|ticked| ticked == scope.name);
        }
        for end in &mut self.ends {
            end.chosen = sent.until.as_deref().unwrap_or("never") == end.value;
        }
        self.is_refused = true;
        self
    }
}

/// The page of an agent.
pub(super) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = match ctx.user().await {
        Ok(user_id) => user_id,
        Err(HttpError::Core(Error::NotSignedIn)) => {
            let oidc = OidcLink::new(&ctx.api, Purpose::User);
            let page = SignedOutPage {
                oidc,
                operator: ctx.api.operator.name.as_deref(),
            };
            let mut response = reply::page(&ctx.request, StatusCode::UNAUTHORIZED, &page);
            come_back(&ctx.api, &mut response, ctx.request.path());
            return Ok(response);
        }
        Err(error) => return Err(error),
    };
    let agent_id = ctx.param();
    page(ctx.core(), &ctx.request, &user_id, &agent_id, None).await
}

async fn page(
    core: &Core,
    reader: &RequestContext,
    user_id: &UserId,
    agent_id: &str,
    refused: Option<&Decision>,
) -> Result<Response, HttpError> {
    let agent = core.asking_agent(user_id, agent_id).await?;
    let mut ask = DecideForm::new(&agent.id, &agent.name, agent.scopes);
    let mut status = StatusCode::OK;
    if let Some(sent) = refused {
        ask = ask.with(sent);
        status = StatusCode::BAD_REQUEST;
    }
    let page = ConsentPage {
        user_id: user_id.as_str(),
        initials: initials(&agent.name),
        asked: agent.request.as_ref().map(|request| AskedView {
            first: PageTime::new(request.first_at),
            last: PageTime::new(request.last_at),
            times: request.times,
        }),
        standing: Phrase::new(match agent.grant.as_ref().map(|(_, state)| state) {
            Some(State::Active) => "consent-has-access",
            Some(State::Expired) => "consent-expired",
            Some(State::Revoked) => "consent-refused",
            None => "consent-no-access",
        }),
        agent,
        ask,
    };
    Ok(reply::page(reader, status, &page))
}

/// What a user decided.
#[derive(Deserialize)]
struct Decision {
    /// `allow` or `refuse`.
    #[serde(rename = "decision")]
    choice: String,
    /// Those that are ticked.
    #[serde(default, rename = "scope")]
    scopes: Vec<String>,
    until: Option<String>,
}

impl Decision {
    /// When access ends.
    fn end(&self, now: DateTime<Utc>) -> Result<Option<Timestamp>, Error> {
        let Some(until) = &self.until else {
            return Ok(None);
        };
        let end = ENDS.iter().find(|(value, _)| value == until);
        let (_, days) = end.ok_or_else(|| {
            Error::BadRequest("until: expected never, 1, 7, 30 or 365 (days)".to_owned())
        })?;
        let end = days.map(|days| now + Duration::days(days));
        Ok(end.and_then(|end| Timestamp::from_unix_millis(end.timestamp_millis())))
    }
}

/// The form of the page, and of the same agent at `/account`.
pub(super) async fn decide(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let agent_id = ctx.param();
    let (core, reader) = (ctx.core().clone(), Arc::clone(&ctx.request));
    let sent: Decision = ctx.form().await?;
    match &*sent.choice {
        "refuse" => {
            core.refuse_agent(&user_id, &agent_id).await?;
            Ok(AccountNotice::AgentRefused.redirect())
        }
        "allow" if sent.scopes.is_empty() => {
            page(&core, &reader, &user_id, &agent_id, Some(&sent)).await
        }
        "allow" => {
            let mut request = GrantRequest::new(user_id.clone(), agent_id, sent.scopes.clone());
            request.expires_at = sent.end(core.time())?;
            core.create_grant(Caller::User(user_id), request).await?;
            Ok(AccountNotice::AgentAllowed.redirect())
        }
        _ => Err(Error::BadRequest("decision: expected allow or refuse".to_owned()).into()),
    }
}

/// Up to two letters that stand for an agent's name.
fn initials(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let firsts = words.filter_map(|word| word.chars().next());
    firsts.take(2).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use ctxmem_types::Scope;

    use super::*;

    #[test]
    fn a_name_has_initials() {
        for (name, letters) in [
            ("Support Agent of ACME", "SA"),
            ("helper", "H"),
            ("über-bot", "ÜB"),
            ("  ", ""),
            ("🤖", ""),
        ] {
            assert_eq!(initials(name), letters, "{name}");
        }
    }

    #[test]
    fn a_form_that_comes_back_has_its_choices() {
        let sent = Decision {
            choice: "allow".to_owned(),
            scopes: vec!["goals".to_owned()],
            until: Some("7".to_owned()),
        };
        let form = DecideForm::new(
            "1",
            "Helper",
            [Scope::General, Scope::Goals].into_iter().collect(),
        );
        let form = form.with(&sent);
        let ticked: Vec<_> = form.scopes.iter().map(|it| (it.name, it.ticked)).collect();
        assert_eq!(ticked, [("general", false), ("goals", true)]);
        let chosen: Vec<_> = form.ends.iter().filter(|end| end.chosen).collect();
        assert_eq!((chosen.len(), chosen[0].value), (1, "7"));
    }
}

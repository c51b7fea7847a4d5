//! What an agent would be told.

use askama::Template;
use http::StatusCode;
use warp::reply::Response;

use super::access::AccessView;
use super::{Call, HttpError, asked, reply};
use crate::core::{State, Told};
use crate::http::scopes;

#[derive(Template)]
#[template(path = "account/preview.html")]
struct PreviewPage<'a> {
    user_id: &'a str,
    agent: AccessView,
    /// Why it would be told nothing, whatever its keys.
    nothing: Option<&'static str>,
    tellings: Vec<TellingView>,
}

struct TellingView {
    titles: String,
    /// What is to be said of it.
    note: Option<&'static str>,
    is_demo: bool,
    block: Option<String>,
}

pub(in crate::http) async fn preview(call: Call) -> Result<Response, HttpError> {
    let user_id = call.user().await?;
    let agent_id = asked(&call, "agent")?;
    let preview = call.core().preview(&user_id, &agent_id).await?;
    let paused = preview.access.grant.scopes.is_empty();
    let nothing = match preview.state {
        _ if preview.access.agent_deleted => {
            Some("Nothing: this agent was deleted by its developer, and its keys work no more.")
        }
        State::Revoked => Some("Nothing: its access was revoked."),
        State::Expired => Some("Nothing: its access has expired."),
        State::Active if paused => Some("Nothing: its access is paused. No scope is ticked."),
        State::Active if preview.tellings.is_empty() => {
            Some("Nothing: the agent has no working key at the moment.")
        }
        State::Active => None,
    };
    let tellings = preview.tellings.into_iter();
    let page = PreviewPage {
        user_id: user_id.as_str(),
        tellings: match nothing {
            Some(_) => Vec::new(),
            None => tellings.map(TellingView::new).collect(),
        },
        agent: AccessView::new(preview.access, preview.state),
        nothing,
    };
    Ok(reply::page(StatusCode::OK, &page))
}

impl TellingView {
    fn new(telling: crate::core::Telling) -> Self {
        let is_demo = matches!(telling.told, Told::Demo(_));
        let (note, block) = match telling.told {
            Told::NoGrant => (Some("Nothing: its access is not active."), None),
            Told::NoScopes => (
                Some(
                    "Nothing: what you allow and what this agent’s keys are made for have \
                     nothing in common.",
                ),
                None,
            ),
            Told::Empty => (Some("Nothing: nothing is stored about you yet."), None),
            Told::OutOfScope => (
                Some("Nothing: what is stored about you is of other kinds."),
                None,
            ),
            Told::Demo(block) => (
                Some(
                    "Nothing about you: nothing is stored yet. Until its developer’s agents \
                     store a first fact, this agent is shown made-up facts of a demo, which \
                     are the same for everybody.",
                ),
                block,
            ),
            Told::Block(block) => (None, Some(block)),
        };
        Self {
            titles: scopes::titles(telling.scopes),
            note,
            is_demo,
            block,
        }
    }
}

//! The page that shows a user what an agent would be told.

use askama::Template;
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::access::AccessView;
use super::{HandlerContext, HttpError, reply};
use crate::core::{InjectOutcome, State};
use crate::http::scopes;

#[derive(Template)]
#[template(path = "account/preview.html")]
struct PreviewPage<'a> {
    user_id: &'a str,
    agent: AccessView,
    /// Why the agent would be told nothing with any key.
    nothing: Option<&'static str>,
    by_key: Vec<KeyPreviewView>,
}

struct KeyPreviewView {
    titles: String,
    /// That only some of the facts fit, if so.
    shown: Option<String>,
    /// What the page says about it.
    note: Option<&'static str>,
    is_demo: bool,
    block: Option<String>,
}

#[derive(Deserialize)]
struct PreviewQuery {
    /// The agent's id.
    agent: String,
}

pub(in crate::http) async fn preview(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let query: PreviewQuery = ctx.query()?;
    let preview = ctx.core().preview(&user_id, &query.agent).await?;
    let paused = preview.access.grant.scopes.is_empty();
    let nothing = match preview.state {
        _ if preview.access.agent_deleted => {
            Some("Nothing: this agent was deleted by its developer, and its keys no longer work.")
        }
        State::Revoked => Some("Nothing: its access was revoked."),
        State::Expired => Some("Nothing: its access has expired."),
        State::Active if paused => Some("Nothing: its access is paused. No scope is ticked."),
        State::Active if preview.by_key.is_empty() => {
            Some("Nothing: the agent has no working key at the moment.")
        }
        State::Active => None,
    };
    let by_key = preview.by_key.into_iter();
    let page = PreviewPage {
        user_id: user_id.as_str(),
        by_key: match nothing {
            Some(_) => Vec::new(),
            None => by_key.map(KeyPreviewView::new).collect(),
        },
        agent: AccessView::new(preview.access, preview.state),
        nothing,
    };
    Ok(reply::page(StatusCode::OK, &page))
}

impl KeyPreviewView {
    fn new(key: crate::core::KeyPreview) -> Self {
        let is_cut = matches!(key.outcome, InjectOutcome::Block(_)) && key.shown < key.facts;
        let shown = is_cut.then(|| {
            let (shown, facts) = (key.shown, key.facts);
            format!(
                "Shows {shown} of {facts} facts: there is no room for more in a prompt. Your name and \
                 place, how to talk to you, and allergies come first, then what you wrote or asked \
                 to be remembered, then the newest."
            )
        });
        let is_demo = matches!(key.outcome, InjectOutcome::Demo(_));
        let (note, block) = match key.outcome {
            InjectOutcome::MustAsk | InjectOutcome::NoGrant => {
                (Some("Nothing: its access is not active."), None)
            }
            InjectOutcome::NoScopes => (
                Some(
                    "Nothing: what you allow and what this agent’s keys can reach do not \
                     overlap.",
                ),
                None,
            ),
            InjectOutcome::Empty => (Some("Nothing: nothing is stored about you yet."), None),
            InjectOutcome::OutOfScope => (
                Some("Nothing: what is stored about you is of other kinds."),
                None,
            ),
            InjectOutcome::Demo(block) => (
                Some(
                    "Nothing about you: nothing is stored yet. Until its developer’s agents \
                     store a first fact, this agent gets the made-up facts of a demo, which \
                     are the same for everybody.",
                ),
                block,
            ),
            InjectOutcome::Block(block) => (None, Some(block)),
        };
        Self {
            titles: scopes::titles(key.scopes),
            shown,
            note,
            is_demo,
            block,
        }
    }
}

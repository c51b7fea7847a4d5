//! The page that shows a user what an agent would be told.

use askama::Template;
use serde::Deserialize;

use super::access::AccessView;
use super::frame::AccountFrame;
use crate::core::{InjectOutcome, State};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::scopes;
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "account/preview.html")]
struct PreviewPage {
    frame: AccountFrame,
    agent: AccessView,
    /// Why the agent would be told nothing with any key.
    nothing: Option<Phrase>,
    by_key: Vec<KeyPreviewView>,
}

struct KeyPreviewView {
    titles: Phrase,
    /// That only some of the facts fit, if so.
    shown: Option<Phrase>,
    /// What the page says about it.
    note: Option<Phrase>,
    is_demo: bool,
    block: Option<String>,
}

#[derive(Deserialize)]
struct PreviewQuery {
    agent: String,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let query: PreviewQuery = ctx.query()?;
    let preview = ctx.core().memory.preview(&user_id, &query.agent).await?;
    let frame = AccountFrame::of(ctx.core(), &user_id).await?;
    let paused = preview.access.access.grant.scopes.is_empty();
    let nothing = match preview.access.state {
        _ if preview.access.access.agent_deleted => Some("preview-deleted"),
        State::Revoked => Some("preview-revoked"),
        State::Expired => Some("preview-expired"),
        State::Active if frame.paused.is_some() => Some("preview-all-paused"),
        State::Active if paused => Some("preview-paused"),
        State::Active if preview.by_key.is_empty() => Some("preview-no-key"),
        State::Active => None,
    };
    let by_key = preview.by_key.into_iter();
    let page = PreviewPage {
        by_key: match nothing {
            Some(_) => Vec::new(),
            None => by_key.map(KeyPreviewView::new).collect(),
        },
        agent: AccessView::new(preview.access).in_frame(&frame),
        nothing: nothing.map(Phrase::new),
        frame,
    };
    ctx.page(&page)
}

impl KeyPreviewView {
    fn new(key: crate::core::KeyPreview) -> Self {
        let cut = match &key.outcome {
            InjectOutcome::Block(block) if block.leaves_out => Some(block.shown),
            _ => None,
        };
        let shown = cut.map(|shown| {
            Phrase::new("preview-shown")
                .arg("shown", shown)
                .arg("facts", key.facts)
        });
        let is_demo = matches!(key.outcome, InjectOutcome::Demo(_));
        let (note, block) = match key.outcome {
            InjectOutcome::MustAsk | InjectOutcome::NoGrant => (Some("preview-inactive"), None),
            InjectOutcome::NoScopes => (Some("preview-no-scopes"), None),
            InjectOutcome::Empty => (Some("preview-empty"), None),
            InjectOutcome::OutOfScope => (Some("preview-other-kinds"), None),
            InjectOutcome::Demo(block) => (Some("preview-demo-about"), block),
            InjectOutcome::Block(block) => (None, Some(block.text)),
        };
        Self {
            titles: if key.scopes.is_empty() {
                Phrase::new("preview-no-overlap")
            } else {
                Phrase::new("preview-kinds").arg("kinds", scopes::titles(key.scopes))
            },
            shown,
            note: note.map(Phrase::new),
            is_demo,
            block,
        }
    }
}

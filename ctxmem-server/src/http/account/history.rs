//! The history of a user's memory, as sentences.

use askama::Template;
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::{HandlerContext, HttpError, reply};
use crate::core::{Action, Actor, AuditRow, Outcome};
use crate::http::page_time::PageTime;
use crate::http::scopes;

/// How many entries a page shows.
const PAGE: u32 = 25;

#[derive(Template)]
#[template(path = "account/history.html")]
struct HistoryPage<'a> {
    user_id: &'a str,
    history: Vec<HistoryEntry>,
    /// Whether this is not the first page.
    is_later_page: bool,
    /// The id of the last entry on this page, if there are older ones.
    older: Option<String>,
}

/// One entry of the history.
pub(super) struct HistoryEntry {
    pub(super) sentence: String,
    pub(super) titles: String,
    pub(super) times: Option<i64>,
    pub(super) when: PageTime,
    /// The id of the receipt, if there is one.
    pub(super) receipt: Option<String>,
}

#[derive(Deserialize)]
struct HistoryQuery {
    /// The last entry of the page before this one.
    before: Option<String>,
}

pub(in crate::http) async fn history(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let query: HistoryQuery = ctx.query()?;
    // One more than the page shows tells whether there are older ones.
    let mut rows = ctx
        .core()
        .trail(&user_id, query.before.as_deref(), PAGE + 1)
        .await?;
    let has_older = rows.len() > PAGE as usize;
    rows.truncate(PAGE as usize);
    let page = HistoryPage {
        user_id: user_id.as_str(),
        history: rows.iter().map(HistoryEntry::new).collect(),
        is_later_page: query.before.is_some(),
        older: rows.pop().filter(|_| has_older).map(|row| row.id),
    };
    Ok(reply::page(StatusCode::OK, &page))
}

impl HistoryEntry {
    pub(super) fn new(row: &AuditRow) -> Self {
        Self {
            sentence: format!("{} {}", who(row), did_what(row)),
            titles: scopes::titles(row.event.scopes),
            times: (row.event.times > 1).then_some(row.event.times),
            when: PageTime::new(row.event.at),
            receipt: (row.event.action == Action::Erase).then(|| row.id.clone()),
        }
    }
}

/// Who did it, as the beginning of a sentence.
pub(super) fn who(row: &AuditRow) -> String {
    match row.event.actor {
        Actor::User => "You".to_owned(),
        Actor::Agent => agent(row).to_owned(),
        Actor::Developer => "A developer".to_owned(),
        Actor::Operator => "The operator of this service".to_owned(),
    }
}

fn agent(row: &AuditRow) -> &str {
    row.agent_name.as_deref().unwrap_or("An agent")
}

/// What they did, as the rest of the sentence without its full stop.
fn did_what(row: &AuditRow) -> String {
    use {Action as A, Outcome as O};
    let event = &row.event;
    let facts = counted(event.facts);
    let of_agent = match event.actor {
        Actor::Agent => "its own access".to_owned(),
        _ => format!("the access of {}", agent(row)),
    };
    match (event.action, event.outcome) {
        (A::Inject, O::Done | O::Partly) => "was told what it may know about you".to_owned(),
        (A::Inject, O::Denied) => {
            "asked about you and was told nothing: it has no access".to_owned()
        }
        (A::Inject, O::Failed) => "asked about you and got no answer".to_owned(),
        (A::Inject, _) => "asked about you; there was nothing to share".to_owned(),
        (A::Read, O::Done | O::Partly) => "read what is remembered about you".to_owned(),
        (A::Read, O::Nothing) => "read what is remembered about you: nothing".to_owned(),
        (A::Read, O::Failed) => {
            "tried to read what is remembered about you, which failed".to_owned()
        }
        (A::Read, _) => "tried to read what is remembered about you and was refused".to_owned(),
        (A::Update, O::Done) if event.facts == 0 => "learned nothing new about you".to_owned(),
        (A::Update, O::Done) => format!("noted {facts} about you"),
        (A::Update, O::Partly) => {
            format!("noted {facts} about you; others were of kinds that you do not allow")
        }
        (A::Update, O::Nothing | O::Filtered) => {
            "sent a message with nothing to remember".to_owned()
        }
        (A::Update, O::Denied) => "tried to note something about you and was refused".to_owned(),
        (A::Update, O::LimitReached) => {
            "sent a message; nothing was noted because its limit is reached".to_owned()
        }
        (A::Update, O::Failed) => {
            "sent a message; nothing was noted because something failed".to_owned()
        }
        (A::Grant, O::Done | O::Partly | O::Nothing) => match event.actor {
            Actor::Agent => "was given access by its first request, or narrowed it".to_owned(),
            _ => format!("set {of_agent}"),
        },
        (A::Grant, _) => format!("tried to set {of_agent} and was refused"),
        (A::Revoke, O::Done | O::Partly | O::Nothing) => format!("ended {of_agent}"),
        (A::Revoke, _) => format!("tried to end {of_agent} and was refused"),
        (A::Erase, O::Done | O::Partly | O::Nothing) => {
            format!("deleted everything that was remembered about you: {facts}")
        }
        (A::Erase, _) => "tried to delete everything and was refused".to_owned(),
        (A::AddFact, _) => "added a fact".to_owned(),
        (A::CorrectFact, _) => "corrected a fact".to_owned(),
        (A::DeleteFact, _) => "deleted a fact".to_owned(),
        (A::DeleteScope, _) => format!("deleted all of one kind: {facts}"),
        (A::Export, _) => format!("downloaded a copy of {facts}"),
        (A::SignIn, O::Done) => "signed in".to_owned(),
        (A::SignIn, _) => "tried to sign in, without success".to_owned(),
        (A::CreateAgent, _) => format!("created the agent {}", agent(row)),
        (A::RenameAgent, _) => format!("renamed an agent; it is now called {}", agent(row)),
        (A::DeleteAgent, _) => format!("deleted the agent {}", agent(row)),
        (A::CreateKey, _) => format!("made a key for {}", agent(row)),
        (A::RevokeKey, _) => format!("revoked a key of {}", agent(row)),
        (A::ChangePassword, _) => "changed a password".to_owned(),
        (A::ChangeSecondFactor, _) => "changed a second factor".to_owned(),
        (A::RotateKey, _) => format!("replaced a key of {}", agent(row)),
    }
}

fn counted(facts: i64) -> String {
    if facts == 1 {
        "1 fact".to_owned()
    } else {
        format!("{facts} facts")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::AuditEvent;

    fn sentence(event: AuditEvent, agent_name: Option<&str>) -> String {
        HistoryEntry::new(&AuditRow {
            id: "1".to_owned(),
            event,
            agent_name: agent_name.map(Into::into),
        })
        .sentence
    }

    #[test]
    fn entries_are_sentences() {
        for (event, said) in [
            (
                AuditEvent::new(Action::Update, Actor::Agent, 0).facts(2),
                "Helper noted 2 facts about you",
            ),
            (
                AuditEvent::new(Action::Revoke, Actor::User, 0),
                "You ended the access of Helper",
            ),
            (
                AuditEvent::new(Action::Inject, Actor::Agent, 0).outcome(Outcome::Denied),
                "Helper asked about you and was told nothing: it has no access",
            ),
            (
                AuditEvent::new(Action::Erase, Actor::User, 0).facts(1),
                "You deleted everything that was remembered about you: 1 fact",
            ),
        ] {
            assert_eq!(sentence(event, Some("Helper")), said);
        }
    }

    #[test]
    fn whatever_is_noted_can_be_said() {
        for action in Action::ALL {
            for actor in Actor::ALL {
                for outcome in Outcome::ALL {
                    let event = AuditEvent::new(*action, *actor, 0).outcome(*outcome);
                    let said = sentence(event, None);
                    assert!(!said.contains("  ") && !said.ends_with('.'), "{said}");
                }
            }
        }
    }
}

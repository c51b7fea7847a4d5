//! The history of a user's memory, as sentences.

use std::sync::Arc;

use askama::Template;
use bytes::Bytes;
use ctxmem_types::UserId;
use futures_util::stream::{self, StreamExt as _};
use http::StatusCode;
use warp::reply::Response;

use super::history_filter::HistoryQuery;
use super::memory::{ChoiceView, PageLink};
use super::{HandlerContext, HttpError, reply};
use crate::core::{
    Action, Actor, AuditDetails, AuditRow, Core, Error, FactCounts, GrantChange, Outcome,
    TrailFrom, TrailPart,
};
use crate::http::bidi::isolated;
use crate::http::page_time::PageTime;
use crate::http::{csv, scopes};

/// How many entries a page shows.
const PAGE: u32 = 25;

#[derive(Template)]
#[template(path = "account/history.html")]
struct HistoryPage<'a> {
    user_id: &'a str,
    history: Vec<HistoryEntry>,
    kinds: Vec<ChoiceView>,
    agents: Vec<ChoiceView>,
    day: String,
    is_narrow: bool,
    /// Links to other pages.
    pages: Vec<PageLink>,
    /// The address of the same entries as a file.
    csv: String,
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

pub(in crate::http) async fn history(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let query: HistoryQuery = ctx.query()?;
    let part = query.part()?;
    let (from, core) = (part.from.clone(), ctx.core());
    // One more than the page shows tells whether there are others beyond it.
    let mut rows = core.part_of_trail(&user_id, part, PAGE + 1).await?;
    let has_more = rows.len() > PAGE as usize;
    let (has_newer, has_older) = match from {
        TrailFrom::Newest => (false, has_more),
        TrailFrom::Before(_) => (true, has_more),
        TrailFrom::After(_) => (has_more, true),
        TrailFrom::Oldest => (has_more, false),
    };
    if has_more && matches!(from, TrailFrom::After(_) | TrailFrom::Oldest) {
        rows.remove(0);
    }
    rows.truncate(PAGE as usize);
    let link = |title, field, value| PageLink {
        title,
        address: query.address("/account/history", field, value),
    };
    let mut pages = Vec::new();
    if has_newer {
        pages.push(link("Newest entries", "", ""));
        if let Some(first) = rows.first() {
            pages.push(link("Newer entries", "after", &first.id));
        }
    }
    if let Some(last) = rows.last().filter(|_| has_older) {
        pages.push(link("Older entries", "before", &last.id));
        pages.push(link("Oldest entries", "oldest", "1"));
    }
    let page = HistoryPage {
        user_id: user_id.as_str(),
        history: rows.iter().map(HistoryEntry::new).collect(),
        kinds: query.kinds(),
        agents: query.agents(core, &user_id).await?,
        day: query.day().to_owned(),
        is_narrow: query.is_narrow(),
        pages,
        csv: query.address("/account/history.csv", "", ""),
    };
    Ok(reply::page(StatusCode::OK, &page))
}

/// The entries as a file. It is read while it is sent.
pub(in crate::http) async fn history_csv(ctx: HandlerContext) -> Result<Response, HttpError> {
    let user_id = ctx.user().await?;
    let query: HistoryQuery = ctx.query()?;
    let part = TrailPart {
        from: TrailFrom::Newest,
        ..query.part()?
    };
    let (core, request_id) = (
        ctx.core().clone(),
        ctx.request.request_id.as_str().to_owned(),
    );
    let mut head = String::new();
    csv::push_row(&mut head, &CSV_HEAD);
    let rest = stream::try_unfold(Some(part), move |part| {
        let (core, user_id) = (core.clone(), user_id.clone());
        let request_id = request_id.clone();
        async move {
            let piece = csv_piece(&core, &user_id, part).await;
            if let Err(cause) = &piece {
                tracing::error!(%cause, request_id, "a download of the history was cut off");
            }
            piece
        }
    });
    let head = stream::once(async move { Ok(Bytes::from(head)) });
    Ok(reply::download_stream(
        "ctxmem-history.csv",
        "text/csv; charset=utf-8",
        head.chain(rest),
    ))
}

const CSV_HEAD: [&str; 10] = [
    "time",
    "what happened",
    "kinds",
    "times",
    "action",
    "actor",
    "agent",
    "agent id",
    "outcome",
    "facts",
];

/// How many entries of a file are read at once.
const CSV_ROWS: u32 = 1_000;

/// The next entries, and what is left to read; nothing after the last.
async fn csv_piece(
    core: &Arc<Core>,
    user_id: &UserId,
    part: Option<TrailPart>,
) -> Result<Option<(Bytes, Option<TrailPart>)>, Error> {
    let Some(part) = part else { return Ok(None) };
    let rows = core.part_of_trail(user_id, part.clone(), CSV_ROWS).await?;
    let Some(last) = rows.last().map(|row| row.id.clone()) else {
        return Ok(None);
    };
    let mut piece = String::new();
    for row in &rows {
        let (entry, event) = (HistoryEntry::new(row), &row.event);
        csv::push_row(
            &mut piece,
            &[
                &entry.when.iso,
                &entry.sentence,
                &entry.titles,
                &event.times.to_string(),
                event.action.as_str(),
                event.actor.as_str(),
                row.agent_name.as_deref().unwrap_or_default(),
                event.agent_id.as_deref().unwrap_or_default(),
                event.outcome.as_str(),
                &event.facts.to_string(),
            ],
        );
    }
    let rest = TrailPart {
        from: TrailFrom::Before(last),
        ..part
    };
    let is_full = rows.len() >= CSV_ROWS as usize;
    Ok(Some((piece.into(), is_full.then_some(rest))))
}

impl HistoryEntry {
    pub(super) fn new(row: &AuditRow) -> Self {
        let titles = scopes::titles(row.event.scopes);
        Self {
            sentence: format!("{} {}", who(row), did_what(row)),
            titles: match row.event.action {
                Action::Grant if !titles.is_empty() => format!("May read and write: {titles}"),
                _ => titles,
            },
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
        Actor::Agent => agent(row),
        Actor::Developer => "A developer".to_owned(),
        Actor::Operator => "The operator of this service".to_owned(),
    }
}

fn agent(row: &AuditRow) -> String {
    isolated(row.agent_name.as_deref().unwrap_or("An agent")).into_owned()
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
        (A::Read, O::Done | O::Partly) => "read the facts about you that it may read".to_owned(),
        (A::Read, O::Nothing) => "asked to read the facts about you; there were none".to_owned(),
        (A::Read, O::Failed) => "tried to read the facts about you, which failed".to_owned(),
        (A::Read, _) => "tried to read the facts about you and was refused".to_owned(),
        (A::Update, O::Done | O::Partly) => {
            let noted = match &event.details.counts {
                Some(counts) => changed(counts),
                None if event.facts == 0 => "learned nothing new about you".to_owned(),
                None => format!("saved, replaced or removed {facts} about you"),
            };
            format!("{noted}{}", left_out(&event.details))
        }
        (A::Update, O::Nothing | O::Filtered) => "sent a message; nothing was saved".to_owned(),
        (A::Update, O::Denied) => {
            let why = left_out(&event.details);
            format!("tried to save something about you and was refused{why}")
        }
        (A::Update, O::LimitReached) => {
            "sent a message; nothing was saved because its limit is reached".to_owned()
        }
        (A::Update, O::Failed) => {
            "sent a message; nothing was saved because something failed".to_owned()
        }
        (A::Grant, O::Done | O::Partly | O::Nothing) => {
            format!("{}{}", granted(row), until(&event.details))
        }
        (A::Grant, _) => format!("tried to set {of_agent} and was refused"),
        (A::Revoke, O::Done | O::Partly | O::Nothing) => format!("ended {of_agent}"),
        (A::Revoke, _) => format!("tried to end {of_agent} and was refused"),
        (A::Refuse, _) => format!("refused access to {}", agent(row)),
        (A::Pause, _) => "paused all access".to_owned(),
        (A::Resume, _) => "ended the pause of all access".to_owned(),
        (A::AskFirst, _) => "chose that new agents must ask first".to_owned(),
        (A::AskByMode, _) => "chose that new agents need not ask".to_owned(),
        (A::SignOutEverywhere, _) => "signed out everywhere".to_owned(),
        (A::ProfileAgent, _) => format!("changed what is told of {}", agent(row)),
        (A::Erase, O::Done | O::Partly | O::Nothing) => {
            format!("deleted everything that was saved about you: {facts}")
        }
        (A::Erase, _) => "tried to delete everything and was refused".to_owned(),
        (A::AddFact, _) => "added a fact".to_owned(),
        (A::CorrectFact, _) => "corrected a fact".to_owned(),
        (A::DeleteFact, _) if event.facts > 1 => format!("deleted {facts}"),
        (A::DeleteFact, _) => "deleted a fact".to_owned(),
        (A::DeleteScope, _) => format!("deleted all facts of one kind: {facts}"),
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
        (A::Invite, _) => "invited somebody to a team".to_owned(),
        (A::WithdrawInvitation, _) => "withdrew an invitation to a team".to_owned(),
        (A::JoinTeam, _) => "joined a team".to_owned(),
        (A::LeaveTeam, _) => "left a team".to_owned(),
        (A::RemoveMember, _) => "removed somebody from a team".to_owned(),
        (A::HandOver, _) => "handed a team over".to_owned(),
    }
}

/// What became of facts: "saved 1 fact about you and replaced 2 facts".
fn changed(counts: &FactCounts) -> String {
    let parts = [
        ("saved", counts.added),
        ("replaced", counts.replaced),
        ("removed", counts.removed),
    ];
    let mut said: Vec<String> = parts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(did, count)| format!("{did} {}", counted(count)))
        .collect();
    let mut whole = match (said.pop(), said.is_empty()) {
        (None, _) => "learned nothing new about you".to_owned(),
        (Some(only), true) => format!("{only} about you"),
        (Some(last), false) => format!("{} and {last} about you", said.join(", ")),
    };
    if counts.dropped > 0 {
        whole.push_str("; ");
        whole.push_str(&counted(counts.dropped));
        whole.push_str(" made room");
    }
    whole
}

/// Which facts were left out and why, as the end of a sentence.
fn left_out(details: &AuditDetails) -> String {
    let mut said = String::new();
    for (scopes, why) in [
        (details.not_granted, "you don’t allow"),
        (details.not_in_key, "its key does not reach"),
    ] {
        if !scopes.is_empty() {
            said.push_str("; ");
            said.push_str(why);
            said.push_str(": ");
            said.push_str(&scopes::titles(scopes));
        }
    }
    said
}

/// How a grant came about, as the rest of a sentence.
fn granted(row: &AuditRow) -> String {
    use GrantChange as G;
    let agent = agent(row);
    let is_agent = row.event.actor == Actor::Agent;
    let text = match (row.event.details.change, is_agent) {
        (Some(G::First), _) => "was given access by its first request",
        (Some(G::Narrowed), _) => "narrowed its own access",
        (Some(G::Renewed), _) => "renewed its own access, which had expired",
        (None, true) => "set its own access",
        (Some(G::Given), false) => return format!("gave {agent} access"),
        (Some(G::Paused), false) => return format!("paused the access of {agent}"),
        (Some(G::Resumed), false) => return format!("gave {agent} access again after a pause"),
        (Some(G::Changed) | None, false) => return format!("changed the access of {agent}"),
        (Some(G::Given | G::Paused | G::Resumed | G::Changed), true) => "changed its own access",
    };
    text.to_owned()
}

/// When a grant ends, as the end of a sentence.
fn until(details: &AuditDetails) -> String {
    details
        .until
        .map(|end| format!(", until {}", PageTime::new(end).text))
        .unwrap_or_default()
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
                "Helper saved, replaced or removed 2 facts about you",
            ),
            (
                AuditEvent::new(Action::Update, Actor::Agent, 0).details(AuditDetails {
                    counts: Some(FactCounts {
                        added: 2,
                        replaced: 1,
                        removed: 1,
                        dropped: 1,
                    }),
                    ..AuditDetails::default()
                }),
                "Helper saved 2 facts, replaced 1 fact and removed 1 fact about you; 1 fact made room",
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
                "You deleted everything that was saved about you: 1 fact",
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

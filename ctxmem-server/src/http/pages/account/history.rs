//! The history of a user's memory, as sentences.

use std::sync::Arc;

use askama::Template;
use bytes::Bytes;
use ctxmem_types::UserId;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::frame::AccountFrame;
use super::history_filter::HistoryQuery;
use super::memory::PageLink;
use crate::core::{
    Action, Actor, AuditDetails, AuditRange, AuditRow, AuditStart, Core, Error, FactCounts,
    GrantChange, Outcome,
};
use crate::http::engine::{HandlerContext, HandlerResult, reply};
use crate::http::pages::choice::Choice;
use crate::http::pages::{csv, scopes};
use crate::http::words::{Language, PageTime, Phrase, filters};

/// How many entries a page shows.
const PAGE: u32 = 25;

#[derive(Template)]
#[template(path = "account/history.html")]
struct HistoryPage {
    frame: AccountFrame,
    history: Vec<AuditRow>,
    kinds: Vec<Choice>,
    agents: Vec<Choice>,
    day: String,
    is_narrow: bool,
    /// Links to other pages.
    pages: Vec<PageLink>,
    /// The address of the same entries as a file.
    csv: String,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let query: HistoryQuery = ctx.query()?;
    let part = query.part()?;
    let (from, core) = (part.from.clone(), ctx.core());
    // One more than the page shows tells whether there are others beyond it.
    let mut rows = core.memory.part_of_trail(&user_id, part, PAGE + 1).await?;
    let has_more = rows.len() > PAGE as usize;
    let (has_newer, has_older) = match from {
        AuditStart::Newest => (false, has_more),
        AuditStart::Before(_) => (true, has_more),
        AuditStart::After(_) => (has_more, true),
        AuditStart::Oldest => (has_more, false),
    };
    if has_more && matches!(from, AuditStart::After(_) | AuditStart::Oldest) {
        rows.remove(0);
    }
    rows.truncate(PAGE as usize);
    let link = |title, field, value| PageLink {
        title: Phrase::new(title),
        address: query.address("/account/history", field, value),
    };
    let mut pages = Vec::new();
    if has_newer {
        pages.push(link("history-newest", "", ""));
        if let Some(first) = rows.first() {
            pages.push(link("history-newer", "after", &first.id));
        }
    }
    if let Some(last) = rows.last().filter(|_| has_older) {
        pages.push(link("history-older", "before", &last.id));
        pages.push(link("history-oldest", "oldest", "1"));
    }
    let page = HistoryPage {
        frame: AccountFrame::of(core, &user_id).await?,
        history: rows,
        kinds: query.kinds(),
        agents: query.agents(core, &user_id).await?,
        day: query.day.clone(),
        is_narrow: query.is_narrow(),
        pages,
        csv: query.address("/account/history.csv", "", ""),
    };
    ctx.page(&page)
}

/// The entries as a file. It is read while it is sent.
pub(crate) async fn download(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let query: HistoryQuery = ctx.query()?;
    let part = AuditRange {
        from: AuditStart::Newest,
        ..query.part()?
    };
    let core = Arc::clone(ctx.core());
    let request_id = ctx.request.request_id.as_str().to_owned();
    let mut head = String::new();
    let language = ctx.request.language();
    let columns = CSV_HEAD.map(|id| Phrase::new(id).plain(language));
    csv::push_row(&mut head, &columns.each_ref().map(AsRef::as_ref));
    let rest = stream::try_unfold(Some(part), move |part| {
        let (core, user_id) = (Arc::clone(&core), user_id.clone());
        async move { csv_piece(&core, &user_id, part, language).await }
    });
    let rest = rest.inspect_err(move |cause| {
        tracing::error!(%cause, request_id, "a download of the history was cut off");
    });
    let head = stream::once(async move { Ok(Bytes::from(head)) });
    let whole = head.chain(rest);
    Ok(reply::download_stream(
        "ctxmem-history.csv",
        csv::TYPE,
        whole,
    ))
}

const CSV_HEAD: [&str; 10] = [
    "history-column-time",
    "history-column-what",
    "history-column-kinds",
    "history-column-times",
    "history-column-action",
    "history-column-actor",
    "history-column-agent",
    "history-column-agent-id",
    "history-column-outcome",
    "history-column-facts",
];

/// How many entries of a file are read at once.
const CSV_ROWS: u32 = 1_000;

/// The next entries, and what is left to read; nothing after the last.
async fn csv_piece(
    core: &Arc<Core>,
    user_id: &UserId,
    part: Option<AuditRange>,
    language: Language,
) -> Result<Option<(Bytes, Option<AuditRange>)>, Error> {
    let Some(part) = part else { return Ok(None) };
    let rows = core
        .memory
        .part_of_trail(user_id, part.clone(), CSV_ROWS)
        .await?;
    let Some(last) = rows.last().map(|row| row.id.clone()) else {
        return Ok(None);
    };
    let mut piece = String::new();
    for row in &rows {
        let event = &row.event;
        let kinds = kinds(row).unwrap_or_else(|| Phrase::verbatim(""));
        csv::push_row(
            &mut piece,
            &[
                &PageTime::new(event.at).iso(),
                &sentence(row).plain(language),
                &kinds.plain(language),
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
    let rest = AuditRange {
        from: AuditStart::Before(last),
        ..part
    };
    let is_full = rows.len() >= CSV_ROWS as usize;
    Ok(Some((piece.into(), is_full.then_some(rest))))
}

/// The sentence with its full stop, and how often it happened.
pub(super) fn whole(row: &AuditRow) -> Phrase {
    let line = match row.event.times {
        ..=1 => Phrase::new("history-line"),
        times => Phrase::new("history-line-times").arg("times", times),
    };
    line.arg("sentence", sentence(row))
}

/// Of which kinds the facts were.
pub(super) fn kinds(row: &AuditRow) -> Option<Phrase> {
    let kinds = scopes::titles(row.event.scopes);
    (!kinds.is_empty()).then(|| match row.event.action {
        Action::Grant => Phrase::new("history-may").arg("kinds", kinds),
        _ => Phrase::new("history-kinds").arg("kinds", kinds),
    })
}

/// Whether there is a receipt of it.
pub(super) fn has_receipt(row: &AuditRow) -> bool {
    row.event.action == Action::Erase
}

/// Who did it, as the beginning of a sentence.
fn who(row: &AuditRow) -> Phrase {
    match (row.event.actor, &row.agent_name) {
        (Actor::User, _) => Phrase::new("history-you"),
        (Actor::Agent, Some(name)) => Phrase::new("history-agent-named").name("agent", name),
        (Actor::Agent, None) => Phrase::new("history-agent-unnamed"),
        (Actor::Developer, _) => Phrase::new("history-developer"),
        (Actor::Operator, _) => Phrase::new("history-operator"),
    }
}

/// The agent that it was done to.
fn agent(row: &AuditRow) -> Phrase {
    match &row.agent_name {
        Some(name) => Phrase::new("history-the-agent").name("agent", name),
        None => Phrase::new("history-some-agent"),
    }
}

/// Who did what, without the full stop.
fn sentence(row: &AuditRow) -> Phrase {
    use {Action as A, Outcome as O};
    let event = &row.event;
    let said = |id| Phrase::new(id).arg("who", who(row));
    let to_agent = |id| said(id).arg("agent", agent(row));
    let counted = |id| said(id).arg("count", event.facts);
    let of_access = |id| {
        said(id).arg(
            "access",
            match event.actor {
                Actor::Agent => Phrase::new("history-own-access"),
                _ => Phrase::new("history-access-of").arg("agent", agent(row)),
            },
        )
    };
    match (event.action, event.outcome) {
        (A::Inject, O::Done | O::Partly) => said("history-told"),
        (A::Inject, O::Denied) => said("history-told-denied"),
        (A::Inject, O::Failed) => said("history-told-failed"),
        (A::Inject, _) => said("history-told-nothing"),
        (A::Read, O::Done | O::Partly) => said("history-read"),
        (A::Read, O::Nothing) => said("history-read-nothing"),
        (A::Read, O::Failed) => said("history-read-failed"),
        (A::Read, _) => said("history-read-denied"),
        (A::Search, O::Done | O::Partly) => said("history-searched"),
        (A::Search, O::Nothing) => said("history-searched-nothing"),
        (A::Search, O::Failed) => said("history-search-failed"),
        (A::Search, _) => said("history-search-denied"),
        (A::Update, O::Done | O::Partly) => {
            let changed = match &event.details.counts {
                Some(counts) => changed(row, counts),
                None if event.facts == 0 => said("history-learned-nothing"),
                None => counted("history-saved-some"),
            };
            left_out(changed, &event.details)
        }
        (A::Update, O::Nothing | O::Filtered) => said("history-saved-nothing"),
        (A::Update, O::Denied) => left_out(said("history-save-denied"), &event.details),
        (A::Update, O::LimitReached) => said("history-save-limit"),
        (A::Update, O::Failed) => said("history-save-failed"),
        (A::Grant, O::Done | O::Partly | O::Nothing) => until(granted(row), &event.details),
        (A::Grant, _) => of_access("history-grant-denied"),
        (A::Revoke, O::Done | O::Partly | O::Nothing) => of_access("history-revoked"),
        (A::Revoke, _) => of_access("history-revoke-denied"),
        (A::Refuse, _) => to_agent("history-refused"),
        (A::Pause, _) => said("history-paused"),
        (A::Resume, _) => said("history-resumed"),
        (A::AskFirst, _) => said("history-asks-first"),
        (A::AskByMode, _) => said("history-asks-by-mode"),
        (A::SetAutoDelete, _) => said("history-auto-delete-set"),
        (A::AutoDelete, _) => counted("history-auto-deleted"),
        (A::SignOutEverywhere, _) => said("history-signed-out-everywhere"),
        (A::ProfileAgent, _) => to_agent("history-profile"),
        (A::Erase, O::Done | O::Partly | O::Nothing) => counted("history-erased"),
        (A::Erase, _) => said("history-erase-denied"),
        (A::Reapply, _) => said("history-reapplied"),
        (A::AddFact, _) => said("history-fact-added"),
        (A::CorrectFact, _) => said("history-fact-corrected"),
        (A::DeleteFact, O::Denied) => said("history-fact-delete-denied"),
        (A::DeleteFact, O::Failed) => said("history-fact-delete-failed"),
        (A::DeleteFact, _) => said("history-facts-deleted").arg("count", event.facts.max(1)),
        (A::RestoreFact, _) => counted("history-facts-restored"),
        (A::DeleteScope, _) => counted("history-kind-deleted"),
        (A::Export, _) => counted("history-exported"),
        (A::SignIn, O::Done) => said("history-signed-in"),
        (A::SignIn, _) => said("history-sign-in-failed"),
        (A::CreateAgent, _) => to_agent("history-agent-created"),
        (A::RenameAgent, _) => to_agent("history-agent-renamed"),
        (A::DeleteAgent, _) => to_agent("history-agent-deleted"),
        (A::CreateKey, _) => to_agent("history-key-created"),
        (A::RevokeKey, _) => to_agent("history-key-revoked"),
        (A::RotateKey, _) => to_agent("history-key-replaced"),
        (A::ChangePassword, _) => said("history-password"),
        (A::ChangeSecondFactor, _) => said("history-second-factor"),
        (A::Invite, _) => said("history-team-invited"),
        (A::WithdrawInvitation, _) => said("history-team-invitation-withdrawn"),
        (A::JoinTeam, _) => said("history-team-joined"),
        (A::LeaveTeam, _) => said("history-team-left"),
        (A::RemoveMember, _) => said("history-team-member-removed"),
        (A::HandOver, _) => said("history-team-handed-over"),
    }
}

/// What became of facts: "Helper saved 1 fact and replaced 2 facts about you".
fn changed(row: &AuditRow, counts: &FactCounts) -> Phrase {
    let parts = [
        ("history-added", counts.added),
        ("history-replaced", counts.replaced),
        ("history-removed", counts.removed),
    ];
    let mut changes: Vec<Phrase> = parts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(did, count)| Phrase::new(did).arg("count", count))
        .collect();
    let of_changes = |changes: Phrase| {
        Phrase::new("history-changed")
            .arg("who", who(row))
            .arg("changes", changes)
    };
    let whole = match (changes.pop(), changes.is_empty()) {
        (None, _) => Phrase::new("history-learned-nothing").arg("who", who(row)),
        (Some(only), true) => of_changes(only),
        (Some(last), false) => of_changes(
            Phrase::new("history-changes-and")
                .arg("first", changes)
                .arg("last", last),
        ),
    };
    if counts.evicted > 0 {
        Phrase::new("history-made-room")
            .arg("sentence", whole)
            .arg("count", counts.evicted)
    } else {
        whole
    }
}

/// The sentence with which facts were left out and why.
fn left_out(mut sentence: Phrase, details: &AuditDetails) -> Phrase {
    for (scopes, why) in [
        (details.not_granted, "history-not-granted"),
        (details.not_in_key, "history-not-in-key"),
    ] {
        if !scopes.is_empty() {
            sentence = Phrase::new(why)
                .arg("sentence", sentence)
                .arg("kinds", scopes::titles(scopes));
        }
    }
    sentence
}

/// How a grant came about.
fn granted(row: &AuditRow) -> Phrase {
    use GrantChange as G;
    let is_agent = row.event.actor == Actor::Agent;
    let (id, names_agent) = match (row.event.details.change, is_agent) {
        (Some(G::First), _) => ("history-granted-first", false),
        (Some(G::Narrowed), _) => ("history-granted-narrowed", false),
        (Some(G::Renewed), _) => ("history-granted-renewed", false),
        (None, true) => ("history-granted-own", false),
        (Some(G::Given | G::Paused | G::Resumed | G::Changed), true) => {
            ("history-granted-own-changed", false)
        }
        (Some(G::Given), false) => ("history-granted", true),
        (Some(G::Paused), false) => ("history-granted-paused", true),
        (Some(G::Resumed), false) => ("history-granted-resumed", true),
        (Some(G::Changed) | None, false) => ("history-granted-changed", true),
    };
    let granted = Phrase::new(id).arg("who", who(row));
    if names_agent {
        granted.arg("agent", agent(row))
    } else {
        granted
    }
}

/// The sentence with when a grant ends.
fn until(sentence: Phrase, details: &AuditDetails) -> Phrase {
    match details.until {
        Some(end) => Phrase::new("history-until")
            .arg("sentence", sentence)
            .arg("when", PageTime::new(end)),
        None => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::AuditEvent;

    fn said(event: AuditEvent, agent_name: Option<&str>) -> [String; 2] {
        let said = sentence(&AuditRow {
            id: "1".to_owned(),
            event,
            agent_name: agent_name.map(Into::into),
        });
        [Language::English, Language::German].map(|language| said.plain(language).into_owned())
    }

    #[test]
    fn entries_are_sentences() {
        for (event, english, german) in [
            (
                AuditEvent::new(Action::Update, Actor::Agent, 0).facts(2),
                "Helper saved, replaced or removed 2 facts about you",
                "Helper hat über Sie 2 Fakten gespeichert, ersetzt oder entfernt",
            ),
            (
                AuditEvent::new(Action::Update, Actor::Agent, 0).details(AuditDetails {
                    counts: Some(FactCounts {
                        added: 2,
                        replaced: 1,
                        removed: 1,
                        evicted: 1,
                    }),
                    ..AuditDetails::default()
                }),
                "Helper saved 2 facts, replaced 1 fact and removed 1 fact about you; 1 fact was \
                 removed to make room",
                "Helper hat über Sie 2 Fakten gespeichert, 1 Fakt ersetzt und 1 Fakt entfernt; dafür \
                 wurde 1 Fakt entfernt, um Platz zu schaffen",
            ),
            (
                AuditEvent::new(Action::Revoke, Actor::User, 0),
                "You ended the access of Helper",
                "Sie haben den Zugriff von Helper beendet",
            ),
            (
                AuditEvent::new(Action::Inject, Actor::Agent, 0).outcome(Outcome::Denied),
                "Helper asked about you and was told nothing: it has no access",
                "Helper hat nach Ihnen gefragt und nichts erfahren: kein Zugriff",
            ),
            (
                AuditEvent::new(Action::Update, Actor::Agent, 0).outcome(Outcome::Nothing),
                "Helper sent a message; nothing was saved",
                "Helper hat eine Nachricht geschickt; es wurde nichts gespeichert",
            ),
            (
                AuditEvent::new(Action::Erase, Actor::User, 0).facts(1),
                "You deleted everything that was saved about you: 1 fact",
                "Sie haben alles gelöscht, was über Sie gespeichert war: 1 Fakt",
            ),
        ] {
            assert_eq!(said(event, Some("Helper")), [english, german]);
        }
    }

    #[test]
    fn whatever_is_noted_can_be_said() {
        for action in Action::ALL {
            for actor in Actor::ALL {
                for outcome in Outcome::ALL {
                    let event = AuditEvent::new(*action, *actor, 0).outcome(*outcome);
                    for said in said(event, None) {
                        assert!(!said.contains("  ") && !said.ends_with('.'), "{said}");
                    }
                }
            }
        }
    }
}

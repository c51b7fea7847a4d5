//! The filter of the history: which entries a page shows.

use ctxmem_types::UserId;
use serde::Deserialize;
use uuid::Uuid;

use super::day::Zone;
use crate::core::{Action, AuditRange, AuditStart, Core, Error};
use crate::http::engine::form;
use crate::http::pages::choice::Choice;
use crate::http::words::Phrase;

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct HistoryQuery {
    /// The last entry of the page before this one.
    before: String,
    /// The first entry of the page after this one.
    after: String,
    /// Anything for the last page.
    oldest: String,
    agent: String,
    kind: String,
    pub(super) day: String,
    zone: String,
}

/// What an entry is about.
struct Kind {
    name: &'static str,
    /// The message with its title.
    title: &'static str,
    actions: &'static [Action],
}

const KINDS: [Kind; 4] = [
    Kind {
        name: "told",
        title: "history-kind-told",
        actions: &[Action::Inject, Action::Read, Action::Search],
    },
    Kind {
        name: "saved",
        title: "history-kind-saved",
        actions: &[Action::Update],
    },
    Kind {
        name: "access",
        title: "history-kind-access",
        actions: &[Action::Grant, Action::Revoke],
    },
    Kind {
        name: "yours",
        title: "history-kind-yours",
        actions: &[
            Action::AddFact,
            Action::CorrectFact,
            Action::DeleteFact,
            Action::DeleteScope,
            Action::RestoreFact,
            Action::AutoDelete,
            Action::Export,
            Action::Erase,
        ],
    },
];

impl HistoryQuery {
    /// The entries that it asks for.
    pub(super) fn part(&self) -> Result<AuditRange, Error> {
        let is_agent = self.agent.is_empty() || Uuid::parse_str(&self.agent).is_ok();
        if !is_agent {
            return Err(wrong("agent", "expected the id of an agent"));
        }
        let kind = KINDS.iter().find(|kind| kind.name == self.kind);
        if kind.is_none() && !self.kind.is_empty() {
            return Err(wrong("kind", "expected told, saved, access or yours"));
        }
        Ok(AuditRange {
            from: match (&*self.before, &*self.after, &*self.oldest) {
                ("", "", "") => AuditStart::Newest,
                ("", "", _) => AuditStart::Oldest,
                ("", after, _) => AuditStart::After(after.to_owned()),
                (before, ..) => AuditStart::Before(before.to_owned()),
            },
            agent_id: self.agent.clone(),
            actions: kind.map(|kind| kind.actions.to_vec()).unwrap_or_default(),
            actor: None,
            between: Zone::of(&self.zone)?.day("day", &self.day)?,
        })
    }

    /// Whether some entries are left out on every page.
    pub(super) fn is_narrow(&self) -> bool {
        [&self.agent, &self.kind, &self.day]
            .iter()
            .any(|field| !field.is_empty())
    }

    /// The kinds to choose from.
    pub(super) fn kinds(&self) -> Vec<Choice> {
        let kinds = KINDS.map(|kind| {
            let title = Phrase::new(kind.title);
            Choice::new(kind.name, title, kind.name == self.kind)
        });
        kinds.into()
    }

    /// The agents to choose from: those that ever had access.
    pub(super) async fn agents(&self, core: &Core, user_id: &UserId) -> Result<Vec<Choice>, Error> {
        let access = core.grants.access(user_id).await?;
        let agents = access.into_iter().map(|now| {
            let (id, name) = (now.access.grant.agent_id, now.access.agent_name);
            let chosen = id == self.agent;
            Choice::new(id, Phrase::verbatim(&name), chosen)
        });
        Ok(agents.collect())
    }

    /// The address of a page with the same filters; with no field for the first.
    pub(super) fn address(&self, path: &str, field: &str, value: &str) -> String {
        let query = form::query(&[
            ("agent", &*self.agent),
            ("kind", &self.kind),
            ("day", &self.day),
            // It says nothing without a day.
            ("zone", if self.day.is_empty() { "" } else { &self.zone }),
            (field, value),
        ]);
        form::address(path, &query)
    }
}

fn wrong(field: &str, problem: &str) -> Error {
    Error::BadRequest(format!("{field}: {problem}"))
}

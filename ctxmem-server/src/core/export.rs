//! Export of a user's data: all of it in a form of our own, and the context in that of the
//! interface.

use std::sync::Arc;

use ctxmem_types::{Scope, ScopeSet, SourceType, Timestamp, UserId};
use indexmap::IndexMap;
use serde::Serialize;

use super::facts::note_facts;
use super::{Error, Memory, unit};
use crate::store::{
    Action, AgentAccess, AuditRange, AuditRow, AuditStart, Author, AutoDelete, ConsentRequest,
    ExtractedBy, FactCounts, FactWithProvenance, GrantChange, StoreError,
};

/// How many entries of the history are read at once.
const PAGE: u32 = 1_000;

/// Everything that is kept about a user but for the history, which follows in its place.
#[derive(Serialize)]
pub struct Export {
    format: &'static str,
    version: u32,
    exported_at: Timestamp,
    user_id: UserId,
    facts: Vec<ExportedFact>,
    grants: Vec<ExportedGrant>,
    requests: Vec<ExportedRequest>,
    choices: ExportedChoices,
    history: [ExportedEvent; 0],
}

/// What is remembered of a user, by the names of the scopes, in their order.
#[derive(Serialize)]
#[serde(transparent)]
pub struct ExportedContext(IndexMap<&'static str, Vec<ExportedValue>>);

#[derive(Serialize)]
struct ExportedFact {
    scope: &'static str,
    name: Option<String>,
    value: String,
    source_type: SourceType,
    /// Whether the user explicitly asked for it to be remembered.
    requested: bool,
    /// `None` for what the user wrote.
    agent: Option<ExportedAgent>,
    /// What extracted it; absent where that was not noted.
    #[serde(skip_serializing_if = "Option::is_none")]
    extracted_by: Option<ExtractedBy>,
    /// The id of the request that said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    first_stored_at: Timestamp,
    last_confirmed_at: Timestamp,
}

#[derive(Serialize)]
struct ExportedAgent {
    id: String,
    name: Option<String>,
}

#[derive(Serialize)]
struct ExportedValue {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    value: String,
    source_type: SourceType,
    first_stored_at: Timestamp,
    last_confirmed_at: Timestamp,
}

#[derive(Serialize)]
struct ExportedGrant {
    id: String,
    agent: ExportedAgent,
    scopes: ScopeSet,
    state: &'static str,
    made_by: &'static str,
    granted_at: Timestamp,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
}

/// An agent that waits for the user.
#[derive(Serialize)]
struct ExportedRequest {
    agent: ExportedAgent,
    scopes: ScopeSet,
    first_at: Timestamp,
    last_at: Timestamp,
    times: i64,
}

/// What the user has decided about all agents.
#[derive(Serialize)]
struct ExportedChoices {
    asked_first: bool,
    paused_since: Option<Timestamp>,
    access_seen_at: Option<Timestamp>,
    /// After how many months the facts of which scopes are deleted by themselves.
    #[serde(skip_serializing_if = "AutoDelete::is_empty")]
    auto_delete: AutoDelete,
}

/// An entry of the history.
#[derive(Serialize)]
pub struct ExportedEvent {
    id: String,
    at: Timestamp,
    action: &'static str,
    actor: &'static str,
    agent: Option<ExportedAgent>,
    scopes: ScopeSet,
    outcome: &'static str,
    facts: i64,
    grants: i64,
    times: i64,
    /// What became of the facts, in numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<FactCounts>,
    /// The scopes of facts that were dropped because the grant lacks them.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_granted: Option<ScopeSet>,
    /// The same because the key lacks them.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_in_key: Option<ScopeSet>,
    /// How the grant came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<&'static str>,
    /// When the grant ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
}

impl Memory {
    /// Everything that is kept about the user, as of one instant, and the pages of the history. The export itself is
    /// noted in the history, and contained in it. With a period, only those facts that were first saved in it and
    /// those entries of the history that are of it: from an instant, in milliseconds since 1970, up to and without
    /// another.
    pub async fn export(
        self: &Arc<Self>,
        user_id: UserId,
        period: Option<(i64, i64)>,
    ) -> Result<(Export, HistoryPages), Error> {
        // What only looked is part of the history as well.
        self.flush_audit_buffer().await?;
        self.note_export(&user_id).await?;
        let (now, grant_now) = (self.clock.millis(), self.grant_clock.now());
        let history = AuditRange {
            between: period,
            ..AuditRange::default()
        };
        let mut kept = self.db.kept(&user_id, &history, PAGE).await?;
        if let Some((from, to)) = period {
            kept.facts
                .retain(|kept| (from..to).contains(&kept.fact.first_stored_at));
        }
        let export = Export {
            format: "ctxmem",
            version: 1,
            exported_at: instant(now)?,
            user_id: user_id.clone(),
            facts: all(kept.facts, ExportedFact::new)?,
            grants: all(kept.grants, |access| ExportedGrant::new(access, grant_now))?,
            requests: all(kept.requests, ExportedRequest::new)?,
            choices: ExportedChoices {
                asked_first: kept.choices.asks,
                paused_since: instant_or_never(kept.choices.paused_at)?,
                access_seen_at: instant_or_never(kept.choices.access_seen_at)?,
                auto_delete: kept.choices.auto_delete,
            },
            history: [],
        };
        let history = HistoryPages {
            memory: Arc::clone(self),
            user_id,
            range: history,
            next: Next::Known(kept.newest),
        };
        Ok((export, history))
    }

    /// What is remembered of the user.
    pub async fn export_context(&self, user_id: UserId) -> Result<ExportedContext, Error> {
        self.note_export(&user_id).await?;
        let mut slices: IndexMap<&'static str, Vec<ExportedValue>> =
            Scope::ALL.map(|scope| (scope.name(), Vec::new())).into();
        for kept in self
            .db
            .kept(&user_id, &AuditRange::default(), 0)
            .await?
            .facts
        {
            let slice = slices.entry(kept.fact.scope.name()).or_default();
            slice.push(ExportedValue::new(kept)?);
        }
        Ok(ExportedContext(slices))
    }

    /// Notes that what is remembered of the user is exported. This is all that is written, so
    /// nobody waits for an export.
    async fn note_export(&self, user_id: &UserId) -> Result<(), Error> {
        let (user_id, now) = (user_id.clone(), self.clock.millis());
        unit::write(&self.db, async move |tx| {
            let user_id = &user_id;
            let counts = tx.fact_counts(user_id).await?;
            let scopes = counts.iter().map(|(scope, _)| *scope).collect();
            let facts = counts.iter().map(|(_, count)| count).sum();
            note_facts(tx, user_id, Action::Export, scopes, facts, now).await
        })
        .await
    }
}

/// The history, page by page, the newest entries first. Between two pages it holds nothing of the
/// database: a slow reader keeps nobody waiting.
pub struct HistoryPages {
    memory: Arc<Memory>,
    user_id: UserId,
    range: AuditRange,
    next: Next,
}

/// The next page.
enum Next {
    Known(Vec<AuditRow>),
    /// Before the entry with this id.
    Before(String),
    None,
}

impl HistoryPages {
    /// The next page; `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<ExportedEvent>>, Error> {
        let rows = match std::mem::replace(&mut self.next, Next::None) {
            Next::None => return Ok(None),
            Next::Known(rows) => rows,
            Next::Before(id) => {
                let (user_id, part) = (&self.user_id, &mut self.range);
                part.from = AuditStart::Before(id);
                let db = &self.memory.db;
                unit::read(db, async |tx| tx.trail(user_id, part, PAGE).await).await?
            }
        };
        let is_full = rows.len() >= PAGE as usize;
        if let Some(last) = rows.last().filter(|_| is_full) {
            self.next = Next::Before(last.id.clone());
        }
        Ok(Some(all(rows, ExportedEvent::new)?))
    }
}

fn all<T, U>(
    items: Vec<T>,
    form: impl Fn(T) -> Result<U, StoreError>,
) -> Result<Vec<U>, StoreError> {
    items.into_iter().map(form).collect()
}

fn instant(millis: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_unix_millis(millis).ok_or_else(|| StoreError::corrupt("export", "instant"))
}

fn instant_or_never(millis: Option<i64>) -> Result<Option<Timestamp>, StoreError> {
    millis.map(instant).transpose()
}

impl ExportedFact {
    fn new(kept: FactWithProvenance) -> Result<Self, StoreError> {
        Ok(Self {
            scope: kept.fact.scope.name(),
            name: kept.fact.name,
            value: kept.fact.value,
            source_type: kept.fact.source_type,
            requested: kept.fact.requested,
            agent: match kept.author {
                Author::User => None,
                Author::Agent { id, name, .. } => Some(ExportedAgent {
                    id,
                    name: Some(name).filter(|name| !name.is_empty()),
                }),
            },
            extracted_by: kept.fact.origin.as_ref().map(|origin| origin.by),
            request_id: kept.fact.origin.map(|origin| origin.request),
            first_stored_at: instant(kept.fact.first_stored_at)?,
            last_confirmed_at: instant(kept.fact.confirmed_at)?,
        })
    }
}

impl ExportedValue {
    fn new(kept: FactWithProvenance) -> Result<Self, StoreError> {
        Ok(Self {
            name: kept.fact.name,
            value: kept.fact.value,
            source_type: kept.fact.source_type,
            first_stored_at: instant(kept.fact.first_stored_at)?,
            last_confirmed_at: instant(kept.fact.confirmed_at)?,
        })
    }
}

impl ExportedGrant {
    fn new(access: AgentAccess, now: i64) -> Result<Self, StoreError> {
        let grant = access.grant;
        Ok(Self {
            state: grant.state(now).as_str(),
            id: grant.id,
            agent: ExportedAgent {
                id: grant.agent_id,
                name: Some(access.agent_name),
            },
            scopes: grant.scopes,
            made_by: grant.made_by.as_str(),
            granted_at: instant(grant.created_at)?,
            expires_at: instant_or_never(grant.expires_at)?,
            revoked_at: instant_or_never(grant.revoked_at)?,
            last_used_at: instant_or_never(access.last_used_at)?,
        })
    }
}

impl ExportedRequest {
    fn new(request: ConsentRequest) -> Result<Self, StoreError> {
        Ok(Self {
            agent: ExportedAgent {
                id: request.agent_id,
                name: Some(request.agent_name),
            },
            scopes: request.scopes,
            first_at: instant(request.first_at)?,
            last_at: instant(request.last_at)?,
            times: request.times,
        })
    }
}

impl ExportedEvent {
    fn new(row: AuditRow) -> Result<Self, StoreError> {
        let is_some_scope = |scopes: &ScopeSet| !scopes.is_empty();
        let event = row.event;
        let name = row.agent_name;
        Ok(Self {
            id: row.id,
            at: instant(event.at)?,
            action: event.action.as_str(),
            actor: event.actor.as_str(),
            agent: event.agent_id.map(|id| ExportedAgent { id, name }),
            scopes: event.scopes,
            outcome: event.outcome.as_str(),
            facts: event.facts,
            grants: event.grants,
            times: event.times,
            counts: event.details.counts,
            not_granted: Some(event.details.not_granted).filter(is_some_scope),
            not_in_key: Some(event.details.not_in_key).filter(is_some_scope),
            change: event.details.change.map(GrantChange::as_str),
            until: instant_or_never(event.details.until)?,
        })
    }
}

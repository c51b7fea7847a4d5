//! The audit log: who did what, when, with what outcome; never what was said or stored.
//!
//! What changes something is noted in the unit of work that changes it, so that neither is
//! there without the other. An erasure leaves the log: like `users`, it names nobody.

use std::sync::atomic::{AtomicU32, Ordering};

use ctxmem_types::{ScopeSet, UserId};
use serde::{Deserialize, Serialize};
use uuid::{Timestamp, Uuid};

use super::arg::{Arg, args};
use super::row::{FromColumn, FromRow, Row, from_row, named};
use super::statement::statements;
use super::{Result, Tx};

named! {
    /// What was done.
    Action {
        /// A prompt was asked for.
        Inject = "inject",
        /// The context was read.
        Read = "read",
        /// Facts were searched.
        Search = "search",
        /// An interaction was learned from.
        Update = "update",
        /// A grant was made or changed.
        Grant = "grant",
        /// A grant was revoked.
        Revoke = "revoke",
        /// An agent that waited for access was refused.
        Refuse = "refuse",
        /// All access was paused.
        Pause = "pause",
        /// All access was allowed again as it was.
        Resume = "resume",
        /// The user wants to be asked before an agent gets access.
        AskFirst = "ask_first",
        /// The server's mode decides again whether the user is asked.
        AskByMode = "ask_by_mode",
        /// The user chose after how long facts are deleted by themselves.
        SetAutoDelete = "set_auto_delete",
        /// Facts were deleted because they had become as old as the user had chosen.
        AutoDelete = "auto_delete",
        /// All of a user's data was erased.
        Erase = "erase",
        /// After a backup was restored, what the user had decided since was applied again.
        Reapply = "reapply",
        /// A fact was added by hand.
        AddFact = "add_fact",
        /// A fact was corrected by hand.
        CorrectFact = "correct_fact",
        /// A fact was deleted by hand.
        DeleteFact = "delete_fact",
        /// A deletion by hand was undone.
        RestoreFact = "restore_fact",
        /// All facts of a scope were deleted by hand.
        DeleteScope = "delete_scope",
        /// The data was exported.
        Export = "export",
        /// Somebody signed in.
        SignIn = "sign_in",
        /// All sessions of somebody were ended.
        SignOutEverywhere = "sign_out_everywhere",
        /// An agent was created.
        CreateAgent = "create_agent",
        /// An agent was renamed.
        RenameAgent = "rename_agent",
        /// What users are told of an agent was changed.
        ProfileAgent = "profile_agent",
        /// An agent was deleted.
        DeleteAgent = "delete_agent",
        /// An API key was created.
        CreateKey = "create_key",
        /// An API key was revoked.
        RevokeKey = "revoke_key",
        /// An API key was replaced by another.
        RotateKey = "rotate_key",
        /// A developer changed the own password.
        ChangePassword = "change_password",
        /// A developer's second factor was set up or removed.
        ChangeSecondFactor = "change_second_factor",
        /// Somebody was invited to a team.
        Invite = "invite",
        /// An invitation to a team was withdrawn.
        WithdrawInvitation = "withdraw_invitation",
        /// A person joined a team.
        JoinTeam = "join_team",
        /// A person left a team.
        LeaveTeam = "leave_team",
        /// A person was removed from a team.
        RemoveMember = "remove_member",
        /// Another member became the owner of a team.
        HandOver = "hand_over",
    }
}

named! {
    /// Who did it.
    Actor {
        /// An agent, by a key.
        Agent = "agent",
        /// The user, signed in.
        User = "user",
        /// A developer, signed in.
        Developer = "developer",
        /// The operator, from the command line.
        Operator = "operator",
    }
}

named! {
    /// What came of it.
    Outcome {
        /// It was done.
        Done = "done",
        /// There was nothing to be done: no facts to merge, nothing new to learn.
        Nothing = "nothing",
        /// The first stage found that the message can't hold anything durable.
        Filtered = "filtered",
        /// It was done for the scopes that are granted only.
        Partly = "partly",
        /// It was refused: there was no grant, or no scope in it.
        Denied = "denied",
        /// It was refused: the month's quota is used up.
        LimitReached = "limit_reached",
        /// It failed.
        Failed = "failed",
    }
}

named! {
    /// How a grant came about.
    GrantChange {
        /// By the first request of an agent that never had one.
        First = "first",
        /// An agent gave up some of what it had.
        Narrowed = "narrowed",
        /// An agent made one anew that had expired.
        Renewed = "renewed",
        /// The user gave access where there was none.
        Given = "given",
        /// The user changed what was there.
        Changed = "changed",
        /// The user took away every scope and kept the grant.
        Paused = "paused",
        /// The user gave scopes back to a grant without any.
        Resumed = "resumed",
    }
}

/// What the history needs for a true sentence: numbers, scopes and ends, never contents. Entries that
/// an older process noted have none of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AuditDetails {
    /// How many facts were new, got another value, were taken back, and made room in full scopes.
    pub counts: Option<FactCounts>,
    /// The scopes of facts that were dropped because the user's grant lacks them.
    pub not_granted: ScopeSet,
    /// The scopes of facts that were dropped because the agent's key lacks them.
    pub not_in_key: ScopeSet,
    /// How a grant came about.
    pub change: Option<GrantChange>,
    /// When the grant ends, in milliseconds since 1970.
    pub until: Option<i64>,
}

/// What became of facts, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct FactCounts {
    /// New ones.
    pub added: i64,
    /// Those that got another value.
    pub replaced: i64,
    /// Those that were taken back.
    pub removed: i64,
    /// Those that made room in a full scope.
    pub evicted: i64,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<FactCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_granted: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_in_key: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<i64>,
}

impl AuditDetails {
    pub(super) fn from_text(text: &str) -> Self {
        let stored: StoredDetails = serde_json::from_str(text).unwrap_or_default();
        let scopes = |bits: Option<i64>| {
            let bits = bits.and_then(|bits| u8::try_from(bits).ok());
            bits.map(ScopeSet::from_bits).unwrap_or_default()
        };
        Self {
            counts: stored.counts,
            not_granted: scopes(stored.not_granted),
            not_in_key: scopes(stored.not_in_key),
            change: stored.change.as_deref().and_then(GrantChange::from_text),
            until: stored.until,
        }
    }

    pub(super) fn to_text(self) -> Option<String> {
        if self == Self::default() {
            return None;
        }
        let bits = |scopes: ScopeSet| (!scopes.is_empty()).then(|| scopes.bits().into());
        let stored = StoredDetails {
            counts: self.counts,
            not_granted: bits(self.not_granted),
            not_in_key: bits(self.not_in_key),
            change: self.change.map(|change| change.as_str().to_owned()),
            until: self.until,
        };
        serde_json::to_string(&stored).ok()
    }
}

/// One entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEvent {
    /// When, in milliseconds since 1970; of several, the last time.
    pub at: i64,
    /// What was done.
    pub action: Action,
    /// Who did it.
    pub actor: Actor,
    /// The agent that acted or that is concerned.
    pub agent_id: Option<String>,
    /// The developer who acted.
    pub developer_id: Option<String>,
    /// The scopes that it was about.
    pub scopes: ScopeSet,
    /// What came of it.
    pub outcome: Outcome,
    /// How many facts it wrote or removed.
    pub facts: i64,
    /// How many grants it revoked.
    pub grants: i64,
    /// How often it happened: what changes nothing is noted in batches.
    pub times: i64,
    /// More about it.
    pub details: AuditDetails,
}

impl AuditEvent {
    /// Something that was done once.
    pub fn new(action: Action, actor: Actor, at: i64) -> Self {
        Self {
            at,
            action,
            actor,
            agent_id: None,
            developer_id: None,
            scopes: ScopeSet::EMPTY,
            outcome: Outcome::Done,
            facts: 0,
            grants: 0,
            times: 1,
            details: AuditDetails::default(),
        }
    }

    /// With these details.
    #[must_use]
    pub fn details(mut self, details: AuditDetails) -> Self {
        self.details = details;
        self
    }

    /// What is stored of it.
    fn row<'a>(
        &'a self,
        user_key: &'a [u8],
        id: &'a str,
        details: Option<&'a str>,
    ) -> [Arg<'a>; 13] {
        [
            user_key.into(),
            id.into(),
            self.at.into(),
            self.action.as_str().into(),
            self.actor.as_str().into(),
            self.agent_id.as_deref().into(),
            self.developer_id.as_deref().into(),
            self.scopes.into(),
            self.outcome.as_str().into(),
            self.facts.into(),
            self.grants.into(),
            self.times.into(),
            details.into(),
        ]
    }

    /// By or about this agent.
    #[must_use]
    pub fn agent(mut self, agent_id: impl Into<String>) -> Self {
        self.agent_id = Some(agent_id.into());
        self
    }

    /// By this developer.
    #[must_use]
    pub fn developer(mut self, developer_id: impl Into<String>) -> Self {
        self.developer_id = Some(developer_id.into());
        self
    }

    /// About these scopes.
    #[must_use]
    pub fn scopes(mut self, scopes: ScopeSet) -> Self {
        self.scopes = scopes;
        self
    }

    /// With this outcome.
    #[must_use]
    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// Sets how many facts were written or removed.
    #[must_use]
    pub fn facts(mut self, facts: usize) -> Self {
        self.facts = i64::try_from(facts).unwrap_or(i64::MAX);
        self
    }

    /// Sets how many grants were revoked.
    #[must_use]
    pub fn grants(mut self, grants: usize) -> Self {
        self.grants = i64::try_from(grants).unwrap_or(i64::MAX);
        self
    }
}

/// A stored entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// Where it stands: later entries have greater ids.
    pub id: String,
    /// What happened.
    pub event: AuditEvent,
    /// What the agent is called, where there is one.
    pub agent_name: Option<String>,
}

statements! {
    INSERT_EVENT changes Nothing:
        "INSERT INTO audit (user_key, id, at, action, actor, agent_id, developer_id, scopes, outcome,
                            facts, grants, times, details)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    INSERT_EVENTS changes Nothing: {
        postgres: "INSERT INTO audit (user_key, id, at, action, actor, agent_id, developer_id, scopes,
                                      outcome, facts, grants, times, details)
                   SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::text[],
                                        $5::text[], $6::text[], $7::text[], $8::bigint[],
                                        $9::text[], $10::bigint[], $11::bigint[], $12::bigint[],
                                        $13::text[])",
    };
    // Ids are in the order of time, so the key of the table bounds what is read. Actions stand between
    // commas; an underscore in a name matches itself among others, and no two names differ in that.
    LIST_EVENTS:
        "SELECT e.id, e.at, e.action, e.actor, e.agent_id, e.developer_id, e.scopes, e.outcome,
                e.facts, e.grants, e.times, e.details, a.name AS agent_name
         FROM audit e LEFT JOIN agents a ON a.id = e.agent_id
         WHERE e.user_key = $1 AND e.id > $2 AND e.id < $3 AND ($4 = '' OR e.agent_id = $4)
           AND ($5 = '' OR $5 LIKE '%,' || e.action || ',%') AND ($6 = '' OR e.actor = $6)
         ORDER BY e.id DESC LIMIT $7";
    LIST_EVENTS_UPWARDS:
        "SELECT e.id, e.at, e.action, e.actor, e.agent_id, e.developer_id, e.scopes, e.outcome,
                e.facts, e.grants, e.times, e.details, a.name AS agent_name
         FROM audit e LEFT JOIN agents a ON a.id = e.agent_id
         WHERE e.user_key = $1 AND e.id > $2 AND e.id < $3 AND ($4 = '' OR e.agent_id = $4)
           AND ($5 = '' OR $5 LIKE '%,' || e.action || ',%') AND ($6 = '' OR e.actor = $6)
         ORDER BY e.id LIMIT $7";
    FIND_EVENT:
        "SELECT e.id, e.at, e.action, e.actor, e.agent_id, e.developer_id, e.scopes, e.outcome,
                e.facts, e.grants, e.times, e.details, a.name AS agent_name
         FROM audit e LEFT JOIN agents a ON a.id = e.agent_id
         WHERE e.user_key = $1 AND e.id = $2";
    // The index by time bounds what is read.
    LIST_EVENTS_OF_ALL:
        "SELECT e.id, e.at, e.action, e.actor, e.agent_id, e.developer_id, e.scopes, e.outcome,
                e.facts, e.grants, e.times, e.details, a.name AS agent_name
         FROM audit e LEFT JOIN agents a ON a.id = e.agent_id
         WHERE e.at >= $1 AND e.at < $2 AND ($3 = '' OR e.agent_id = $3)
           AND ($4 = '' OR $4 LIKE '%,' || e.action || ',%') AND ($5 = '' OR e.actor = $5)
         ORDER BY e.at DESC, e.id DESC LIMIT $6";
    // Ids are in the order of time, so the key of the table bounds the search.
    FIND_ERASURE_BY:
        "SELECT id FROM audit
         WHERE user_key = $1 AND id > $2 AND action = $3 AND agent_id = $4 AND outcome = $5
         LIMIT 1";
    DROP_EVENTS changes Nothing:
        "DELETE FROM audit WHERE (user_key, id) IN (
         SELECT user_key, id FROM audit WHERE at <= $1 ORDER BY at LIMIT $2)";
}

/// Which entries of a user's log to read.
#[derive(Clone, Debug, Default)]
pub struct AuditRange {
    /// Where to begin.
    pub from: AuditStart,
    /// By or about this agent; empty for any.
    pub agent_id: String,
    /// One of these; empty for all.
    pub actions: Vec<Action>,
    /// By this kind of actor; `None` for any.
    pub actor: Option<Actor>,
    /// From this instant (milliseconds since 1970) up to and without that one.
    pub between: Option<(i64, i64)>,
}

/// Where to begin in a user's log.
#[derive(Clone, Debug, Default)]
pub enum AuditStart {
    /// With the newest.
    #[default]
    Newest,
    /// Before the entry with this id.
    Before(String),
    /// With those that follow the entry with this id.
    After(String),
    /// With the oldest.
    Oldest,
}

impl AuditRange {
    /// The actions between commas; empty for all.
    fn action_list(&self) -> String {
        if self.actions.is_empty() {
            return String::new();
        }
        let names: Vec<&str> = self.actions.iter().map(|action| action.as_str()).collect();
        format!(",{},", names.join(","))
    }

    fn bounds(&self) -> (String, String) {
        let (mut since, mut until) = (String::new(), AFTER_ALL.to_owned());
        if let Some((from, to)) = self.between {
            (since, until) = (first_id(from), first_id(to));
        }
        match &self.from {
            AuditStart::Before(id) if *id < until => until.clone_from(id),
            AuditStart::After(id) if *id > since => since.clone_from(id),
            _ => {}
        }
        (since, until)
    }
}

/// Not greater than any id about this instant, and greater than those about earlier ones.
fn first_id(at: i64) -> String {
    let at = u64::try_from(at).unwrap_or(0);
    format!("{:08x}-{:04x}", at >> 16 & 0xFFFF_FFFF, at & 0xFFFF)
}

/// Greater than every id.
const AFTER_ALL: &str = "~";

impl Tx {
    /// Notes what happened, with the user whom it concerns, and answers the entry's id.
    pub async fn audit(&mut self, user_id: Option<&UserId>, event: &AuditEvent) -> Result<String> {
        let key = user_id.map(|user_id| self.user_key(user_id));
        self.audit_by_key(key.as_ref().map_or(&[], <[u8; 32]>::as_slice), event)
            .await
    }

    pub(super) async fn audit_by_key(
        &mut self,
        user_key: &[u8],
        event: &AuditEvent,
    ) -> Result<String> {
        let (id, details) = (id(event.at), event.details.to_text());
        let row = event.row(user_key, &id, details.as_deref());
        self.run(INSERT_EVENT, &row).await?;
        Ok(id)
    }

    /// Notes many events, each with the user whom it concerns: on Postgres by one statement.
    pub async fn audit_all(&mut self, events: &[(&UserId, AuditEvent)]) -> Result<()> {
        let noted: Vec<_> = events
            .iter()
            .map(|(user_id, event)| {
                let key = self.user_key(user_id);
                (key, id(event.at), event.details.to_text(), event)
            })
            .collect();
        let rows: Vec<_> = noted
            .iter()
            .map(|(key, id, details, event)| event.row(key, id, details.as_deref()))
            .collect();
        self.run_each([INSERT_EVENT, INSERT_EVENTS], &rows).await
    }

    /// Entries about a user, the newest first.
    pub async fn trail(
        &mut self,
        user_id: &UserId,
        part: &AuditRange,
        at_most: u32,
    ) -> Result<Vec<AuditRow>> {
        let key = self.user_key(user_id);
        let (since, until) = part.bounds();
        let actions = part.action_list();
        let args = args![
            &key,
            &since,
            &until,
            part.agent_id.as_str(),
            &actions,
            part.actor.map_or("", Actor::as_str),
            at_most
        ];
        let is_upwards = matches!(part.from, AuditStart::After(_) | AuditStart::Oldest);
        let statement = if is_upwards {
            LIST_EVENTS_UPWARDS
        } else {
            LIST_EVENTS
        };
        let mut rows: Vec<AuditRow> = self.list_as(statement, args).await?;
        if is_upwards {
            rows.reverse();
        }
        Ok(rows)
    }

    /// Entries about anybody and anything, the newest first. Where to begin is given by the time alone.
    pub async fn trail_of_all(&mut self, part: &AuditRange, at_most: u32) -> Result<Vec<AuditRow>> {
        let (since, until) = part.between.unwrap_or((0, i64::MAX));
        let actions = part.action_list();
        let args = args![
            since,
            until,
            part.agent_id.as_str(),
            &actions,
            part.actor.map_or("", Actor::as_str),
            at_most
        ];
        self.list_as(LIST_EVENTS_OF_ALL, args).await
    }

    /// The entry with this id, where it is about this user.
    pub async fn event(&mut self, user_id: &UserId, id: &str) -> Result<Option<AuditRow>> {
        let key = self.user_key(user_id);
        self.find_as(FIND_EVENT, args![&key, id]).await
    }

    /// Whether this agent has erased the user since an instant, in milliseconds since 1970.
    pub async fn has_erased(
        &mut self,
        agent_id: &str,
        user_id: &UserId,
        since: i64,
    ) -> Result<bool> {
        let (key, since) = (self.user_key(user_id), id(since));
        let args = args![
            &key,
            &since,
            Action::Erase.as_str(),
            agent_id,
            Outcome::Done.as_str()
        ];
        Ok(self.find(FIND_ERASURE_BY, args).await?.is_some())
    }

    /// Forgets some entries, at most, of this instant (milliseconds since 1970) or before,
    /// the oldest first, and answers how many.
    pub async fn drop_events(&mut self, until: i64, at_most: u32) -> Result<u64> {
        self.execute(DROP_EVENTS, args![until, at_most]).await
    }
}

/// A new id for an entry about this instant: a UUID of version 7. Ids sort in the order in which
/// things happened, even where the later one was noted first; those of one millisecond sort in the
/// order in which this process noted them. (`uuid::ContextV7` would move an instant that lies
/// before the one that it saw last.)
pub(super) fn id(at: i64) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let at = u64::try_from(at).unwrap_or(0);
    let nanos = u32::try_from(at % 1_000 * 1_000_000).unwrap_or(0);
    let counter = NEXT.fetch_add(1, Ordering::Relaxed);
    let timestamp = Timestamp::from_unix_time(at / 1_000, nanos, counter.into(), 32);
    Uuid::new_v7(timestamp).to_string()
}

impl FromRow for AuditRow {
    fn from_row(row: &Row) -> Result<Self> {
        let id = row.text("id")?;
        Ok(Self {
            event: AuditEvent::from_row(row).map_err(|error| error.in_row(&id))?,
            agent_name: row.text_or_null("agent_name")?,
            id,
        })
    }
}

from_row! {
    AuditEvent in "audit":
    at, action, actor, agent_id, developer_id, scopes, outcome, facts, grants, times, details
}

impl FromColumn for AuditDetails {
    fn from_column(row: &Row, _: &'static str, column: &'static str) -> Result<Self> {
        Ok(Self::from_text(
            &row.text_or_null(column)?.unwrap_or_default(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_the_order_of_time_and_then_of_notes() {
        const AT: i64 = 1_772_323_200_000;
        let later = id(AT + 1);
        let ids: Vec<String> = (0..40_000).map(|_| id(AT)).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert!(ids.iter().all(|id| *id < later && id.len() == later.len()));
        assert!(id(AT - 1) < ids[0]);
        assert!(*id(i64::MAX / 2) < *AFTER_ALL);
    }
}

//! First grants: which agents get one by their first call, and which have to wait for the user.
//!
//! [`is_automatic`] decides, as a pure function. [`FirstGrant::lock`] asks it in the unit of work
//! that makes the grant, with the user locked: what the user decides at the same time comes before
//! or after it, and counts. What an agent that waits is told needs none of this, because it is the
//! same until there is a grant.
//!
//! An agent that waits and goes on calling costs no write: [`Waiting`] counts its calls, and they
//! are stored some minutes later.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex};

use ctxmem_types::UserId;

use super::clock::DAY_MILLIS;
use super::{Error, Grants, Key, NewsKind, playground, unit};
use crate::locked;
use crate::store::{
    Actor, GrantChange, GrantRow, GrantedBy, Hash, NotedRequest, RepeatedCalls, Standing,
    StoreError, Tx, User,
};

/// For how long calls of an agent that waits are only counted.
const COUNTED_MILLIS: i64 = 5 * 60 * 1_000;
/// For how long no request is stored of an agent that waits for as many users as it may.
const FULL_MILLIS: i64 = 60 * 1_000;
/// Of how many users at most calls are counted, some 200 bytes each.
const MAX_USERS: usize = 20_000;
/// For how long a request waits for the user after the agent's last call.
const REQUEST_DAYS: i64 = 30;
/// How many requests one unit of work forgets, and how many counts it stores.
const BATCH: u32 = 1_000;

/// Which agents get access by their first call, without asking the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FirstGrant {
    /// All of them.
    Auto,
    /// Those of developers who have access already, and the first agent of all.
    Own,
    /// None.
    Ask,
}

/// Whether an agent without a grant may get one without asking the user. What the user chose comes
/// before the mode. `standing` is needed only where the mode is [`FirstGrant::Own`].
fn is_automatic(mode: FirstGrant, user: Option<&User>, standing: Option<Standing>) -> bool {
    if user.is_some_and(|user| user.asks || user.paused) {
        return false;
    }
    match mode {
        FirstGrant::Auto => true,
        FirstGrant::Own => {
            standing.is_some_and(|standing| !standing.has_decided || standing.knows_developer)
        }
        FirstGrant::Ask => false,
    }
}

/// What an agent that may begin finds, with the user locked.
pub(super) struct Beginning {
    /// Whether the agent may get its first grant without asking the user.
    pub automatic: bool,
    /// The newest grant between them, in whatever state.
    pub newest: Option<GrantRow>,
}

impl FirstGrant {
    /// Locks the user and answers whether the agent may get its first grant now, and which it has.
    /// Only an agent that may gives a user without a row one: anybody can make up user ids. A user
    /// who has no row then is not locked, and there is no grant.
    pub(super) async fn lock(
        self,
        tx: &mut Tx,
        key: &Key,
        user_id: &UserId,
        now: i64,
    ) -> Result<Beginning, StoreError> {
        let mut user = tx.lock_user(user_id).await?;
        let mut newest = tx.latest_grant(&key.agent_id, user_id).await?;
        if user.is_none() && newest.is_some() {
            // The user's first decision came between the two: now there is a row to lock.
            user = tx.lock_user(user_id).await?;
            newest = tx.latest_grant(&key.agent_id, user_id).await?;
        }
        let mut automatic = self.judge(tx, key, user_id, user.as_ref(), now).await?;
        if automatic && !user.is_some_and(|user| user.has_key) {
            // Another agent, or the user, may be faster.
            let user = tx.lock_or_add_user(user_id).await?;
            automatic = self.judge(tx, key, user_id, Some(&user), now).await?;
            newest = tx.latest_grant(&key.agent_id, user_id).await?;
        }
        Ok(Beginning { automatic, newest })
    }

    async fn judge(
        self,
        tx: &mut Tx,
        key: &Key,
        user_id: &UserId,
        user: Option<&User>,
        now: i64,
    ) -> Result<bool, StoreError> {
        let standing = match self {
            Self::Own => Some(tx.standing(&key.agent_id, user_id, now).await?),
            Self::Auto | Self::Ask => None,
        };
        if is_automatic(self, user, standing) {
            return Ok(true);
        }
        // Nobody can sign in as a test user to decide.
        let agent = tx.agent(&key.agent_id).await?;
        Ok(agent.is_some_and(|agent| playground::is_test_user(&agent.developer_id, user_id)))
    }
}

/// What became of a first call.
enum FirstCall {
    /// There was a grant before in whatever state.
    Decided,
    /// There is one now.
    Granted,
    /// The user has to decide.
    MustAsk(NotedRequest),
}

impl Grants {
    /// Which agents get access by their first call, unless the user chose to be asked.
    pub fn first_grant(&self) -> FirstGrant {
        self.settings.first_grant
    }

    /// Where users allow this agent or refuse it.
    pub(super) fn consent_url(&self, agent_id: &str) -> String {
        format!("{}{agent_id}", self.consent_pages)
    }

    /// Makes a grant with the scopes of the key, at the first inject or update of an agent for a
    /// user. If there has ever been a grant between them, in whatever state, this does nothing.
    /// Answers false where the user has to decide: then the request waits for them.
    pub(super) async fn first_call(
        &self,
        key: &Key,
        user_id: &UserId,
        user_key: &Hash,
    ) -> Result<bool, Error> {
        // A user let the program in by a grant. Without one it was erased a moment ago.
        if key.is_of_user() {
            return Ok(false);
        }
        let now = self.clock.millis();
        if self.waiting.count(user_key, &key.agent_id, now) {
            return Ok(false);
        }
        let decisions = self.waiting.decisions();
        match self.begin(key, user_id.clone(), now).await? {
            FirstCall::Decided => return Ok(true),
            FirstCall::Granted => {
                self.tell(NewsKind::AgentBegan, user_id, &key.agent_id);
                return Ok(true);
            }
            FirstCall::MustAsk(NotedRequest::New) => {
                self.tell(NewsKind::AgentWaits, user_id, &key.agent_id);
            }
            FirstCall::MustAsk(NotedRequest::Again) => {}
            FirstCall::MustAsk(NotedRequest::Full) => self.waiting.note_full(&key.agent_id, now),
        }
        let agent_id = Arc::clone(&key.agent_id);
        self.waiting.note(*user_key, agent_id, now, decisions);
        Ok(false)
    }

    async fn begin(&self, key: &Key, user_id: UserId, now: i64) -> Result<FirstCall, Error> {
        let (mode, grant_now) = (self.settings.first_grant, self.grant_clock.now());
        let grant = GrantRow::new(&key.agent_id, key.scopes, GrantedBy::Agent, now);
        let given = (key.clone(), grant, user_id);
        unit::write(&self.db, async move |tx| {
            let (key, grant, user_id) = &given;
            let found = mode.lock(tx, key, user_id, grant_now).await?;
            // An agent that was deleted a moment ago gets none.
            if found.newest.is_some() || tx.agent(&grant.agent_id).await?.is_none() {
                return Ok::<_, StoreError>(FirstCall::Decided);
            }
            if found.automatic {
                tx.put_grant(user_id, grant).await?;
                tx.drop_consent_request(&grant.agent_id, user_id).await?;
                tx.audit(
                    Some(user_id),
                    &grant.made_event(Actor::Agent, GrantChange::First, now),
                )
                .await?;
                return Ok(FirstCall::Granted);
            }
            let agent_id = &grant.agent_id;
            let noted = tx.note_consent_request(agent_id, user_id, key.scopes, now);
            noted.await.map(FirstCall::MustAsk)
        })
        .await
    }

    /// Stores how often agents called that wait for a user. Counts that can't be stored are lost.
    pub async fn flush_repeated_calls(&self) -> Result<(), Error> {
        let mut calls = self.waiting.take(self.clock.millis());
        calls.sort_unstable();
        for calls in calls.chunks(BATCH as usize) {
            let given: Arc<[_]> = calls.into();
            unit::write(&self.db, async move |tx| {
                tx.count_repeated_calls(&given).await
            })
            .await?;
        }
        Ok(())
    }

    /// Forgets requests of agents that have not called for 30 days.
    pub async fn drop_old_consent_requests(&self) -> Result<(), Error> {
        let until = self.clock.millis() - REQUEST_DAYS * DAY_MILLIS;
        unit::write_in_parts(&self.db, BATCH, move |tx| {
            Box::pin(tx.drop_old_consent_requests(until, BATCH))
        })
        .await
    }
}

/// Agents that wait for users, and how often they called since that was last stored. What is
/// forgotten here is only asked again.
#[derive(Default)]
pub(super) struct Waiting(Mutex<Calls>);

#[derive(Default)]
struct Calls {
    by_user: HashMap<Hash, HashMap<Arc<str>, Counted>>,
    /// How many decisions of users there have been.
    decisions: u64,
    /// Agents that wait for as many users as they may, and since when that is known.
    full: HashMap<Arc<str>, i64>,
}

/// Instants are milliseconds since 1970.
struct Counted {
    since: i64,
    times: i64,
    last_at: i64,
}

impl Waiting {
    /// Counts a call of an agent that is known to wait; false where it is not known.
    fn count(&self, user_key: &Hash, agent_id: &str, now: i64) -> bool {
        let mut calls = locked(&self.0);
        let agents = calls.by_user.get_mut(user_key);
        if let Some(counted) = agents.and_then(|agents| agents.get_mut(agent_id)) {
            counted.times += 1;
            counted.last_at = now;
            return true;
        }
        let since = calls.full.get(agent_id);
        since.is_some_and(|since| (0..FULL_MILLIS).contains(&(now - since)))
    }

    fn decisions(&self) -> u64 {
        locked(&self.0).decisions
    }

    /// The request of this agent was stored, since there had been so many decisions. One that came
    /// meanwhile may have been this user's: then the agent asks again.
    fn note(&self, user_key: Hash, agent_id: Arc<str>, now: i64, decisions: u64) {
        let mut calls = locked(&self.0);
        if calls.decisions != decisions {
            return;
        }
        if calls.by_user.len() >= MAX_USERS {
            calls.by_user.clear();
        }
        let counted = Counted {
            since: now,
            times: 0,
            last_at: now,
        };
        if let Entry::Vacant(place) = calls.by_user.entry(user_key).or_default().entry(agent_id) {
            place.insert(counted);
        }
    }

    fn note_full(&self, agent_id: &Arc<str>, now: i64) {
        let mut calls = locked(&self.0);
        calls
            .full
            .retain(|_, since| (0..FULL_MILLIS).contains(&(now - *since)));
        calls.full.insert(Arc::clone(agent_id), now);
    }

    /// The user decided something: an agent that waits asks again by its next call.
    pub(super) fn forget(&self, user_key: &Hash) {
        let mut calls = locked(&self.0);
        calls.decisions += 1;
        calls.by_user.remove(user_key);
    }

    /// Takes out what has been counted for long enough.
    fn take(&self, now: i64) -> Vec<RepeatedCalls> {
        let mut taken = Vec::new();
        locked(&self.0).by_user.retain(|user_key, agents| {
            agents.retain(|agent_id, counted| {
                // A clock that was set back must not make it wait longer.
                let is_new = (0..COUNTED_MILLIS).contains(&(now - counted.since));
                if !is_new && counted.times > 0 {
                    taken.push(RepeatedCalls {
                        user_key: *user_key,
                        agent_id: agent_id.to_string(),
                        times: counted.times,
                        last_at: counted.last_at,
                    });
                }
                is_new
            });
            !agents.is_empty()
        });
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(asks: bool, paused: bool) -> User {
        User {
            epoch: 0,
            next_position: 0,
            has_key: true,
            asks,
            paused,
        }
    }

    fn standing(has_decided: bool, knows_developer: bool) -> Standing {
        Standing {
            has_decided,
            knows_developer,
        }
    }

    #[test]
    fn who_has_to_wait_is_one_table() {
        use FirstGrant::{Ask, Auto, Own};
        // By mode: for a user who has decided nothing, who knows the developer, who knows others.
        for (mode, expected) in [
            (Auto, [true, true, true]),
            (Own, [true, true, false]),
            (Ask, [false, false, false]),
        ] {
            let standings = [
                standing(false, false),
                standing(true, true),
                standing(true, false),
            ];
            for (standing, expected) in standings.into_iter().zip(expected) {
                for user in [None, Some(user(false, false))] {
                    let automatic = is_automatic(mode, user.as_ref(), Some(standing));
                    assert_eq!(automatic, expected, "{mode:?} {standing:?} {user:?}");
                }
                for (asks, paused) in [(true, false), (false, true), (true, true)] {
                    let user = user(asks, paused);
                    assert!(!is_automatic(mode, Some(&user), Some(standing)));
                }
            }
        }
    }

    #[test]
    fn calls_are_counted_for_some_minutes_and_taken_once() {
        let (waiting, agent) = (Waiting::default(), Arc::<str>::from("agent"));
        assert!(!waiting.count(&[1; 32], "agent", 0));
        waiting.note([1; 32], Arc::clone(&agent), 0, 0);
        assert!(waiting.count(&[1; 32], "agent", 1));
        assert!(waiting.count(&[1; 32], "agent", 2));
        assert!(!waiting.count(&[2; 32], "agent", 2));
        assert_eq!(waiting.take(COUNTED_MILLIS - 1), []);
        let taken = waiting.take(COUNTED_MILLIS);
        assert_eq!((taken[0].times, taken[0].last_at), (2, 2));
        assert_eq!(waiting.take(COUNTED_MILLIS), []);
        assert!(!waiting.count(&[1; 32], "agent", COUNTED_MILLIS));
    }

    #[test]
    fn what_the_user_decides_while_a_request_is_stored_counts() {
        let (waiting, agent) = (Waiting::default(), Arc::<str>::from("agent"));
        let decisions = waiting.decisions();
        waiting.forget(&[1; 32]);
        waiting.note([1; 32], Arc::clone(&agent), 0, decisions);
        assert!(!waiting.count(&[1; 32], "agent", 1));
        waiting.note([1; 32], agent, 0, waiting.decisions());
        assert!(waiting.count(&[1; 32], "agent", 1));
    }

    #[test]
    fn who_waits_for_too_many_is_not_stored_for_a_minute() {
        let (waiting, agent) = (Waiting::default(), Arc::<str>::from("agent"));
        waiting.note_full(&agent, 0);
        assert!(waiting.count(&[7; 32], "agent", FULL_MILLIS - 1));
        assert!(!waiting.count(&[7; 32], "another", 1));
        assert!(!waiting.count(&[7; 32], "agent", FULL_MILLIS));
    }

    #[test]
    fn memory_is_bounded() {
        let waiting = Waiting::default();
        for n in 0..=MAX_USERS as u64 {
            let mut user = [0; 32];
            user[..8].copy_from_slice(&n.to_le_bytes());
            waiting.note(user, Arc::from("agent"), 0, 0);
        }
        assert!(locked(&waiting.0).by_user.len() <= MAX_USERS);
    }
}

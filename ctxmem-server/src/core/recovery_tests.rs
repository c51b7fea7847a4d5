//! Tests of recovery from diverged copies of a database: after one copy has taken the decisions of the other, nothing
//! that either of them denies is allowed.

mod accounts;
mod auto_delete;
mod forgotten;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use ctxmem_test_postgres::{Database, fresh_database};
use ctxmem_types::{GrantRequest, Scope, ScopeSet, Timestamp, UpdateRequest, UserId};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use secrecy::ExposeSecret as _;
use tempfile::TempDir;

use super::{
    Caller, Clock, Core, Correction, Error, Key, PasswordCost, Settings, SystemClock, unit,
};
use crate::extract::BuiltIn;
use crate::store::backup::{Decisions, carry_decisions_over};
use crate::store::{Db, FactRecord, GrantRecord, UserRecord};

const AGENTS: usize = 3;

/// How many users have a history of their own.
fn histories() -> usize {
    if std::env::var_os("CTXMEM_SOAK").is_some() {
        1_000
    } else {
        60
    }
}

/// A database of which copies are made.
enum Place {
    Sqlite(TempDir),
    Postgres(Database),
}

impl Place {
    fn file(folder: &TempDir, suffix: &str) -> PathBuf {
        folder.path().join(format!("test.db{suffix}"))
    }

    fn url(&self) -> String {
        match self {
            Self::Sqlite(folder) => format!("sqlite://{}", Self::file(folder, "").display()),
            Self::Postgres(database) => database.url.clone(),
        }
    }

    /// Nobody may have it open.
    async fn copy(&self) -> Self {
        match self {
            Self::Sqlite(folder) => {
                let copy = tempfile::tempdir().unwrap();
                for suffix in ["", "-keys"] {
                    let (from, to) = (Self::file(folder, suffix), Self::file(&copy, suffix));
                    std::fs::copy(from, to).unwrap();
                }
                Self::Sqlite(copy)
            }
            Self::Postgres(database) => Self::Postgres(database.copy().await),
        }
    }
}

/// A copy of the database that is open.
struct Side {
    core: Arc<Core>,
    db: Db,
}

impl Side {
    /// Forgets what happened until then.
    async fn forgets_until(&self, until: i64) {
        let forgetting = unit::write(&self.db, async move |tx| {
            tx.drop_events(until, 1_000_000).await
        });
        assert!(forgetting.await.unwrap() > 0);
    }
}

/// An empty database of each engine.
async fn on_both() -> [Place; 2] {
    let postgres = fresh_database(|url| async move {
        Db::open(&url).await.unwrap().close().await;
    });
    let folder = tempfile::tempdir().unwrap();
    [Place::Sqlite(folder), Place::Postgres(postgres.await)]
}

async fn open(place: &Place) -> Side {
    open_at(place, Arc::new(SystemClock)).await
}

async fn open_at(place: &Place, clock: Arc<dyn Clock>) -> Side {
    let db = Db::open(&place.url()).await.unwrap();
    let settings = Settings {
        password_cost: PasswordCost::LEAST,
        ..Settings::default()
    };
    let core = Core::new(db.clone(), Arc::new(BuiltIn), clock, settings, "");
    Side {
        core: Arc::new(core),
        db,
    }
}

/// The agents of all copies, by keys that reach everything.
async fn agents(core: &Core) -> Vec<Key> {
    let mut keys = Vec::new();
    for n in 0..AGENTS {
        let name = format!("agent {n}");
        let made = core.console.create_agent(name, None, ScopeSet::ALL).await;
        let key = made.unwrap().key.api_key;
        let key = core.grants.authenticate(key.expose_secret()).await;
        keys.push(key.unwrap());
    }
    keys
}

fn named(n: usize) -> UserId {
    UserId::new(format!("user-{n}")).unwrap()
}

/// Something that a user or an agent does, at random.
async fn act(core: &Arc<Core>, keys: &[Key], user: &UserId, random: &mut StdRng) {
    let key = keys.choose(random).unwrap();
    let agent = key.agent_id.to_string();
    let some = || -> Vec<Scope> { vec![Scope::General, Scope::Goals, Scope::Preferences] };
    let scopes: Vec<Scope> = some()
        .into_iter()
        .filter(|_| random.random_bool(0.7))
        .collect();
    let done = match random.random_range(0..14) {
        0 | 1 => {
            let request = GrantRequest::new(user.clone(), agent, scopes);
            core.grants
                .create_grant(Caller::Key(key.clone()), request)
                .await
                .map(drop)
        }
        2 | 3 => {
            let mut request = GrantRequest::new(user.clone(), agent, scopes);
            if random.random_bool(0.3) {
                let end: Timestamp = "2039-01-01T00:00:00Z".parse().unwrap();
                request.expires_at = Some(end);
            }
            core.grants
                .create_grant(Caller::User(user.clone()), request)
                .await
                .map(drop)
        }
        4 => core.grants.revoke_agent(user.clone(), agent).await,
        5 => core.grants.pause(user, random.random_bool(0.7)).await,
        6 => core.grants.ask_first(user, random.random_bool(0.7)).await,
        7 if random.random_bool(0.4) => core.memory.erase_own(user.clone()).await.map(drop),
        8..=10 => {
            let name = format!("n{}", random.random_range(0..4));
            let value = format!("v{}", random.random_range(0..1_000_000));
            core.memory
                .add_fact(user.clone(), Scope::General, Some(name), value)
                .await
                .map(drop)
        }
        11 | 12 => {
            let facts = core.memory.facts_with_provenance(user).await.unwrap();
            match facts.choose(random) {
                Some(fact) => {
                    let seen = fact.version();
                    if random.random_bool(0.5) {
                        core.memory
                            .delete_facts(user.clone(), vec![seen], random.random_bool(0.5))
                            .await
                    } else {
                        let value = format!("v{}", random.random_range(0..1_000_000));
                        let correction = Correction {
                            scope: None,
                            name: None,
                            value,
                        };
                        core.memory
                            .correct_fact(user.clone(), seen, correction)
                            .await
                            .map(drop)
                    }
                }
                None => Ok(()),
            }
        }
        _ => core.grants.refuse_agent(user, &agent).await,
    };
    // What is refused decides nothing.
    if let Err(error) = done {
        assert!(!matches!(error, Error::Store(_)), "{error:?}");
    }
}

async fn live(core: &Arc<Core>, keys: &[Key], at_most: usize, random: &mut StdRng) {
    for n in 0..histories() {
        for _ in 0..random.random_range(0..=at_most) {
            act(core, keys, &named(n), random).await;
        }
    }
}

/// All that a copy holds of a user.
struct Held {
    record: UserRecord,
    /// What is not to be saved again.
    blocked_facts: HashSet<String>,
}

async fn held(side: &Side) -> BTreeMap<usize, Held> {
    let mut held = BTreeMap::new();
    for n in 0..histories() {
        let Some(record) = side.db.user_record(&named(n)).await.unwrap() else {
            continue;
        };
        let reading = unit::read(&side.db, async |tx| tx.blocked_facts(&named(n)).await);
        let blocked_facts = reading.await.unwrap();
        let slots = (0..4).map(|slot| format!("n{slot}"));
        let blocked_facts = slots.filter(|slot| blocked_facts.contains(Scope::General, slot));
        let blocked_facts = blocked_facts.collect();
        held.insert(
            n,
            Held {
                record,
                blocked_facts,
            },
        );
    }
    held
}

fn latest<'u>(user: Option<&'u UserRecord>, agent: &str) -> Option<&'u GrantRecord> {
    let grants = user.into_iter().flat_map(|user| &user.grants);
    let mut latest = grants.filter(|grant| grant.latest && grant.agent_id == agent);
    latest.next()
}

/// What this user has taken away in a copy, given the state before, holds in the merged one.
fn assert_denied(of: usize, before: Option<&Held>, copy: &Held, merged: &Held, keys: &[Key]) {
    for slot in &copy.blocked_facts {
        let is_written_by_hand = merged.record.facts.iter().any(|fact| fact.slot == *slot);
        assert!(
            merged.record.epoch > copy.record.epoch
                || is_written_by_hand
                || merged.blocked_facts.contains(slot),
            "{of}: {slot} may be saved again"
        );
    }
    let before = before.map(|before| &before.record);
    let (copy, merged) = (&copy.record, &merged.record);
    assert!(merged.epoch >= copy.epoch, "{of}");
    assert!(!copy.asks || merged.asks, "{of}");
    assert!(
        copy.paused_at.is_none() || merged.paused_at.is_some(),
        "{of}"
    );
    for key in keys {
        let Some(denying) = latest(Some(copy), &key.agent_id) else {
            continue;
        };
        let Some(grant) = latest(Some(merged), &key.agent_id) else {
            // Without a grant the agent asks, or begins as one that nobody knows.
            assert!(denying.revoked_at.is_none(), "{of}");
            assert!(merged.asks || denying.made_by == "agent", "{of}");
            continue;
        };
        if grant.revoked_at.is_some() {
            continue;
        }
        assert!(
            denying.revoked_at.is_none(),
            "{of}: revoked, and allowed again"
        );
        assert!(grant.scopes.is_subset(denying.scopes), "{of}: wider");
        if let Some(end) = denying.expires_at {
            assert!(
                grant.expires_at.is_some_and(|until| until <= end),
                "{of}: longer"
            );
        }
        assert!(denying.made_by != "user" || grant.made_by == "user", "{of}");
    }
    let kept: HashSet<(&str, &str)> = copy.facts.iter().map(place_and_value).collect();
    let was_erased = before.is_some_and(|before| copy.epoch > before.epoch);
    for fact in before.into_iter().flat_map(|before| &before.facts) {
        let is_gone = was_erased || !kept.contains(&place_and_value(fact));
        let is_back = merged
            .facts
            .iter()
            .any(|other| place_and_value(other) == place_and_value(fact));
        assert!(!(is_gone && is_back), "{of}: a fact came back");
    }
}

fn place_and_value(fact: &FactRecord) -> (&str, &str) {
    (&fact.slot, &fact.value)
}

async fn assert_merged(
    target: &Side,
    source: &Side,
    before: &BTreeMap<usize, Held>,
    keys: &[Key],
) -> Decisions {
    let (one, other) = (held(target).await, held(source).await);
    let now = target.core.now();
    let taken = carry_decisions_over(&source.db, &target.db, now).await;
    let taken = taken.unwrap();
    let merged = held(target).await;
    for (of, merged) in &merged {
        if let Some(copy) = one.get(of) {
            assert_denied(*of, before.get(of), copy, merged, keys);
        }
        // Where nothing was decided there since the two parted, the target knows all of it.
        let text = |held: &Held| serde_json::to_string(&held.record).unwrap();
        if let Some(copy) = other.get(of)
            && before.get(of).map(text) != Some(text(copy))
        {
            assert_denied(*of, before.get(of), copy, merged, keys);
        }
    }
    // The same again changes nothing: there is nothing that is not known.
    let again = carry_decisions_over(&source.db, &target.db, now)
        .await
        .unwrap();
    assert_eq!((again.erased, again.facts, again.grants), (0, 0, 0));
    // Nobody is left without a key.
    for n in 0..histories() {
        for key in keys {
            let request = UpdateRequest::new(named(n), "I live in Turku.", "Noted.");
            let updated = target
                .core
                .memory
                .update(key.clone(), request, None, "test")
                .await;
            if let Err(error) = updated {
                assert!(!matches!(error, Error::Store(_)), "{error:?}");
            }
        }
    }
    taken
}

async fn merges_in_both_orders(place: Place, seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let side = open(&place).await;
    let keys = agents(&side.core).await;
    live(&side.core, &keys, 8, &mut random).await;
    let before = held(&side).await;
    side.db.close().await;
    let other_place = place.copy().await;
    let mut middles = Vec::new();
    for place in [&place, &other_place] {
        let side = open(place).await;
        live(&side.core, &keys, 3, &mut random).await;
        middles.push(side.core.now());
        live(&side.core, &keys, 3, &mut random).await;
        side.db.close().await;
    }
    // Copies, since a merge changes one: as they are, and with logs that go back to the middle.
    let (one, other) = (&place, &other_place);
    let forgetful = [
        forgetting(one, middles[0]).await,
        forgetting(other, middles[1]).await,
    ];
    let mut figures = Decisions::default();
    for (target, source) in [
        (one, other),
        (other, one),
        (one, &forgetful[1]),
        (&forgetful[0], other),
        (&forgetful[1], &forgetful[0]),
    ] {
        let places = [target.copy().await, source.copy().await];
        let (target, source) = (open(&places[0]).await, open(&places[1]).await);
        let taken = assert_merged(&target, &source, &before, &keys).await;
        figures.erased += taken.erased;
        figures.facts += taken.facts;
        figures.grants += taken.grants;
        for side in [target, source] {
            side.db.close().await;
        }
    }
    assert!(
        figures.erased > 0 && figures.facts > 0 && figures.grants > 0,
        "{figures:?}"
    );
    println!(
        "figure: recovery: {} histories merged in both orders, with whole and with cut logs: {} users erased, {} facts, {} grants taken \
         away again; 0 given back",
        histories(),
        figures.erased,
        figures.facts,
        figures.grants
    );
}

/// A copy that has forgotten what happened until then.
async fn forgetting(place: &Place, until: i64) -> Place {
    let copy = place.copy().await;
    let side = open(&copy).await;
    side.forgets_until(until).await;
    side.db.close().await;
    copy
}

/// Of this run; what fails names it.
fn seed() -> u64 {
    let seed = rand::random();
    println!("seed {seed}");
    seed
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_either_copy_denies_is_allowed_on_sqlite() {
    let [sqlite, _] = on_both().await;
    merges_in_both_orders(sqlite, seed()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_either_copy_denies_is_allowed_on_postgres() {
    let [_, postgres] = on_both().await;
    merges_in_both_orders(postgres, seed()).await;
}

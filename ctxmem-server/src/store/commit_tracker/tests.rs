//! Tests of what a cache stamp promises, on real files. A second `Db` stands for another process.

use std::mem::take;

use ctxmem_types::{Scope, UserId};
use tempfile::TempDir;

use super::*;
use crate::store::direct::Direct;
use crate::store::statement::statement;
use crate::store::tests::{
    Opened, RECORD, ada, agent, committed, fact, found, grant, insert_agent_and_key, key,
    on_sqlite, outcome, put, unit, update, write,
};
use crate::store::tx::Inner;
use crate::store::{
    Action, Actor, AuditEvent, Db, DeveloperId, Engine, LastUse, Result, StoreError, Token, Tx,
    Unit, Usage, sqlite,
};

/// What a commit changed, as far as two users on different stripes see it.
#[derive(Debug, PartialEq, Eq)]
enum Changed {
    Nothing,
    FactsOfAda,
    AccessOfAda,
    Everything,
}

fn token() -> Token {
    Token::new("secret").unwrap()
}

/// A database with an agent and what is needed to change something.
struct Scene {
    opened: Opened,
    bob: UserId,
}

impl Scene {
    async fn new() -> Self {
        let opened = on_sqlite().await;
        let of = |id: &UserId| stripe(&opened.db.user_key(id));
        let bob = (0..100)
            .map(|n| UserId::new(format!("bob-{n}")).unwrap())
            .find(|bob| of(bob) != of(&ada()))
            .unwrap();
        let scene = Self { opened, bob };
        committed!(scene.db(), |tx| populate(tx).await);
        scene
    }

    fn db(&self) -> &Db {
        &self.opened.db
    }

    /// Another process on the same file.
    async fn other(&self) -> Db {
        Db::open(self.opened.url()).await.unwrap()
    }

    fn stamps(&self) -> [Option<CacheStamp>; 2] {
        [&ada(), &self.bob].map(|user_id| self.db().stamp(&self.db().user_key(user_id)))
    }

    #[track_caller]
    fn since(&self, before: [Option<CacheStamp>; 2]) -> Changed {
        let [ada, bob] = before.map(Option::unwrap);
        let [ada_now, bob_now] = self.stamps().map(Option::unwrap);
        match (ada == ada_now, bob == bob_now) {
            (true, true) => Changed::Nothing,
            (false, true) if ada.has_same_access(&ada_now) => Changed::FactsOfAda,
            (false, true) => Changed::AccessOfAda,
            (true, false) => panic!("Bob's only"),
            (false, false) => {
                assert!(!ada.has_same_access(&ada_now) && !bob.has_same_access(&bob_now));
                Changed::Everything
            }
        }
    }

    /// What a unit of work changes.
    async fn changed_by<F>(&self, unit: F) -> Changed
    where
        F: for<'t> Fn(&'t mut Tx) -> Unit<'t, (), StoreError> + Send + Sync + 'static,
    {
        let before = self.stamps();
        self.db().write(unit).await.unwrap();
        self.since(before)
    }

    /// The same of a unit that is committed by hand, where something else happens before it is
    /// counted.
    async fn changed_by_both<F>(&self, unit: F, meanwhile: impl Future<Output = ()>) -> Changed
    where
        F: for<'t> Fn(&'t mut Tx) -> Unit<'t, (), StoreError>,
    {
        let before = self.stamps();
        let engine = self.engine();
        let mut tx = self.begun();
        unit(&mut tx).await.unwrap();
        let changes = take(&mut tx.changes);
        let committing = engine.commits.begin();
        commit(&tx);
        meanwhile.await;
        // Until it is counted, nothing is known, unless there is nothing new to know.
        let between = self.stamps();
        assert!(between == [None; 2] || between == before);
        committing.done(&changes);
        self.since(before)
    }

    /// A transaction of this process that nobody counts.
    fn begun(&self) -> Tx {
        let connection = sqlite::writing(&self.opened.file()).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        Tx::new(
            Inner::SqliteWrite(Direct::new(connection)),
            self.db().keys.clone(),
            false,
        )
    }

    fn engine(&self) -> &sqlite::Engine {
        match &self.db().engine {
            Engine::Sqlite(engine) => engine,
            Engine::Postgres(_) => panic!("SQLite"),
        }
    }
}

fn last_use(at: i64) -> Vec<LastUse> {
    vec![LastUse {
        user_id: ada(),
        agent_id: "agent".to_owned(),
        at,
    }]
}

fn commit(tx: &Tx) {
    tx.connection().unwrap().execute_batch("COMMIT").unwrap();
}

async fn populate(tx: &mut Tx) -> Result<()> {
    insert_agent_and_key(tx).await?;
    tx.lock_or_add_user(&ada()).await?;
    tx.put_grant(&ada(), &grant("first")).await?;
    put(tx, "known").await
}

fn dev() -> DeveloperId {
    DeveloperId::new("dev")
}

/// Stores a fact, and that something was stored.
async fn learn(tx: &mut Tx, value: &str) -> Result<()> {
    put(tx, value).await?;
    tx.touch_user(&ada(), 1, 1).await
}

/// Revokes a grant, and notes that.
async fn revoke(tx: &mut Tx, id: &str) -> Result<()> {
    tx.revoke_grant(&ada(), id, 2).await?;
    let event = AuditEvent::new(Action::Revoke, Actor::User, 2);
    tx.audit(Some(&ada()), &event).await.map(drop)
}

/// Writes something on which no request depends.
async fn count_usage(tx: &mut Tx) -> Result<()> {
    let usage = Usage {
        injects: 1,
        ..Usage::default()
    };
    tx.add_usage("agent", "2026-03-01", &usage).await
}

/// Has a database commit something.
async fn counts(db: &Db) {
    committed!(db, |tx| count_usage(tx).await);
}

/// Checks what each of these units of work changes, one after the other.
macro_rules! assert_changed {
    ($scene:expr, $changed:expr, |$tx:ident| { $($unit:expr;)+ }) => {
        $(
            let changed = $scene.changed_by(|$tx: &mut Tx| Box::pin(async move {
                let _ = $unit.await?;
                Ok(())
            }));
            assert_eq!(changed.await, $changed, stringify!($unit));
        )+
    };
}

// ---- what this process commits ---------------------------------------------------------

#[tokio::test]
async fn without_a_commit_the_stamp_stays_the_same() {
    let scene = Scene::new().await;
    let before = scene.stamps();
    for _ in 0..3 {
        let found = found!(scene.db(), |tx| tx.facts(&ada(), Scope::Knowledge).await);
        assert_eq!(found.len(), 1);
        assert_eq!(scene.since(before), Changed::Nothing);
    }
    // Nor does a unit of work change it that only looks.
    let looked = scene.changed_by(unit!(|tx| tx.lock_user(&ada()).await.map(drop)));
    assert_eq!(looked.await, Changed::Nothing);
}

#[tokio::test]
async fn what_is_remembered_of_a_user_is_that_users_affair() {
    let scene = &Scene::new().await;
    assert_changed!(scene, Changed::FactsOfAda, |tx| {
        learn(tx, "one");
        learn(tx, "two");
        learn(tx, "three");
        learn(tx, "three");
        tx.remove_fact(&ada(), Scope::Knowledge, "one");
        tx.remove_scope(&ada(), Scope::Knowledge);
        tx.touch_user(&ada(), 1, 1);
        tx.touch_user(&ada(), 1, 1);
    });
}

#[tokio::test]
async fn what_updates_teach_is_the_affair_of_those_whom_they_are_about() {
    let scene = Scene::new().await;
    let learns = scene.changed_by(unit!(|tx| {
        let (learned, user_key) = (fact("learned"), tx.user_key(&ada()));
        let update = update(&user_key, None, 0, vec![&learned]);
        tx.store_locked_update(&update, 1).await
    }));
    assert_eq!(learns.await, Changed::FactsOfAda);
}

#[tokio::test]
async fn what_a_user_grants_is_that_users_affair() {
    let scene = &Scene::new().await;
    assert_changed!(scene, Changed::AccessOfAda, |tx| {
        tx.put_grant(&ada(), &grant("second"));
        revoke(tx, "second");
        revoke(tx, "second");
        tx.drop_grants(&ada());
        tx.erase_user(&ada(), 3);
        tx.erase_user(&ada(), 3);
        tx.lock_or_add_user(&ada());
    });
    // By now there is nothing to do.
    assert_changed!(scene, Changed::Nothing, |tx| {
        tx.lock_or_add_user(&ada());
        tx.drop_grants(&ada());
        tx.remove_fact(&ada(), Scope::Knowledge, "one");
    });
}

#[tokio::test]
async fn what_requests_do_not_depend_on_changes_nobodys_stamp() {
    let scene = &Scene::new().await;
    // As SQLite leaves alone what is as it is to be, the second time could be another matter.
    for at in [5, 5, 6] {
        let stores_the_audit_buffer = scene.changed_by(unit!(|tx| {
            tx.audit_all(&[(&ada(), AuditEvent::new(Action::Inject, Actor::Agent, at))])
                .await?;
            tx.use_grants(last_use(at)).await?;
            count_usage(tx).await
        }));
        assert_eq!(stores_the_audit_buffer.await, Changed::Nothing);
        let sees = scene.changed_by(unit!(|tx| {
            tx.use_grants(last_use(at + 10)).await?;
            tx.use_key("key", at).await?;
            tx.see_session::<UserId>(&token(), at).await
        }));
        assert_eq!(sees.await, Changed::Nothing);
    }
    assert_changed!(scene, Changed::Nothing, |tx| {
        count_usage(tx);
        count_usage(tx);
        tx.use_grants(last_use(20));
        tx.use_key("key", 20);
        tx.use_key("key", 20);
        tx.reserve_update("agent", "2026-03", 3);
        tx.reserve_update("agent", "2026-03", 3);
        tx.return_update("agent", "2026-03");
        tx.insert_link(&token(), &ada(), 10);
        tx.use_link(&token(), 5, 100);
        tx.use_link(&token(), 5, 100);
        tx.insert_session(&token(), &ada(), 5);
        tx.see_session::<UserId>(&token(), 6);
        tx.see_session::<UserId>(&token(), 6);
        tx.end_session::<UserId>(&token());
        tx.put_idempotency_record(&RECORD, 5, 0);
        tx.put_idempotency_record(&RECORD, 15, 10);
        tx.put_idempotency_record(&RECORD, 15, 10);
        tx.audit(None, &AuditEvent::new(Action::SignIn, Actor::User, 5));
        tx.drop_events(10, 10);
    });
}

#[tokio::test]
async fn keys_agents_and_the_demo_are_everybodys_affair() {
    let scene = &Scene::new().await;
    assert_changed!(scene, Changed::Everything, |tx| {
        tx.insert_key(&key("another"), 1);
        tx.revoke_key("another", 2);
        tx.insert_agent(&agent("another"), 1);
        tx.rename_agent("another", &dev(), "other");
        tx.delete_agent("another", &dev(), 2);
        tx.end_demo("agent", 3);
        tx.set_password("dev@example.com", "hash");
    });
    assert_changed!(scene, Changed::Nothing, |tx| {
        tx.revoke_key("another", 2);
        tx.delete_agent("another", &dev(), 2);
        tx.end_demo("agent", 3);
    });
}

#[tokio::test]
async fn one_whose_stripe_a_user_shares_is_read_again_as_well() {
    let scene = Scene::new().await;
    let of = |id: &UserId| stripe(&scene.db().user_key(id));
    let eve = (0..200_000)
        .map(|n| UserId::new(format!("eve-{n}")).unwrap())
        .find(|eve| of(eve) == of(&ada()))
        .unwrap();
    let stamp = || scene.db().stamp(&scene.db().user_key(&eve)).unwrap();
    let before = stamp();
    let learns = scene.changed_by(|tx| Box::pin(learn(tx, "one")));
    assert_eq!(learns.await, Changed::FactsOfAda);
    assert_ne!(stamp(), before);
    assert!(stamp().has_same_access(&before));
}

// ---- what another process commits ------------------------------------------------------

#[tokio::test]
async fn whatever_another_process_commits_is_everybodys_affair() {
    let scene = Scene::new().await;
    let other = scene.other().await;
    for round in 0..50 {
        let before = scene.stamps();
        if round % 2 == 0 {
            counts(&other).await;
        } else {
            write(&other, format!("{round}").leak()).await.unwrap();
        }
        assert_eq!(scene.since(before), Changed::Everything, "{round}");
        assert_eq!(scene.since(scene.stamps()), Changed::Nothing, "{round}");
    }
}

#[tokio::test]
async fn what_another_process_committed_before_a_commit_of_ours_is_not_missed() {
    let scene = Scene::new().await;
    let other = scene.other().await;
    for _ in 0..10 {
        // Nobody asks for a stamp in between.
        let before = scene.stamps();
        counts(&other).await;
        write(scene.db(), "one").await.unwrap();
        assert_eq!(scene.since(before), Changed::Everything);
    }
}

/// A unit of work that may be run again.
type Step = for<'t> fn(&'t mut Tx) -> Unit<'t, (), StoreError>;

/// Units that surely write, that find everything as it is to be, and that look only, each with
/// what it changes.
const STEPS: [(Step, Changed); 6] = [
    (|tx| Box::pin(count_usage(tx)), Changed::Nothing),
    (
        |tx| Box::pin(async move { tx.touch_user(&ada(), 1, 1).await }),
        Changed::FactsOfAda,
    ),
    (
        |tx| Box::pin(async move { tx.lock_or_add_user(&ada()).await.map(drop) }),
        Changed::Nothing,
    ),
    (|tx| Box::pin(put(tx, "known")), Changed::FactsOfAda),
    (
        |tx| Box::pin(async move { tx.revoke_grant(&ada(), "revoked", 2).await.map(drop) }),
        Changed::AccessOfAda,
    ),
    (
        |tx| Box::pin(async move { tx.lock_user(&ada()).await.map(drop) }),
        Changed::Nothing,
    ),
];

#[tokio::test]
async fn a_commit_of_ours_is_told_from_one_that_follows_before_it_is_counted() {
    let scene = Scene::new().await;
    let other = scene.other().await;
    committed!(scene.db(), |tx| {
        tx.put_grant(&ada(), &grant("revoked")).await?;
        tx.revoke_grant(&ada(), "revoked", 1).await.map(drop)
    });
    for (at, (step, alone)) in STEPS.into_iter().enumerate() {
        let changed = scene.changed_by_both(step, async {}).await;
        assert_eq!(changed, alone, "{at}");
        let changed = scene.changed_by_both(step, counts(&other)).await;
        assert_eq!(changed, Changed::Everything, "{at}");
        let twice = async {
            counts(&other).await;
            counts(&other).await;
        };
        let changed = scene.changed_by_both(step, twice).await;
        assert_eq!(changed, Changed::Everything, "{at}");
    }
}

#[tokio::test]
async fn until_a_commit_is_seen_what_is_there_holds_and_then_nothing_before_it_is_counted() {
    let scene = Scene::new().await;
    let before = scene.stamps();
    let engine = scene.engine();
    let mut tx = scene.begun();
    learn(&mut tx, "one").await.unwrap();
    let changes = take(&mut tx.changes);
    let committing = engine.commits.begin();
    assert_eq!(scene.since(before), Changed::Nothing);
    commit(&tx);
    assert_eq!(scene.stamps(), [None; 2]);
    committing.done(&changes);
    assert_eq!(scene.since(before), Changed::FactsOfAda);
}

#[tokio::test]
async fn after_a_commit_of_which_nobody_knows_what_became_nothing_is_known() {
    let scene = Scene::new().await;
    let before = scene.stamps();
    drop(scene.engine().commits.begin());
    assert_eq!(scene.since(before), Changed::Everything);
}

#[tokio::test]
async fn a_file_whose_index_is_not_understood_is_asked_each_time() {
    let scene = Scene::new().await;
    let file = scene.opened.folder.path().join("none.db");
    let commits = CommitTracker::watch(&file);
    assert_eq!(commits.stamp(&[0; 32]), None);
    std::fs::write(&file, "").unwrap();
    std::fs::write(file.with_extension("db-shm"), [0; 136]).unwrap();
    let commits = CommitTracker::watch(&file);
    assert_eq!(commits.stamp(&[0; 32]), None);
    commits.begin().done(&ChangeSet::default());
    assert_eq!(commits.stamp(&[0; 32]), None);
}

/// The shared index of the scene's database, and a copy that no commit changes: what a file system
/// shows that does not keep files and mappings coherent.
struct StaleIndex {
    scene: Scene,
    copy: TempDir,
    tracker: CommitTracker,
}

impl StaleIndex {
    async fn new() -> Self {
        let scene = Scene::new().await;
        let copy = tempfile::tempdir().unwrap();
        std::fs::write(copy.path().join("test.db"), "").unwrap();
        let mut stale = Self {
            tracker: CommitTracker::watch(copy.path()),
            scene,
            copy,
        };
        stale.refresh();
        stale.tracker = CommitTracker::watch(&stale.copy.path().join("test.db"));
        stale
    }

    /// Shows what was committed so far.
    fn refresh(&self) {
        let index = self.scene.opened.folder.path().join("test.db-shm");
        let index = std::fs::read(index).unwrap();
        std::fs::write(self.copy.path().join("test.db-shm"), index).unwrap();
    }

    /// Commits a fact, and counts that once the index shows it, if it ever does.
    async fn commit(&self, is_shown: bool) {
        let mut tx = self.scene.begun();
        learn(&mut tx, &format!("{}", rand::random::<u64>()))
            .await
            .unwrap();
        let pending = self.tracker.begin();
        commit(&tx);
        if is_shown {
            self.refresh();
        }
        pending.done(&tx.changes);
    }

    fn stamp(&self) -> Option<CacheStamp> {
        self.tracker.stamp(&self.scene.db().user_key(&ada()))
    }
}

#[tokio::test]
async fn an_index_is_trusted_once_it_has_shown_a_commit_of_ours() {
    let index = StaleIndex::new().await;
    assert_eq!(index.stamp(), None);
    index.commit(true).await;
    assert_ne!(index.stamp(), None);
}

#[tokio::test]
async fn an_index_that_does_not_show_a_commit_of_ours_is_never_trusted_again() {
    for was_trusted in [false, true] {
        let index = StaleIndex::new().await;
        if was_trusted {
            index.commit(true).await;
        }
        index.commit(false).await;
        assert_eq!(index.stamp(), None);
        index.refresh();
        assert_eq!(index.stamp(), None);
        index.commit(true).await;
        assert_eq!(index.stamp(), None);
    }
}

#[tokio::test]
async fn a_commit_that_wrote_nothing_need_not_show() {
    let index = StaleIndex::new().await;
    index.commit(true).await;
    let before = index.stamp();
    let mut tx = index.scene.begun();
    tx.lock_or_add_user(&ada()).await.unwrap();
    let pending = index.tracker.begin();
    commit(&tx);
    pending.done(&tx.changes);
    assert_ne!(before, None);
    assert_eq!(index.stamp(), before);
}

// ---- what does not come about, or not by a unit of work --------------------------------

// A row that its foreign key forbids, which only the commit finds out.
statement!(FORBID_LATE: "PRAGMA defer_foreign_keys = ON");
statement!(
    FORBIDDEN changes Nothing: "INSERT INTO agents (id, developer_id, name, created_at)
     VALUES ('a', 'nobody', 'a', 0)"
);
// The second part fails, the first one stays where the unit makes light of it.
statement!(
    HALF changes Nothing: "UPDATE facts SET source_type = 'half'; INSERT INTO meta (name) VALUES (NULL)"
);

#[tokio::test]
async fn after_a_commit_that_failed_nothing_is_known() {
    let scene = Scene::new().await;
    let before = scene.stamps();
    let failed: Result<()> = outcome!(scene.db(), write, |tx| {
        tx.run(FORBID_LATE, &[]).await?;
        tx.run(FORBIDDEN, &[]).await
    });
    assert!(failed.is_err());
    assert_eq!(scene.since(before), Changed::Everything);
}

#[tokio::test]
async fn what_is_left_of_a_statement_that_failed_is_not_missed() {
    let scene = Scene::new().await;
    let ignores_it = scene.changed_by(unit!(|tx| {
        count_usage(tx).await?;
        assert!(tx.run(HALF, &[]).await.is_err());
        Ok(())
    }));
    assert_eq!(ignores_it.await, Changed::Everything);
}

#[tokio::test]
async fn a_unit_that_is_undone_changes_nobodys_stamp() {
    let scene = Scene::new().await;
    let before = scene.stamps();
    let refused: Result<()> = outcome!(scene.db(), write, |tx| {
        tx.revoke_key("key", 1).await?;
        Err(StoreError::Busy)
    });
    assert!(refused.is_err());
    assert_eq!(scene.since(before), Changed::Nothing);
}

#[tokio::test]
async fn a_vacuum_by_hand_is_seen() {
    let scene = Scene::new().await;
    let before = scene.stamps();
    let by_hand = rusqlite::Connection::open(scene.opened.file()).unwrap();
    by_hand.execute_batch("VACUUM").unwrap();
    assert_eq!(scene.since(before), Changed::Everything);
}

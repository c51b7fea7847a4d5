//! Background writes by the server beside decisions of people: a write undoes no decision that was
//! made meanwhile.
//!
//! Each test holds a decision just before its commit, begins what the server writes by itself, and
//! commits while that waits. The other way round it is the write that is held.

use std::sync::Arc;

use chrono::{Duration, TimeDelta};
use ctxmem_client::{Grant, UserId};
use ctxmem_server::core::FirstGrant::Ask;
use ctxmem_server::core::{Clock as _, Error, Network, SignInOrigin};
use ctxmem_types::{GrantRequest, Scope, ScopeSet, Timestamp};
use futures_util::{StreamExt as _, join, stream};

use super::support::{
    Agent, Developer, ENGINE, Engine, HELLO, PASSWORD, Server, Setup, TestClock, count, user,
};

const NOON: &str = "2026-03-01T12:00:00Z";
const ONE_O_CLOCK: &str = "2026-03-01T13:00:00Z";

struct AtNoon {
    clock: Arc<TestClock>,
    server: Server,
    agent: Agent,
    ada: UserId,
}

async fn at_noon() -> AtNoon {
    of(Setup::auto()).await
}

async fn of(setup: Setup) -> AtNoon {
    let (clock, server) = setup.start_at(NOON).await;
    AtNoon {
        agent: server.agent().await,
        clock,
        server,
        ada: user("ada"),
    }
}

impl AtNoon {
    fn now(&self) -> i64 {
        self.clock.now().timestamp_millis()
    }

    /// What [now](Self::now) will be. To clean up, the clock is moved once a change is under way: the server does so
    /// by itself as well, soon after its start.
    fn in_time(&self, age: Duration) -> i64 {
        self.now() + age.num_milliseconds()
    }

    /// Commits a change while something waits for it, and answers what comes of that.
    async fn during<T>(&self, change: &str, waiting: impl Future<Output = T>) -> T {
        let change = self.server.store.change_uncommitted(change).await;
        change.commit_during(waiting).await
    }

    /// The only row of a question, once a job has waited for a change.
    async fn after(
        &self,
        change: &str,
        job: impl Future<Output = Result<(), Error>>,
        question: &str,
    ) -> String {
        self.during(change, job).await.unwrap();
        let rows = self.server.store.texts(question).await;
        rows.join(" ")
    }

    /// How many rows a table has, once a job has waited for a change.
    async fn left_after(
        &self,
        change: &str,
        job: impl Future<Output = Result<(), Error>>,
        table: &str,
    ) -> usize {
        self.during(change, job).await.unwrap();
        self.server.store.rows(table).await
    }

    async fn has_access(&self) -> bool {
        self.agent.context(&self.ada).await.is_ok()
    }
}

/// The agent's key grants itself everything.
async fn grants(agent: &Agent, user: &UserId, until: Option<Timestamp>) -> Grant {
    let mut request = GrantRequest::new(user.clone(), &agent.id, ScopeSet::ALL.iter());
    request.expires_at = until;
    agent.create_grant(&request).await.unwrap()
}

fn at(instant: &str) -> Timestamp {
    instant.parse().unwrap()
}

// Ends of grants

#[tokio::test]
async fn a_grant_that_is_renewed_while_its_end_is_noted_is_current() {
    let it = at_noon().await;
    grants(&it.agent, &it.ada, Some(at(ONE_O_CLOCK))).await;
    it.clock.set(ONE_O_CLOCK);
    let noted = format!("UPDATE grants SET expired_at = {}", it.now());
    let renewed = it.during(&noted, grants(&it.agent, &it.ada, None)).await;
    assert!(!renewed.revoked && renewed.expires_at.is_none());
    assert!(it.has_access().await);
    it.server.grants.note_expired_grants().await.unwrap();
    assert!(it.has_access().await);
}

#[tokio::test]
async fn the_end_of_a_grant_that_is_renewed_meanwhile_is_not_noted() {
    let it = at_noon().await;
    grants(&it.agent, &it.ada, Some(at(ONE_O_CLOCK))).await;
    it.clock.set(ONE_O_CLOCK);
    let renewed = "UPDATE grants SET expires_at = NULL, expires_text = NULL";
    let question = "SELECT COALESCE(CAST(expired_at AS TEXT), 'never') FROM grants";
    let noting = it.server.grants.note_expired_grants();
    assert_eq!(it.after(renewed, noting, question).await, "never");
    assert!(it.has_access().await);
}

#[tokio::test]
async fn a_grant_that_is_narrowed_while_its_end_is_noted_stays_expired() {
    let it = at_noon().await;
    grants(&it.agent, &it.ada, Some(at(ONE_O_CLOCK))).await;
    let noted = format!("UPDATE grants SET expired_at = {}", it.now());
    let mut request = GrantRequest::new(it.ada.clone(), &it.agent.id, [Scope::Goals]);
    request.expires_at = Some(at(ONE_O_CLOCK));
    let narrowing = it.agent.create_grant(&request);
    it.during(&noted, narrowing).await.unwrap();
    // On SQLite the note is read first, so that the agent renews its grant.
    assert_eq!(it.has_access().await, matches!(*ENGINE, Engine::Sqlite));
}

#[tokio::test]
async fn a_grant_that_the_user_revokes_while_its_end_is_noted_stays_revoked() {
    let it = at_noon().await;
    grants(&it.agent, &it.ada, Some(at(ONE_O_CLOCK))).await;
    it.clock.set(ONE_O_CLOCK);
    let revoked = "UPDATE grants SET revoked_at = 5";
    let question = "SELECT CAST(revoked_at AS TEXT) FROM grants";
    let noting = it.server.grants.note_expired_grants();
    assert_eq!(it.after(revoked, noting, question).await, "5");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_renewal_is_lost_beside_the_noting_of_ends() {
    const USERS: usize = 20;
    let it = at_noon().await;
    let rounds = count(60, 1_000) / USERS;
    let users: Vec<UserId> = (0..USERS).map(|n| user(&format!("user-{n}"))).collect();
    let mut lost = 0;
    for _ in 0..rounds {
        let end = Timestamp::from_unix_millis(it.now() + 60_000);
        for user in &users {
            grants(&it.agent, user, end.clone()).await;
        }
        it.clock.advance(TimeDelta::minutes(1));
        let renewing = stream::iter(&users)
            .map(|user| async {
                // A read that finds the grant ended has the end noted.
                let seen = it.agent.reason(user).await;
                assert_eq!(seen.as_deref(), Some("no_grant"));
                grants(&it.agent, user, None).await;
                it.agent.context(user).await.is_ok()
            })
            .buffer_unordered(8)
            .collect::<Vec<bool>>();
        let (renewed, noted) = join!(renewing, it.server.grants.note_expired_grants());
        noted.unwrap();
        lost += renewed.into_iter().filter(|has_access| !has_access).count();
        it.server.grants.note_expired_grants().await.unwrap();
        for user in &users {
            lost += usize::from(it.agent.context(user).await.is_err());
        }
    }
    assert_eq!(lost, 0);
    println!(
        "figure: renewals beside the noting of ends on {}: {} renewals, {lost} lost",
        *ENGINE,
        rounds * USERS
    );
}

// Keys

#[tokio::test]
async fn what_is_noted_of_a_key_leaves_it_revoked() {
    let it = at_noon().await;
    it.agent.injects(&it.ada).await;
    it.clock.advance(Duration::minutes(5));
    let revoked = "UPDATE api_keys SET revoked_at = 5";
    let question = "SELECT CAST(revoked_at AS TEXT) FROM api_keys";
    let used = async {
        it.agent.injects(&it.ada).await;
        it.server.grants.flush_key_use().await
    };
    assert_eq!(it.after(revoked, used, question).await, "5");
    let expiring = "UPDATE api_keys SET revoked_at = NULL, expires_at = 1".to_owned();
    it.server.store.change(expiring).await;
    let noting = it.server.grants.note_expired_grants();
    assert_eq!(it.after(revoked, noting, question).await, "5");
}

// The audit buffer, the request log, usage and quota

#[tokio::test]
async fn when_an_agent_last_used_a_grant_leaves_it_revoked() {
    let it = at_noon().await;
    it.agent.injects(&it.ada).await;
    it.clock.advance(Duration::minutes(1));
    // The user is locked first, as for every change of a grant.
    let revoked = "UPDATE users SET version = version + 1; UPDATE grants SET revoked_at = 5";
    let question = "SELECT revoked_at || ' ' || last_used_at FROM grants";
    let used = async {
        it.agent.injects(&it.ada).await;
        it.server.memory.flush_audit_buffer().await
    };
    let expected = format!("5 {}", it.now());
    assert_eq!(it.after(revoked, used, question).await, expected);
}

#[tokio::test]
async fn what_two_processes_count_adds_up() {
    let it = of(Setup::auto().monthly_quota(100)).await;
    it.agent.tells(&it.ada, HELLO).await;
    it.server.memory.flush_audit_buffer().await.unwrap();

    // What is buffered is stored every second, so it begins once the other's change is there.
    let injected = async {
        it.agent.injects(&it.ada).await;
        it.server.memory.flush_audit_buffer().await
    };
    let counted = "UPDATE usage_days SET injects = injects + 5";
    let question = "SELECT injects || ' ' || updates FROM usage_days";
    assert_eq!(it.after(counted, injected, question).await, "6 1");

    let told = async {
        it.agent.tells(&it.ada, "I live in Porto.").await;
        Ok(())
    };
    let taken = "UPDATE quota SET used = used + 5";
    let question = "SELECT CAST(used AS TEXT) FROM quota";
    assert_eq!(it.after(taken, told, question).await, "7");
}

// Clean-up

#[tokio::test]
async fn a_request_of_an_agent_that_calls_again_is_not_cleaned_up() {
    let it = of(Setup::new().first_grant(Ask)).await;
    assert_eq!(it.agent.reason(&it.ada).await.as_deref(), Some("no_grant"));
    let age = Duration::days(31);
    let called = format!("UPDATE consent_requests SET last_at = {}", it.in_time(age));
    let dropping = async {
        it.clock.advance(age);
        it.server.grants.drop_old_consent_requests().await
    };
    let left = it.left_after(&called, dropping, "consent_requests").await;
    assert_eq!(left, 1);
}

#[tokio::test]
async fn calls_that_are_counted_late_bring_no_request_back() {
    let it = of(Setup::new().first_grant(Ask)).await;
    for _ in 0..2 {
        it.agent.injects(&it.ada).await;
    }
    let decided = "DELETE FROM consent_requests";
    let counting = async {
        it.clock.advance(Duration::minutes(5));
        it.server.grants.flush_repeated_calls().await
    };
    let left = it.left_after(decided, counting, "consent_requests").await;
    assert_eq!(left, 0);
}

#[tokio::test]
async fn sessions_that_are_used_meanwhile_are_not_cleaned_up() {
    let it = at_noon().await;
    for table in ["sessions", "developer_sessions"] {
        it.server.sign_in(&it.ada).await;
        Developer::new(&it.server, &format!("{table}@example.com")).await;
        let age = Duration::hours(2);
        let used = format!("UPDATE {table} SET seen_at = {}", it.in_time(age));
        let dropping = async {
            it.clock.advance(age);
            it.server.sign_in.drop_old_sessions().await
        };
        assert_eq!(it.left_after(&used, dropping, table).await, 1, "{table}");
    }
}

#[tokio::test]
async fn a_session_that_is_ended_while_its_use_is_noted_stays_ended() {
    let it = at_noon().await;
    let cookie = it.server.sign_in(&it.ada).await;
    it.clock.advance(Duration::minutes(2));
    let seen = it.server.get("/account").cookie(&cookie).send();
    it.during("DELETE FROM sessions", seen).await;
    assert_eq!(it.server.store.rows("sessions").await, 0);
    let again = it.server.get("/account").cookie(&cookie).send();
    assert_eq!(again.await.status, 401);
}

#[tokio::test]
async fn an_idempotency_record_that_is_made_anew_is_not_cleaned_up() {
    let it = at_noon().await;
    let told = it.agent.raw_update("ada", HELLO);
    told.header("idempotency-key", "one").gets(200).await;
    let age = Duration::days(2);
    let anew = format!(
        "UPDATE idempotency_keys SET created_at = {}",
        it.in_time(age)
    );
    let dropping = async {
        it.clock.advance(age);
        it.server.memory.drop_old_answers().await
    };
    let left = it.left_after(&anew, dropping, "idempotency_keys").await;
    assert_eq!(left, 1);
}

#[tokio::test]
async fn a_sign_in_link_that_is_used_while_old_ones_are_cleaned_up_stays_used() {
    let it = at_noon().await;
    let link = it.server.link_for(&it.ada).await;
    let used = format!("UPDATE sign_in_links SET used_at = {}", it.now());
    let second = it.during(&used, it.server.sign_in.sign_in(&link)).await;
    assert!(second.unwrap().is_none());
    assert_eq!(it.server.store.rows("sessions").await, 0);
}

// What developers decide about their accounts

/// What the operator does who sets Ann's password.
const SET_PASSWORD: &str =
    "UPDATE developers SET password_hash = 'another' WHERE email = 'ann@example.com';
     DELETE FROM developer_sessions";

#[tokio::test]
async fn a_password_that_the_operator_sets_meanwhile_stays() {
    let it = at_noon().await;
    let ann = Developer::new(&it.server, "ann@example.com").await;
    let origin = SignInOrigin::Network(Network::of([203, 0, 113, 1].into()));
    let (current, new) = (PASSWORD.into(), "a new long password".into());
    let console = &it.server.console;
    let changing = console.change_password(&ann.email, current, new, &origin);
    assert!(it.during(SET_PASSWORD, changing).await.unwrap().is_none());
    let hash = "SELECT password_hash FROM developers WHERE email = 'ann@example.com'";
    let stored = it.server.store.texts(hash).await;
    assert_eq!(stored, ["another"]);
    assert_eq!(it.server.store.developer_sessions(&ann.id).await, 0);
}

#[tokio::test]
async fn a_password_that_is_replaced_meanwhile_opens_no_session() {
    let it = at_noon().await;
    let ann = Developer::new(&it.server, "ann@example.com").await;
    let signing_in = Developer::tries(&it.server, &ann.email, PASSWORD).send();
    assert_eq!(it.during(SET_PASSWORD, signing_in).await.status, 401);
    assert_eq!(it.server.store.developer_sessions(&ann.id).await, 0);
}

async fn types(ann: &Developer, form: &str, code: &str) -> u16 {
    let path = format!("/dashboard/settings/code/{form}");
    let fields = [("code", code), ("password", PASSWORD)];
    ann.post(&path, &fields).await.status
}

#[tokio::test]
async fn a_code_says_nothing_of_a_factor_that_was_begun_anew() {
    let it = at_noon().await;
    let ann = Developer::new(&it.server, "ann@example.com").await;
    let factor = "SELECT COALESCE(CAST(confirmed_at AS TEXT), 'unconfirmed') FROM second_factors";
    let factors = async || it.server.store.texts(factor).await;
    let anew = "UPDATE second_factors SET sealed = substr(sealed, 2), last_step = 0";

    // The first code of a factor confirms no other.
    let app = ann.begins_second_factor().await;
    let confirmed = it
        .during(anew, types(&ann, "confirm", &app.code(&it.clock)))
        .await;
    assert_eq!(confirmed, 409);
    assert_eq!(factors().await, ["unconfirmed"]);
    assert_eq!(it.server.store.rows("recovery_codes").await, 0);

    // A later one ends no other.
    let app = ann.begins_second_factor().await;
    assert_eq!(types(&ann, "confirm", &app.code(&it.clock)).await, 303);
    it.clock.advance(Duration::seconds(30));
    let ended = it
        .during(anew, types(&ann, "end", &app.code(&it.clock)))
        .await;
    assert_eq!(ended, 400);
    assert_ne!(factors().await, ["unconfirmed"]);
    assert_eq!(it.server.store.rows("recovery_codes").await, 10);
}

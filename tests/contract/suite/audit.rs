//! The audit log and the usage counters: who did what, when, how often; never what was said.

use std::sync::Arc;

use chrono::Duration;
use ctxmem_client::UserId;
use ctxmem_server::store::{Action, Actor, AuditEvent, Outcome};
use ctxmem_types::{GrantRequest, Scope, ScopeSet};
use futures_util::future::join_all;
use futures_util::join;
use serde_json::json;

use crate::suite::support::{
    Agent, HELLO, Model, Server, Setup, TestClock, fact, named, no_longer, refused, user,
};

const SMALL_TALK: &str = "Thanks!";
const MORNING: &str = "2026-03-01T09:00:00Z";

/// Everything that was noted of a user, the oldest first.
async fn trail(server: &Server, user: &UserId) -> Vec<AuditEvent> {
    let mut rows = server.core().trail(user, None, 10_000).await.unwrap();
    assert!(rows.is_sorted_by(|a, b| a.id > b.id), "the newest first");
    rows.reverse();
    rows.into_iter().map(|row| row.event).collect()
}

/// A server with a clock and a model, and who looks at what is noted there of Ada.
struct Watched {
    server: Server,
    model: Model,
    clock: Arc<TestClock>,
    ada: UserId,
    seen: usize,
}

impl Watched {
    async fn start() -> Self {
        let (model, clock) = (Model::start().await, Arc::new(TestClock::at(MORNING)));
        Self {
            server: model.setup().clock(&clock).start().await,
            model,
            clock,
            ada: user("ada"),
            seen: 0,
        }
    }

    /// Checks that this was noted since the last look and nothing else. The agent and the time
    /// of the expected events are filled in.
    #[track_caller]
    fn expects<'s>(
        &'s mut self,
        agent: &'s Agent,
        expected: impl IntoIterator<Item = AuditEvent> + 's,
    ) -> impl Future<Output = ()> + 's {
        let place = std::panic::Location::caller();
        async move {
            let at = ctxmem_server::core::Clock::now(&*self.clock).timestamp_millis();
            let found = trail(&self.server, &self.ada).await;
            let expected: Vec<AuditEvent> = expected
                .into_iter()
                .map(|event| AuditEvent { at, ..event }.agent(&agent.id))
                .collect();
            assert_eq!(found[self.seen..], expected, "{place}");
            self.seen = found.len();
            self.clock.advance(Duration::seconds(1));
        }
    }
}

fn event(
    action: Action,
    actor: Actor,
    outcome: Outcome,
    scopes: impl Into<ScopeSet>,
) -> AuditEvent {
    AuditEvent::new(action, actor, 0)
        .outcome(outcome)
        .scopes(scopes.into())
}

fn by_agent(action: Action, outcome: Outcome, scopes: impl Into<ScopeSet>) -> AuditEvent {
    event(action, Actor::Agent, outcome, scopes)
}

fn set(scopes: &[Scope]) -> ScopeSet {
    scopes.iter().copied().collect()
}

// Each action

#[tokio::test]
async fn each_action_of_an_agent_that_is_let_in_leaves_its_entry() {
    use Action::{Grant, Inject, Read, Update};
    use Outcome::{Done, Failed, Filtered, Nothing, Partly};
    let mut watched = Watched::start().await;
    let agent = watched.server.agent().await;
    let ada = watched.ada.clone();
    agent.injects(&ada).await;
    let granted = by_agent(Grant, Done, ScopeSet::ALL);
    let nothing = || by_agent(Inject, Nothing, ScopeSet::EMPTY);
    watched.expects(&agent, [granted, nothing()]).await;
    agent.reads(&ada).await;
    let read = by_agent(Read, Nothing, ScopeSet::EMPTY);
    watched.expects(&agent, [read]).await;

    // Two are stored; then one is replaced and one taken back.
    let two = set(&[Scope::Preferences, Scope::Goals]);
    watched.model.finds([
        named(Scope::Preferences, "editor", "Helix"),
        fact(Scope::Goals, "Ship the release"),
    ]);
    agent.tells(&ada, HELLO).await;
    let learned = || by_agent(Update, Done, two).facts(2);
    watched.expects(&agent, [learned()]).await;
    watched.model.finds([
        named(Scope::Preferences, "editor", "Zed"),
        no_longer(Scope::Goals, "Ship the release"),
    ]);
    agent.tells(&ada, HELLO).await;
    watched.expects(&agent, [learned()]).await;
    agent.injects(&ada).await;
    agent.reads(&ada).await;
    let looks = [Inject, Read].map(|action| by_agent(action, Done, Scope::Preferences));
    watched.expects(&agent, looks).await;

    // What teaches nothing: the same again, no fact, small talk, a model that fails.
    let taught_nothing = || by_agent(Update, Nothing, ScopeSet::EMPTY);
    watched
        .model
        .finds([named(Scope::Preferences, "editor", "Zed")]);
    agent.tells(&ada, HELLO).await;
    watched.expects(&agent, [taught_nothing()]).await;
    watched.model.finds([]);
    agent.tells(&ada, HELLO).await;
    watched.expects(&agent, [taught_nothing()]).await;
    agent.tells(&ada, SMALL_TALK).await;
    let filtered = by_agent(Update, Filtered, ScopeSet::EMPTY);
    watched.expects(&agent, [filtered]).await;
    watched.model.says("no JSON");
    refused(agent.client.update(&ada, HELLO, "").await, 502);
    let failed = by_agent(Update, Failed, ScopeSet::EMPTY);
    watched.expects(&agent, [failed]).await;

    // With a narrow grant some is stored, or nothing.
    let narrow = GrantRequest::new(ada.clone(), &agent.id, [Scope::Goals]);
    agent.client.create_grant(&narrow).await.unwrap();
    let narrowed = by_agent(Grant, Done, Scope::Goals);
    watched.expects(&agent, [narrowed]).await;
    watched.model.finds([
        fact(Scope::Goals, "Learn to sail"),
        fact(Scope::Knowledge, "Rust"),
    ]);
    agent.tells(&ada, HELLO).await;
    let partly = by_agent(Update, Partly, Scope::Goals).facts(1);
    watched.expects(&agent, [partly]).await;
    watched.model.finds([fact(Scope::Knowledge, "Rust")]);
    agent.tells(&ada, HELLO).await;
    let denied = by_agent(Update, Outcome::Denied, Scope::Knowledge);
    watched.expects(&agent, [denied]).await;
    agent.injects(&ada).await;
    let injected = by_agent(Inject, Done, Scope::Goals);
    watched.expects(&agent, [injected]).await;

    agent.client.delete_context(&ada).await.unwrap();
    let erased = by_agent(
        Action::Erase,
        Done,
        set(&[Scope::Preferences, Scope::Goals]),
    );
    watched.expects(&agent, [erased.facts(2)]).await;
}

#[tokio::test]
async fn what_users_decide_and_what_agents_are_refused_then_leaves_its_entry() {
    use Action::{Erase, Grant, Inject, Read, Revoke, Update};
    let mut watched = Watched::start().await;
    let agent = watched.server.agent().await;
    let ada = watched.ada.clone();
    let two = set(&[Scope::General, Scope::Goals]);
    let grant = watched.server.user_grants(&ada, &agent, two).await;
    let granted = event(Grant, Actor::User, Outcome::Done, two);
    watched.expects(&agent, [granted]).await;
    let session = watched.server.sign_in(&ada).await;
    let client = watched.server.client_of(&session);
    client.revoke_grant(&grant.id).await.unwrap();
    let revoked = event(Revoke, Actor::User, Outcome::Done, two);
    watched.expects(&agent, [revoked]).await;
    // It was revoked, and there is no other.
    client.revoke_grant(&grant.id).await.unwrap();
    refused(client.revoke_grant("made-up").await, 404);
    watched.expects(&agent, []).await;

    agent.injects(&ada).await;
    refused(agent.client.context(&ada).await, 403);
    refused(agent.client.update(&ada, HELLO, "").await, 403);
    refused(agent.client.delete_context(&ada).await, 403);
    let denied = |action| by_agent(action, Outcome::Denied, ScopeSet::EMPTY);
    watched
        .expects(&agent, [Inject, Read, Update, Erase].map(denied))
        .await;
    // Neither what a stranger asks for nor what is not of the form is about anybody.
    let stranger = watched.server.raw("GET", "/api/context/ada").key("ctxm_x");
    assert_eq!(stranger.send().await.status, 401);
    let inject = watched.server.raw("POST", "/api/context/inject");
    let malformed = inject.key(&agent.key).json(&json!({"userId": "ada"}));
    assert_eq!(malformed.send().await.status, 400);
    let other = watched.server.client_naming(&agent, "another");
    refused(other.context(&ada).await, 403);
    watched.expects(&agent, [denied(Read)]).await;
    watched
        .server
        .user_grants(&ada, &agent, ScopeSet::EMPTY)
        .await;
    agent.injects(&ada).await;
    let emptied = event(Grant, Actor::User, Outcome::Done, ScopeSet::EMPTY);
    watched.expects(&agent, [emptied, denied(Inject)]).await;
}

#[tokio::test]
async fn an_update_beyond_the_quota_is_noted_as_such() {
    let server = Setup::new().monthly_quota(1).start().await;
    let (agent, ada) = (server.agent().await, user("ada"));
    agent.tells(&ada, HELLO).await;
    agent.tells(&ada, HELLO).await;
    agent.tells(&ada, SMALL_TALK).await;
    let found = trail(&server, &ada).await;
    let outcomes: Vec<_> = found.iter().map(|e| (e.action, e.outcome)).collect();
    assert_eq!(
        outcomes[..2],
        [
            (Action::Grant, Outcome::Done),
            (Action::Update, Outcome::Done)
        ]
    );
    let beyond = found[2..].iter();
    assert!(
        beyond
            .clone()
            .all(|e| (e.action, e.outcome) == (Action::Update, Outcome::LimitReached))
    );
    assert_eq!(beyond.map(|e| e.times).sum::<i64>(), 2);
}

#[tokio::test]
async fn a_request_that_is_sent_again_is_noted_once() {
    let server = Server::start().await;
    let (agent, ada) = (server.agent().await, user("ada"));
    let send = async |method: &str, path: &str, name: &str, body: Option<&str>| {
        let request = server.raw(method, path).key(&agent.key);
        let request = request.header("idempotency-key", name);
        let request = match body {
            Some(said) => request
                .json(&json!({"userId": "ada", "userMessage": said, "agentResponse": "Noted."})),
            None => request,
        };
        assert_eq!(request.send().await.status, 200);
    };
    let update = "/api/context/update";
    for _ in 0..3 {
        send("POST", update, "learned", Some(HELLO)).await;
        send("POST", update, "filtered", Some(SMALL_TALK)).await;
    }
    for _ in 0..3 {
        send("DELETE", "/api/context/ada", "erased", None).await;
    }
    let mut found: Vec<_> = trail(&server, &ada)
        .await
        .into_iter()
        .map(|event| (event.action, event.outcome, event.times))
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            (Action::Update, Outcome::Done, 1),
            (Action::Update, Outcome::Filtered, 1),
            (Action::Grant, Outcome::Done, 1),
            (Action::Erase, Outcome::Done, 1),
        ]
    );
    let usage = server.store.usage_rows(&agent.id).await;
    assert!(usage[0].ends_with(": 0 1 1 0 0"), "{usage:?}");
}

#[tokio::test]
async fn nothing_of_what_was_said_or_stored_is_in_the_log() {
    let model = Model::start().await;
    let server = model.setup().start().await;
    let (agent, ada) = (server.agent().await, user("canary-of-ada"));
    model.finds([named(Scope::Preferences, "canaries", "canary-in-a-fact")]);
    let said = "canary-in-a-message";
    agent
        .client
        .inject(&ada, "canary-in-a-prompt")
        .await
        .unwrap();
    agent
        .client
        .update(&ada, said, "canary-in-an-answer")
        .await
        .unwrap();
    agent
        .client
        .inject(&ada, "canary-in-a-prompt")
        .await
        .unwrap();
    agent.reads(&ada).await;
    server.user_revokes(&ada, &agent).await;
    refused(agent.client.update(&ada, said, "").await, 403);
    server.user_grants(&ada, &agent, ScopeSet::ALL).await;
    agent.client.delete_context(&ada).await.unwrap();
    server.core().flush_journal().await.unwrap();
    let rows = server.store.audit_rows().await.join("\n").to_lowercase();
    assert!(rows.contains(&agent.id), "the search finds what is there");
    for action in ["inject", "update", "read", "revoke", "grant", "erase"] {
        assert!(rows.contains(action), "{action} is not noted");
    }
    let (key, key_id) = (agent.key.to_lowercase(), &*agent.key_id);
    for text in ["canar", "canary-of-ada", &key, key_id, "ctxm_"] {
        assert!(!rows.contains(text), "{text} is in the log");
    }
}

// The unit of work

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_was_undone_leaves_no_entry_and_what_was_done_leaves_one() {
    const RACES: usize = 48;
    let server = Server::start().await;
    let agent = server.agent().await;
    let race = async |n: usize| {
        let ada = user(&format!("user-{n}"));
        agent.injects(&ada).await;
        let updates = join_all([HELLO, "I live in Porto.", "I use Zed as my editor."].map(
            |said| {
                let ada = ada.clone();
                let client = &agent.client;
                async move { client.update(&ada, said, "Noted.").await }
            },
        ));
        let deletion = async {
            // A different head start each time.
            for _ in 0..n % 16 {
                tokio::task::yield_now().await;
            }
            agent.client.delete_context(&ada).await.unwrap();
        };
        let (updates, ()) = join!(updates, deletion);
        let taught = updates.iter().filter(|answer| {
            let delta = answer
                .as_ref()
                .ok()
                .and_then(|answer| answer.delta.as_ref());
            delta.is_some_and(|delta| !delta.is_empty())
        });
        let trail = trail(&server, &ada).await;
        let noted = |action, outcome| {
            let alike = trail
                .iter()
                .filter(|e| (e.action, e.outcome) == (action, outcome));
            alike
                .map(|e| usize::try_from(e.times).unwrap())
                .sum::<usize>()
        };
        assert_eq!(
            noted(Action::Update, Outcome::Done),
            taught.count(),
            "{trail:?}"
        );
        let denied = updates.iter().filter(|answer| answer.is_err()).count();
        assert_eq!(noted(Action::Update, Outcome::Denied), denied, "{trail:?}");
        assert_eq!(noted(Action::Erase, Outcome::Done), 1, "{trail:?}");
        // What the erasure took is what had been learned before it.
        (updates.len(), denied)
    };
    let mut refusals = 0;
    for n in (0..RACES).step_by(8) {
        for (_, denied) in join_all((n..n + 8).map(race)).await {
            refusals += denied;
        }
    }
    assert!(refusals > 0, "no deletion came in between");
}

#[tokio::test]
async fn an_update_that_comes_too_late_leaves_no_entry_of_a_change() {
    let watched = Watched::start().await;
    let (server, model, ada) = (&watched.server, &watched.model, &watched.ada);
    let agent = server.agent().await;
    model.finds([fact(Scope::Goals, "Ship the release")]);
    agent.injects(ada).await;
    let mut thinking = model.pauses();
    let (late, ()) = join!(agent.client.update(ada, HELLO, ""), async {
        thinking.begun().await;
        agent.client.delete_context(ada).await.unwrap();
        thinking.end();
    });
    refused(late, 403);
    let found: Vec<_> = trail(server, ada).await;
    let updates: Vec<_> = found
        .iter()
        .filter(|e| e.action == Action::Update)
        .collect();
    let [update] = &*updates else {
        panic!("{updates:?}");
    };
    assert_eq!((update.outcome, update.facts), (Outcome::Denied, 0));
}

// The journal

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_injects_are_few_entries_that_count_a_thousand() {
    const INJECTS: usize = 1_000;
    let server = Server::start().await;
    let (agent, ada) = (server.agent().await, user("ada"));
    agent.tells(&ada, HELLO).await;
    for _ in 0..INJECTS / 20 {
        join_all((0..20).map(|_| agent.injects(&ada))).await;
    }
    let found = trail(&server, &ada).await;
    let injects = found.iter().filter(|e| e.action == Action::Inject);
    assert_eq!(
        injects.clone().map(|e| e.times).sum::<i64>(),
        i64::try_from(INJECTS).unwrap()
    );
    // One for each second that it took, and for what was merged.
    assert!(injects.count() <= INJECTS / 10, "{} entries", found.len());
    let usage = server.store.usage_rows(&agent.id).await;
    let (injects, updates) = usage.iter().fold((0, 0), |(injects, updates), row| {
        let mut numbers = row.split(' ').skip(1).map(|n| n.parse::<usize>().unwrap());
        let mut next = || numbers.next().unwrap();
        (injects + next(), updates + next())
    });
    assert_eq!((injects, updates), (INJECTS, 1));
}

#[tokio::test]
async fn an_orderly_stop_loses_nothing() {
    let server = Server::start().await;
    let agent = server.agent().await;
    for n in 0..50 {
        agent.injects(&user(&format!("user-{n}"))).await;
    }
    let store = server.stop().await;
    let rows = store.audit_rows().await;
    let injects = rows.iter().filter(|row| row.contains(" inject ")).count();
    assert_eq!(injects, 50);
    let usage = store.usage_rows(&agent.id).await.join("\n");
    assert!(usage.contains(": 50 0 0 0 0"), "{usage}");
    let uses = store.last_uses(&agent.id).await;
    assert_eq!(uses.len(), 50);
    assert!(!uses.contains(&"never".to_owned()));
}

#[tokio::test]
async fn the_last_use_of_a_grant_moves_with_what_the_agent_does_by_it() {
    let mut watched = Watched::start().await;
    let server = &watched.server;
    let (agent, unused) = (server.agent().await, server.agent().await);
    let ada = watched.ada.clone();
    server.user_grants(&ada, &unused, ScopeSet::ALL).await;
    server.user_grants(&ada, &agent, ScopeSet::ALL).await;
    let uses = async |agent: &Agent| {
        server.core().flush_journal().await.unwrap();
        server.store.last_uses(&agent.id).await
    };
    assert_eq!(uses(&agent).await, ["never"]);
    let now = || {
        let now = ctxmem_server::core::Clock::now(&*watched.clock);
        now.timestamp_millis().to_string()
    };
    watched
        .model
        .finds([fact(Scope::Goals, "Ship the release")]);
    for n in 0..4 {
        watched.clock.advance(Duration::seconds(1));
        match n {
            0 => drop(agent.injects(&ada).await),
            1 => drop(agent.reads(&ada).await),
            2 => drop(agent.tells(&ada, HELLO).await),
            _ => drop(agent.tells(&ada, SMALL_TALK).await),
        }
        assert_eq!(uses(&agent).await, [now()], "{n}");
    }
    let last = now();
    watched.clock.advance(Duration::seconds(1));
    // Neither what fails nor what is refused is a use.
    watched.model.says("no JSON");
    refused(agent.client.update(&ada, HELLO, "").await, 502);
    assert_eq!(uses(&agent).await, [&*last]);
    server.user_revokes(&ada, &agent).await;
    agent.injects(&ada).await;
    assert_eq!(uses(&agent).await, [&*last]);
    // What was done by one grant is no use of the next.
    server.user_grants(&ada, &agent, ScopeSet::ALL).await;
    agent.injects(&ada).await;
    watched.clock.advance(Duration::seconds(1));
    server.user_grants(&ada, &agent, ScopeSet::ALL).await;
    assert_eq!(uses(&agent).await, ["never"]);
    assert_eq!(uses(&unused).await, ["never"]);
    watched.seen = 0;
}

#[tokio::test]
async fn usage_is_counted_by_agent_and_by_day_in_utc() {
    let clock = Arc::new(TestClock::at("2026-02-28T23:59:59Z"));
    let model = Model::start().await;
    let server = model.setup().monthly_quota(4).clock(&clock).start().await;
    let (agent, other, ada) = (server.agent().await, server.agent().await, user("ada"));
    model.finds([fact(Scope::Goals, "Ship the release")]);
    agent.injects(&ada).await;
    agent.tells(&ada, HELLO).await;
    agent.tells(&ada, HELLO).await;
    agent.tells(&ada, SMALL_TALK).await;
    agent.reads(&ada).await;
    model.says("no JSON");
    refused(agent.client.update(&ada, HELLO, "").await, 502);
    clock.advance(Duration::seconds(1));
    model.finds([]);
    // A new month: four are answered, the fifth and the small talk are not.
    for _ in 0..5 {
        agent.tells(&ada, HELLO).await;
    }
    agent.tells(&ada, SMALL_TALK).await;
    server.user_revokes(&ada, &agent).await;
    agent.injects(&ada).await;
    refused(agent.client.context(&ada).await, 403);
    refused(agent.client.update(&ada, HELLO, "").await, 403);
    refused(agent.client.delete_context(&ada).await, 403);
    other.injects(&ada).await;
    server.core().flush_journal().await.unwrap();
    assert_eq!(
        server.store.usage_rows(&agent.id).await,
        ["2026-02-28: 1 2 1 0 1", "2026-03-01: 1 4 0 6 0"]
    );
    assert_eq!(
        server.store.usage_rows(&other.id).await,
        ["2026-03-01: 1 0 0 0 0"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_servers_that_store_their_journals_at_once_keep_out_of_each_others_way() {
    const ROUNDS: i64 = 8;
    const USERS: i64 = 60;
    let one = Server::start().await;
    let two = Setup::on(one.store.clone()).start().await;
    let (agent, other) = (one.agent().await, one.agent().await);
    let agents = [
        one.again(&agent),
        one.again(&other),
        two.again(&agent),
        two.again(&other),
    ];
    for round in 0..ROUNDS {
        // Each goes through the users in an order of its own; some are erased meanwhile.
        join_all(agents.iter().enumerate().map(async |(n, agent)| {
            for user_n in 0..USERS {
                let user_n = if n % 2 == 0 {
                    user_n
                } else {
                    USERS - 1 - user_n
                };
                agent
                    .injects(&user(&format!("user-{round}-{user_n}")))
                    .await;
            }
        }))
        .await;
        let erasures = join_all((0..USERS).step_by(7).map(|user_n| {
            let ada = user(&format!("user-{round}-{user_n}"));
            let client = &agents[0].client;
            async move { client.delete_context(&ada).await.unwrap() }
        }));
        let (one, two, _) = join!(
            one.core().flush_journal(),
            two.core().flush_journal(),
            erasures
        );
        one.unwrap();
        two.unwrap();
    }
    assert_eq!(one.store.deadlocks().await, 0);
    let rows = one.store.audit_rows().await;
    let injects = rows.iter().filter(|row| row.contains(" inject "));
    let times = injects.map(|row| row.rsplit(' ').next().unwrap().parse::<i64>().unwrap());
    assert_eq!(times.sum::<i64>(), ROUNDS * USERS * 4);
    assert!(
        !one.store
            .last_uses(&agent.id)
            .await
            .contains(&"never".to_owned())
    );
}

// How long it is kept

#[tokio::test]
async fn what_is_older_than_the_settings_say_is_forgotten_and_nothing_else() {
    let clock = Arc::new(TestClock::at(MORNING));
    let server = Setup::new()
        .with(|config| config.settings.audit_days = std::num::NonZeroU32::new(30))
        .clock(&clock)
        .start()
        .await;
    let (agent, ada) = (server.agent().await, user("ada"));
    let days = [0, 1, 400];
    for until in days {
        clock.set(MORNING);
        clock.advance(Duration::days(until));
        agent.injects(&ada).await;
        server.core().flush_journal().await.unwrap();
    }
    let kept = async || {
        server.core().drop_old_events().await.unwrap();
        let found = trail(&server, &ada).await;
        (found.len(), server.store.usage_rows(&agent.id).await.len())
    };
    // The grant of the first day as well.
    let all = (4, 3);
    clock.set(MORNING);
    clock.advance(Duration::days(30) - Duration::milliseconds(1));
    assert_eq!(kept().await, all);
    clock.advance(Duration::milliseconds(1));
    assert_eq!(kept().await, (2, 3));
    clock.advance(Duration::days(1));
    assert_eq!(kept().await, (1, 3));
    // Usage is kept for 400 days, whatever the settings say.
    clock.set(MORNING);
    clock.advance(Duration::days(400));
    assert_eq!(kept().await, (1, 3));
    clock.advance(Duration::days(1));
    assert_eq!(kept().await, (1, 2));
}

#[tokio::test]
async fn the_log_is_kept_for_ever_where_the_settings_say_so() {
    let clock = Arc::new(TestClock::at(MORNING));
    let server = Setup::new()
        .with(|config| config.settings.audit_days = None)
        .clock(&clock)
        .start()
        .await;
    let (agent, ada) = (server.agent().await, user("ada"));
    agent.injects(&ada).await;
    let before = trail(&server, &ada).await;
    clock.advance(Duration::days(40_000));
    server.core().drop_old_events().await.unwrap();
    assert_eq!(trail(&server, &ada).await, before);
}

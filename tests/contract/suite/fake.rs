//! The fake memory that the client offers to tests, and the server: one list of scenarios run
//! on both, and an agent sees the same.

use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use ctxmem_client::test_utils::{FakeFact, FakeMemory};
use ctxmem_client::{Client, Error, GrantRequest, Interaction, Memory, Scope, UserId};
use ctxmem_server::core::FirstGrant::{Ask, Auto};
use ctxmem_types::ScopeSet;
use serde::Serialize;
use serde_json::{Value, json};

use crate::suite::support::{
    Agent, BASE, FakeModel, Server, Setup, TestClock, exact, fact, named, user,
};

use self::Step::{
    Delete, Grant, Health, Inject, Pass, Read, Revoke, Update, UpdateAgain, UpdateOtherwise,
    UserGrant, UserRefuse, UserRevoke, UserRevokeAbsent, UserRevokeAll,
};

/// What each phrase teaches, on both sides.
const LESSONS: [(&str, Scope, Option<&str>, &str); 8] = [
    (EDITOR, Scope::Preferences, Some("editor"), "Helix"),
    (OTHER_EDITOR, Scope::Preferences, Some("editor"), "Zed"),
    (HOME, Scope::General, Some("location"), "Porto"),
    (STYLE, Scope::CommunicationStyle, None, "Short answers"),
    (SKILL, Scope::Knowledge, None, "Fluent Rust"),
    (PERSON, Scope::Relationships, None, "Priya, the manager"),
    (PAST, Scope::History, None, "Moved to gRPC"),
    (GOAL, Scope::Goals, None, "Ship the beta"),
];
const EDITOR: &str = "I use Helix as my editor.";
const OTHER_EDITOR: &str = "I switched to Zed as my editor.";
const HOME: &str = "I live in Porto.";
const STYLE: &str = "I prefer short answers.";
const SKILL: &str = "I know Rust very well.";
const PERSON: &str = "My manager is Priya.";
const PAST: &str = "We moved to gRPC in spring.";
const GOAL: &str = "I want to ship the beta this month.";
const NOTHING: &str = "I have nothing else to tell you about my work.";

const ABSENT: &str = "5b0c1c1e-6f0a-4c8e-9d43-2f1f6f0f7a11";

/// One thing that an agent, or its user Ada, does.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The agent asks for a prompt.
    Inject,
    /// The agent sends an interaction in which Ada said this.
    Update(&'static str),
    /// The same again, under the same idempotency key.
    UpdateAgain,
    /// Something else under that key.
    UpdateOtherwise,
    /// The agent reads the context.
    Read,
    /// The agent deletes the context.
    Delete,
    /// The agent asks for a grant.
    Grant(GrantArgs),
    /// Ada makes one, signed in.
    UserGrant(GrantArgs),
    /// The agent revokes the grant that was made last by request.
    Revoke,
    /// Ada does, signed in.
    UserRevoke,
    /// Ada revokes the grant that is current.
    UserRevokeAll,
    /// Ada refuses the agent, which may have no grant.
    UserRefuse,
    /// Ada, signed in, revokes a grant that is not there.
    UserRevokeAbsent,
    /// Hours pass.
    Pass(i64),
    /// The agent asks how the service is.
    Health,
}

/// What a grant is asked for with.
#[derive(Clone, Copy, Debug)]
struct GrantArgs {
    of: &'static str,
    agent: GrantedAgent,
    scopes: &'static [&'static str],
    /// In hours from the start of the scenario.
    until: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
enum GrantedAgent {
    Itself,
    Absent,
}

const fn scopes(scopes: &'static [&'static str]) -> GrantArgs {
    GrantArgs {
        of: "ada",
        agent: GrantedAgent::Itself,
        scopes,
        until: None,
    }
}

const fn until(hours: i64, args: GrantArgs) -> GrantArgs {
    GrantArgs {
        until: Some(hours),
        ..args
    }
}

const EVERYTHING: GrantArgs = scopes(&[
    "general",
    "communication_style",
    "preferences",
    "knowledge",
    "relationships",
    "history",
    "goals",
]);

/// What both sides start with.
struct Conditions {
    key: ScopeSet,
    quota: Option<u32>,
    demo: bool,
    /// Whether Ada has to be asked before the agent gets access.
    asks: bool,
}

const CONDITIONS: Conditions = Conditions {
    key: ScopeSet::ALL,
    quota: None,
    demo: false,
    asks: false,
};

/// Runs the steps on both sides, and compares what every one of them comes to.
async fn agree(conditions: Conditions, steps: &[Step]) {
    let start = Utc::now();
    let mut real = Real::start(&conditions, start).await;
    let mut fake = Fake::start(&conditions);
    let mut server_observer = Observer::new(real.agent_id(), start);
    let mut fake_observer = Observer::new(FakeMemory::AGENT_ID, start);
    for (n, step) in steps.iter().enumerate() {
        let from_server = server_observer.perform(*step, &mut real).await;
        let from_fake = fake_observer.perform(*step, &mut fake).await;
        assert_eq!(
            format!("{from_fake:#}"),
            format!("{from_server:#}"),
            "step {n}, {step:?}: the fake (left) and the server differ"
        );
    }
}

/// One of both sides. What goes through [`Memory`] is what an agent could do.
trait Side {
    fn agent(&self) -> &dyn Memory;
    fn signed_in(&self) -> &dyn Memory;
    async fn user_revokes_all(&self);
    async fn user_refuses(&self);
    async fn pass(&mut self, time: Duration);
}

struct Real {
    server: Server,
    clock: Arc<TestClock>,
    agent: Agent,
    signed_in: Client,
    _model: FakeModel,
}

impl Real {
    async fn start(conditions: &Conditions, start: DateTime<Utc>) -> Self {
        let model = FakeModel::start().await;
        model.finds_with(|said| {
            let lessons = LESSONS.iter().filter(|lesson| said.contains(lesson.0));
            lessons
                .map(|(_, scope, name, value)| match name {
                    Some(name) => named(*scope, name, value),
                    None => fact(*scope, value),
                })
                .collect()
        });
        let clock = Arc::new(TestClock::at(&start.to_rfc3339()));
        let mut setup = Setup::asking(&model).clock(&clock);
        // A first fact about somebody ends the demo.
        let warm_up = !conditions.demo;
        if let Some(quota) = conditions.quota {
            setup = setup.monthly_quota(quota + u32::from(warm_up));
        }
        // The fake gives first grants in these two ways.
        setup = setup.first_grant(if conditions.asks { Ask } else { Auto });
        let server = setup.start().await;
        let agent = server.agent_with(conditions.key).await;
        if warm_up && conditions.asks {
            let somebody = user("somebody");
            server.user_grants(&somebody, &agent, ScopeSet::ALL).await;
        }
        if warm_up {
            let everything: String = LESSONS.map(|lesson| lesson.0).join(" ");
            agent.tells(&user("somebody"), &everything).await;
        }
        Self {
            signed_in: signed_in(&server, &agent).await,
            server,
            clock,
            agent,
            _model: model,
        }
    }

    fn agent_id(&self) -> &str {
        &self.agent.id
    }
}

/// The agent's client with Ada's session.
async fn signed_in(server: &Server, agent: &Agent) -> Client {
    exact(&server.url)
        .api_key(agent.key.clone())
        .session_cookie(server.sign_in(&user("ada")).await)
        .build()
        .unwrap()
}

impl Side for Real {
    fn agent(&self) -> &dyn Memory {
        &self.agent.client
    }

    fn signed_in(&self) -> &dyn Memory {
        &self.signed_in
    }

    async fn user_revokes_all(&self) {
        self.server.user_revokes(&user("ada"), &self.agent).await;
    }

    async fn user_refuses(&self) {
        let core = self.server.core();
        core.refuse_agent(&user("ada"), &self.agent.id)
            .await
            .unwrap();
    }

    /// Ada signs in anew: sessions end as well.
    async fn pass(&mut self, time: Duration) {
        self.clock.advance(time);
        self.signed_in = signed_in(&self.server, &self.agent).await;
    }
}

struct Fake {
    memory: FakeMemory,
    signed_in: FakeMemory,
}

impl Fake {
    fn start(conditions: &Conditions) -> Self {
        let mut memory = FakeMemory::new()
            .with_key_scopes(conditions.key.iter())
            .on_update(|turn| {
                let said = &turn.user_message;
                let lessons = LESSONS.iter().filter(|lesson| said.contains(lesson.0));
                lessons
                    .map(|(_, scope, name, value)| match name {
                        Some(name) => FakeFact::named(*scope, *name, value),
                        None => FakeFact::new(*scope, value),
                    })
                    .collect()
            });
        if let Some(quota) = conditions.quota {
            memory = memory.with_monthly_quota(quota);
        }
        if conditions.demo {
            memory = memory.with_demo();
        }
        if conditions.asks {
            memory = memory.with_consent_required();
        }
        Self {
            signed_in: memory.signed_in_as(&user("ada")),
            memory,
        }
    }
}

impl Side for Fake {
    fn agent(&self) -> &dyn Memory {
        &self.memory
    }

    fn signed_in(&self) -> &dyn Memory {
        &self.signed_in
    }

    async fn user_revokes_all(&self) {
        self.memory.revoke_all(&user("ada"));
    }

    async fn user_refuses(&self) {
        self.memory.revoke_all(&user("ada"));
    }

    async fn pass(&mut self, time: Duration) {
        self.memory.advance(time.to_std().unwrap());
    }
}

/// Performs the steps and returns what an agent sees, less what differs between any two
/// deployments: ids, texts for people, the wording of the block.
struct Observer {
    ada: UserId,
    agent_id: String,
    start: DateTime<Utc>,
    last: Option<Interaction>,
    prompt: String,
    grant_id: String,
}

impl Observer {
    fn new(agent_id: &str, start: DateTime<Utc>) -> Self {
        Self {
            ada: user("ada"),
            agent_id: agent_id.to_owned(),
            start,
            last: None,
            prompt: String::new(),
            grant_id: ABSENT.to_owned(),
        }
    }

    async fn perform(&mut self, step: Step, side: &mut impl Side) -> Value {
        match step {
            Step::Inject => self.injects(side.agent()).await,
            Step::Update(message) => {
                let interaction = Interaction::new(self.ada.clone(), message, "Noted.");
                let answer = side.agent().update_with(&interaction).await;
                self.last = Some(interaction);
                self.seen(answer)
            }
            Step::UpdateAgain => {
                self.seen(side.agent().update_with(self.last.as_ref().unwrap()).await)
            }
            Step::UpdateOtherwise => {
                let key = self.last.as_ref().unwrap().idempotency_key();
                let other = Interaction::new(self.ada.clone(), NOTHING, "Noted.")
                    .with_idempotency_key(key)
                    .unwrap();
                self.seen(side.agent().update_with(&other).await)
            }
            Step::Read => self.seen(side.agent().context(&self.ada).await),
            Step::Delete => self.seen(side.agent().delete_context(&self.ada).await),
            Step::Grant(args) => self.asks(args, side.agent()).await,
            Step::UserGrant(args) => self.asks(args, side.signed_in()).await,
            Step::Revoke => self.seen(side.agent().revoke_grant(&self.grant_id).await),
            Step::UserRevoke => self.seen(side.signed_in().revoke_grant(&self.grant_id).await),
            Step::UserRevokeAbsent => self.seen(side.signed_in().revoke_grant(ABSENT).await),
            Step::UserRevokeAll => {
                side.user_revokes_all().await;
                Value::Null
            }
            Step::UserRefuse => {
                side.user_refuses().await;
                Value::Null
            }
            Step::Pass(hours) => {
                side.pass(Duration::hours(hours)).await;
                Value::Null
            }
            Step::Health => {
                let health = side.agent().health().await.unwrap();
                json!([
                    health.is_ok(),
                    health.status,
                    health.checks.unwrap()["database"]
                ])
            }
        }
    }

    async fn injects(&mut self, agent: &dyn Memory) -> Value {
        let injected = match agent.inject(&self.ada, BASE).await {
            Ok(injected) => injected,
            Err(error) => return self.refused(&error),
        };
        let prompt = injected.prompt();
        let block = prompt.strip_suffix(BASE).unwrap();
        let mut facts: Vec<&str> = LESSONS
            .iter()
            .map(|lesson| lesson.3)
            .filter(|value| block.contains(value))
            .collect();
        facts.sort_by_key(|value| block.find(value));
        let seen = json!({
            "is_enriched": injected.is_enriched(),
            "is_seeded": injected.is_seeded(),
            "begins": block.lines().next(),
            "is_apart": block.ends_with("\n\n"),
            "facts": facts,
            "same_as_before": prompt == self.prompt,
            "rest": self.seen(Ok(injected.response())),
        });
        prompt.clone_into(&mut self.prompt);
        seen
    }

    async fn asks(&mut self, args: GrantArgs, memory: &dyn Memory) -> Value {
        let agent_id = match args.agent {
            GrantedAgent::Itself => &self.agent_id,
            GrantedAgent::Absent => ABSENT,
        };
        let scopes = args.scopes.iter().copied();
        let mut request = GrantRequest::new(user(args.of), agent_id, scopes);
        let end = args.until.map(|hours| self.start + Duration::hours(hours));
        request.expires_at = end.map(Into::into);
        let grant = match memory.create_grant(&request).await {
            Ok(grant) => grant,
            Err(error) => return self.refused(&error),
        };
        let is_new = grant.id != self.grant_id;
        self.grant_id.clone_from(&grant.id);
        json!({
            "is_new": is_new,
            "of": grant.user_id,
            "is_for_itself": grant.agent_id == self.agent_id,
            "scopes": grant.scopes,
            "ends": grant.expires_at == request.expires_at,
            "never_ends": grant.expires_at.is_none(),
            "revoked": grant.revoked,
        })
    }

    /// An answer as it is on the wire, less texts for people, prompts and times; or the error.
    fn seen(&self, answer: Result<impl Serialize, Error>) -> Value {
        let mut answer = match answer {
            Ok(answer) => json!(answer),
            Err(error) => return self.refused(&error),
        };
        let texts = [
            "/injectedPrompt",
            "/notice",
            "/cacheHint/reason",
            "/last_updated",
        ];
        for text in texts {
            if let Some(text) = answer.pointer_mut(text) {
                assert_ne!(text.as_str().unwrap(), "");
                *text = "…".into();
            }
        }
        if let Some(page) = answer.get_mut("consent_url") {
            *page = self.is_page_to_consent(page.as_str()).into();
        }
        answer
    }

    fn refused(&self, error: &Error) -> Value {
        match error {
            Error::Invalid(invalid) => json!({"invalid": invalid.to_string()}),
            _ => json!({
                "status": error.status(),
                "code": error.code().map(ToString::to_string),
                "says_something": error.message().is_some_and(|message| !message.is_empty()),
                "is_retryable": error.is_retryable(),
                "names_the_page_to_consent": self.is_page_to_consent(error.consent_url()),
            }),
        }
    }

    /// Whether this is the page about the agent, if there is one.
    fn is_page_to_consent(&self, page: Option<&str>) -> Option<bool> {
        page.map(|page| page.ends_with(&format!("/consent/{}", self.agent_id)))
    }
}

#[tokio::test]
async fn what_is_learned_is_in_the_next_prompt() {
    let steps = [
        Health,
        Inject,
        Read,
        Update(NOTHING),
        Inject,
        Update(EDITOR),
        Inject,
        Inject,
        Read,
        Update(GOAL),
        Inject,
        Update(HOME),
        Inject,
        Read,
    ];
    agree(CONDITIONS, &steps).await;
}

#[tokio::test]
async fn every_scope_has_its_form_and_its_place() {
    for (phrase, ..) in LESSONS {
        agree(CONDITIONS, &[Update(phrase), Inject, Read]).await;
    }
    let all = LESSONS.map(|(phrase, ..)| Update(phrase));
    agree(CONDITIONS, &[&all[..], &[Inject, Read]].concat()).await;
}

#[tokio::test]
async fn what_is_known_is_not_written_again_and_a_name_holds_one_fact() {
    let both = "I use Helix as my editor. I switched to Zed as my editor.";
    let steps = [
        Update(EDITOR),
        Update(EDITOR),
        Inject,
        Update(OTHER_EDITOR),
        Update(both),
        Inject,
        Read,
        Update(SKILL),
        Update(SKILL),
        Read,
        UpdateAgain,
        Read,
    ];
    agree(CONDITIONS, &steps).await;
    agree(CONDITIONS, &[Update(both), Inject, Read]).await;
}

#[tokio::test]
async fn a_repeated_request_gets_the_first_answer() {
    let conditions = Conditions {
        quota: Some(2),
        ..CONDITIONS
    };
    let all = LESSONS.map(|(phrase, ..)| phrase).join(" ");
    let steps = [
        Update(GOAL),
        UpdateAgain,
        UpdateOtherwise,
        Grant(scopes(&["preferences", "general"])),
        UpdateAgain,
        Update(all.leak()),
        UpdateAgain,
        Update(SKILL),
        UpdateAgain,
        Read,
        UserRevokeAll,
        UpdateAgain,
        UpdateOtherwise,
        UserGrant(EVERYTHING),
        UpdateAgain,
        Inject,
    ];
    agree(conditions, &steps).await;
    let with_deletion = [
        Update(GOAL),
        Delete,
        UpdateAgain,
        UserGrant(EVERYTHING),
        UpdateAgain,
        Inject,
        Read,
    ];
    agree(CONDITIONS, &with_deletion).await;
}

#[tokio::test]
async fn the_first_call_makes_the_grant() {
    agree(CONDITIONS, &[Read, Delete, Read, Inject, Read, Delete]).await;
    agree(CONDITIONS, &[Read, Update(NOTHING), Read]).await;
}

#[tokio::test]
async fn scopes_that_are_not_granted_are_dropped_and_not_shown() {
    let steps = [
        Update(EDITOR),
        Update(GOAL),
        Grant(scopes(&["goals"])),
        Inject,
        Read,
        Update(EDITOR),
        Update(OTHER_EDITOR),
        Update("I live in Porto. I want to ship the beta this month."),
        Update("My manager is Priya. I live in Porto."),
        Inject,
        Read,
        Grant(scopes(&["goals", "general"])),
        UserGrant(EVERYTHING),
        Inject,
        Read,
    ];
    agree(CONDITIONS, &steps).await;
}

#[tokio::test]
async fn reasons_for_a_prompt_without_facts() {
    let steps = [
        Inject,
        Grant(scopes(&["goals"])),
        Inject,
        Update(EDITOR),
        Inject,
        UserGrant(scopes(&["preferences"])),
        Update(EDITOR),
        Inject,
        UserGrant(scopes(&["goals"])),
        Inject,
        Grant(scopes(&[])),
        Inject,
        Read,
        Update(GOAL),
        UserRevokeAll,
        Inject,
    ];
    agree(CONDITIONS, &steps).await;
}

#[tokio::test]
async fn a_key_bounds_what_a_grant_is_good_for() {
    let key = || Conditions {
        key: [Scope::Goals, Scope::General].into_iter().collect(),
        ..CONDITIONS
    };
    let steps = [
        Update(EDITOR),
        Update(GOAL),
        Inject,
        Read,
        Grant(EVERYTHING),
        UserGrant(EVERYTHING),
        Update(EDITOR),
        Inject,
        Read,
        UserGrant(scopes(&["preferences"])),
        Inject,
        Read,
        Update(GOAL),
    ];
    agree(key(), &steps).await;
    let first = [
        Grant(scopes(&["preferences"])),
        Grant(scopes(&["goals"])),
        Inject,
        Read,
    ];
    agree(key(), &first).await;
}

#[tokio::test]
async fn nothing_but_the_user_undoes_a_revocation() {
    let steps = [
        Update(EDITOR),
        Inject,
        UserRevokeAll,
        Inject,
        Update(GOAL),
        Read,
        Delete,
        Inject,
        Grant(EVERYTHING),
        Grant(scopes(&[])),
        Inject,
        UserGrant(scopes(&["preferences"])),
        Inject,
        Read,
        Update(GOAL),
        Grant(EVERYTHING),
        Grant(scopes(&[])),
    ];
    agree(CONDITIONS, &steps).await;
}

#[tokio::test]
async fn a_grant_is_revoked_by_its_id_and_by_its_user() {
    let steps = [
        Grant(scopes(&["goals", "general"])),
        Update(GOAL),
        Inject,
        Revoke,
        Inject,
        UserRevokeAbsent,
        UserRevoke,
        Inject,
        UserRevoke,
        Read,
        Update(GOAL),
        Grant(scopes(&["goals"])),
        UserGrant(EVERYTHING),
        Inject,
        UserRevoke,
        Inject,
    ];
    agree(CONDITIONS, &steps).await;
}

#[tokio::test]
async fn a_deletion_takes_everything_and_every_grant() {
    let steps = [
        Update(EDITOR),
        Update(GOAL),
        Delete,
        Inject,
        Read,
        Delete,
        Update(GOAL),
        Grant(EVERYTHING),
        UserGrant(EVERYTHING),
        Inject,
        Read,
        Update(GOAL),
        Inject,
        Read,
        UserRevokeAll,
        Delete,
    ];
    agree(CONDITIONS, &steps).await;
}

#[tokio::test]
async fn grants_end() {
    let steps = [
        Update(GOAL),
        Grant(until(2, EVERYTHING)),
        Inject,
        Grant(until(3, EVERYTHING)),
        Grant(EVERYTHING),
        Grant(until(1, EVERYTHING)),
        Pass(1),
        Inject,
        Read,
        Update(EDITOR),
        Delete,
        Grant(until(1, EVERYTHING)),
        Grant(until(3, EVERYTHING)),
        Inject,
        Pass(3),
        Inject,
        Grant(EVERYTHING),
        Inject,
    ];
    agree(CONDITIONS, &steps).await;
    let of_the_user = [
        UserGrant(until(1, EVERYTHING)),
        Inject,
        Pass(2),
        Inject,
        Grant(EVERYTHING),
        UserGrant(EVERYTHING),
        Inject,
    ];
    agree(CONDITIONS, &of_the_user).await;
}

#[tokio::test]
async fn grants_that_are_refused() {
    let other_user = GrantArgs {
        of: "bob",
        ..EVERYTHING
    };
    let other_agent = GrantArgs {
        agent: GrantedAgent::Absent,
        ..EVERYTHING
    };
    let steps = [
        Grant(scopes(&["mood"])),
        UserGrant(scopes(&["goals", "mood"])),
        Grant(scopes(&["ongoing_tasks", "goals"])),
        UserGrant(scopes(&["raw_history"])),
        Grant(until(-1, EVERYTHING)),
        UserGrant(until(0, EVERYTHING)),
        Grant(other_agent),
        UserGrant(other_agent),
        UserGrant(other_user),
        Grant(other_user),
        Inject,
    ];
    agree(CONDITIONS, &steps).await;
}

#[tokio::test]
async fn a_quota_is_used_up_and_comes_back() {
    let conditions = Conditions {
        quota: Some(2),
        ..CONDITIONS
    };
    let steps = [
        Update(EDITOR),
        Update(EDITOR),
        Update(GOAL),
        Inject,
        Read,
        UserRevokeAll,
        Update(GOAL),
        UserGrant(EVERYTHING),
        Update(GOAL),
        Pass(24 * 31),
        Update(GOAL),
        Inject,
    ];
    agree(conditions, &steps).await;
}

#[tokio::test]
async fn the_demo_lasts_until_the_first_stored_fact() {
    let demo = || Conditions {
        demo: true,
        ..CONDITIONS
    };
    let steps = [
        Inject,
        Read,
        Update(NOTHING),
        Inject,
        Grant(scopes(&["goals"])),
        Update(EDITOR),
        Inject,
        Update(GOAL),
        Inject,
        Delete,
        UserGrant(EVERYTHING),
        Inject,
    ];
    agree(demo(), &steps).await;
    agree(demo(), &[Grant(scopes(&[])), Inject, UserRevokeAll, Inject]).await;
}

#[tokio::test]
async fn whoever_has_to_be_asked_is_named_a_page_until_the_user_decides() {
    let asks = || Conditions {
        asks: true,
        ..CONDITIONS
    };
    let allowed = [
        Inject,
        Inject,
        Update(GOAL),
        Read,
        Delete,
        Grant(EVERYTHING),
        Grant(scopes(&["goals"])),
        Grant(scopes(&["mood"])),
        UserGrant(scopes(&["goals", "general"])),
        Inject,
        Update(GOAL),
        Update(EDITOR),
        Inject,
        Read,
        Grant(EVERYTHING),
        Grant(scopes(&["goals"])),
        Inject,
        UserRevoke,
        Inject,
        Update(GOAL),
        Grant(scopes(&["goals"])),
        UserGrant(EVERYTHING),
        Update(EDITOR),
        Inject,
        Delete,
        Inject,
        Update(GOAL),
    ];
    agree(asks(), &allowed).await;
    let refused = [
        Inject,
        UserRefuse,
        Inject,
        Update(GOAL),
        Read,
        Grant(scopes(&["goals"])),
        UserGrant(EVERYTHING),
        Update(GOAL),
        Inject,
        UserRefuse,
        Inject,
        Update(GOAL),
    ];
    agree(asks(), &refused).await;
    let ends = [
        UserRefuse,
        Update(GOAL),
        UserGrant(until(1, EVERYTHING)),
        Update(GOAL),
        Pass(2),
        Inject,
        Update(GOAL),
        Grant(EVERYTHING),
    ];
    agree(asks(), &ends).await;
    let demo = Conditions {
        demo: true,
        ..asks()
    };
    agree(demo, &[Inject, UserGrant(EVERYTHING), Inject]).await;
}

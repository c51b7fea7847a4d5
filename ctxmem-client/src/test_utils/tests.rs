//! The fake, scripted by a test. `tests/contract` compares it with the real server.

use std::sync::Arc;
use std::time::Duration;

use ctxmem_types::{ErrorCode, GrantRequest, InjectReason, Scope, UpdateOutcome, UserId};

use super::{FakeFact, FakeMemory, ServiceError};
use crate::{Error, Fallback, Interaction, InvalidCall, Memory, Outage, TransportError};

const BASE: &str = "You are a helpful assistant.";

fn ada() -> UserId {
    UserId::new("ada").unwrap()
}

fn bob() -> UserId {
    UserId::new("bob").unwrap()
}

fn turn(said: &str) -> Interaction {
    Interaction::new(ada(), said, "Noted.")
}

fn goal(text: &str) -> FakeFact {
    FakeFact::new(Scope::Goals, text)
}

/// It learns each message as a goal.
fn learning() -> FakeMemory {
    FakeMemory::new().on_update(|turn| vec![goal(&turn.user_message)])
}

async fn reason(memory: &FakeMemory) -> Option<InjectReason> {
    let injected = memory.inject(&ada(), BASE).await.unwrap();
    injected.reason().cloned()
}

fn code(error: &Error) -> Option<ErrorCode> {
    error.code().cloned()
}

#[tokio::test]
async fn an_agent_can_use_it_as_its_memory() {
    async fn agent(memory: Arc<dyn Memory>) -> String {
        memory.inject_or_base(&ada(), BASE).await.into_prompt()
    }
    let memory = FakeMemory::new().with_fact(&ada(), goal("Ship the beta"));
    let prompt = tokio::spawn(agent(Arc::new(memory.clone()))).await.unwrap();
    assert!(prompt.starts_with("System:\n") && prompt.ends_with(BASE));
    assert!(prompt.contains("Ship the beta"));
    assert_eq!(memory.injects(), 1);
}

#[tokio::test]
async fn facts_belong_to_one_user_and_the_same_facts_give_the_same_bytes() {
    let memory = FakeMemory::new()
        .with_fact(&ada(), FakeFact::named(Scope::General, "name", "Ada"))
        .with_fact(&bob(), FakeFact::named(Scope::General, "name", "Bob"));
    let first = memory.inject(&ada(), BASE).await.unwrap().into_prompt();
    let again = memory.inject(&ada(), BASE).await.unwrap().into_prompt();
    assert_eq!(first, again);
    assert!(first.contains("Ada") && !first.contains("Bob"));
    assert_eq!(memory.facts(&UserId::new("eve").unwrap()), []);
}

#[tokio::test]
async fn without_a_script_it_learns_nothing_but_records() {
    let memory = FakeMemory::new();
    let learned = memory.update_with(&turn("I use Helix")).await.unwrap();
    assert!(learned.updated && learned.delta.unwrap().is_empty());
    assert_eq!(learned.outcome, Some(UpdateOutcome::NothingNew));
    assert_eq!(memory.interactions()[0].user_message, "I use Helix");
    assert_eq!(memory.facts(&ada()), []);
}

#[tokio::test]
async fn an_interaction_sent_again_gets_the_same_answer_and_is_learned_once() {
    let memory = learning().with_monthly_quota(2);
    let interaction = turn("Ship the beta");
    let first = memory.update_with(&interaction).await.unwrap();
    assert!(!first.delta.as_ref().unwrap().is_empty());
    assert_eq!(first.outcome, None);
    assert_eq!(memory.update_with(&interaction).await.unwrap(), first);
    assert_eq!(memory.interactions(), std::slice::from_ref(&interaction));
    assert_eq!(memory.facts(&ada()), [goal("Ship the beta")]);

    // It was counted once, too.
    let second = memory.update_with(&turn("Hire")).await.unwrap();
    assert!(second.updated);
    let third = memory.update_with(&turn("Rest")).await.unwrap();
    assert_eq!(third.limit_reached, Some(true));
    assert_eq!(memory.update_with(&interaction).await.unwrap(), first);
}

#[tokio::test]
async fn a_key_can_not_be_used_for_another_interaction() {
    let memory = learning();
    let named = |said| turn(said).with_idempotency_key("k").unwrap();
    memory.update_with(&named("Ship")).await.unwrap();
    let rejected = memory.update_with(&named("Hire")).await.unwrap_err();
    assert_eq!(code(&rejected), Some(ErrorCode::BadRequest));
}

#[tokio::test]
async fn a_deletion_removes_facts_from_repeated_answers() {
    let memory = learning();
    let interaction = turn("Ship the beta");
    memory.update_with(&interaction).await.unwrap();
    memory.delete_context(&ada()).await.unwrap();
    let rejected = memory.update_with(&interaction).await.unwrap_err();
    assert_eq!(code(&rejected), Some(ErrorCode::Forbidden));

    let request = GrantRequest::new(ada(), FakeMemory::AGENT_ID, Scope::ALL);
    let granted = memory.signed_in_as(&ada()).create_grant(&request).await;
    assert!(!granted.unwrap().revoked);
    let again = memory.update_with(&interaction).await.unwrap();
    assert!(again.updated && again.delta.unwrap().is_empty());
    assert_eq!(memory.facts(&ada()), []);
}

#[tokio::test]
async fn next_failures_come_in_order_and_end() {
    let memory = learning();
    memory.fail_next(ServiceError::ModelError);
    memory.fail_next(TransportError::unreachable());
    let first = memory.update_with(&turn("Ship")).await.unwrap_err();
    assert_eq!(code(&first), Some(ErrorCode::ModelError));
    assert_eq!(first.status(), Some(502));
    let second = memory.inject(&ada(), BASE).await.unwrap_err();
    assert!(second.is_connect());
    assert!(memory.health().await.unwrap().is_ok());
    assert_eq!(memory.interactions(), []);
    assert_eq!(memory.injects(), 1);
}

#[tokio::test]
async fn failures_last_until_it_recovers() {
    let memory = learning();
    memory.fail_always(|| ServiceError::RateLimited);
    for _ in 0..3 {
        let injected = memory.inject_or_base(&ada(), BASE).await;
        assert_eq!(injected.prompt(), BASE);
        let fallback = injected.fallback().unwrap();
        assert!(matches!(
            fallback,
            Fallback::Outage(Outage::RateLimited {
                retry_at: Some(_),
                ..
            })
        ));
    }
    assert!(memory.health().await.is_err());
    memory.recover();
    assert!(memory.health().await.is_ok());
}

#[tokio::test]
async fn every_error_can_be_scripted() {
    let memory = FakeMemory::new();
    for error in ServiceError::ALL {
        memory.fail_next(*error);
        let failed = memory.context(&ada()).await.unwrap_err();
        assert_eq!(failed.status(), Some(error.status()), "{error:?}");
        assert_eq!(failed.code(), Some(&error.code()));
        assert!(failed.message().is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn slow_calls_succeed_or_time_out_as_with_a_client() {
    let memory = learning();
    let before = tokio::time::Instant::now();
    memory.slow_by(Duration::from_millis(500));
    assert_eq!(reason(&memory).await, Some(InjectReason::Empty));
    assert_eq!(before.elapsed(), Duration::from_millis(500));

    memory.slow_by(Duration::from_secs(5));
    let before = tokio::time::Instant::now();
    let injected = memory.inject_or_base(&ada(), BASE).await;
    assert_eq!(before.elapsed(), Duration::from_millis(800));
    assert!(matches!(
        injected.fallback(),
        Some(Fallback::Outage(Outage::TimedOut(_)))
    ));
    // An update has more time.
    memory.update_with(&turn("Ship")).await.unwrap();

    memory.slow_by(Duration::from_mins(2));
    let error = memory.update_with(&turn("Hire")).await.unwrap_err();
    assert!(error.is_timeout() && error.is_retryable());
    memory.recover();
    assert_eq!(memory.facts(&ada()), [goal("Ship")]);
}

#[tokio::test]
async fn a_revocation_holds_before_the_first_call_as_well() {
    let memory = learning();
    memory.revoke_all(&ada());
    assert_eq!(reason(&memory).await, Some(InjectReason::NoGrant));
    let rejected = memory.update_with(&turn("Ship")).await.unwrap_err();
    assert_eq!(code(&rejected), Some(ErrorCode::Forbidden));
    assert_eq!(reason(&memory).await, Some(InjectReason::NoGrant));
}

#[tokio::test]
async fn where_the_user_is_asked_nothing_begins_without_them() {
    let memory = learning().with_consent_required();
    let page = Some(FakeMemory::CONSENT_URL);
    let rejected = memory.update_with(&turn("Ship")).await.unwrap_err();
    assert_eq!(code(&rejected), Some(ErrorCode::Forbidden));
    assert_eq!(rejected.consent_url(), page);
    let request = GrantRequest::new(ada(), FakeMemory::AGENT_ID, Scope::ALL);
    let rejected = memory.create_grant(&request).await.unwrap_err();
    assert_eq!(rejected.consent_url(), page);
    assert_eq!(
        memory.inject(&ada(), BASE).await.unwrap().consent_url(),
        page
    );

    // A refusal is for good, and nobody is asked again.
    memory.revoke_all(&ada());
    let injected = memory.inject(&ada(), BASE).await.unwrap();
    assert_eq!(injected.reason(), Some(&InjectReason::NoGrant));
    assert_eq!(injected.consent_url(), None);
    let rejected = memory.update_with(&turn("Ship")).await.unwrap_err();
    assert_eq!(rejected.consent_url(), None);

    memory
        .signed_in_as(&ada())
        .create_grant(&request)
        .await
        .unwrap();
    memory.update_with(&turn("Ship")).await.unwrap();
    assert_eq!(memory.facts(&ada()), [goal("Ship")]);
}

#[tokio::test]
async fn a_revocation_or_deletion_during_an_update_wins() {
    for is_deletion in [false, true] {
        let memory = FakeMemory::new();
        let user = memory.clone();
        let memory = memory.on_update(move |turn| {
            if is_deletion {
                // Nothing in it waits.
                let deleted = futures_now(user.delete_context(&ada()));
                assert!(deleted.unwrap().deleted);
                let request = GrantRequest::new(ada(), FakeMemory::AGENT_ID, Scope::ALL);
                let renewed = futures_now(user.signed_in_as(&ada()).create_grant(&request));
                assert!(!renewed.unwrap().revoked);
            } else {
                user.revoke_all(&ada());
            }
            vec![goal(&turn.user_message)]
        });
        let rejected = memory.update_with(&turn("Ship")).await.unwrap_err();
        assert_eq!(code(&rejected), Some(ErrorCode::Forbidden));
        assert_eq!(memory.facts(&ada()), []);
        assert_eq!(memory.interactions(), []);
    }
}

/// The output of a future that is ready at once.
fn futures_now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

#[tokio::test]
async fn a_failure_may_call_the_fake() {
    let memory = FakeMemory::new();
    let asked = memory.clone();
    memory.fail_always(move || match asked.injects() {
        1 => ServiceError::PersistenceError,
        _ => ServiceError::Unauthorized,
    });
    for expected in [ErrorCode::PersistenceError, ErrorCode::Unauthorized] {
        let error = memory.inject(&ada(), BASE).await.unwrap_err();
        assert_eq!(code(&error), Some(expected));
    }
}

#[tokio::test]
async fn only_a_signed_in_user_can_revoke() {
    let memory = FakeMemory::new();
    let request = GrantRequest::new(ada(), FakeMemory::AGENT_ID, [Scope::Goals]);
    let grant = memory.create_grant(&request).await.unwrap();
    memory.fail_next(ServiceError::InternalError);
    let as_agent = memory.revoke_grant(&grant.id).await.unwrap_err();
    assert!(matches!(
        as_agent,
        Error::Invalid(InvalidCall::MissingSessionCookie)
    ));
    // Nothing was sent, so the failure is still to come.
    let as_user = memory.signed_in_as(&ada());
    assert!(
        as_user
            .revoke_grant(&grant.id)
            .await
            .unwrap_err()
            .is_retryable()
    );
    assert!(as_user.revoke_grant(&grant.id).await.unwrap().revoked);
    assert_eq!(reason(&memory).await, Some(InjectReason::NoGrant));
}

#[tokio::test]
async fn a_test_says_what_bears_on_a_message() {
    let memory = FakeMemory::new()
        .with_fact(&ada(), goal("Ship the beta"))
        .on_message(|said| {
            said.contains("bees")
                .then(|| "Notes: keeps bees".to_owned())
        });
    let with = memory.inject_for(&ada(), BASE, "How are my bees?").await;
    let with = with.unwrap();
    assert_eq!(with.relevant(), Some("Notes: keeps bees"));
    let without = memory.inject_for_or_base(&ada(), BASE, "Hello").await;
    assert_eq!(without.relevant(), None);
    let silent = memory.inject(&ada(), BASE).await.unwrap();
    assert_eq!(silent.relevant(), None);
    assert_eq!(
        (with.prompt(), without.prompt()),
        (silent.prompt(), silent.prompt())
    );
    assert_eq!(memory.messages(), ["How are my bees?", "Hello"]);
    assert_eq!(memory.injects(), 3);

    // Without stored facts, or without access, there is nothing either.
    let nobody = memory.inject_for(&bob(), BASE, "How are my bees?").await;
    assert_eq!(nobody.unwrap().relevant(), None);
    memory.revoke_all(&ada());
    let revoked = memory.inject_for(&ada(), BASE, "How are my bees?").await;
    assert_eq!(revoked.unwrap().relevant(), None);
}

#[tokio::test]
async fn facts_are_found_by_their_words() {
    let memory = FakeMemory::new()
        .with_fact(
            &ada(),
            FakeFact::named(Scope::General, "location", "Lisbon"),
        )
        .with_fact(&ada(), goal("Read a book about beekeeping"))
        .with_fact(&ada(), goal("Read another book"));
    memory.inject(&ada(), BASE).await.unwrap();
    let search = async |query: &str, limit| -> Vec<String> {
        let found = memory.search_facts(&ada(), query, limit).await.unwrap();
        found.into_iter().map(|fact| fact.value).collect()
    };
    let book = ["Read a book about beekeeping", "Read another book"];
    assert_eq!(search("Which BOOK?", None).await, book);
    assert_eq!(search("another book", None).await, [book[1], book[0]]);
    assert_eq!(search("book", Some(1)).await, [book[0]]);
    assert_eq!(search("my location", None).await, ["Lisbon"]);
    assert!(search("how is it", None).await.is_empty());
    for (query, limit, field) in [
        (" ", None, "query"),
        (&*"é".repeat(1_001), None, "query"),
        ("book", Some(0), "limit"),
        ("book", Some(101), "limit"),
    ] {
        let refused = memory.search_facts(&ada(), query, limit).await.unwrap_err();
        assert_eq!(code(&refused), Some(ErrorCode::BadRequest));
        assert!(refused.message().unwrap().starts_with(field));
    }
    memory.revoke_all(&ada());
    let refused = memory.search_facts(&ada(), "book", None).await.unwrap_err();
    assert_eq!(code(&refused), Some(ErrorCode::Forbidden));
}

#[tokio::test]
async fn in_a_full_scope_the_oldest_make_room() {
    let memory = learning().with_facts_in_scope(2);
    for said in ["One", "Two"] {
        let answer = memory.update_with(&turn(said)).await.unwrap();
        assert_eq!(answer.evicted, None);
    }
    let third = turn("Three");
    let answer = memory.update_with(&third).await.unwrap();
    let evicted = answer.evicted.clone().unwrap();
    let evicted: Vec<&str> = evicted.facts().map(|fact| fact.value).collect();
    assert_eq!(evicted, ["One"]);
    assert_eq!(memory.facts(&ada()), [goal("Two"), goal("Three")]);
    // And it is told again.
    assert_eq!(memory.update_with(&third).await.unwrap(), answer);
}

#[tokio::test]
async fn when_an_exchange_was_is_recorded_and_part_of_it() {
    let memory = learning();
    let at = "2026-03-01T09:30:00Z".parse().unwrap();
    let late = turn("Ship")
        .with_idempotency_key("k")
        .unwrap()
        .with_time(at);
    memory.update_with(&late).await.unwrap();
    assert_eq!(memory.interactions(), [late]);
    let other = turn("Ship").with_idempotency_key("k").unwrap();
    let rejected = memory.update_with(&other).await.unwrap_err();
    assert_eq!(code(&rejected), Some(ErrorCode::BadRequest));
}

#[tokio::test]
async fn a_test_can_advance_the_time() {
    let memory = learning().with_monthly_quota(1);
    memory.update_with(&turn("Ship")).await.unwrap();
    let limited = memory.update_with(&turn("Hire")).await.unwrap();
    assert_eq!(limited.limit_reached, Some(true));
    memory.advance(Duration::from_hours(24 * 31));
    assert!(memory.update_with(&turn("Rest")).await.unwrap().updated);
    // As long as can be does no harm.
    memory.advance(Duration::MAX);
    memory.advance(Duration::MAX);
    assert!(memory.context(&ada()).await.is_ok());
}

#[tokio::test]
async fn debug_shows_nothing_personal() {
    let canary = UserId::new("canary").unwrap();
    let memory = learning().with_fact(&canary, goal("canary"));
    let interaction = Interaction::new(canary.clone(), "canary", "canary");
    memory.update_with(&interaction).await.unwrap();
    let shown = format!("{:?} {:?}", memory, memory.signed_in_as(&canary));
    assert!(!shown.contains("canary"), "{shown}");
    assert!(shown.contains("interactions: 1"));
}

#[test]
fn it_can_be_sent_to_other_threads() {
    fn crosses<T: Send + Sync + Clone + 'static>() {}
    crosses::<FakeMemory>();
}

//! Tests of the audit buffer without a database: what it keeps, what it folds and what it hands
//! over.

use ctxmem_types::Scope;

use super::*;
use crate::core::audit::NONE;

fn entry(user: &str, outcome: Outcome) -> Entry {
    Entry {
        user_id: UserId::new(user).unwrap(),
        agent_id: "agent".to_owned(),
        event: Some(Event::new(Action::Inject, outcome)),
    }
}

const ONCE: Usage = Usage { injects: 1, ..NONE };

/// As many users as fit.
fn full() -> AuditBatch {
    let mut batch = AuditBatch::default();
    for n in 0..FULL {
        batch.note(entry(&format!("user-{n}"), Outcome::Done), ONCE, 0);
    }
    batch
}

fn usage(batch: &AuditBatch) -> Vec<(&str, i64, i64)> {
    let usage = batch.usage().into_iter();
    usage
        .map(|((agent, day), usage)| (agent, day, usage.injects))
        .collect()
}

fn last_use(user_id: &UserId, at: i64) -> LastUse {
    LastUse {
        user_id: user_id.clone(),
        agent_id: "agent".to_owned(),
        at,
    }
}

#[test]
fn equal_events_become_one_that_says_how_often_and_when_last() {
    let mut batch = AuditBatch::default();
    for at in [5, 9, 7] {
        batch.note(entry("ada", Outcome::Done), ONCE, at);
    }
    let events = batch.events();
    let [(user, event)] = &*events else {
        panic!("{} events", events.len());
    };
    assert_eq!(user.as_str(), "ada");
    let expected = AuditEvent {
        times: 3,
        ..AuditEvent::new(Action::Inject, Actor::Agent, 9).agent("agent")
    };
    assert_eq!(*event, expected);
}

#[test]
fn what_differs_in_anything_stays_apart() {
    let one = entry("ada", Outcome::Done);
    let change = |change: &dyn Fn(&mut Entry)| {
        let mut other = one.clone();
        change(&mut other);
        other
    };
    let event = |event: &dyn Fn(&mut Event)| change(&|other| event(other.event.as_mut().unwrap()));
    let all = [
        one.clone(),
        change(&|other| other.user_id = UserId::new("bob").unwrap()),
        change(&|other| other.agent_id = "another".to_owned()),
        event(&|event| event.action = Action::Read),
        event(&|event| event.outcome = Outcome::Nothing),
        event(&|event| event.scopes = Scope::Goals.into()),
    ];
    let mut batch = AuditBatch::default();
    for entry in &all {
        batch.note(entry.clone(), ONCE, 1);
    }
    assert_eq!(batch.events().len(), all.len());
    assert!(batch.events().iter().all(|(_, event)| event.times == 1));
}

#[test]
fn what_the_unit_of_work_noted_is_a_use_and_no_event() {
    let mut batch = AuditBatch::default();
    let noted = Entry {
        event: None,
        ..entry("ada", Outcome::Done)
    };
    batch.note(noted, ONCE, 7);
    assert_eq!(batch.events(), []);
    let ada = UserId::new("ada").unwrap();
    assert_eq!(batch.uses(), [last_use(&ada, 7)]);
    assert_eq!(usage(&batch), [("agent", 0, 1)]);
}

#[test]
fn the_last_use_is_the_last_time_that_the_agent_was_let_in() {
    let mut batch = AuditBatch::default();
    for (at, outcome) in [
        (1, Outcome::Done),
        (4, Outcome::Filtered),
        (3, Outcome::Nothing),
        (7, Outcome::Denied),
        (8, Outcome::LimitReached),
        (9, Outcome::Failed),
    ] {
        batch.note(entry("ada", outcome), ONCE, at);
    }
    batch.note(entry("bob", Outcome::Denied), ONCE, 9);
    let ada = UserId::new("ada").unwrap();
    assert_eq!(batch.uses(), [last_use(&ada, 4)]);
}

#[test]
fn usage_adds_up_by_agent_and_day_in_utc() {
    let mut batch = AuditBatch::default();
    for at in [DAY_MILLIS - 1, 0, DAY_MILLIS] {
        batch.note(entry("ada", Outcome::Done), ONCE, at);
    }
    let other = Entry {
        agent_id: "a".to_owned(),
        ..entry("ada", Outcome::Done)
    };
    batch.note(other, ONCE, 0);
    batch.note(
        entry("ada", Outcome::Done),
        Usage::default(),
        9 * DAY_MILLIS,
    );
    assert_eq!(
        usage(&batch),
        [("a", 0, 1), ("agent", 0, 2), ("agent", 1, 1)]
    );
    assert_eq!(day(DAY_MILLIS - 1), "1970-01-01");
    assert_eq!(day(DAY_MILLIS), "1970-01-02");
    assert_eq!(day(1_772_323_199_999), "2026-02-28");
    assert_eq!(day(1_772_323_200_000), "2026-03-01");
}

#[test]
fn a_full_buffer_counts_what_it_loses_and_still_counts_what_it_knows() {
    let mut batch = full();
    batch.note(entry("one too many", Outcome::Done), ONCE, 0);
    batch.note(entry("user-7", Outcome::Done), ONCE, 0);
    batch.note(entry("one too many", Outcome::Done), ONCE, 0);
    assert_eq!(batch.lost, 2);
    let (entries, events) = (FULL, i64::try_from(FULL).unwrap() + 1);
    assert_eq!(batch.size(), Size { entries, events });
    // Usage has room: it is by agent and day.
    assert_eq!(usage(&batch), [("agent", 0, events + 2)]);
}

#[test]
fn it_is_taken_in_parts_and_nothing_is_in_two_of_them() {
    let mut batch = full();
    let mut taken = Vec::new();
    loop {
        let part = batch.take();
        if part.is_empty() {
            break;
        }
        assert!(part.size().entries <= BATCH);
        taken.push(part);
    }
    assert_eq!(taken.len(), FULL.div_ceil(BATCH));
    let mut users: Vec<&UserId> = taken
        .iter()
        .flat_map(|part| part.entries.keys().map(|entry| &entry.user_id))
        .collect();
    users.sort_unstable();
    users.dedup();
    assert_eq!(users.len(), FULL);
    let counted: i64 = taken.iter().flat_map(usage).map(|(.., count)| count).sum();
    assert_eq!(counted, i64::try_from(FULL).unwrap());
}

#[test]
fn what_is_put_back_meets_what_came_meanwhile() {
    let mut batch = AuditBatch::default();
    batch.note(entry("ada", Outcome::Done), ONCE, 5);
    batch.note(entry("bob", Outcome::Done), ONCE, 6);
    let taken = batch.take();
    assert!(batch.is_empty());
    batch.note(entry("ada", Outcome::Done), ONCE, 9);
    batch.put_back(&taken);
    let events: Vec<_> = batch
        .events()
        .into_iter()
        .map(|(user, event)| (user.as_str().to_owned(), event.times, event.at))
        .collect();
    assert_eq!(events, [("bob".to_owned(), 1, 6), ("ada".to_owned(), 2, 9)]);
    assert_eq!(usage(&batch), [("agent", 0, 3)]);
    assert_eq!(batch.lost, 0);
}

#[test]
fn what_is_put_back_keeps_to_the_bound_as_well() {
    let mut batch = AuditBatch::default();
    for user in ["user-1", "ada", "bob", "bob"] {
        batch.note(entry(user, Outcome::Done), ONCE, 0);
    }
    let taken = batch.take();
    let mut batch = full();
    batch.put_back(&taken);
    assert_eq!(batch.size().entries, FULL);
    assert_eq!(batch.lost, 3);
}

#[tokio::test]
async fn a_long_buffer_asks_to_be_stored_once() {
    use futures_util::FutureExt as _;

    let buffer = AuditBuffer::default();
    let note = |n: usize| buffer.note(entry(&format!("user-{n}"), Outcome::Done), ONCE, 0);
    let asks = || buffer.is_long().now_or_never().is_some();
    for n in 1..LONG {
        note(n);
    }
    assert!(!asks());
    note(0);
    assert!(asks());
    for n in 0..2 * LONG {
        note(n);
    }
    assert!(!asks(), "it was told before");
    assert_eq!(buffer.pages(), 2 * LONG / BATCH + 1);
    while buffer.take().is_some() {}
    for n in 0..LONG {
        note(n);
    }
    assert!(asks());
}

#[test]
fn what_was_lost_is_told_once() {
    let buffer = AuditBuffer::default();
    for n in 0..FULL + 3 {
        let entry = entry(&format!("user-{n}"), Outcome::Done);
        buffer.note(entry, Usage::default(), 0);
    }
    assert_eq!(buffer.take_lost(), 3);
    assert_eq!(buffer.take_lost(), 0);
}

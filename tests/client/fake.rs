//! The fake memory of `test_utils`, as the real client sees it.

use std::time::Duration;

use ctxmem_client::test_utils::{FakeAnswer, FakeFact, FakeMemory, Route};
use ctxmem_client::types::Delta;
use ctxmem_client::{Access, Error, ErrorCode, InjectReason, Interaction, Scope, UserId};

use crate::every_call::{call, exact};
use crate::support::user;

const BASE: &str = "Be \"brief\".\nAlways.";

fn editor(value: &str) -> FakeFact {
    FakeFact::named(Scope::Preferences, "editor", value)
}

fn goal(value: &str) -> FakeFact {
    FakeFact::new(Scope::Goals, value)
}

#[tokio::test]
async fn known_facts_stand_before_the_base_prompt() {
    let memory = FakeMemory::start().await;
    memory.knows(&user(), [editor("Helix"), goal("Ship  the \"beta\"")]);
    memory.finds_relevant("Notes: bees");
    let client = memory.client();
    let injected = client.inject(&user(), BASE).await.unwrap();
    let context = injected.parts().context.unwrap();
    assert!(context.starts_with("System:\n"), "{context}");
    assert!(context.ends_with("\n- editor: Helix\n- goals: Ship  the \"beta\""));
    assert_eq!(injected.prompt(), format!("{context}\n\n{BASE}"));
    assert!(injected.is_enriched() && injected.cache_hint().unwrap().recommended);
    assert_eq!(injected.access(), Access::Granted);
    assert_eq!(injected.relevant(), None);

    let message = client.inject_for(&user(), BASE, "My bees?").await.unwrap();
    assert_eq!(message.relevant(), Some("Notes: bees"));
    assert_eq!(message.prompt(), injected.prompt());
    let bob = UserId::new("bob / ö").unwrap();
    let nothing = client.inject_for(&bob, BASE, "My bees?").await.unwrap();
    assert_eq!((nothing.prompt(), nothing.relevant()), (BASE, None));
    assert_eq!(nothing.reason(), Some(&InjectReason::Empty));
    let sent = memory.injects();
    let users: Vec<&UserId> = sent.iter().map(|inject| &inject.user_id).collect();
    assert_eq!(users, [&user(), &user(), &bob]);
    assert_eq!(sent[1].message.as_deref(), Some("My bees?"));
}

#[tokio::test]
async fn updates_learn_what_comes_next() {
    let memory = FakeMemory::start().await;
    memory.knows(&user(), [editor("Vim")]);
    memory.learns_next([editor("Helix"), goal("Ship")]);
    memory.learns_next([goal("Hire")]);
    let client = memory.client();
    let interaction = Interaction::new(user(), "I use Helix.", "Noted.");
    // An attempt that fails learns nothing, and one that is made again learns nothing more.
    memory.answer_next(Route::Update, ErrorCode::ModelError);
    let first = client.update_with(&interaction).await.unwrap();
    let learned = first.delta.iter().flat_map(Delta::facts);
    let mut learned: Vec<&str> = learned.map(|fact| fact.value).collect();
    learned.sort_unstable();
    assert_eq!(learned, ["Helix", "Ship"]);
    assert_eq!(client.update_with(&interaction).await.unwrap(), first);
    assert_eq!(memory.updates().len(), 1);

    client.update(&user(), "We hire.", "Noted.").await.unwrap();
    let nothing = client.update(&user(), "Thanks!", "Bye.").await.unwrap();
    assert!(nothing.updated && nothing.delta.unwrap().is_empty());
    let said = memory.updates();
    let said: Vec<&str> = said.iter().map(|update| &*update.user_message).collect();
    assert_eq!(said, ["I use Helix.", "We hire.", "Thanks!"]);

    let facts = client.facts(&user()).await.unwrap();
    let values: Vec<&str> = facts.iter().map(|fact| &*fact.value).collect();
    assert_eq!(values, ["Helix", "Ship", "Hire"]);
    let found = client.search_facts(&user(), "bees", None).await.unwrap();
    assert_eq!(found, facts);
    client.delete_fact(&user(), &facts[1].id).await.unwrap();
    let again = client.delete_fact(&user(), &facts[1].id).await.unwrap_err();
    assert!(again.is_not_found());
    let context = client.context(&user()).await.unwrap();
    let values: Vec<&str> = context.facts().map(|fact| fact.value).collect();
    assert_eq!(values, ["Helix", "Hire"]);
    client.delete_context(&user()).await.unwrap();
    assert!(client.context(&user()).await.unwrap().is_empty());
}

#[tokio::test]
async fn without_access_only_what_needs_none_succeeds() {
    let memory = FakeMemory::start().await;
    memory.knows(&user(), [editor("Helix")]);
    let client = exact(&memory).build().unwrap();
    let page = FakeMemory::CONSENT_URL;
    let must_ask = Access::MustAsk { page };
    for (answer, access, at_update) in [
        (FakeAnswer::NoGrant, Access::Denied, None),
        (FakeAnswer::ConsentRequired, must_ask, Some(page)),
    ] {
        memory.answer_always(answer);
        let injected = client.inject(&user(), BASE).await.unwrap();
        assert_eq!((injected.access(), injected.prompt()), (access, BASE));
        for route in Route::ALL {
            let error = call(route, &client).await;
            let succeeds = [Route::Inject, Route::RevokeGrant, Route::Health].contains(&route);
            assert_eq!(error.is_none(), succeeds, "{route:?}");
            assert!(error.is_none_or(|error| error.is_forbidden()), "{route:?}");
        }
        let refused = call(Route::Update, &client).await.unwrap();
        assert_eq!(refused.consent_url(), at_update);
    }
    memory.answer_always(FakeAnswer::QuotaExhausted);
    let answer = client.update(&user(), "Hi", "Hello").await.unwrap();
    assert!(answer.is_over_quota() && !answer.updated);
    let injected = client.inject(&user(), BASE).await.unwrap();
    assert!(injected.is_enriched());
}

#[tokio::test]
async fn one_call_fails_and_the_others_do_not() {
    let memory = FakeMemory::start().await;
    let client = exact(&memory).build().unwrap();
    for failing in Route::ALL {
        memory.knows(&user(), [editor("Helix")]);
        memory.answer_next(failing, ErrorCode::InternalError);
        memory.answer_next(failing, FakeAnswer::Down);
        // There is no such fact.
        let others = Route::ALL.into_iter();
        for route in others.filter(|route| *route != Route::DeleteFact) {
            let error = call(route, &client).await;
            assert_eq!(error.is_some(), route == failing, "{route:?}: {error:?}");
            if route == failing {
                assert_eq!(error.unwrap().status(), Some(500));
                let second = call(route, &client).await.unwrap();
                assert!(matches!(second, Error::Transport(_)), "{second:?}");
                assert!(call(route, &client).await.is_none(), "{route:?}");
            }
        }
    }
}

#[tokio::test]
async fn answers_are_cut_late_or_refused() {
    let memory = FakeMemory::start().await;
    memory.answer_always(FakeAnswer::CutOff);
    let client = exact(&memory).build().unwrap();
    for route in [Route::Inject, Route::Update, Route::Context, Route::Health] {
        let cut = call(route, &client).await.unwrap();
        assert!(matches!(cut, Error::Decode(_)), "{route:?}: {cut:?}");
    }
    memory.answer_always(FakeAnswer::Slow(Duration::from_millis(300)));
    let impatient = exact(&memory).inject_timeout(Duration::from_millis(100));
    let late = call(Route::Inject, &impatient.build().unwrap()).await;
    assert!(late.unwrap().is_timeout());
    assert!(call(Route::Inject, &client).await.is_none());
    memory.recover();
    let http = reqwest::Client::builder().build().unwrap();
    for path in ["inject", "update", "ada/facts/search"] {
        let post = http.post(format!("{}/api/context/{path}", memory.server().uri()));
        let refused = post.body(r#"{"userId": "ada"}"#).send().await.unwrap();
        assert_eq!(refused.status(), 400, "{path}");
    }
    let nowhere = http.get(format!("{}/api", memory.server().uri()));
    assert_eq!(nowhere.send().await.unwrap().status(), 404);
}

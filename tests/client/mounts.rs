//! The mounts of `test_utils`: the real client reads each of them as its name says.

use std::time::Duration;

use ctxmem_client::test_utils::wiremock::MockServer;
use ctxmem_client::test_utils::{
    Broken, ContextForm, DeleteFactForm, DeleteForm, FactsForm, FakeMemory, GrantForm, HealthForm,
    InjectForm, RateLimit, RevokeForm, Route, SearchForm, ServiceError, UpdateForm,
};
use ctxmem_client::{
    Client, Error, ErrorCode, Fact, FactRecord, GrantRequest, InjectReason, Interaction,
    RetryPolicy, Scope, ScopeName, UpdateOutcome, UserId,
};
use serde_json::json;

use crate::support::{AGENT, KEY, SESSION, user};

const BASE: &str = "You are a helpful assistant.\nBe \"brief\".";

/// A client with all credentials.
fn client(service: &MockServer) -> Client {
    Client::builder()
        .base_url(service.uri())
        .api_key(KEY)
        .session_cookie(SESSION)
        .retry(RetryPolicy::none())
        .inject_timeout(Duration::from_secs(20))
        .management_timeout(Duration::from_secs(20))
        .build()
        .unwrap()
}

fn request() -> GrantRequest {
    GrantRequest::new(user(), AGENT, [Scope::Goals, Scope::General])
}

/// Makes one call and returns its error, if it fails.
async fn call(route: Route, client: &Client) -> Option<Error> {
    match route {
        Route::Inject => client.inject(&user(), BASE).await.err(),
        Route::Update => client.update(&user(), "Hi", "Hello").await.err(),
        Route::Context => client.context(&user()).await.err(),
        Route::DeleteContext => client.delete_context(&user()).await.err(),
        Route::Facts => client.facts(&user()).await.err(),
        Route::SearchFacts => client.search_facts(&user(), "bees", None).await.err(),
        Route::DeleteFact => client.delete_fact(&user(), "6a-1").await.err(),
        Route::CreateGrant => client.create_grant(&request()).await.err(),
        Route::RevokeGrant => client.revoke_grant(GrantForm::ID).await.err(),
        Route::Health => client.health().await.err(),
    }
}

#[tokio::test]
async fn every_inject_form() {
    for form in InjectForm::ALL {
        let service = MockServer::start().await;
        form.mount(&service).await;
        let injected = client(&service).inject(&user(), BASE).await.unwrap();
        let (enriched, reason, recommended) = match form {
            InjectForm::Enriched | InjectForm::Relevant | InjectForm::OlderParam => {
                (true, None, Some(true))
            }
            InjectForm::NoGrant | InjectForm::MustAsk => {
                (false, Some(InjectReason::NoGrant), Some(false))
            }
            InjectForm::NoScopes => (false, Some(InjectReason::NoScopes), Some(false)),
            InjectForm::Empty => (false, Some(InjectReason::Empty), Some(false)),
            InjectForm::EmptyCapsule => (false, Some(InjectReason::EmptyCapsule), Some(false)),
            InjectForm::SeededDemo => (false, Some(InjectReason::SeededDemo), Some(false)),
            InjectForm::EnrichedPromptOnly => (true, None, None),
            InjectForm::PromptOnly => (false, None, None),
            InjectForm::PromptAndReason => (false, Some(InjectReason::NoGrant), None),
            _ => panic!("what is expected of {form:?}?"),
        };
        let page = (*form == InjectForm::MustAsk).then_some(FakeMemory::CONSENT_URL);
        assert_eq!(injected.consent_url(), page, "{form:?}");
        assert_eq!(injected.is_enriched(), enriched, "{form:?}");
        assert_eq!(injected.reason(), reason.as_ref(), "{form:?}");
        let hint = injected.cache_hint();
        assert_eq!(hint.map(|hint| hint.recommended), recommended, "{form:?}");
        if let Some(hint) = hint {
            let params = json!({"prompt_cache_retention": "24h"});
            assert_eq!(hint.provider_param.as_ref(), params.as_object());
        }
        assert_eq!(injected.is_seeded(), *form == InjectForm::SeededDemo);
        assert_eq!(injected.relevant(), None, "{form:?}: without a message");
        let client = client(&service);
        let for_message = client.inject_for(&user(), BASE, "And my bees?").await;
        let for_message = for_message.unwrap();
        let relevant = (*form == InjectForm::Relevant).then_some(InjectForm::RELEVANT);
        assert_eq!(for_message.relevant(), relevant, "{form:?}");
        assert_eq!(for_message.prompt(), injected.prompt(), "{form:?}");

        let merged = enriched || injected.is_seeded();
        assert_eq!(injected.prompt().contains(InjectForm::FACT), merged);
        if merged {
            assert!(injected.prompt().starts_with("System:\n"), "{form:?}");
            assert!(injected.prompt().ends_with(&format!("\n\n{BASE}")));
        } else {
            assert_eq!(injected.prompt(), BASE, "{form:?}");
        }
    }
}

#[tokio::test]
async fn every_update_form() {
    for form in UpdateForm::ALL {
        let service = MockServer::start().await;
        form.mount(&service).await;
        let interaction = Interaction::new(user(), "Hi", "Hello");
        let answer = client(&service).update_with(&interaction).await.unwrap();
        let delta = answer.delta.unwrap_or_default();
        let keys: Vec<&str> = delta.0.keys().map(String::as_str).collect();
        let three = ["communication_style", "preferences", "ongoing_tasks"];
        let (updated, expected): (bool, &[&str]) = match form {
            UpdateForm::Learned => (true, &["general", three[0], three[1], three[2]]),
            UpdateForm::PlainStrings => (true, &three),
            UpdateForm::Filtered
            | UpdateForm::NothingNew
            | UpdateForm::Refused
            | UpdateForm::Nothing
            | UpdateForm::AllDenied => (true, &[]),
            UpdateForm::Removed | UpdateForm::Denied => (true, &["preferences"]),
            UpdateForm::Evicted => (true, &["ongoing_tasks"]),
            UpdateForm::AllDeniedNotUpdated | UpdateForm::LimitReached => (false, &[]),
            _ => panic!("what is expected of {form:?}?"),
        };
        assert_eq!(answer.updated, updated, "{form:?}");
        assert_eq!(keys, expected, "{form:?}");
        // The types know the form of every slice.
        assert_eq!(delta.facts().count(), expected.len(), "{form:?}");
        assert_eq!(answer.removed.is_some(), *form == UpdateForm::Removed);
        let evicted = answer.evicted.map(|evicted| evicted.facts().count());
        assert_eq!(evicted, (*form == UpdateForm::Evicted).then_some(1));
        let limit_reached = (*form == UpdateForm::LimitReached).then_some(true);
        assert_eq!(answer.limit_reached, limit_reached, "{form:?}");
        let denies = matches!(
            form,
            UpdateForm::Denied | UpdateForm::AllDenied | UpdateForm::AllDeniedNotUpdated
        );
        let scopes = [Scope::Relationships, Scope::Goals].map(ScopeName::Known);
        assert_eq!(answer.denied_scopes.is_some(), denies, "{form:?}");
        assert!(answer.denied_scopes.is_none_or(|denied| denied == scopes));
        let refused = *form == UpdateForm::Refused;
        assert_eq!(answer.notice.is_some(), denies || refused, "{form:?}");
        let outcome = match form {
            UpdateForm::Filtered => Some(UpdateOutcome::Filtered),
            UpdateForm::NothingNew => Some(UpdateOutcome::NothingNew),
            UpdateForm::Refused => Some(UpdateOutcome::Refused),
            _ => None,
        };
        assert_eq!(answer.outcome, outcome, "{form:?}");
    }
}

#[tokio::test]
async fn every_context_form_is_about_the_requested_user() {
    let odd = UserId::new("ada lovelace/ö%41@example.com").unwrap();
    for form in ContextForm::ALL {
        let service = MockServer::start().await;
        form.mount(&service).await;
        let context = client(&service).context(&odd).await.unwrap();
        assert_eq!(context.user_id, odd, "{form:?}");
        let (empty, history, general) = match form {
            ContextForm::Primary => (false, Some(1), Some(1)),
            ContextForm::Empty => (true, Some(0), Some(0)),
            ContextForm::PlainStrings | ContextForm::EmotionalState => (false, None, None),
            ContextForm::OddHistory => (false, Some(5), Some(0)),
            ContextForm::OnlyUserId => (true, None, None),
            _ => panic!("what is expected of {form:?}?"),
        };
        assert_eq!(context.is_empty(), empty, "{form:?}");
        let entries = context.raw_history.map(|entries| entries.len());
        assert_eq!(entries, history, "{form:?}");
        let names = context.general.map(|facts| facts.len());
        assert_eq!(names, general, "{form:?}");
        let feels = context.emotional_state.is_some();
        assert_eq!(feels, *form == ContextForm::EmotionalState);
        if let Some(goal) = context.ongoing_tasks.first() {
            let plain = *goal == Fact::plain("Ship the beta");
            assert_eq!(plain, *form != ContextForm::Primary, "{form:?}");
        }
        let is_dated = context.last_updated.is_some();
        assert_eq!(is_dated, *form != ContextForm::OnlyUserId);
    }
}

#[tokio::test]
async fn every_grant_form() {
    for form in GrantForm::ALL {
        for asked in [None, Some("2030-01-01T00:00:00Z".parse().unwrap())] {
            let service = MockServer::start().await;
            form.mount(&service).await;
            let mut request = request();
            request.expires_at = asked;
            let grant = client(&service).create_grant(&request).await.unwrap();
            assert_eq!((grant.user_id, &*grant.agent_id), (user(), AGENT));
            assert_eq!(grant.id, GrantForm::ID);
            assert!(!grant.revoked);
            let scopes: Vec<&str> = grant.scopes.iter().map(ScopeName::as_str).collect();
            match form {
                GrantForm::Granted | GrantForm::Expiring => {
                    assert_eq!(scopes, ["goals", "general"]);
                }
                GrantForm::StorageKeys => assert_eq!(scopes, ["ongoing_tasks", "general"]),
                _ => panic!("what is expected of {form:?}?"),
            }
            if *form == GrantForm::Expiring && request.expires_at.is_none() {
                assert!(grant.expires_at.is_some());
            } else {
                assert_eq!(grant.expires_at, request.expires_at);
            }
        }
    }
}

#[tokio::test]
async fn every_form_of_facts() {
    let ids = |facts: Vec<FactRecord>| -> Vec<(String, bool)> {
        let id = |fact: FactRecord| (fact.id, fact.can_delete);
        facts.into_iter().map(id).collect()
    };
    let own = ("6a-1".to_owned(), true);
    let the_users = ("2c-7".to_owned(), false);
    for form in FactsForm::ALL {
        let service = MockServer::start().await;
        form.mount(&service).await;
        let facts = client(&service).facts(&user()).await.unwrap();
        let expected = match form {
            FactsForm::Listed => vec![own.clone(), the_users.clone()],
            FactsForm::Empty => vec![],
            _ => panic!("what is expected of {form:?}?"),
        };
        assert_eq!(ids(facts), expected, "{form:?}");
    }
    for form in SearchForm::ALL {
        let service = MockServer::start().await;
        form.mount(&service).await;
        let client = client(&service);
        let found = client.search_facts(&user(), "bees", Some(3)).await.unwrap();
        let expected = match form {
            SearchForm::Found => vec![the_users.clone(), own.clone()],
            SearchForm::Nothing => vec![],
            _ => panic!("what is expected of {form:?}?"),
        };
        assert_eq!(ids(found), expected, "{form:?}");
    }
}

#[tokio::test]
async fn deletions_and_revocations() {
    let service = MockServer::start().await;
    for form in DeleteForm::ALL {
        form.mount(&service).await;
    }
    for form in RevokeForm::ALL {
        form.mount(&service).await;
    }
    for form in DeleteFactForm::ALL {
        form.mount(&service).await;
    }
    let client = client(&service);
    assert!(client.delete_context(&user()).await.unwrap().deleted);
    assert!(client.delete_fact(&user(), "6a-1").await.unwrap().deleted);
    assert!(client.revoke_grant(GrantForm::ID).await.unwrap().revoked);
}

#[tokio::test]
async fn every_health_form() {
    for form in HealthForm::ALL {
        let service = MockServer::start().await;
        form.mount(&service).await;
        let health = client(&service).health().await.unwrap();
        let (ok, checks) = match form {
            HealthForm::Status => (true, Some(["ok", "ok"])),
            HealthForm::ModelDown => (true, Some(["ok", "unavailable"])),
            HealthForm::Degraded503 => (false, Some(["unavailable", "ok"])),
            HealthForm::OkTrue => (true, None),
            _ => panic!("what is expected of {form:?}?"),
        };
        assert_eq!(health.is_ok(), ok, "{form:?}");
        let states = health
            .checks
            .map(|checks| [checks["database"].clone(), checks["model"].clone()]);
        assert_eq!(states, checks.map(|checks| checks.map(String::from)));
    }
}

#[tokio::test]
async fn every_error_at_every_call() {
    for error in ServiceError::ALL {
        let service = MockServer::start().await;
        error.mount(&service).await;
        let client = client(&service);
        for route in Route::ALL {
            let failed = call(route, &client).await.unwrap();
            assert!(matches!(failed, Error::Api(_)), "{error:?} {route:?}");
            assert_eq!(failed.status(), Some(error.status()));
            let (code, wait) = match error {
                ServiceError::BadRequest => (ErrorCode::BadRequest, None),
                ServiceError::Unauthorized => (ErrorCode::Unauthorized, None),
                ServiceError::Forbidden => (ErrorCode::Forbidden, None),
                ServiceError::NotFound => (ErrorCode::NotFound, None),
                ServiceError::RateLimited => (ErrorCode::RateLimited, Some(RateLimit::WAIT)),
                ServiceError::ModelError => (ErrorCode::ModelError, None),
                ServiceError::PersistenceError => (ErrorCode::PersistenceError, None),
                ServiceError::InternalError => (ErrorCode::InternalError, None),
                _ => panic!("what is expected of {error:?}?"),
            };
            assert_eq!(failed.code(), Some(&code), "{error:?} {route:?}");
            assert_eq!(failed.retry_after(), wait, "{error:?} {route:?}");
            assert_eq!(failed.is_retryable(), error.status() >= 429);

            // The fake gives the same error.
            let faked = Error::from(*error);
            assert_eq!(faked.code(), failed.code());
            assert_eq!(faked.status(), failed.status());
            assert_eq!(faked.message(), failed.message());
            assert_eq!(faked.retry_after(), failed.retry_after());
            assert_eq!(faked.to_string(), failed.to_string());
        }
    }
}

#[tokio::test]
async fn every_form_of_a_rate_limit() {
    for limit in RateLimit::ALL {
        let service = MockServer::start().await;
        limit.mount(&service).await;
        let failed = client(&service).context(&user()).await.unwrap_err();
        assert_eq!(failed.code(), Some(&ErrorCode::RateLimited), "{limit:?}");
        let wait = (*limit != RateLimit::NoReset).then_some(RateLimit::WAIT);
        assert_eq!(failed.retry_after(), wait, "{limit:?}");
    }
}

#[tokio::test]
async fn every_broken_answer_at_every_call() {
    for broken in Broken::ALL {
        let service = MockServer::start().await;
        broken.mount(&service).await;
        let client = Client::builder()
            .base_url(service.uri())
            .api_key(KEY)
            .session_cookie(SESSION)
            .retry(RetryPolicy::none());
        let client = match broken {
            Broken::Hang => client
                .inject_timeout(Duration::from_millis(50))
                .update_timeout(Duration::from_millis(50))
                .management_timeout(Duration::from_millis(50)),
            _ => client
                .inject_timeout(Duration::from_secs(20))
                .management_timeout(Duration::from_secs(20)),
        };
        let client = client.build().unwrap();
        for route in Route::ALL {
            let failed = call(route, &client).await.unwrap();
            match broken {
                Broken::Hang => assert!(failed.is_timeout(), "{route:?}: {failed:?}"),
                Broken::ProxyPage => assert_eq!(failed.status(), Some(502)),
                Broken::Unavailable => assert_eq!(failed.status(), Some(503)),
                _ => assert!(matches!(failed, Error::Decode(_)), "{route:?}: {failed:?}"),
            }
            assert_eq!(failed.code(), None, "{broken:?} {route:?}");
            let passes = matches!(
                broken,
                Broken::Hang | Broken::ProxyPage | Broken::Unavailable
            );
            assert_eq!(failed.is_retryable(), passes, "{broken:?} {route:?}");
        }
    }
}

#[tokio::test]
async fn one_call_fails_and_the_others_do_not() {
    for failing in Route::ALL {
        let service = MockServer::start().await;
        ServiceError::InternalError
            .mount_at(failing, &service)
            .await;
        InjectForm::Enriched.mount(&service).await;
        UpdateForm::Learned.mount(&service).await;
        ContextForm::Primary.mount(&service).await;
        DeleteForm::Deleted.mount(&service).await;
        FactsForm::Listed.mount(&service).await;
        SearchForm::Found.mount(&service).await;
        DeleteFactForm::Deleted.mount(&service).await;
        GrantForm::Granted.mount(&service).await;
        RevokeForm::Revoked.mount(&service).await;
        HealthForm::Status.mount(&service).await;
        let client = client(&service);
        for route in Route::ALL {
            let failed = call(route, &client).await;
            assert_eq!(failed.is_some(), route == failing, "{route:?}: {failed:?}");
        }
    }
}

#[tokio::test]
async fn the_client_retries_a_temporary_failure() {
    let service = MockServer::start().await;
    ServiceError::ModelError
        .mock_at(Route::Update)
        .up_to_n_times(1)
        .expect(1)
        .mount(&service)
        .await;
    UpdateForm::Learned.mock().expect(1).mount(&service).await;
    let client = Client::builder().base_url(service.uri()).api_key(KEY);
    let client = client.build().unwrap();
    assert!(client.update(&user(), "Hi", "Hello").await.unwrap().updated);
}

#[tokio::test]
async fn a_malformed_request_is_rejected() {
    let service = MockServer::start().await;
    InjectForm::Enriched.mount(&service).await;
    UpdateForm::Learned.mount(&service).await;
    GrantForm::Granted.mount(&service).await;
    SearchForm::Found.mount(&service).await;
    for path in [
        "/api/context/inject",
        "/api/context/update",
        "/api/context/ada/facts/search",
        "/api/grants",
    ] {
        let answer = reqwest::Client::builder()
            .build()
            .unwrap()
            .post(format!("{}{path}", service.uri()))
            .body(r#"{"userId": "ada"}"#)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 400, "{path}");
    }
}

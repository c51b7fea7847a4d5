//! Errors and broken answers, which every call reads in the same way.

use std::time::Duration;

use ctxmem_client::test_utils::wiremock::ResponseTemplate;
use ctxmem_client::test_utils::{FakeAnswer, FakeMemory, Route};
use ctxmem_client::{Client, ClientBuilder, Error, ErrorCode, GrantRequest, RetryPolicy, Scope};

use crate::support::{AGENT, SESSION, user};

/// A client that neither retries nor gives up early.
pub(crate) fn exact(memory: &FakeMemory) -> ClientBuilder {
    memory
        .builder()
        .retry(RetryPolicy::none())
        .inject_timeout(Duration::from_secs(20))
        .management_timeout(Duration::from_secs(20))
}

/// Makes one call and returns its error, if it fails.
pub(crate) async fn call(route: Route, client: &Client) -> Option<Error> {
    match route {
        Route::Inject => client.inject(&user(), "Hi").await.err(),
        Route::Update => client.update(&user(), "Hi", "Hello").await.err(),
        Route::Context => client.context(&user()).await.err(),
        Route::DeleteContext => client.delete_context(&user()).await.err(),
        Route::Facts => client.facts(&user()).await.err(),
        Route::SearchFacts => client.search_facts(&user(), "bees", None).await.err(),
        Route::DeleteFact => client.delete_fact(&user(), "fact-1").await.err(),
        Route::CreateGrant => {
            let request = GrantRequest::new(user(), AGENT, [Scope::Goals, Scope::General]);
            client.create_grant(&request).await.err()
        }
        Route::RevokeGrant => {
            let user = client.as_user(SESSION).unwrap();
            user.revoke_grant("1b4e28ba").await.err()
        }
        Route::Health => client.health().await.err(),
    }
}

#[tokio::test]
async fn every_error_at_every_call() {
    let memory = FakeMemory::start().await;
    let client = exact(&memory).build().unwrap();
    for (code, status) in [
        (ErrorCode::BadRequest, 400),
        (ErrorCode::Unauthorized, 401),
        (ErrorCode::Forbidden, 403),
        (ErrorCode::NotFound, 404),
        (ErrorCode::RateLimited, 429),
        (ErrorCode::ModelError, 502),
        (ErrorCode::PersistenceError, 500),
        (ErrorCode::InternalError, 500),
    ] {
        memory.answer_always(code.clone());
        for route in Route::ALL {
            let failed = call(route, &client).await.unwrap();
            assert!(matches!(failed, Error::Api(_)), "{code} {route:?}");
            assert_eq!(failed.status(), Some(status), "{code} {route:?}");
            assert_eq!(failed.code(), Some(&code), "{route:?}");
            assert!(failed.request_id().is_some(), "{code} {route:?}");
            assert_eq!(failed.is_retryable(), status >= 429, "{code} {route:?}");
        }
    }
    let retry_after = Duration::from_millis(1_500);
    memory.answer_always(FakeAnswer::RateLimited { retry_after });
    for route in Route::ALL {
        let failed = call(route, &client).await.unwrap();
        assert_eq!(failed.code(), Some(&ErrorCode::RateLimited), "{route:?}");
        assert_eq!(failed.retry_after(), Some(Duration::from_secs(2)));
    }
}

/// Successful answers that can't be read.
#[tokio::test]
async fn every_unreadable_answer_at_every_call() {
    let memory = FakeMemory::start().await;
    let client = exact(&memory).build().unwrap();
    let ok = || ResponseTemplate::new(200);
    let answers: [FakeAnswer; 4] = [
        ok().set_body_bytes(*b"\x00\xff\xfe garbage").into(),
        ok().set_body_raw(r#"["neither", "this"]"#, "application/json")
            .into(),
        ok().set_body_raw("<html>Sign in</html>", "text/html")
            .into(),
        ok().into(),
    ];
    for answer in answers {
        for route in Route::ALL {
            memory.answer_next(route, answer.clone());
            let failed = call(route, &client).await.unwrap();
            assert!(matches!(failed, Error::Decode(_)), "{route:?}: {failed:?}");
            assert_eq!(failed.code(), None, "{answer:?} {route:?}");
            assert!(!failed.is_retryable(), "{answer:?} {route:?}");
        }
    }
}

#[tokio::test]
async fn every_outage_at_every_call() {
    let memory = FakeMemory::start().await;
    let page = |status| {
        let page = ResponseTemplate::new(status);
        page.set_body_raw("<html>Bad Gateway</html>", "text/html")
    };
    let short = Duration::from_millis(50);
    let impatient = exact(&memory)
        .inject_timeout(short)
        .update_timeout(short)
        .management_timeout(short);
    let impatient = impatient.build().unwrap();
    let client = exact(&memory).build().unwrap();
    for (answer, client, status) in [
        (page(502).into(), &client, Some(502)),
        (ResponseTemplate::new(503).into(), &client, Some(503)),
        (FakeAnswer::Down, &client, None),
        (
            FakeAnswer::from(page(200).set_delay(Duration::from_hours(1))),
            &impatient,
            None,
        ),
    ] {
        memory.answer_always(answer.clone());
        for route in Route::ALL {
            let failed = call(route, client).await.unwrap();
            assert_eq!(failed.status(), status, "{answer:?} {route:?}");
            assert_eq!(failed.code(), None, "{answer:?} {route:?}");
            assert!(failed.is_retryable(), "{answer:?} {route:?}");
            let is_late = matches!(&answer, FakeAnswer::Exactly(_)) && status.is_none();
            assert_eq!(failed.is_timeout(), is_late, "{answer:?} {route:?}");
        }
    }
}

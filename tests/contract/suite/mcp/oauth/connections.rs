//! What a connection may do, and when it ends.

use chrono::Duration;
use ctxmem_server::core::{Manager, State};
use ctxmem_types::ScopeSet;
use futures_util::future::join_all;
use serde_json::json;

use super::{
    ALL, ALLOW, Program, ada_and_claude, at_nine, calling, connected, is_over, refusal, remembers,
    seen, server,
};
use crate::suite::account::browser::Browser;
use crate::suite::support::{count, user};

/// The id of the agent that stands for the program which the user let in.
async fn agent_of(browser: &Browser) -> String {
    let mut grants = browser.server.grants_of(&browser.user).await;
    grants.pop().unwrap().0.agent_id
}

#[tokio::test]
async fn what_the_user_grants_is_what_it_may_and_a_change_holds_at_once() {
    let (server, ada, claude) = ada_and_claude().await;
    let tokens = claude.connect(&ada, &["general", "preferences"]).await;
    remembers(&server, &tokens.access, "Please remember that I am vegan.").await;
    assert!(seen(&server, &tokens.access).await.contains("egan"));
    let agent_id = agent_of(&ada).await;
    let page = format!("/consent/{agent_id}");
    assert_eq!(ada.post(&page, &ALLOW).await.status, 303);
    assert!(!seen(&server, &tokens.access).await.contains("egan"));
    assert_eq!(claude.renew(&tokens.refresh).await.scope, "goals");
    // A pause ends nothing.
    server.grants.pause(&ada.user, true).await.unwrap();
    assert!(!is_over(&server, &tokens.access).await);
    assert_eq!(claude.renew(&tokens.refresh).await.scope, "goals");
    server.grants.pause(&ada.user, false).await.unwrap();
    assert!(!is_over(&server, &tokens.access).await);
}

#[tokio::test]
async fn a_revocation_ends_it_at_once_and_for_good() {
    let (server, ada, claude) = ada_and_claude().await;
    for way in ["revoke", "refuse"] {
        let tokens = claude.connect(&ada, &ALL).await;
        let unused = claude.code(&ada, &ALL).await;
        assert!(!is_over(&server, &tokens.access).await);
        let agent_id = agent_of(&ada).await;
        let answer = if way == "revoke" {
            ada.post("/account/revoke", &[("agent_id", &*agent_id)])
                .await
        } else {
            let page = format!("/consent/{agent_id}");
            ada.post(&page, &[("decision", "refuse")]).await
        };
        assert_eq!(answer.status, 303, "{}", answer.body);
        assert!(is_over(&server, &tokens.access).await, "{way}");
        claude.assert_renews_nothing(&tokens.refresh).await;
        let exchange = claude.exchange(&unused, super::VERIFIER).send().await;
        assert_eq!(refusal(&exchange), "invalid_grant");
        assert_eq!(server.store.rows("oauth_connections").await, 0);
        // What the user allows later is another connection's.
        let page = format!("/consent/{agent_id}");
        assert_eq!(ada.post(&page, &ALLOW).await.status, 303);
        assert!(is_over(&server, &tokens.access).await, "{way}");
    }
}

#[tokio::test]
async fn an_erasure_ends_it_and_makes_no_grant_anew() {
    let server = server().await;
    let ada = Browser::of_ada(&server).await;
    let ben = Browser::of(&server, &user("ben")).await;
    let claude = Program::claude(&server).await;
    let tokens = claude.connect(&ada, &ALL).await;
    let of_ben = claude.connect(&ben, &ALL).await;
    remembers(&server, &tokens.access, "Please remember that I am vegan.").await;
    server.erase(&ada.user).await;
    assert!(is_over(&server, &tokens.access).await);
    claude.assert_renews_nothing(&tokens.refresh).await;
    let grants = server.grants_of(&ada.user).await;
    assert!(grants.iter().all(|(_, _, state)| *state == State::Revoked));
    assert!(!is_over(&server, &of_ben.access).await);
}

#[tokio::test]
async fn an_agent_that_an_operator_deletes_is_gone_and_does_not_come_back() {
    let (server, ada, claude, tokens) = connected().await;
    let agent_id = agent_of(&ada).await;
    let console = &server.console;
    let deleted = console.delete_agent(&Manager::Operator, &agent_id, "Claude");
    assert!(deleted.await.unwrap());
    assert!(is_over(&server, &tokens.access).await);
    claude.assert_renews_nothing(&tokens.refresh).await;
    ada.request("GET", &claude.page(&[])).gets(404).await;
    assert_eq!(claude.decides(&ada, &ALLOW).await.status, 404);
}

#[tokio::test]
async fn nobody_makes_or_ends_a_key_of_such_an_agent() {
    let (server, ada, _, tokens) = connected().await;
    let agent_id = agent_of(&ada).await;
    let grants = &server.grants;
    let operator = || Manager::Operator;
    let made = grants.create_key(operator(), agent_id.clone(), ScopeSet::ALL);
    assert!(made.await.is_err());
    let rotated = grants.rotate_key(operator(), agent_id.clone(), Duration::zero());
    assert!(rotated.await.is_err());
    assert!(grants.revoke_key(operator(), agent_id).await.is_err());
    assert!(!is_over(&server, &tokens.access).await);
}

#[tokio::test]
async fn two_consents_at_once_are_two_connections_and_a_revocation_beside_them_wins() {
    let (server, ada, claude) = ada_and_claude().await;
    for _ in 0..count(5, 50) {
        let codes = join_all((0..4).map(|_| claude.code(&ada, &ALL))).await;
        let agent_id = agent_of(&ada).await;
        let fields = [("agent_id", &*agent_id)];
        let redeeming = join_all(
            codes
                .iter()
                .map(|code| claude.exchange(code, super::VERIFIER).send()),
        );
        let (answers, revoked) = tokio::join!(redeeming, ada.post("/account/revoke", &fields));
        assert_eq!(revoked.status, 303);
        for answer in answers {
            if answer.status == 200 {
                let tokens = super::Tokens::of(&answer);
                assert!(is_over(&server, &tokens.access).await);
                claude.assert_renews_nothing(&tokens.refresh).await;
            } else {
                assert_eq!(refusal(&answer), "invalid_grant");
            }
        }
        assert_eq!(server.store.rows("oauth_connections").await, 0);
    }
}

#[tokio::test]
async fn an_access_token_lasts_an_hour_and_a_connection_as_long_as_it_is_renewed() {
    let (clock, server, ada, claude) = at_nine().await;
    let mut tokens = claude.connect(&ada, &ALL).await;
    clock.advance(Duration::seconds(3_599));
    assert!(!is_over(&server, &tokens.access).await);
    clock.advance(Duration::seconds(1));
    assert!(is_over(&server, &tokens.access).await);
    for _ in 0..3 {
        clock.advance(Duration::days(89));
        server.oauth.drop_old_connections().await.unwrap();
        tokens = claude.renew(&tokens.refresh).await;
        assert!(!is_over(&server, &tokens.access).await);
    }
    clock.advance(Duration::days(90));
    claude.assert_renews_nothing(&tokens.refresh).await;
    server.oauth.drop_old_connections().await.unwrap();
    assert_eq!(server.store.rows("oauth_connections").await, 0);
}

#[tokio::test]
async fn a_code_that_nobody_redeems_leaves_nothing() {
    let (clock, server, ada, claude) = at_nine().await;
    let code = claude.code(&ada, &ALL).await;
    clock.advance(Duration::seconds(60));
    let exchange = claude.exchange(&code, super::VERIFIER).send().await;
    assert_eq!(refusal(&exchange), "invalid_grant");
    clock.advance(Duration::minutes(10));
    server.oauth.drop_old_connections().await.unwrap();
    assert_eq!(server.store.rows("oauth_connections").await, 0);
}

#[tokio::test]
async fn an_answer_that_was_lost_is_asked_for_again_within_a_minute() {
    let (clock, server, ada, claude) = at_nine().await;
    let first = claude.connect(&ada, &ALL).await;
    let lost = claude.renew(&first.refresh).await;
    // By a process whose clock is behind, too.
    clock.advance(Duration::seconds(-1));
    assert!(!is_over(&server, &claude.renew(&first.refresh).await.access).await);
    clock.advance(Duration::seconds(60));
    let again = claude.renew(&first.refresh).await;
    assert!(!is_over(&server, &again.access).await);
    // Both have the tokens of the same generation, and whoever renews first goes on.
    let next = claude.renew(&again.refresh).await;
    clock.advance(Duration::seconds(60));
    claude.assert_renews_nothing(&lost.refresh).await;
    // It was used before, so somebody may have stolen it: all ends.
    assert!(is_over(&server, &next.access).await);
    claude.assert_renews_nothing(&next.refresh).await;
}

#[tokio::test]
async fn many_renewals_at_once_leave_one_connection_that_works() {
    let (server, _, claude, tokens) = connected().await;
    let renewals = join_all((0..16).map(|_| claude.renewal(&tokens.refresh))).await;
    for renewal in &renewals {
        let renewed = super::Tokens::of(renewal);
        assert!(!is_over(&server, &renewed.access).await);
    }
    assert_eq!(server.store.rows("oauth_connections").await, 1);
}

#[tokio::test]
async fn a_user_has_fifty_connections_and_the_oldest_goes() {
    let (clock, server, ada, claude) = at_nine().await;
    let first = claude.connect(&ada, &ALL).await;
    let mut last = first.clone();
    for _ in 0..50 {
        clock.advance(Duration::seconds(1));
        last = claude.connect(&ada, &ALL).await;
    }
    assert_eq!(server.store.rows("oauth_connections").await, 50);
    assert!(is_over(&server, &first.access).await);
    assert!(!is_over(&server, &last.access).await);
}

#[tokio::test]
async fn each_connection_has_a_limit_of_its_own() {
    let limited = super::setup().with(|config| config.mcp_oauth = true);
    let server = limited.rate_limit(2).start().await;
    let ada = Browser::of_ada(&server).await;
    let ben = Browser::of(&server, &user("ben")).await;
    let claude = Program::claude(&server).await;
    let of_ada = claude.connect(&ada, &ALL).await;
    let of_ben = claude.connect(&ben, &ALL).await;
    let list = async |token: &str| {
        let call = calling(&server, token, "list_facts", &json!({}));
        call.send().await.body.contains("\"isError\":true")
    };
    let mut refused = Vec::new();
    for _ in 0..3 {
        refused.push(list(&of_ada.access).await);
    }
    assert_eq!(refused, [false, false, true]);
    assert!(!list(&of_ben.access).await);
}

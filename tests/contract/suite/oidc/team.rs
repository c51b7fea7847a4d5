//! Joining a team by signing in at the provider.

use ctxmem_server::core::Role;
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::{DEVELOPER, assert_refused, both};
use crate::suite::support::{Developer, OidcProvider, RawResponse, Server, Text as _};

/// Where a page of an invitation leads.
fn to_join(token: &str) -> String {
    format!("/dashboard/join/oidc?token={token}")
}

/// An invitation to the team of a developer.
async fn invited(server: &Server, owner: &str) -> String {
    let owner = server.new_developer(owner).await;
    let secret = server.console.invite(&owner, "").await.unwrap();
    secret.expose_secret().to_owned()
}

/// Joins by this invitation.
async fn joins(provider: &OidcProvider, server: &Server, token: &str) -> RawResponse {
    let begun = server.get(&to_join(token)).send().await;
    let invitation = begun.cookie_pair("ctxmem_invitation");
    let attempt = provider.begin_sign_in(server, &to_join(token)).await;
    let cookies = format!("{}; {invitation}", attempt.cookie);
    attempt.returns_with(server, &cookies).await
}

/// The addresses in a team.
async fn members(server: &Server, owner: &str) -> Vec<String> {
    let team = server.console.team_of(owner).await.unwrap();
    let members = team.members.into_iter().map(|member| member.developer);
    members.map(|member| member.email).collect()
}

#[tokio::test]
async fn the_verified_address_becomes_that_of_the_member() {
    let (provider, server) = both().await;
    provider.changes(|claims| claims["name"] = "Ada Lovelace".into());
    let token = invited(&server, "owner@example.com").await;
    let path = format!("/dashboard/join?token={token}");
    let page = server.get(&path).send().await.body;
    assert!(page.contains(&to_join(&token)), "{page}");
    page.assert_lacks("password");
    let answer = joins(&provider, &server, &token).await;
    assert_eq!(answer.header("location"), Some("/dashboard"));
    assert_eq!(server.store.sessions_of("ada@example.com").await, 1);
    let team = server.console.team_of("owner@example.com").await.unwrap();
    let ada = &team.members[1].developer;
    assert_eq!(
        (ada.email.as_str(), ada.role),
        ("ada@example.com", Role::Member)
    );
    assert_eq!(ada.name.as_deref(), Some("Ada Lovelace"));
    // She signs in as others do from now on, and the invitation is used.
    let again = provider.sign_in(&server, DEVELOPER).await;
    assert_eq!(again.header("location"), Some("/dashboard"));
    let late = server.get(&to_join(&token)).send().await;
    assert_eq!(late.header("location"), Some(&*path));
}

#[tokio::test]
async fn nobody_joins_whose_address_is_unverified_or_taken() {
    let (provider, server) = both().await;
    let token = invited(&server, "owner@example.com").await;
    provider.changes(|claims| claims["email_verified"] = json!(false));
    let refused = joins(&provider, &server, &token).await;
    assert_refused(&refused, 403, &["ada", &token]);
    provider.changes(|_| {});
    server.add_developer("ada@example.com").await;
    let refused = joins(&provider, &server, &token).await;
    assert_refused(&refused, 403, &[&token]);
    refused.body.assert_has("You did not join the team");
    assert_eq!(server.store.sessions_of("ada@example.com").await, 0);
    assert_eq!(members(&server, "owner@example.com").await.len(), 1);
    let path = format!("/dashboard/join?token={token}");
    // The invitation can still be used.
    server.get(&path).gets(200).await;
}

#[tokio::test]
async fn nobody_joins_who_did_not_mean_to() {
    let (provider, server) = both().await;
    let token = invited(&server, "owner@example.com").await;
    let path = format!("/dashboard/join?token={token}");
    // A link elsewhere leads to the page, which says whose team it is.
    for site in ["cross-site", "same-site"] {
        let linked = server.get(&to_join(&token));
        let answer = linked.header("sec-fetch-site", site).send().await;
        assert_eq!(answer.header("location"), Some(&*path), "{site}");
        assert!(answer.cookie("ctxmem_invitation").is_none());
    }
    // A person who goes to the provider again, only to sign in, has given up joining.
    let begun = server.get(DEVELOPER).send().await;
    assert_eq!(begun.cookie_pair("ctxmem_invitation"), "ctxmem_invitation=");
    assert_refused(&provider.sign_in(&server, DEVELOPER).await, 403, &["ada"]);
    // No address is taken that nobody has verified.
    let typed = Developer::joining(&server, &token, "ada@example.com");
    let answer = typed.send().await;
    assert_eq!(answer.header("location"), Some(&*path));
    assert!(answer.cookie("ctxmem_developer").is_none());
    assert_eq!(members(&server, "owner@example.com").await.len(), 1);
}

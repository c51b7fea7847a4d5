//! The whole table of first calls: by mode, by what the user has to do with the agent's developer
//! and by what the user chose, for each call that could make a grant.

use chrono::Duration;
use ctxmem_client::UserId;
use ctxmem_server::core::Clock as _;
use ctxmem_server::core::FirstGrant::{self, Ask, Auto, Own};
use ctxmem_types::{GrantRequest, Scope, ScopeSet};

use super::{has_grant, in_mode, inject_asks, page_of, update_asks, waiting};
use crate::suite::support::{Agent, Server, TestClock, refused, user};

/// What the user had to do with agents before the first call of another one.
#[derive(Clone, Copy, Debug)]
enum Before {
    /// Nothing.
    Unknown,
    /// An agent of the same developer has access.
    SameDeveloper,
    /// An agent of another developer has access.
    OtherDeveloper,
    /// An agent of the same developer had access, which the user revoked.
    Revoked,
    /// The same, and it expired.
    Expired,
    /// An agent of the same developer has access to nothing.
    Nothing,
    /// The user wants to be asked.
    Asks,
    /// The user paused everything.
    Paused,
    /// The user erased everything.
    ErasedOwn,
    /// An agent of the same developer erased the user.
    ErasedByAgent,
    /// The user refused the agent.
    Refused,
}

/// What each mode does then: the agent gets access, or the user is asked.
const TABLE: &[(Before, [bool; 3])] = &[
    //                       auto   own    ask
    (Before::Unknown, [true, true, false]),
    (Before::SameDeveloper, [true, true, false]),
    (Before::OtherDeveloper, [true, false, false]),
    (Before::Revoked, [true, false, false]),
    (Before::Expired, [true, false, false]),
    (Before::Nothing, [true, false, false]),
    (Before::Asks, [false, false, false]),
    (Before::Paused, [false, false, false]),
    (Before::ErasedOwn, [false, false, false]),
    (Before::ErasedByAgent, [true, false, false]),
    (Before::Refused, [false, false, false]),
];

const CALLS: [&str; 3] = ["inject", "update", "grant"];

struct Agents {
    newcomer: Agent,
    /// Of the same developer.
    sibling: Agent,
    /// Of another developer.
    stranger: Agent,
}

async fn prepare(
    (server, clock): (&Server, &TestClock),
    agents: &Agents,
    user: &UserId,
    before: Before,
) {
    match before {
        Before::Unknown => {}
        Before::SameDeveloper => server.user_allows(user, &agents.sibling).await,
        Before::OtherDeveloper => server.user_allows(user, &agents.stranger).await,
        Before::Revoked => {
            server.user_allows(user, &agents.sibling).await;
            server.user_revokes(user, &agents.sibling).await;
        }
        Before::Expired => {
            let end = (clock.now() + Duration::minutes(1)).to_rfc3339();
            let sibling = &agents.sibling;
            server.user_allows_until(user, sibling, &end).await;
            clock.advance(Duration::minutes(2));
        }
        Before::Nothing => {
            let grant = server.user_grants(user, &agents.sibling, ScopeSet::EMPTY);
            grant.await;
        }
        Before::Asks => server.grants.ask_first(user, true).await.unwrap(),
        Before::Paused => server.grants.pause(user, true).await.unwrap(),
        Before::ErasedOwn => drop(server.memory.erase_own(user.clone()).await.unwrap()),
        Before::ErasedByAgent => {
            server.user_allows(user, &agents.sibling).await;
            let erased = agents.sibling.delete_context(user).await;
            assert!(erased.unwrap().deleted);
        }
        Before::Refused => {
            let id = &agents.newcomer.id;
            server.grants.refuse_agent(user, id).await.unwrap();
        }
    }
}

async fn check(mode: FirstGrant) {
    let (clock, server) = &in_mode(mode).start_at("2026-03-01T09:00:00Z").await;
    let agents = &agents(server).await;
    let column = [Auto, Own, Ask].iter().position(|it| *it == mode).unwrap();
    let agent = &agents.newcomer;
    for (before, expected) in TABLE {
        for call in CALLS {
            let cell = format!("{mode:?} {before:?} {call}");
            let ada = user(&format!("ada of {cell}"));
            prepare((server, clock), agents, &ada, *before).await;
            // Reading and deleting never begin anything.
            assert_eq!(
                refused(agent.context(&ada).await, 403),
                "No active grant between this agent and this user."
            );
            refused(agent.delete_context(&ada).await, 403);

            let asked = match call {
                "inject" => inject_asks(agent, &ada).await,
                "update" => update_asks(&agent.client, &ada).await,
                _ => {
                    let request = GrantRequest::new(ada.clone(), &agent.id, Scope::ALL);
                    let granted = agent.create_grant(&request).await;
                    granted
                        .err()
                        .and_then(|error| error.consent_url().map(Into::into))
                }
            };
            let is_refusal = matches!(before, Before::Refused);
            let expected = expected[column];
            let page = page_of(server, agent);
            assert_eq!(asked, (!expected && !is_refusal).then_some(page), "{cell}");
            let granted = has_grant(server, &ada, agent).await;
            assert_eq!(granted, expected || is_refusal, "{cell}");
            let reads = agent.context(&ada).await.is_ok();
            assert_eq!(reads, expected, "{cell}");
            // A request waits, unless the call was one for a grant: no agent hurries anybody.
            let waits = waiting(server, &ada).await;
            let waits: Vec<&str> = waits.iter().map(|it| &*it.agent_id).collect();
            let is_listed = !expected && !is_refusal && call != "grant";
            assert_eq!(waits.contains(&&*agent.id), is_listed, "{cell}");

            // What the user says counts in any case.
            if !expected && !matches!(before, Before::Paused) {
                server.user_allows(&ada, agent).await;
                assert_eq!(inject_asks(agent, &ada).await, None, "{cell}");
                assert!(agent.context(&ada).await.is_ok(), "{cell}");
                assert!(waiting(server, &ada).await.is_empty(), "{cell}");
            }
        }
    }
}

async fn agents(server: &Server) -> Agents {
    Agents {
        newcomer: server.agent_of("one@example.com", ScopeSet::ALL).await,
        sibling: server.agent_of("one@example.com", ScopeSet::ALL).await,
        stranger: server.agent_of("two@example.com", ScopeSet::ALL).await,
    }
}

#[tokio::test]
async fn every_first_call_is_answered_as_the_table_says_where_agents_are_let_in() {
    check(Auto).await;
}

#[tokio::test]
async fn every_first_call_is_answered_as_the_table_says_where_developers_are_known() {
    check(Own).await;
}

#[tokio::test]
async fn every_first_call_is_answered_as_the_table_says_where_users_are_asked() {
    check(Ask).await;
}

#[tokio::test]
async fn where_the_user_is_asked_a_key_narrows_what_it_has_and_renews_nothing() {
    let (server, agent, ada) = in_mode(Ask).start_with_ada().await;
    server.user_allows(&ada, &agent).await;
    let narrow = GrantRequest::new(ada.clone(), &agent.id, [Scope::Goals]);
    agent.create_grant(&narrow).await.unwrap();
    let wide = GrantRequest::new(ada.clone(), &agent.id, Scope::ALL);
    refused(agent.create_grant(&wide).await, 403);
}

#[tokio::test]
async fn a_test_user_of_the_playground_is_asked_nothing() {
    let (server, agent) = in_mode(Ask).start_with_agent().await;
    let all = server.console.agents().await.unwrap();
    let (own, _, _) = all.iter().find(|(it, ..)| it.id == agent.id).unwrap();
    let own = own.developer_id.as_str();
    let test = user(&format!("playground:{own}:ada"));
    assert_eq!(inject_asks(&agent, &test).await, None);
    // One of somebody else is.
    let other = user("playground:somebody:ada");
    assert!(inject_asks(&agent, &other).await.is_some());
    let longer = user(&format!("playground:{own}x:ada"));
    assert!(inject_asks(&agent, &longer).await.is_some());
}

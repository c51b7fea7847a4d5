//! Teams: who gets in, what members share, and what ends when somebody is removed.

use std::sync::Arc;

use chrono::Duration;
use ctxmem_server::core::{
    AgentProfile, Developer as Known, Error, Joining, Manager, MemberRef, Role,
};
use ctxmem_server::store::{Db, StoreError};
use ctxmem_types::ScopeSet;
use futures_util::future::join_all;
use secrecy::ExposeSecret as _;
use tokio::sync::Notify;

use super::{ABSENT, is_in};
use crate::suite::support::{
    Developer, HELLO, PASSWORD, RawResponse, Server, Setup, Text as _, count, shown_key, user,
};

const TEAM: &str = "/dashboard/team";
const ANN: &str = "ann@example.com";
const BOB: &str = "bob@example.com";
const NOT_VALID: &str = "This invitation doesn’t work";

async fn opens(server: &Server, token: &str) -> RawResponse {
    let path = format!("/dashboard/join?token={token}");
    server.get(&path).send().await
}

async fn joins(server: &Server, token: &str, email: &str) -> RawResponse {
    let joining = Developer::joining(server, token, email);
    joining.header("accept", "text/html").send().await
}

/// A server, the owner of a team and a member of it.
async fn ann_and_bob() -> (Server, Developer, Developer) {
    let (server, ann) = Developer::start().await;
    let bob = ann.takes_in(BOB).await;
    (server, ann, bob)
}

/// The page that an owner gets who removes a member.
async fn removes(owner: &Developer, member: &Developer) -> String {
    let fields = [("member_id", &*member.member)];
    owner.submit("/dashboard/team/remove", &fields).await
}

/// The page that an owner gets who hands the team over to a member.
async fn hands_over(owner: &Developer, member: &Developer) -> String {
    let fields = [("member_id", &*member.member)];
    owner.submit("/dashboard/team/hand-over", &fields).await
}

/// The addresses of a team with what each is in it.
async fn members(of: &Developer) -> Vec<(String, Role)> {
    let team = of.server.console.team_of(&of.email).await.unwrap();
    let members = team.members.into_iter().map(|member| member.developer);
    members.map(|it| (it.email, it.role)).collect()
}

/// The address that users see of an agent's developer.
async fn shown_to_users(server: &Server, agent: &str) -> String {
    let shown = server.grants.asking_agent(&user("ada"), agent).await;
    shown.unwrap().developer
}

/// A member, by the owner of their team.
fn by_id(id: &str, owner: &Known) -> MemberRef {
    MemberRef::Id(id.to_owned(), owner.clone())
}

/// A member, by the operator.
fn by_email(email: &str) -> MemberRef {
    MemberRef::Email(email.to_owned())
}

fn owned(email: &str) -> (String, Role) {
    (email.to_owned(), Role::Owner)
}

fn member(email: &str) -> (String, Role) {
    (email.to_owned(), Role::Member)
}

#[tokio::test]
async fn members_share_everything_but_how_they_sign_in() {
    let (server, ann, bob) = ann_and_bob().await;
    let (agent, _) = ann.creates("Helper", &["goals"]).await;
    assert_ne!(bob.member, ann.member);
    assert!(bob.get("/dashboard").await.contains("Helper"));
    // What one makes, the other sees and ends.
    let fields = [("agent_id", &*agent), ("name", "Bobs"), ("scope", "goals")];
    let made = bob.post("/dashboard/keys", &fields).await;
    let key = shown_key(&bob.shown_once(&made).await.body).to_owned();
    assert!(ann.agent_page(&agent).await.contains("Bobs"));
    let (other, _) = bob.creates("Quokka", &["goals"]).await;
    assert!(ann.agent_page(&other).await.contains("Quokka"));
    let path = format!("/dashboard/requests?agent={agent}");
    assert!(bob.get(&path).await.contains("Helper"));
    let usage = bob.get("/dashboard/usage.csv").await;
    assert_eq!(usage, ann.get("/dashboard/usage.csv").await);
    // The playground has one history and one set of test users.
    let keys = server.grants.keys().await.unwrap();
    let key_id = keys
        .iter()
        .find(|row| key.starts_with(&row.prefix))
        .unwrap();
    let call = [
        ("key_id", &*key_id.id),
        ("user", "test"),
        ("action", "inject"),
        ("base_prompt", "Be a quokka."),
    ];
    bob.form("/dashboard/playground", &call).gets(200).await;
    let page = ann.get("/dashboard/playground").await;
    page.assert_has("Be a quokka.");
    // Each has a password, a session and a second factor of their own.
    ann.post("/dashboard/settings/code", &[]).await;
    let begun = "add the key <code>";
    assert!(ann.get("/dashboard/settings").await.contains(begun));
    assert!(!bob.get("/dashboard/settings").await.contains(begun));
    let new = "another horse battery";
    let changed = [("current", PASSWORD), ("new", new), ("repeated", new)];
    let form = bob.form("/dashboard/settings/password", &changed);
    form.gets(303).await;
    assert!(!is_in(&server, &bob.cookie).await);
    assert!(is_in(&server, &ann.cookie).await);
    for (email, password, expected) in [
        (ANN, PASSWORD, 303),
        (BOB, PASSWORD, 401),
        ("Bob@example.com", new, 303),
    ] {
        let tried = Developer::tries(&server, email, password);
        tried.gets(expected).await;
    }
    // The log says who it was.
    let audited = server.store.audited(&agent).await;
    for (deed, by) in [("create_key", &bob), ("create_agent", &ann)] {
        let told = format!("{deed} developer {}", by.member);
        assert!(audited.contains(&told), "{told}: {audited:?}");
    }
}

#[tokio::test]
async fn an_invitation_lets_one_person_in() {
    let (server, ann) = Developer::start().await;
    let token = ann.invites().await;
    assert!(!ann.get(TEAM).await.contains(&token), "it is shown once");
    for _ in 0..2 {
        let page = opens(&server, &token).await;
        assert_eq!(page.status, 200, "opening it does not use it up");
        page.body.assert_has(ANN);
    }
    // Signing in ends any other session of the browser.
    let carol = Developer::new(&server, "carol@example.com").await;
    let joining = Developer::joining(&server, &token, " Bob@Example.com ");
    let joined = joining.cookie(&carol.cookie).send().await;
    assert_eq!(joined.header("location"), Some("/dashboard"));
    assert!(!is_in(&server, &carol.cookie).await);
    assert!(is_in(&server, &joined.session_cookie()).await);
    for _ in 0..2 {
        let late = joins(&server, &token, "dave@example.com").await;
        assert_eq!(late.status, 410);
        assert!(late.body.contains(NOT_VALID) && late.header("set-cookie").is_none());
    }
    assert_eq!(opens(&server, &token).await.status, 410);
    let both = [owned(ANN), member(BOB)];
    assert_eq!(members(&ann).await, both);
    let page = ann.get(TEAM).await;
    assert!(page.contains(BOB) && page.contains("A new member"));
}

#[tokio::test]
async fn an_invitation_ends_after_seven_days_or_when_it_is_withdrawn() {
    let (clock, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let ann = Developer::new(&server, ANN).await;
    let eve = Developer::new(&server, "eve@example.com").await;
    let (first, second) = (ann.invites().await, ann.invites().await);
    let open = ann.open_invitations().await;
    let fields = [("invitation_id", &*open[0].id)];
    // Not by another team.
    let withdraw = "/dashboard/team/withdraw";
    eve.form(withdraw, &fields).gets_error(404).await;
    let page = ann.submit(withdraw, &fields).await;
    page.assert_has("The invitation is withdrawn.");
    ann.form(withdraw, &fields).gets_error(404).await;
    clock.advance(Duration::days(7) - Duration::milliseconds(1));
    let mut left = 0;
    for token in [&first, &second] {
        left += u16::from(opens(&server, token).await.status == 200);
    }
    assert_eq!(left, 1, "one is withdrawn");
    clock.advance(Duration::milliseconds(1));
    for token in [&first, &second] {
        assert_eq!(opens(&server, token).await.status, 410);
        let late = joins(&server, token, BOB).await;
        assert_eq!(late.status, 410);
    }
    assert_eq!(members(&ann).await, [owned(ANN)]);
    assert_eq!(server.store.rows("team_invitations").await, 1);
    server.sign_in.drop_old_sessions().await.unwrap();
    assert_eq!(server.store.rows("team_invitations").await, 0);
}

#[tokio::test]
async fn what_is_wrong_is_said_at_the_field_and_the_invitation_stays() {
    let (server, ann) = Developer::start().await;
    Developer::new(&server, "eve@example.com").await;
    let token = ann.invites().await;
    let right = [
        ("token", &*token),
        ("name", "Bob"),
        ("email", BOB),
        ("password", PASSWORD),
        ("repeated", PASSWORD),
    ];
    for (field, value, problem) in [
        ("name", " ", "Enter 1 to 100 characters of plain text"),
        ("name", "a\u{7}b", "Enter 1 to 100 characters of plain text"),
        ("email", "bob", "Enter an address such as"),
        (
            "email",
            "Eve@example.com",
            "This one has an account already",
        ),
        ("password", "short", "Enter the same password again"),
    ] {
        let fields = right.map(|(name, typed)| (name, if name == field { value } else { typed }));
        let form = server.raw("POST", "/dashboard/join").form(&fields);
        let page = form.header("accept", "text/html").gets(400).await;
        let body = &page.body;
        let (at, kept) = match field {
            "password" => ("repeated", "value=\"Bob\""),
            "name" => (field, BOB),
            _ => (field, "value=\"Bob\""),
        };
        body.assert_has_all([&*format!("id=\"again-{at}-wrong\""), problem, kept]);
        assert!(!body.contains(PASSWORD) && page.header("set-cookie").is_none());
        let form = server.raw("POST", "/dashboard/join").form(&fields);
        form.gets_error(400).await;
    }
    let short = right.map(|(name, typed)| (name, if typed == PASSWORD { "short" } else { typed }));
    let form = server.raw("POST", "/dashboard/join").form(&short);
    let text = form.send().await.assert_error(400);
    assert_eq!(text, "password: expected at least 10 characters");
    assert_eq!(joins(&server, &token, BOB).await.status, 303);
    // The owner's form.
    let long = "a".repeat(101);
    let fields = [("label", &*long)];
    let page = ann.post_for_page("/dashboard/team/invite", &fields).await;
    assert_eq!(page.status, 400);
    assert!(page.body.contains("id=\"again-label-wrong\"") && page.body.contains(&long));
}

#[tokio::test]
async fn an_address_with_what_nobody_sees_is_refused() {
    let (server, ann) = Developer::start().await;
    let token = ann.invites().await;
    for hidden in ["\u{200B}", "\u{202E}", "\u{2800}", "\u{E0041}", "\u{1D173}"] {
        let email = format!("bob@exa{hidden}mple.com");
        let refused = joins(&server, &token, &email).await;
        assert_eq!(refused.status, 400, "{email:?}");
        let said = "without spaces or invisible characters";
        assert!(refused.body.contains(said), "{}", refused.body);
        let created = server.console.create_developer(&email).await.unwrap_err();
        let said = "without spaces or characters that print nothing";
        assert!(created.to_string().contains(said), "{created}");
    }
    assert_eq!(joins(&server, &token, BOB).await.status, 303);
}

#[tokio::test]
async fn without_an_invitation_nobody_learns_who_has_an_account() {
    let (server, ann) = Developer::start().await;
    let used = ann.invites().await;
    joins(&server, &used, BOB).await;
    let mut looks = Vec::new();
    for token in [&*used, "made-up", ""] {
        for email in [ANN, "nobody@example.com", "no address"] {
            let answer = joins(&server, token, email).await;
            assert_eq!(answer.status, 410);
            looks.push(answer.body);
        }
    }
    looks.dedup();
    assert_eq!(looks.len(), 1);
}

#[tokio::test]
async fn who_is_removed_can_do_nothing_from_that_moment_on() {
    let (server, ann, bob) = ann_and_bob().await;
    let (agent, key) = bob.creates("Helper", &["goals"]).await;
    let elsewhere = Developer::tries(&server, &bob.email, PASSWORD);
    let elsewhere = elsewhere.send().await.session_cookie();
    // A key is remembered as good, and so would be whatever else is.
    let injects = async || {
        let sent = serde_json::json!({"userId": "ada", "basePrompt": "Hi."});
        let request = server.raw("POST", "/api/context/inject").key(&key);
        request.json(&sent).send().await.status
    };
    assert_eq!(injects().await, 200);
    let stale = bob.known().await;
    let key_id = server.grants.keys().await.unwrap()[0].id.clone();
    let page = removes(&ann, &bob).await;
    page.assert_has("The member is removed");
    assert!(page.contains("keep working"), "it says that keys stay");
    for cookie in [&bob.cookie, &elsewhere] {
        assert!(!is_in(&server, cookie).await);
    }
    let fields = [("agent_id", &*agent), ("scope", "goals")];
    bob.form("/dashboard/keys", &fields).gets_error(401).await;
    Developer::tries(&server, BOB, PASSWORD).gets(401).await;
    assert_eq!(server.store.developer_sessions(&bob.member).await, 0);
    // A form whose head came before the removal, and its body afterwards.
    assert_refused(&server, &stale, &agent, &key_id).await;
    // What belongs to the team stays.
    assert_eq!(injects().await, 200);
    assert!(ann.agent_page(&agent).await.contains("Helper"));
    assert_eq!(members(&ann).await, [owned(ANN)]);
    assert_ne!(ann.takes_in(BOB).await.member, bob.member);
    assert!(!is_in(&server, &bob.cookie).await);
}

/// Everything that is refused to somebody who was removed while they sent it.
async fn assert_refused(server: &Server, stale: &Known, agent: &str, key_id: &str) {
    let (console, grants) = (&server.console, &server.grants);
    let me = || Manager::Developer(stale.clone());
    let (agent_id, key) = (agent.to_owned(), key_id.to_owned());
    let (all, day, nobody) = (ScopeSet::ALL, Duration::days(1), || by_id(ABSENT, stale));
    let profile = AgentProfile::default();
    let refused = [
        console.create_agent_of(stale, "Mine", all).await.err(),
        console.rename_agent(&me(), agent, "Mine").await.err(),
        console.delete_agent(&me(), agent, "Helper").await.err(),
        console.set_agent_profile(me(), agent, profile).await.err(),
        grants.create_key(me(), agent_id, all).await.err(),
        grants.rotate_key(me(), key.clone(), day).await.err(),
        grants.revoke_key(me(), key).await.err(),
        console.playground_key(stale, key_id).await.err(),
        console.erase_test_user(stale, "test").await.err(),
        console.begin_second_factor(&stale.member).await.err(),
        console.invite(stale, "").await.err(),
        console.withdraw_invitation(stale, ABSENT).await.err(),
        console.remove_member(nobody()).await.err(),
        console.hand_over_team(nobody()).await.err(),
        console.leave_team(stale).await.err(),
    ];
    for (number, error) in refused.into_iter().enumerate() {
        assert!(
            matches!(error, Some(Error::NotSignedIn)),
            "{number}: {error:?}"
        );
    }
}

#[tokio::test]
async fn a_code_typed_after_the_removal_opens_nothing() {
    let (clock, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let ann = Developer::new(&server, ANN).await;
    let bob = ann.takes_in(BOB).await;
    let app = bob.begins_second_factor().await;
    let fields = [("code", &*app.code(&clock)), ("password", PASSWORD)];
    bob.post("/dashboard/settings/code/confirm", &fields).await;
    let page = ann.get(TEAM).await;
    assert_eq!(page.matches("second factor on").count(), 1, "{page}");
    assert_eq!(page.matches("second factor off").count(), 1, "{page}");
    clock.advance(Duration::seconds(30));
    let kept = Developer::tries(&server, &bob.email, PASSWORD).send().await;
    let kept = kept.cookie_pair("ctxmem_step");
    removes(&ann, &bob).await;
    let form = server.raw("POST", "/dashboard/sign-in/code").cookie(&kept);
    let answer = form.form(&[("code", &app.code(&clock))]).gets(303).await;
    assert!(answer.cookie("ctxmem_developer").is_none());
    // Nor is anything left for whoever joins with the address later.
    let page = ann.takes_in(BOB).await.get("/dashboard/settings").await;
    page.assert_has("Set up a second factor");
}

#[tokio::test]
async fn a_member_does_not_decide_about_members() {
    let (server, ann, bob) = ann_and_bob().await;
    let carol = ann.takes_in("carol@example.com").await;
    ann.invites().await;
    let invitation = ann.open_invitations().await[0].id.clone();
    let before = members(&ann).await;
    for (path, field, id) in [
        ("/dashboard/team/invite", "label", ""),
        ("/dashboard/team/withdraw", "invitation_id", &*invitation),
        ("/dashboard/team/remove", "member_id", &*carol.member),
        ("/dashboard/team/remove", "member_id", &*ann.member),
        ("/dashboard/team/remove", "member_id", &*bob.member),
        ("/dashboard/team/hand-over", "member_id", &*bob.member),
    ] {
        let text = bob.form(path, &[(field, id)]).gets_error(403).await;
        assert_eq!(text, "Only the owner of the team can do this.", "{path}");
    }
    assert_eq!(members(&ann).await, before);
    let page = bob.get(TEAM).await;
    for form in ["invite", "withdraw", "remove", "hand-over"] {
        let action = format!("/dashboard/team/{form}\"");
        assert!(!page.contains(&action), "{form} is no button of a member");
        assert!(ann.get(TEAM).await.contains(&action), "{form}");
    }
    assert_eq!(opens(&server, &ann.invites().await).await.status, 200);
}

#[tokio::test]
async fn the_owner_stays_until_the_team_is_handed_over() {
    let (server, ann, bob) = ann_and_bob().await;
    let (agent, _) = ann.creates("Helper", &["goals"]).await;
    for (path, fields) in [
        ("/dashboard/team/leave", &[][..]),
        ("/dashboard/team/remove", &[("member_id", &*ann.member)]),
    ] {
        ann.form(path, fields).gets_error(409).await;
        let page = ann.post_for_page(path, fields).await;
        assert_eq!(page.status, 409, "{path}");
        let said = "Hand the team over to somebody first.";
        page.body.assert_has(said);
    }
    let page = hands_over(&ann, &bob).await;
    page.assert_has("The team has a new owner.");
    let both = [member(ANN), owned(BOB)];
    assert_eq!(members(&bob).await, both);
    let refused = ann.post("/dashboard/team/invite", &[]).await;
    refused.assert_error(403);
    // The person with whom the account began leaves. The account, its agents and the address that
    // users see stay; the address to sign in with is free.
    ann.form("/dashboard/team/leave", &[]).gets(303).await;
    assert!(!is_in(&server, &ann.cookie).await);
    Developer::tries(&server, ANN, PASSWORD).gets(401).await;
    assert_eq!(members(&bob).await, [owned(BOB)]);
    bob.agent_page(&agent).await.assert_has("Helper");
    assert_eq!(shown_to_users(&server, &agent).await, ANN);
    let console = &server.console;
    let made = console.create_agent("Operators".into(), None, ScopeSet::ALL);
    assert_eq!(made.await.unwrap().developer, BOB);
    let anew = Developer::new(&server, ANN).await;
    assert!(!anew.get("/dashboard").await.contains("Helper"));
    assert_eq!(members(&anew).await, [owned(ANN)]);
    // An id is no address.
    for id in [&*ann.id, &*bob.member] {
        assert!(console.reset_second_factor(id).await.is_err());
        let session = console.open_developer_session(id, None).await.unwrap();
        assert!(session.is_none());
    }
}

#[tokio::test]
async fn another_team_is_neither_seen_nor_touched() {
    let (server, ann, bob) = ann_and_bob().await;
    let eve = Developer::new(&server, "eve@example.com").await;
    let page = eve.get(TEAM).await;
    page.assert_lacks_all(["ann@", "bob@", &ann.member, &bob.member]);
    for path in ["/dashboard/team/remove", "/dashboard/team/hand-over"] {
        let mut texts = Vec::new();
        for id in [&*bob.member, &*ann.member, ABSENT, ""] {
            texts.push(eve.post(path, &[("member_id", id)]).await.assert_error(404));
        }
        texts.dedup();
        assert_eq!(texts.len(), 1, "{path}");
    }
    let both = [owned(ANN), member(BOB)];
    assert_eq!(members(&ann).await, both);
    assert!(is_in(&server, &bob.cookie).await);
    // What one team invites to, the other does not join.
    let refused = joins(&server, &ann.invites().await, "eve@example.com").await;
    assert_eq!(refused.status, 400);
}

#[tokio::test]
async fn a_team_has_a_bounded_number_of_members_and_invitations() {
    let (server, ann) = Developer::start().await;
    let known = ann.known().await;
    let console = &server.console;
    for _ in 0..49 {
        console.invite(&known, "").await.unwrap();
    }
    let full = ann.post("/dashboard/team/invite", &[]).await;
    let text = full.assert_error(409);
    text.assert_has("at most 50 members and open invitations");
    let open = console.team(&known).await.unwrap().invitations;
    assert_eq!(open.len(), 49);
    let withdrawn = console.withdraw_invitation(&known, &open[0].id);
    withdrawn.await.unwrap();
    // Of several who take the last place at once, one does.
    let made = join_all((0..8).map(|_| console.invite(&known, ""))).await;
    assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 1);
}

#[tokio::test]
async fn of_many_who_use_an_invitation_at_once_one_gets_in() {
    let (server, ann) = Developer::start().await;
    let known = ann.known().await;
    for round in 0..count(20, 200) {
        let invitation = server.console.invite(&known, "").await.unwrap();
        let joining = (0..4).map(async |n| {
            let email = format!("racer-{round}-{n}@example.com");
            server.join_team(&invitation, &email).await.unwrap()
        });
        let joined: Vec<_> = join_all(joining).await.into_iter().flatten().collect();
        assert_eq!(joined.len(), 1, "round {round}");
        let team = server.console.team(&known).await.unwrap();
        assert_eq!((team.members.len(), team.invitations.len()), (2, 0));
        let racer = server.developer_in(&joined[0]).await;
        server.console.leave_team(&racer).await.unwrap();
    }
}

#[tokio::test]
async fn of_two_invitations_for_one_address_one_is_used() {
    let (server, ann) = Developer::start().await;
    let eve = Developer::new(&server, "eve@example.com").await;
    let console = &server.console;
    let (ann, eve) = (ann.known().await, eve.known().await);
    for round in 0..count(20, 200) {
        let email = format!("bob-{round}@example.com");
        let first = console.invite(&ann, "").await.unwrap();
        let second = console.invite(&eve, "").await.unwrap();
        let (first, second) = tokio::join!(
            server.join_team(&first, &email),
            server.join_team(&second, &email)
        );
        let joined = [first, second].map(|joined| match joined {
            Ok(session) => session,
            Err(Error::BadRequest(_)) => None,
            Err(error) => panic!("{error}"),
        });
        let sessions: Vec<_> = joined.into_iter().flatten().collect();
        assert_eq!(sessions.len(), 1, "round {round}");
        let bob = server.developer_in(&sessions[0]).await;
        console.leave_team(&bob).await.unwrap();
        for team in [&ann, &eve] {
            for open in console.team(team).await.unwrap().invitations {
                console.withdraw_invitation(team, &open.id).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_team_has_one_owner_whatever_happens_at_once() {
    let (server, ann) = Developer::start().await;
    let mut owner = ann.known().await;
    for round in 0..count(20, 200) {
        let invitation = server.console.invite(&owner, "").await.unwrap();
        let email = format!("bob-{round}@example.com");
        let session = server.join_team(&invitation, &email).await.unwrap();
        let session = session.unwrap();
        let bob = server.developer_in(&session).await;
        let id = bob.member.as_str();
        let (handed, removed, left) = tokio::join!(
            server.console.hand_over_team(by_id(id, &owner)),
            server.console.remove_member(by_id(id, &owner)),
            server.console.leave_team(&bob),
        );
        let team = server.console.team(&owner).await.unwrap().members;
        let owners = team
            .iter()
            .filter(|member| member.developer.role == Role::Owner);
        let owners: Vec<_> = owners.map(|member| member.developer.clone()).collect();
        assert_eq!(owners.len(), 1, "round {round}");
        let is_gone = removed.is_ok() || left.is_ok();
        assert_ne!(handed.is_ok(), is_gone, "round {round}");
        let session = session.expose_secret();
        let signed_in = server.console.signed_in_developer(session).await;
        assert_ne!(signed_in.is_ok(), is_gone, "round {round}");
        owner = owners.into_iter().next().unwrap();
        for other in team.iter().map(|member| &member.developer.member) {
            if *other != owner.member {
                let whom = by_id(other.as_str(), &owner);
                server.console.remove_member(whom).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn an_operator_repairs_a_team() {
    let (server, ann, bob) = ann_and_bob().await;
    let (agent, _) = ann.creates("Helper", &["goals"]).await;
    server.set_password(BOB, "another horse battery").await;
    let console = &server.console;
    assert!(!is_in(&server, &bob.cookie).await);
    assert!(is_in(&server, &ann.cookie).await);
    let refused = console.remove_member(by_email(ANN)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))));
    let made = console.hand_over_team(by_email(" Bob@example.com")).await;
    assert_eq!(made.unwrap().email, BOB);
    // Nobody but an operator vouches for an address.
    assert_eq!(shown_to_users(&server, &agent).await, BOB);
    let gone = console.remove_member(by_email(ANN)).await;
    assert_eq!(gone.unwrap().member.as_str(), ann.member);
    assert!(!is_in(&server, &ann.cookie).await);
    for unknown in ["nobody@example.com", ANN] {
        let refused = console.remove_member(by_email(unknown)).await;
        assert!(matches!(refused, Err(Error::NotFound(_))), "{unknown}");
        assert!(console.team_of(unknown).await.is_err());
    }
    let team = server.console.team_of(BOB).await.unwrap();
    assert_eq!(team.contact, BOB);
    let facts = server.agent_of(BOB, ScopeSet::ALL).await;
    facts.tells(&user("ada"), HELLO).await;
}

/// A server of the version before shows a member a dashboard of their own.
#[tokio::test]
async fn what_an_older_server_let_a_member_create_is_the_teams_once_they_go() {
    let (server, ann, bob) = ann_and_bob().await;
    server.store.add_agent("stray", &bob.member).await;
    assert!(!ann.get("/dashboard").await.contains("stray"));
    removes(&ann, &bob).await;
    assert!(ann.get("/dashboard").await.contains("stray"));
}

#[tokio::test]
async fn whoever_removes_a_member_waits_for_what_the_member_has_begun() {
    let (server, ann, bob) = ann_and_bob().await;
    let (known, owner) = (bob.known().await, ann.known().await);
    let db = Db::open(&server.store.url()).await.unwrap();
    let (begun, end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let unit = {
        let (begun, end) = (Arc::clone(&begun), Arc::clone(&end));
        tokio::spawn(async move {
            let done: Result<(), StoreError> = db
                .write(move |tx| {
                    let (known, begun, end) = (known.clone(), Arc::clone(&begun), Arc::clone(&end));
                    Box::pin(async move {
                        assert!(tx.lock_member(&known.id, &known.member).await?.is_some());
                        begun.notify_one();
                        end.notified().await;
                        Ok(())
                    })
                })
                .await;
            done.unwrap();
            db.close().await;
        })
    };
    begun.notified().await;
    let (there, whom) = (server.clone(), by_id(&bob.member, &owner));
    let removal = tokio::spawn(async move { there.console.remove_member(whom).await });
    // However long it takes to begin, it does not end before.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!removal.is_finished());
    end.notify_one();
    unit.await.unwrap();
    removal.await.unwrap().unwrap();
    assert_eq!(members(&ann).await, [owned(ANN)]);
}

#[tokio::test]
async fn the_log_says_who_changed_the_team() {
    let (server, ann) = Developer::start().await;
    let console = &server.console;
    let token = ann.invites().await;
    let open = ann.open_invitations().await;
    let known = ann.known().await;
    let withdrawn = console.withdraw_invitation(&known, &open[0].id);
    withdrawn.await.unwrap();
    assert_eq!(opens(&server, &token).await.status, 410);
    let bob = ann.takes_in(BOB).await;
    let carol = ann.takes_in("carol@example.com").await;
    console.leave_team(&carol.known().await).await.unwrap();
    hands_over(&ann, &bob).await;
    let whom = by_id(&ann.member, &bob.known().await);
    console.remove_member(whom).await.unwrap();
    let rows = server.store.audit_rows().await;
    // Its last columns are action, actor, agent, developer, scopes, outcome, facts and times.
    let told = rows.iter().filter_map(|row| {
        let columns: Vec<&str> = row.rsplit(' ').collect();
        let (action, actor, developer) = (columns[7], columns[6], columns[4]);
        (!action.starts_with("sign_in")).then_some((action, actor, developer))
    });
    let (ann, bob, carol) = (&*ann.member, &*bob.member, &*carol.member);
    let expected = [
        ("invite", "developer", ann),
        ("withdraw_invitation", "developer", ann),
        ("invite", "developer", ann),
        ("join_team", "developer", bob),
        ("invite", "developer", ann),
        ("join_team", "developer", carol),
        ("leave_team", "developer", carol),
        ("hand_over", "developer", ann),
        ("remove_member", "developer", bob),
    ];
    let mut told: Vec<_> = told.collect();
    told.retain(|(action, ..)| expected.iter().any(|(name, ..)| name == action));
    assert_eq!(told, expected, "{rows:?}");
}

#[tokio::test]
async fn a_founder_who_has_left_is_nobody_any_longer() {
    let (server, ann, bob) = ann_and_bob().await;
    hands_over(&ann, &bob).await;
    let (stale, console) = (ann.known().await, &server.console);
    console.leave_team(&stale).await.unwrap();
    // The row stays as the team's account, and is no member.
    let made = console.create_agent_of(&stale, "Mine", ScopeSet::ALL).await;
    assert!(matches!(made, Err(Error::NotSignedIn)));
    let owner = bob.known().await;
    let handed = console.hand_over_team(by_id(&ann.member, &owner)).await;
    assert!(matches!(handed, Err(Error::NotFound(_))));
    assert_eq!(members(&bob).await, [owned(BOB)]);
}

#[tokio::test]
async fn letters_that_only_look_alike_are_another_address() {
    let (server, ann) = Developer::start().await;
    Developer::new(&server, "kim@example.com").await;
    let (known, console) = (ann.known().await, &server.console);
    // The sign of the unit kelvin, whose small letter is the k of everybody.
    for (verified_as, stored) in [
        ("\u{212a}im@example.com", "\u{212a}im@example.com"),
        ("BOB@example.com", BOB),
    ] {
        let secret = console.invite(&known, "").await.unwrap();
        let joined = server.join_team(&secret, verified_as).await.unwrap();
        assert!(joined.is_some());
        assert!(members(&ann).await.contains(&member(stored)), "{stored}");
    }
}

#[tokio::test]
async fn who_has_no_invitation_has_no_password_hashed_and_hears_nothing() {
    let server = Server::start().await;
    let joining = Joining::Password {
        name: String::new(),
        email: "no address".to_owned(),
        password: "short".into(),
        origin: server
            .sign_in
            .sign_in_origin("no address", None, [127, 0, 0, 1].into()),
    };
    let answer = server.console.join_team("made-up", joining, None).await;
    assert!(matches!(answer, Ok(None)));
}

#[tokio::test]
async fn an_invitation_is_neither_compressed_nor_used_by_another_site() {
    let (server, ann) = Developer::start().await;
    let page = ann.request("GET", TEAM).header("accept-encoding", "gzip");
    assert_eq!(page.send().await.header("content-encoding"), None);
    let token = ann.invites().await;
    let forged = Developer::joining(&server, &token, BOB);
    let forged = forged.header("sec-fetch-site", "cross-site").send().await;
    assert_eq!(forged.status, 403);
    assert_eq!(members(&ann).await, [owned(ANN)]);
}

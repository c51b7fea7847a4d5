//! Access on the page: its end, what became of it, agents that are gone.

use chrono::Duration;
use ctxmem_types::{GrantRequest, Scope, ScopeSet};

use ctxmem_client::InjectReason;
use ctxmem_server::core::Clock as _;

use super::browser::Browser;
use super::{reason, ticked};
use crate::suite::support::{
    Agent, HELLO, Server, Setup, TestClock, Text as _, hidden, refused, user,
};

#[tokio::test]
async fn an_end_is_set_kept_and_cleared() {
    let (clock, server) = Setup::new().start_at("2026-03-01T09:00:00Z").await;
    let agent = server.agent().await;
    let browser = Browser::of_ada(&server).await;
    agent.prompt(&browser.user).await;
    let end = async || {
        let grants = server.grants_of(&browser.user).await;
        grants[0].0.expires_text.clone()
    };
    let of_agent = ("agent_id", &*agent.id);
    let scope = ("scope", "goals");
    let until = ("expires_at_local", "2026-03-02T10:30");
    let page = browser
        .submit("/account/allow", &[of_agent, scope, until])
        .await;
    assert_eq!(end().await.as_deref(), Some("2026-03-02T10:30:00.000Z"));
    page.assert_has("until <time datetime=\"2026-03-02T10:30:00.000Z\">2 March 2026, 10:30 UTC");
    page.assert_has(r#"name="expires_at_local" value="2026-03-02T10:30""#);
    page.assert_has("Access was changed.");

    // What an agent asked for to the millisecond stays so while the field is not changed.
    let exact = "2026-03-02T11:30:15.678+01:00";
    let ada = &browser.user;
    server.user_allows_until(ada, &agent, exact).await;
    let page = browser.apps().await;
    assert_eq!(
        hidden(&page, "expires_at"),
        "2026-03-02T11:30:15.678&#43;01:00".replace("&#43;", "+")
    );
    let unchanged = [
        of_agent,
        ("scope", "general"),
        ("expires_at", exact),
        ("expires_at_local", "2026-03-02T10:30:15"),
    ];
    browser.submit("/account/allow", &unchanged).await;
    assert_eq!(end().await.as_deref(), Some(exact));
    let cleared = [
        of_agent,
        scope,
        ("expires_at", exact),
        ("expires_at_local", ""),
    ];
    browser.submit("/account/allow", &cleared).await;
    assert_eq!(end().await, None);

    for wrong in ["tomorrow", "2026-02-30T10:00", "2026-03-01T08:59"] {
        let fields = [of_agent, scope, ("expires_at_local", wrong)];
        let answer = browser.post("/account/allow", &fields).await;
        answer.assert_bad_request("expires");
        answer.body.assert_lacks(wrong);
    }
    assert_eq!(end().await, None);

    browser
        .submit("/account/allow", &[of_agent, scope, until])
        .await;
    clock.advance(Duration::days(2));
    // The session went with the time.
    let browser = Browser::of_ada(&server).await;
    let page = browser.apps().await;
    assert!(page.contains("<strong>expired") && page.contains("Allow again"));
    // An end in the past is not asked for again.
    page.assert_lacks(r#"name="expires_at""#);
    let again = [of_agent, scope, ("expires_at_local", "")];
    let page = browser.submit("/account/allow", &again).await;
    page.assert_has("<strong>has access");
}

#[tokio::test]
async fn a_page_says_when_access_was_used_and_whose_agent_is_gone() {
    let server = Server::start().await;
    let agent = server.agent_named("Agent of Ada").await;
    let ada = user("ada");
    server.user_grants(&ada, &agent, Scope::Goals).await;
    let browser = Browser::of(&server, &ada).await;
    let page = browser.apps().await;
    page.assert_has("no use recorded yet");
    page.assert_has("One app can use");
    assert_eq!(ticked(&page), Scope::Goals.into());
    server.store.mark_used(&agent, 1_772_355_600_000).await;
    let page = browser.apps().await;
    page.assert_has("last used <time datetime=\"2026-03-01T09:00:00.000Z\">");
    server.store.mark_deleted(&agent).await;
    let page = browser.apps().await;
    assert!(page.contains("deleted by its developer") && page.contains("no app has access"));
    // It can't be allowed again.
    page.assert_lacks("/account/allow");
}

/// How the user ends the access of an agent.
#[derive(Clone, Copy)]
enum Ending {
    /// By the form of a page that has been open for long.
    Form,
    /// By the id of the grant as it was then.
    Id,
}

/// An agent that asks for what it has again and again, or for what it had once that has expired.
#[derive(Clone, Copy)]
enum Asking {
    Again,
    AfterItsEnd,
}

impl Asking {
    async fn ask(self, agent: &Agent, browser: &Browser, clock: &TestClock) {
        let mut request = request_of(browser, agent);
        if let Self::AfterItsEnd = self {
            let end = clock.now() + Duration::seconds(1);
            request.expires_at = Some(end.into());
            agent.create_grant(&request).await.unwrap();
            clock.advance(Duration::seconds(2));
            request.expires_at = None;
        }
        agent.create_grant(&request).await.unwrap();
    }
}

fn request_of(browser: &Browser, agent: &Agent) -> GrantRequest {
    GrantRequest::new(browser.user.clone(), &agent.id, Scope::ALL)
}

#[tokio::test]
async fn whatever_a_key_asked_for_since_the_user_ends_its_access() {
    let (clock, server) = Setup::auto().start_at("2026-03-01T09:00:00Z").await;
    for ending in [Ending::Form, Ending::Id] {
        for asking in [Asking::Again, Asking::AfterItsEnd] {
            for times in [1, 12] {
                let agent = server.agent().await;
                let browser = Browser::of(&server, &user("ada")).await;
                agent.injects(&browser.user).await;
                let (id, _) = server.grant(&browser.user, &agent).await.unwrap();
                for _ in 0..times {
                    asking.ask(&agent, &browser, &clock).await;
                }
                assert_ne!(
                    reason(&agent, &browser.user).await,
                    Some(InjectReason::NoGrant)
                );
                match ending {
                    Ending::Form => {
                        let fields = [("agent_id", &*agent.id)];
                        browser.submit("/account/revoke", &fields).await;
                    }
                    Ending::Id => {
                        let client = server.client_of(&browser.cookie);
                        assert!(client.revoke_grant(&id).await.unwrap().revoked);
                    }
                }
                assert_eq!(
                    reason(&agent, &browser.user).await,
                    Some(InjectReason::NoGrant)
                );
                refused(agent.create_grant(&request_of(&browser, &agent)).await, 403);
            }
        }
    }
}

#[tokio::test]
async fn the_form_of_an_old_page_ends_what_the_user_granted_since() {
    let (server, agent) = Server::with_agent().await;
    let browser = Browser::of_ada(&server).await;
    agent.injects(&browser.user).await;
    let page = browser.apps().await;
    server
        .user_grants(&browser.user, &agent, Scope::Goals)
        .await;
    let agent_id = ("agent_id", hidden(&page, "agent_id"));
    browser.submit("/account/revoke", &[agent_id]).await;
    assert_eq!(
        reason(&agent, &browser.user).await,
        Some(InjectReason::NoGrant)
    );
}

#[tokio::test]
async fn an_agent_that_was_seen_is_not_announced_again_whatever_it_asks_for() {
    let (clock, server) = Setup::auto().start_at("2026-03-01T09:00:00Z").await;
    let agent = server.agent_named("Planner").await;
    let browser = Browser::of_ada(&server).await;
    agent.injects(&browser.user).await;
    assert!(browser.apps().await.contains("/account/access-seen"));
    clock.advance(Duration::minutes(1));
    browser.form("/account/access-seen", &[]).gets(303).await;
    for _ in 0..10 {
        clock.advance(Duration::minutes(1));
        let request = request_of(&browser, &agent);
        agent.create_grant(&request).await.unwrap();
        assert!(!browser.apps().await.contains("/account/access-seen"));
    }
}

/// What the page says of when the agent's access began and was last used.
async fn used(browser: &Browser) -> (String, String) {
    let page = browser.apps().await;
    let said = |before: &str| {
        let (_, rest) = page
            .split_once(before)
            .unwrap_or_else(|| panic!("{before}: {page}"));
        let time = rest.strip_prefix("<time datetime=\"");
        time.map_or("never", |time| &time[11..16]).to_owned()
    };
    let last = if page.contains("no use recorded yet") {
        "never".to_owned()
    } else {
        said("last used ")
    };
    (said("</bdi> · since "), last)
}

#[tokio::test]
async fn a_new_grant_does_not_forget_when_access_began_and_was_used() {
    let (clock, server) = Setup::auto().start_at("2026-03-01T09:00:00Z").await;
    let agent = server.agent().await;
    let browser = Browser::of_ada(&server).await;
    let flush = async || server.memory.flush_audit_buffer().await.unwrap();
    agent.injects(&browser.user).await;
    clock.advance(Duration::minutes(1));
    agent.injects(&browser.user).await;
    let allow = async |scopes: &[&str]| {
        clock.advance(Duration::minutes(1));
        let mut fields = vec![("agent_id", &*agent.id)];
        fields.extend(scopes.iter().map(|scope| ("scope", *scope)));
        browser.submit("/account/allow", &fields).await;
    };
    // The use at 9:01 is noted only after the grant of 9:02 was made.
    allow(&["goals", "history"]).await;
    flush().await;
    assert_eq!(used(&browser).await, ("09:00".into(), "09:01".into()));
    // More grants than are kept.
    for _ in 0..12 {
        allow(&["goals"]).await;
    }
    assert_eq!(used(&browser).await, ("09:00".into(), "09:01".into()));
    // A key that narrows it ends nothing.
    clock.advance(Duration::minutes(1));
    let narrow = GrantRequest::new(browser.user.clone(), &agent.id, [Scope::Goals]);
    agent.create_grant(&narrow).await.unwrap();
    assert_eq!(used(&browser).await, ("09:00".into(), "09:01".into()));
    // A pause is a break, and so are revocation and expiry; none of them forgets the last use.
    allow(&[]).await;
    assert_eq!(used(&browser).await, ("09:16".into(), "09:01".into()));
    allow(&["goals"]).await;
    assert_eq!(used(&browser).await, ("09:17".into(), "09:01".into()));
    clock.advance(Duration::minutes(1));
    let of_agent = [("agent_id", &*agent.id)];
    browser.submit("/account/revoke", &of_agent).await;
    assert_eq!(used(&browser).await, ("09:18".into(), "09:01".into()));
    allow(&["goals"]).await;
    assert_eq!(used(&browser).await, ("09:19".into(), "09:01".into()));
    let pause = async |pause| {
        clock.advance(Duration::minutes(1));
        browser.submit("/account/pause", &[("pause", pause)]).await;
    };
    pause("yes").await;
    assert_eq!(used(&browser).await, ("09:20".into(), "09:01".into()));
    pause("no").await;
    assert_eq!(used(&browser).await, ("09:19".into(), "09:01".into()));
    agent.injects(&browser.user).await;
    flush().await;
    assert_eq!(used(&browser).await, ("09:19".into(), "09:21".into()));
}

#[tokio::test]
async fn access_that_a_key_renews_began_anew() {
    let (clock, server) = Setup::auto().start_at("2026-03-01T09:00:00Z").await;
    let agent = server.agent().await;
    let browser = Browser::of_ada(&server).await;
    let mut request = request_of(&browser, &agent);
    request.expires_at = Some((clock.now() + Duration::minutes(1)).into());
    agent.create_grant(&request).await.unwrap();
    assert_eq!(used(&browser).await, ("09:00".into(), "never".into()));
    clock.advance(Duration::minutes(5));
    request.expires_at = None;
    agent.create_grant(&request).await.unwrap();
    assert_eq!(used(&browser).await, ("09:05".into(), "never".into()));
}

#[tokio::test]
async fn what_no_key_reaches_is_neither_said_to_be_allowed_nor_offered() {
    let server = Setup::auto().start().await;
    let narrow: ScopeSet = [Scope::General, Scope::Preferences].into_iter().collect();
    let agent = server.agent_with(narrow).await;
    let other = server.agent().await;
    let browser = Browser::of_ada_with(&server, &other).await;
    server.user_revokes(&browser.user, &other).await;
    browser.adds("goals", "Ship the beta").await;
    server.user_allows(&browser.user, &agent).await;
    let page = browser.apps().await;
    page.assert_has("One app can use 3 of the 4 facts about you.");
    page.assert_has("May read and write: About you, What you prefer.");
    page.assert_lacks("May read and write everything");
    page.assert_has("Its keys don’t reach: How to talk to you, What you know,");
    let (_, form) = page.split_once(r#"action="/account/allow""#).unwrap();
    let form = form.split("</form>").next().unwrap();
    for scope in Scope::ALL {
        let is_offered = form.contains(&format!(r#"name="scope" value="{scope}""#));
        assert_eq!(is_offered, narrow.contains(scope), "{scope}");
    }
    // All keys of the agent count, and only those that work.
    let more = server.key_of(&agent, Scope::Goals.into()).await;
    let page = browser.apps().await;
    page.assert_has("One app can use 4 facts about you.");
    let third = server.agent_with(Scope::Goals.into()).await;
    server.user_allows(&browser.user, &third).await;
    let page = browser.apps().await;
    let together = "Between them, 2 apps can use 4 of the 4 facts about you.";
    assert!(page.contains(together), "{page}");
    for key in [&agent, &more, &third] {
        server.revoke_key(&key.key_id).await;
    }
    let page = browser.apps().await;
    page.assert_has("No app can use the 4 facts about you.");
    assert!(page.contains("can’t use anything") && page.contains("It has no key at the moment"));
    assert!(!page.contains("/account/allow") && page.contains("/account/revoke"));
}

#[tokio::test]
async fn a_pause_is_shown_on_every_page_with_its_end() {
    let (server, agent) = Setup::auto().start_with_agent().await;
    let browser = Browser::of_ada_with(&server, &agent).await;
    let erased = browser.erases().await;
    let receipt = erased.header("location").unwrap().to_owned();
    server.user_allows(&browser.user, &agent).await;
    agent.tells(&browser.user, HELLO).await;
    let fact = browser.facts().await[0].id.as_str().to_owned();
    let pages = [
        "/account".to_owned(),
        "/account/facts".to_owned(),
        "/account/apps".to_owned(),
        "/account/data".to_owned(),
        format!("/account/facts/edit?fact={fact}"),
        "/account/history".to_owned(),
        "/account/erase".to_owned(),
        receipt,
        format!("/account/preview?agent={}", agent.id),
        format!("/consent/{}", agent.id),
    ];
    let shown = async |page: &str| {
        let page = browser.get(page).await;
        let banners = page.matches("Everything is paused").count();
        assert_eq!(page.matches("End the pause").count(), banners, "{page}");
        banners
    };
    for page in &pages {
        assert_eq!(shown(page).await, 0, "{page}");
    }
    browser.submit("/account/pause", &[("pause", "yes")]).await;
    for page in &pages {
        assert_eq!(shown(page).await, 1, "{page}");
    }
    let overview = browser.apps().await;
    overview.assert_has("<p>When the pause ends: May read and write everything.</p>");
    let version = browser.fields_of("Helix").await[1].1.clone();
    let asks = browser
        .post("/account/facts/delete", &[("fact", &*version)])
        .await;
    asks.body.assert_has("End the pause");
    let preview = browser.get(&pages[8]).await;
    preview.assert_has("Nothing: you have paused everything.");
}

#[tokio::test]
async fn the_home_tells_what_an_agent_deleted_until_it_was_seen() {
    let (clock, server) = Setup::auto().start_at("2026-03-01T09:00:00Z").await;
    let agent = server.agent_named("Planner").await;
    let browser = Browser::of_ada_with(&server, &agent).await;
    let said = "<bdi>Planner</bdi> deleted everything that was saved about you: 3 facts";
    let news = |page: &str| {
        let (_, rest) = page.split_once("While you were away")?;
        rest.split("</section>").next().map(str::to_owned)
    };
    // What the user deleted is no news.
    let fact = browser.fields_of("Helix").await[1].1.clone();
    let own = [("one", &*fact), ("confirm", "yes")];
    browser.submit("/account/facts/delete", &own).await;
    agent.tells(&browser.user, HELLO).await;
    assert_eq!(news(&browser.page().await), None);
    agent.delete_context(&browser.user).await.unwrap();
    for page in [browser.page().await, browser.apps().await] {
        let news = news(&page).unwrap();
        news.assert_has(said);
        news.assert_has("/account/receipt?id=");
    }
    clock.advance(Duration::minutes(1));
    browser.post("/account/access-seen", &[]).await;
    assert_eq!(news(&browser.page().await), None);
    // The history has it still.
    assert!(browser.get("/account/history").await.contains(said));
}

#[tokio::test]
async fn what_the_user_deletes_hides_nothing_that_an_agent_deleted() {
    let server = Setup::auto().start().await;
    let agent = server.agent_named("Planner").await;
    let browser = Browser::of_ada_with(&server, &agent).await;
    agent.delete_context(&browser.user).await.unwrap();
    for n in 0..26 {
        let value = format!("Goal number {n}");
        browser.adds("goals", &value).await;
        let fact = browser.fields_of(&value).await[1].1.clone();
        let own = [("one", &*fact), ("confirm", "yes")];
        browser.submit("/account/facts/delete", &own).await;
    }
    let page = browser.page().await;
    let (_, news) = page.split_once("While you were away").unwrap();
    news.assert_has("<bdi>Planner</bdi> deleted everything");
}

#[tokio::test]
async fn the_home_says_in_three_numbers_what_agents_know() {
    let server = Setup::auto().start().await;
    let agent = server
        .agent_with([Scope::General].into_iter().collect())
        .await;
    let other = server.agent().await;
    let browser = Browser::of_ada_with(&server, &other).await;
    server.user_revokes(&browser.user, &other).await;
    agent.injects(&browser.user).await;
    let numbers = async || {
        let page = browser.page().await;
        let figures = page.split(r#"<span class="figure">"#).skip(1);
        figures
            .map(|rest| rest.split('<').next().unwrap().parse().unwrap())
            .collect::<Vec<usize>>()
    };
    assert_eq!(numbers().await, [3, 2, 1]);
    browser.submit("/account/pause", &[("pause", "yes")]).await;
    assert_eq!(numbers().await, [3, 0, 0]);
}

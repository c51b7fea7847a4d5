//! Enter in a field sends no form that changes something, whatever its first button would do: nothing is
//! deleted, and nothing granted, by somebody who only wanted to tick a box.

use ctxmem_server::core::{AgentProfile, Manager};
use ctxmem_types::{Scope, ScopeSet};
use serde_json::{Value, json};

use super::browser::{Browser, browse};
use super::developer::Developer;
use super::state::{changes, state};
use super::support::{HELLO, Server, user};
use super::{add_fact, facts};

/// Unfolds the page, fills in all forms so that nothing but Enter is missing, and answers what their
/// fields are: one of each kind, the last one of several.
const FILL_IN: &str = "
    for (const folded of document.querySelectorAll('details')) folded.open = true;
    const words = given[0];
    const fields = new Map();
    for (const form of document.forms) {
        if (form.method !== 'post') continue;
        for (const field of form.elements) {
            if (!field.checkVisibility() || ['submit', 'button', 'fieldset'].includes(field.type)) continue;
            if (field.type === 'checkbox') field.checked = true;
            else if (field.type === 'radio') {
                if (!form.querySelector(`[name=${field.name}]:checked`)) field.checked = true;
            } else if (field.type === 'datetime-local') field.value = '2040-01-01T10:00';
            else if (field.type === 'email') field.value = 'somebody@example.com';
            else if (field.type === 'url') field.value = 'https://example.com/';
            else if (!field.value) field.value = words[field.name] || 'something long enough';
            const kind = `${form.getAttribute('action')} ${field.type} ${field.name}`;
            fields.set(kind, field);
        }
    }
    window.__fields = fields;
    return [...fields.keys()];";

/// Puts the focus on a field, marks the page, and notes what is sent from now on.
const FOCUS: &str = "
    window.__left = true;
    sessionStorage.removeItem('sent');
    document.addEventListener('submit', ({target, submitter}) => {
        if (submitter?.formMethod === 'dialog') return;
        const by = target.hasAttribute('data-enter') ? 'by Enter' : target.getAttribute('action');
        sessionStorage.setItem('sent', by);
    });
    window.__fields.get(given[0]).focus();
    return document.activeElement === window.__fields.get(given[0]);";

/// Presses Enter in each field of the page that this opens. Answers the kinds of fields.
async fn press_enter_everywhere(
    browser: &Browser,
    words: &Value,
    open: impl AsyncFn(),
) -> Vec<String> {
    open().await;
    let kinds = browser.promise(FILL_IN, vec![words.clone()]).await;
    let kinds: Vec<String> = serde_json::from_value(kinds).unwrap();
    for kind in &kinds {
        open().await;
        browser.promise(FILL_IN, vec![words.clone()]).await;
        let focused = browser.promise(FOCUS, vec![json!(kind)]).await;
        assert_eq!(focused, true, "{kind}");
        browser.press_enter().await;
        let sent = browser.value("sessionStorage.getItem('sent')").await;
        if !sent.is_null() {
            // Else its answer may come in place of the page that is opened next.
            browser.arrive().await;
        }
        let may_be_sent = ["/find ", "/password ", "/confirm "];
        let may_be_sent = may_be_sent.iter().any(|part| kind.contains(part));
        let is_fine = sent.is_null() || (may_be_sent && sent == "by Enter");
        assert!(is_fine, "Enter in {kind} sent {sent}");
    }
    kinds
}

/// Presses Enter in each field of these pages.
async fn in_pages(browser: &Browser, words: &Value, paths: &[&str]) -> Vec<String> {
    let mut kinds = Vec::new();
    for path in paths {
        let open = async || {
            browser.go(path).await;
        };
        kinds.extend(press_enter_everywhere(browser, words, open).await);
    }
    kinds
}

fn assert_has(kinds: &[String], expected: &[&str]) {
    for kind in expected {
        let is_there = kinds.iter().any(|found| found == kind);
        assert!(is_there, "no {kind}: {kinds:?}");
    }
}

#[tokio::test]
async fn enter_changes_nothing_of_a_users() {
    let server = Server::start().await;
    let ada = user("ada");
    let agent = server.agent_named("Travel planner").await;
    agent.tells(&ada, HELLO).await;
    for goal in ["Ship it", "Bake a cake"] {
        add_fact(&server, &ada, Scope::Goals, goal.to_owned()).await;
    }
    for n in 0..8 {
        let skill = format!("Skill number {n}");
        add_fact(&server, &ada, Scope::Knowledge, skill).await;
    }
    let gone = server.agent_named("Recipe finder").await;
    server.user_grants(&ada, &gone, ScopeSet::ALL).await;
    server.user_revokes(&ada, &gone).await;
    server.core().grants.ask_first(&ada, true).await.unwrap();
    let waiting = server.agent_named("Trip finder").await;
    assert_eq!(waiting.reason(&ada).await.as_deref(), Some("no_grant"));
    let profile = AgentProfile {
        needs: [(Scope::Goals, "To plan around them.".to_owned())].into(),
        ..AgentProfile::default()
    };
    let console = &server.core().console;
    let set = console.set_agent_profile(Manager::Operator, &waiting.id, profile);
    set.await.unwrap();
    let facts = facts(&server, &ada).await;
    let words = json!({"confirm": "erase"});
    browse(&server, async |browser| {
        browser.sign_in(&server, &ada).await;
        let before = state(&server).await;
        let mut kinds = in_pages(
            browser,
            &words,
            &[
                "/account",
                "/account/apps",
                "/account/data",
                "/account/facts",
                "/account/facts?sort=newest",
                &format!("/account/facts/edit?fact={}", facts[0].id.as_str()),
                "/account/history",
                "/account/erase",
                &format!("/account/preview?agent={}", agent.id),
                &format!("/consent/{}", waiting.id),
            ],
        )
        .await;
        // The question before facts are deleted.
        let open = async || {
            let page = browser.go("/account/facts").await;
            page.tick("Select: Helix", true).await;
            page.press("Delete selected facts").await;
        };
        kinds.extend(press_enter_everywhere(browser, &words, open).await);
        assert_eq!(changes(&before, &state(&server).await), [""; 0]);
        assert_has(
            &kinds,
            &[
                "/account/facts/delete checkbox fact",
                "/account/facts/delete checkbox keep_out",
                "/account/facts/delete-scope checkbox confirm",
                "/account/facts/correct text name",
                "/account/facts/correct select-one scope",
                "/account/facts/find search words",
                "/account/allow checkbox scope",
                "/account/allow datetime-local expires_at_local",
                "/account/erase text confirm",
                &format!("/consent/{} checkbox scope", waiting.id),
                &format!("/consent/{} radio until", waiting.id),
            ],
        );
        // The button itself works, and what it does is confirmed in view.
        browser.go(&format!("/consent/{}", waiting.id)).await;
        browser.page().tick("30 days", true).await;
        browser.page().press("Allow: Trip finder").await;
        let (_, scopes) = server.grant(&ada, &waiting).await.unwrap();
        assert_eq!(scopes, Scope::Goals.into());
    })
    .await;
}

#[tokio::test]
async fn enter_changes_nothing_of_a_developers() {
    let server = Server::start().await;
    let developer = Developer::new(&server, "developer").await;
    let agent = server.new_agent("Agent", &developer.email, ScopeSet::ALL);
    let agent = agent.await;
    let words = json!({"name": "Agent", "user": "test", "message": HELLO, "answer": "Noted."});
    browse(&server, async |browser| {
        developer.sign_in(browser).await;
        let page = browser.go("/dashboard/playground").await;
        page.fill("The user’s message", HELLO).await;
        page.press("Update").await;
        let before = state(&server).await;
        let kinds = in_pages(
            browser,
            &words,
            &[
                "/dashboard",
                &format!("/dashboard/agents/{}", agent.id),
                &format!("/dashboard/keys/{}", agent.key_id),
                "/dashboard/team",
                "/dashboard/settings",
                "/dashboard/playground",
                &format!("/dashboard/requests?agent={}", agent.id),
            ],
        )
        .await;
        assert_eq!(changes(&before, &state(&server).await), [""; 0]);
        assert_has(
            &kinds,
            &[
                "/dashboard/agents text name",
                "/dashboard/agents checkbox scope",
                "/dashboard/agents/delete text name",
                "/dashboard/agents/rename text name",
                "/dashboard/agents/profile text need",
                "/dashboard/agents/profile url return_url",
                "/dashboard/keys checkbox scope",
                "/dashboard/keys/rotate select-one grace",
                "/dashboard/team/invite text label",
                "/dashboard/settings/password password new",
                "/dashboard/playground select-one key_id",
                "/dashboard/playground/erase text user",
            ],
        );
    })
    .await;
}

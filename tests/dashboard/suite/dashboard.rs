//! A developer, from signing in to signing out.

use std::time::{SystemTime, UNIX_EPOCH};

use ctxmem_client::UserId;
use ctxmem_types::{Scope, ScopeSet};
use totp_rs::{Builder, Secret};

use super::assert_parts;
use super::browser::{Browser, Part, browse};
use super::developer::Developer;
use super::support::{BASE, HELLO, Server, exact, refused, user};

/// Runs a story about a developer who has just signed in.
async fn signed_in(story: impl AsyncFnOnce(&Server, &Browser, &Developer, Part<'_>)) {
    let server = Server::start().await;
    let developer = Developer::new(&server, "dev").await;
    browse(&server, async |browser| {
        let page = developer.sign_in(browser).await;
        story(&server, browser, &developer, page).await;
    })
    .await;
}

/// Creates an agent on the overview, and answers the key that is shown once.
async fn create_agent(browser: &Browser, name: &str) -> String {
    let page = browser.go("/dashboard").await;
    page.fill("Name", name).await;
    for scope in ScopeSet::ALL.iter() {
        page.tick(scope.name(), true).await;
    }
    page.press("Create the agent and its first key").await;
    the_key(browser).await
}

async fn the_key(browser: &Browser) -> String {
    let shown = browser.page().part("The key").await.text().await;
    let mut words = shown.split_whitespace();
    let key = words.find(|word| word.starts_with("ctxm_"));
    key.unwrap().to_owned()
}

fn client(server: &Server, key: &str) -> ctxmem_client::Client {
    exact(&server.url).api_key(key.to_owned()).build().unwrap()
}

async fn says_hello(server: &Server, key: &str, user: &UserId) {
    let client = client(server, key);
    client.update(user, HELLO, "Noted.").await.unwrap();
    let prompt = client.inject(user, BASE).await.unwrap().into_prompt();
    assert!(prompt.contains("Helix"), "{prompt}");
}

#[tokio::test]
async fn a_wrong_password_is_reported() {
    let server = Server::start().await;
    let developer = Developer::new(&server, "dev").await;
    browse(&server, async |browser| {
        let page = browser.go("/dashboard").await;
        page.shows("Sign in to the dashboard").await;
        browser.shot("dashboard-sign-in").await;
        for (email, password) in [
            (&*developer.email, "not the password"),
            ("nobody@example.com", &*developer.password),
        ] {
            page.fill("Email address", email).await;
            page.fill("Password", password).await;
            page.press_shows("Sign in", "Incorrect email or password")
                .await;
            assert_eq!(page.value("Email address").await, email);
            assert_eq!(page.value("Password").await, "");
        }
        browser.shot("dashboard-sign-in-wrong").await;
        browser
            .go_shows("/dashboard", "Sign in to the dashboard")
            .await;
        browser
            .go_shows("/dashboard/playground", "not signed in")
            .await;
        browser.shot("dashboard-not-signed-in").await;
    })
    .await;
}

#[tokio::test]
async fn too_many_attempts_have_to_wait() {
    let server = Server::start().await;
    let developer = Developer::new(&server, "dev").await;
    let form = [
        ("email", &*developer.email),
        ("password", "a wrong password"),
    ];
    for _ in 0..10 {
        let tried = server.raw("POST", "/dashboard/sign-in").form(&form);
        assert_eq!(tried.send().await.status, 401);
    }
    browse(&server, async |browser| {
        let page = browser.go("/dashboard").await;
        page.fill("Email address", &developer.email).await;
        page.fill("Password", &developer.password).await;
        page.press("Sign in").await.shows("Too many attempts").await;
        browser.shot("dashboard-too-many-attempts").await;
    })
    .await;
}

#[tokio::test]
async fn a_developer_makes_an_agent_and_uses_its_key() {
    signed_in(async |server, browser, _, page| {
        let ada = user("ada");
        page.shows("You have no agents yet").await;
        browser.shot("dashboard-empty").await;
        let key = create_agent(browser, "Travel planner").await;
        browser.shot("dashboard-key-created").await;
        says_hello(server, &key, &ada).await;
        page.follow_shows("I have stored the key", "Travel planner")
            .await;
        let text = page.text().await;
        assert!(!text.contains(&key), "the key is shown again");
        page.follow("Agents").await;
        let row = page.row("Travel planner").await.text().await;
        let numbers: Vec<&str> = row.split_whitespace().rev().take(3).collect();
        // Updates this month are written down within some seconds.
        assert_eq!(numbers[1..], ["1", "1"], "{row}");
    })
    .await;
}

#[tokio::test]
async fn a_developer_sees_what_an_agent_did() {
    signed_in(async |server, browser, _, page| {
        let ada = user("ada");
        let key = create_agent(browser, "Travel planner").await;
        says_hello(server, &key, &ada).await;
        let client = client(server, &key);
        let thanked = client.update(&ada, "ok, thanks!", "Welcome.").await;
        thanked.unwrap();
        page.follow("I have stored the key").await;
        let address = browser.path().await;
        for page in [&*address, "/dashboard"] {
            for count in ["Injects 1", "Updates 1", "Filtered 1", "Denied 0"] {
                browser.until_shown(page, &format!("{count}\n")).await;
            }
            browser.page().unfold("Calls in numbers").await;
        }
        browser.shot("dashboard").await;
        let agent = browser.go(&address).await;
        agent.row("ctxm_").await.hides("revoked").await;
        browser.shot("dashboard-agent-used").await;
        page.follow_shows("Request log", "POST /api/context/update")
            .await;
        browser.shot("dashboard-requests").await;
        browser.walk_by_keyboard().await;
        browser.shot_in_german("dashboard-requests").await;
    })
    .await;
}

#[tokio::test]
async fn a_developer_renames_and_deletes_an_agent() {
    signed_in(async |server, browser, _, page| {
        let key = create_agent(browser, "Travel planner").await;
        page.follow("I have stored the key").await;
        let form = page.part("Name").await;
        form.fill("Name", "Trip planner").await;
        form.press_shows("Rename", "has its new name").await;
        assert_eq!(page.names("heading").await[0], "Trip planner");
        browser.shot("dashboard-agent").await;

        let delete = async |name: &str| {
            let part = page.part("Delete this agent").await;
            part.fill("To confirm", name).await;
            part.press("Delete the agent").await
        };
        let refused_name = delete("Travel planner").await;
        refused_name.shows("not the agent’s name").await;
        browser.shot("dashboard-agent-not-deleted").await;
        says_hello(server, &key, &user("ada")).await;
        let deleted = delete("Trip planner").await;
        deleted.shows("The agent is deleted").await;
        assert_eq!(browser.path().await, "/dashboard");
        page.shows("You have no agents yet").await;
        let client = client(server, &key);
        refused(client.inject(&user("ada"), BASE).await, 401);
    })
    .await;
}

#[tokio::test]
async fn a_developer_makes_and_revokes_keys() {
    signed_in(async |server, browser, _, page| {
        let ada = user("ada");
        let first = create_agent(browser, "Travel planner").await;
        page.follow("I have stored the key").await;
        page.unfold("Create another key").await;
        page.press_shows("Create the key", "Choose at least one")
            .await;
        browser.shot("dashboard-key-not-created").await;
        page.fill("Name of the key", "nightly").await;
        let others = ScopeSet::ALL.iter();
        for scope in others.filter(|scope| *scope != Scope::General) {
            page.tick(scope.name(), true).await;
        }
        page.press("Create the key").await;
        let second = the_key(browser).await;
        says_hello(server, &second, &ada).await;
        let prompt = client(server, &second).inject(&ada, BASE).await.unwrap();
        assert!(!prompt.prompt().contains("Lisbon"), "{}", prompt.prompt());

        page.follow("I have stored the key").await;
        let named = format!("nightly {}", &second[..11]);
        page.row(&named).await.follow("Replace key nightly").await;
        page.shows("Replace this key").await;
        browser.shot("dashboard-key").await;
        page.press("Replace the key").await;
        let third = the_key(browser).await;
        says_hello(server, &third, &ada).await;
        // Reloading the page makes no other key, and no longer shows this one.
        let address = browser.path().await;
        let reloaded = browser.go(&address).await.text().await;
        assert!(!reloaded.contains(&third), "{reloaded}");
        page.follow("Back to Travel planner").await;
        browser.shot("dashboard-key-replaced").await;
        let replaced = page.row(&named).await.text().await;
        assert!(replaced.contains("replaced"), "{replaced}");
        says_hello(server, &second, &ada).await;
        page.row(&named).await.follow("Revoke key nightly").await;
        page.press_shows("Revoke nightly", "The key is revoked")
            .await;
        browser.shot("dashboard-key-revoked").await;
        refused(client(server, &second).inject(&ada, BASE).await, 401);
        says_hello(server, &first, &ada).await;
    })
    .await;
}

#[tokio::test]
async fn a_developer_tries_keys_in_the_playground() {
    signed_in(async |_, browser, _, page| {
        page.follow_shows("Playground", "You have no live key")
            .await;
        browser.shot("dashboard-playground-empty").await;
        create_agent(browser, "Travel planner").await;
        page.follow("Playground").await;
        browser.shot("dashboard-playground").await;
        let answer = async || page.part("Answer").await.text().await;
        page.press("Update").await;
        let learned = answer().await;
        assert_parts(&learned, &["200", "Lisbon"], &[]);
        page.press("Inject").await;
        let injected = answer().await;
        assert!(injected.contains("Lisbon"), "{injected}");
        page.shows("Your last calls").await;
        browser.shot("dashboard-playground-answer").await;
        page.press_shows("Erase the test user", "is erased").await;
        page.press("Inject").await;
        let injected = answer().await;
        assert!(!injected.contains("Lisbon"), "{injected}");
        // A browser holds back what is no name at all; the server what is none of its kind.
        let call = page.part("Call").await;
        call.fill("Test user", "somebody:else").await;
        page.press("Inject").await.shows("Enter a name").await;
        browser.shot("dashboard-playground-refused").await;
    })
    .await;
}

#[tokio::test]
async fn a_developer_changes_the_password() {
    signed_in(async |_, browser, developer, page| {
        page.follow("Settings").await;
        let changes = async |current: &str| {
            page.fill("Current password", current).await;
            page.fill("New password", "a longer password").await;
            page.fill("Repeat the password", "a longer password").await;
            page.press("Change the password").await
        };
        changes("not the password").await.shows("is wrong").await;
        browser.shot("dashboard-password-not-changed").await;
        changes(&developer.password).await.shows("is changed").await;
        browser.shot("dashboard-settings").await;
        page.follow("Agents").await.shows("Your agents").await;
    })
    .await;
}

/// What an authenticator app shows so many seconds from now.
fn code(secret: &str, seconds: u64) -> String {
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    totp.generate(now.as_secs() + seconds).to_string()
}

#[tokio::test]
async fn a_developer_signs_in_with_a_second_factor() {
    signed_in(async |_, browser, developer, page| {
        page.follow("Settings").await;
        page.press("Set up a second factor").await;
        browser.shot("dashboard-second-factor-pending").await;
        browser.walk_by_keyboard().await;
        let pending = "dashboard-second-factor-pending";
        browser.shot_in_german(pending).await;
        let text = page.text().await;
        let (_, rest) = text.split_once("add the key ").unwrap();
        let secret = rest.split_whitespace().next().unwrap();
        page.fill("Code", "000000x").await;
        page.fill("Your password", &developer.password).await;
        page.press_shows(
            "Turn on the second factor",
            "Not saved. Enter the six digits",
        )
        .await;
        browser.shot("dashboard-second-factor-refused").await;
        page.fill("Code", &code(secret, 0)).await;
        page.fill("Your password", &developer.password).await;
        page.press_shows("Turn on the second factor", "Your recovery codes")
            .await;
        browser.shot("dashboard-second-factor-on").await;
        page.press("Sign out").await;
        page.fill("Email address", &developer.email).await;
        page.fill("Password", &developer.password).await;
        page.press("Sign in").await.shows("Enter the code").await;
        browser.shot("dashboard-code").await;
        browser.shot_in_german("dashboard-code").await;
        page.fill("Code", "123").await;
        page.press("Sign in").await.shows("The code is wrong").await;
        browser.shot("dashboard-code-wrong").await;
        // The code of the next half minute: this one was used.
        page.fill("Code", &code(secret, 30)).await;
        page.press("Sign in").await.shows("Your agents").await;
    })
    .await;
}

#[tokio::test]
async fn a_developer_sees_nothing_of_another() {
    let server = Server::start().await;
    let one = Developer::new(&server, "one").await;
    let two = Developer::new(&server, "two").await;
    browse(&server, async |browser| {
        let page = one.sign_in(browser).await;
        create_agent(browser, "Agent of one").await;
        page.follow("I have stored the key").await;
        let address = browser.path().await;
        page.press_shows("Sign out", "Sign in to the dashboard")
            .await;
        browser.go(&address).await.shows("not signed in").await;
        two.sign_in(browser).await.hides("Agent of one").await;
        browser.go(&address).await.hides("Agent of one").await;
        page.shows("There is nothing here").await;
        browser.shot("dashboard-not-found").await;
    })
    .await;
}

//! `reapply-erasures`, beside a server and after a kill: what either database has taken away stays away, and
//! what people decided since is not undone.

use ctxmem_client::{Client, GrantRequest, InjectReason, Scope, UserClient};
use ctxmem_test_postgres::{Database, empty_database};

use crate::backup::{kill, learn, until};
use crate::process::{Home, ServerProcess, browser, user};

const BASE: &str = "You help.";

/// A database, and a copy of it that goes on by itself.
struct Copies {
    home: Home,
    copy: Home,
    copy_url: String,
    key: String,
    agent: String,
    _databases: Option<[Database; 2]>,
}

impl Copies {
    /// With these users in both, of whom the place is known. The copy is from before.
    async fn of(users: &[&str], on_postgres: bool) -> Self {
        let database = if on_postgres {
            Some(empty_database().await)
        } else {
            None
        };
        let home = database
            .as_ref()
            .map_or_else(Home::new, |database| Home::on(&database.url));
        let serving = home.serve(&["--log", "warn"]).await;
        let text = |name: &str| serving.announced[name].as_str().unwrap().to_owned();
        let (key, agent) = (text("api_key"), text("agent_id"));
        for name in users {
            learn(&serving.client(None), name, "Lisbon").await;
        }
        serving.stop().await;
        if let Some(database) = database {
            let copied = database.copy().await;
            let copy = Home::on(&copied.url);
            let copy_url = copied.url.clone();
            let databases = Some([database, copied]);
            return Self {
                home,
                copy,
                copy_url,
                key,
                agent,
                _databases: databases,
            };
        }
        let copy = Home::new();
        home.json(&["backup", "copy.db"]);
        for (from, to) in [("copy.db", "ctxmem.db"), ("copy.db-keys", "ctxmem.db-keys")] {
            std::fs::copy(home.path(from), copy.path(to)).unwrap();
        }
        let copy_url = format!("sqlite://{}", copy.database().display());
        Self {
            home,
            copy,
            copy_url,
            key,
            agent,
            _databases: None,
        }
    }

    fn reapply(&self) -> serde_json::Value {
        self.home
            .json(&["reapply-erasures", "--from", &self.copy_url])
    }
}

async fn prompt(client: &Client, name: &str) -> (String, Option<InjectReason>) {
    let injected = client.inject(&user(name), BASE).await.unwrap();
    (injected.prompt().to_owned(), injected.reason().cloned())
}

/// The same user in a browser.
async fn signed_in(serving: &ServerProcess, home: &Home, name: &str) -> UserClient {
    let session = serving.sign_in(home, name).await;
    let client = Client::builder().base_url(serving.url());
    client.build_user(session).unwrap()
}

async fn grant(client: &UserClient, name: &str, agent: &str) -> String {
    let scopes = [Scope::General, Scope::Preferences];
    let request = GrantRequest::new(user(name), agent, scopes);
    client.create_grant(&request).await.unwrap().id
}

async fn revoke(serving: &ServerProcess, home: &Home, name: &str, agent: &str) {
    let client = signed_in(serving, home, name).await;
    let id = grant(&client, name, agent).await;
    client.revoke_grant(&id).await.unwrap();
}

async fn what_is_older_undoes_nothing(on_postgres: bool) {
    let copies = Copies::of(&["revoked", "moved", "erased"], on_postgres).await;
    let serving = copies.home.serve(&["--log", "warn", "--demo", "off"]).await;
    let client = serving.client(Some(&copies.key));
    revoke(&serving, &copies.home, "revoked", &copies.agent).await;
    learn(&client, "moved", "Porto").await;
    client.delete_context(&user("erased")).await.unwrap();

    let taken = tokio::task::block_in_place(|| copies.reapply());
    assert_eq!(taken["left_erased_since"], 1, "{taken}");
    assert_eq!(taken["left_changed_since"], 2, "{taken}");
    for none in [
        "erased_again",
        "facts_removed_again",
        "grants_restricted_again",
    ] {
        assert_eq!(taken[none], 0, "{none}");
    }
    for name in ["revoked", "erased"] {
        let (said, reason) = prompt(&client, name).await;
        assert_eq!(
            (said.as_str(), reason),
            (BASE, Some(InjectReason::NoGrant)),
            "{name}"
        );
    }
    let (said, _) = prompt(&client, "moved").await;
    assert!(said.contains("Porto") && !said.contains("Lisbon"), "{said}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_database_undoes_nothing_that_was_decided_since() {
    what_is_older_undoes_nothing(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_on_postgres() {
    what_is_older_undoes_nothing(true).await;
}

async fn what_is_newer_holds_at_once(on_postgres: bool) {
    let copies = Copies::of(&["revoked", "came-back", "stays"], on_postgres).await;
    let newer = copies.copy.serve(&["--log", "warn", "--demo", "off"]).await;
    revoke(&newer, &copies.copy, "revoked", &copies.agent).await;
    let client = newer.client(Some(&copies.key));
    client.delete_context(&user("came-back")).await.unwrap();
    let of_user = signed_in(&newer, &copies.copy, "came-back").await;
    grant(&of_user, "came-back", &copies.agent).await;
    learn(&client, "came-back", "Turku").await;
    newer.stop().await;

    let serving = copies.home.serve(&["--log", "warn", "--demo", "off"]).await;
    let client = serving.client(Some(&copies.key));
    let of_user = signed_in(&serving, &copies.home, "stays").await;
    // So that all of it is in memory.
    for name in ["revoked", "came-back", "stays"] {
        assert!(prompt(&client, name).await.0.contains("Lisbon"));
    }
    let taken = tokio::task::block_in_place(|| copies.reapply());
    assert_eq!(taken["erased_again"], 1, "{taken}");
    assert!(
        taken["grants_restricted_again"].as_u64() >= Some(1),
        "{taken}"
    );
    assert_eq!(
        prompt(&client, "revoked").await.1,
        Some(InjectReason::NoGrant)
    );
    assert!(prompt(&client, "stays").await.0.contains("Lisbon"));
    // A user who came back has granted access again, and can be learned about.
    assert_eq!(prompt(&client, "came-back").await.0, BASE);
    learn(&client, "came-back", "Turku").await;
    assert!(prompt(&client, "came-back").await.0.contains("Turku"));
    // Nobody knows who signed out meanwhile.
    let scopes: [Scope; 0] = [];
    let request = GrantRequest::new(user("stays"), &copies.agent, scopes);
    of_user.create_grant(&request).await.unwrap_err();
    let log = copies
        .home
        .json(&["audit", "--user", "revoked", "--action", "reapply"]);
    assert_eq!(log["entries"].as_array().map(Vec::len), Some(1), "{log}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_newer_database_has_taken_away_is_gone_at_once_beside_a_server() {
    what_is_newer_holds_at_once(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_beside_a_server_on_postgres() {
    what_is_newer_holds_at_once(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_killed_is_completed_by_the_next() {
    let copies = Copies::of(&["revoked", "other"], false).await;
    let newer = copies.copy.serve(&["--log", "warn"]).await;
    for name in ["revoked", "other"] {
        revoke(&newer, &copies.copy, name, &copies.agent).await;
    }
    newer.stop().await;
    let command = ["reapply-erasures", "--from", &*copies.copy_url];
    for point in ["reapply-endings-taken", "reapply-user-taken"] {
        kill(until(&copies.home, point, &command));
        assert_eq!(copies.home.integrity().await, "ok");
    }
    copies.reapply();
    let serving = copies.home.serve(&["--log", "warn", "--demo", "off"]).await;
    let client = serving.client(Some(&copies.key));
    for name in ["revoked", "other"] {
        assert_eq!(
            prompt(&client, name).await.1,
            Some(InjectReason::NoGrant),
            "{name}"
        );
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_former_password_opens_nothing_again() {
    let copies = Copies::of(&[], false).await;
    let email = "ann@example.com";
    let set = ["developer", "set-password", "--email", email];
    // In the database from which the copy was made.
    copies.home.json(&["developer", "create", "--email", email]);
    assert!(
        copies
            .home
            .run_with_input(&set, "the former password\n")
            .status
            .success()
    );
    copies.home.json(&["backup", "old.db"]);
    assert!(
        copies
            .home
            .run_with_input(&set, "the present password\n")
            .status
            .success()
    );
    copies.home.json(&["backup", "new.db"]);
    for (restored, from, why) in [
        (
            "old.db",
            "new.db",
            "the older one is restored, and the newer one known",
        ),
        (
            "new.db",
            "old.db",
            "the newer one is restored, and the older one asked",
        ),
    ] {
        let from = format!("sqlite://{from}");
        let command = ["restore", restored, "--force", "--erasures-from", &*from];
        let taken = copies.home.json(&command);
        assert_eq!(taken["passwords_ended"], 0, "{why}");
        let serving = copies.home.serve(&["--log", "warn"]).await;
        for (password, works) in [
            ("the former password", false),
            ("the present password", true),
        ] {
            let answer = browser()
                .post(format!("{}/dashboard/sign-in", serving.url()))
                .header("origin", serving.url())
                .header("content-type", "application/x-www-form-urlencoded")
                .body(format!(
                    "email=ann%40example.com&password={}",
                    password.replace(' ', "+")
                ))
                .send()
                .await
                .unwrap();
            assert_eq!(answer.status() == 303, works, "{why}: {password}");
        }
        serving.stop().await;
    }
}

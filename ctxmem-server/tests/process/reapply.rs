//! `reapply-erasures`, beside a server and after a kill: what either database has taken away stays away, and
//! what people decided since is not undone.

use ctxmem_client::{Client, GrantRequest, InjectReason, Scope, UserClient};

use crate::backup::{kill, learn, until};
use crate::process::{Home, ServerProcess, browser, user};

const BASE: &str = "You help.";

/// A database, and a copy of it that goes on by itself.
struct Copies {
    home: Home,
    copy: Home,
    key: String,
    agent: String,
}

impl Copies {
    /// With these users in both, of whom the place is known.
    async fn of(home: Home, users: &[&str]) -> Self {
        let serving = home.serve("--log warn").await;
        let [key, agent] = [serving.key().to_owned(), serving.agent().to_owned()];
        for name in users {
            learn(&serving.client(None), name, "Lisbon").await;
        }
        serving.stop().await;
        let copy = home.copied().await;
        Self {
            home,
            copy,
            key,
            agent,
        }
    }

    fn reapply(&self) -> serde_json::Value {
        let url = self.copy.url();
        self.home.json(&["reapply-erasures", "--from", &*url])
    }
}

async fn prompt(client: &Client, name: &str) -> (String, Option<InjectReason>) {
    let injected = client.inject(&user(name), BASE).await.unwrap();
    (injected.prompt().to_owned(), injected.reason().cloned())
}

async fn grant(client: &UserClient, name: &str, agent: &str) -> String {
    let scopes = [Scope::General, Scope::Preferences];
    let request = GrantRequest::new(user(name), agent, scopes);
    client.create_grant(&request).await.unwrap().id
}

async fn revoke(serving: &ServerProcess, home: &Home, name: &str, agent: &str) {
    let client = serving.user_client(home, name).await;
    let id = grant(&client, name, agent).await;
    client.revoke_grant(&id).await.unwrap();
}

const OLDER: [&str; 3] = ["revoked", "moved", "erased"];

async fn what_is_older_undoes_nothing(copies: Copies) {
    let serving = copies.home.serve(&["--log", "warn", "--demo", "off"]).await;
    let client = serving.client(Some(&copies.key));
    revoke(&serving, &copies.home, "revoked", &copies.agent).await;
    learn(&client, "moved", "Porto").await;
    client.delete_context(&user("erased")).await.unwrap();

    let taken = tokio::task::block_in_place(|| copies.reapply());
    assert_eq!(taken["left_erased_since"], 1, "{taken}");
    assert_eq!(taken["left_changed_since"], 2, "{taken}");
    for again in ["erased", "facts_removed", "grants_restricted"] {
        assert_eq!(taken[format!("{again}_again")], 0, "{again}");
    }
    for name in ["revoked", "erased"] {
        let nothing = (BASE.to_owned(), Some(InjectReason::NoGrant));
        assert_eq!(prompt(&client, name).await, nothing, "{name}");
    }
    let (said, _) = prompt(&client, "moved").await;
    assert!(said.contains("Porto") && !said.contains("Lisbon"), "{said}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_database_undoes_nothing_that_was_decided_since() {
    for home in Home::on_both().await {
        println!("{}", home.url());
        what_is_older_undoes_nothing(Copies::of(home, &OLDER).await).await;
    }
}

const NEWER: [&str; 3] = ["revoked", "came-back", "stays"];

async fn what_is_newer_holds_at_once(copies: Copies) {
    let newer = copies.copy.serve(&["--log", "warn", "--demo", "off"]).await;
    revoke(&newer, &copies.copy, "revoked", &copies.agent).await;
    let client = newer.client(Some(&copies.key));
    client.delete_context(&user("came-back")).await.unwrap();
    let of_user = newer.user_client(&copies.copy, "came-back").await;
    grant(&of_user, "came-back", &copies.agent).await;
    learn(&client, "came-back", "Turku").await;
    newer.stop().await;

    let serving = copies.home.serve(&["--log", "warn", "--demo", "off"]).await;
    let client = serving.client(Some(&copies.key));
    let of_user = serving.user_client(&copies.home, "stays").await;
    // So that all of it is in memory.
    for name in NEWER {
        assert!(prompt(&client, name).await.0.contains("Lisbon"));
    }
    let taken = tokio::task::block_in_place(|| copies.reapply());
    assert_eq!(taken["erased_again"], 1, "{taken}");
    let restricted = taken["grants_restricted_again"].as_u64();
    assert!(restricted >= Some(1), "{taken}");
    let (_, reason) = prompt(&client, "revoked").await;
    assert_eq!(reason, Some(InjectReason::NoGrant));
    assert!(prompt(&client, "stays").await.0.contains("Lisbon"));
    // A user who came back has granted access again, and can be learned about.
    assert_eq!(prompt(&client, "came-back").await.0, BASE);
    learn(&client, "came-back", "Turku").await;
    assert!(prompt(&client, "came-back").await.0.contains("Turku"));
    // Nobody knows who signed out meanwhile.
    let scopes: [Scope; 0] = [];
    let request = GrantRequest::new(user("stays"), &copies.agent, scopes);
    of_user.create_grant(&request).await.unwrap_err();
    let log = copies.home.json("audit --user revoked --action reapply");
    assert_eq!(log["entries"].as_array().map(Vec::len), Some(1), "{log}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_newer_database_has_taken_away_is_gone_at_once_beside_a_server() {
    for home in Home::on_both().await {
        println!("{}", home.url());
        what_is_newer_holds_at_once(Copies::of(home, &NEWER).await).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_killed_is_completed_by_the_next() {
    let copies = Copies::of(Home::new(), &["revoked", "other"]).await;
    let newer = copies.copy.serve(&["--log", "warn"]).await;
    for name in ["revoked", "other"] {
        revoke(&newer, &copies.copy, name, &copies.agent).await;
    }
    newer.stop().await;
    let newer = copies.copy.url();
    let command = ["reapply-erasures", "--from", &*newer];
    for point in ["reapply-endings-taken", "reapply-user-taken"] {
        kill(until(&copies.home, point, &command).await);
        assert_eq!(copies.home.integrity().await, "ok");
    }
    copies.reapply();
    let serving = copies.home.serve(&["--log", "warn", "--demo", "off"]).await;
    let client = serving.client(Some(&copies.key));
    for name in ["revoked", "other"] {
        let (_, reason) = prompt(&client, name).await;
        assert_eq!(reason, Some(InjectReason::NoGrant), "{name}");
    }
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_former_password_opens_nothing_again() {
    let copies = Copies::of(Home::new(), &[]).await;
    let email = "ann@example.com";
    // In the database from which the copy was made.
    copies.home.json(&["developer", "create", "--email", email]);
    for (password, backup) in [
        ("the former password", "old.db"),
        ("the present password", "new.db"),
    ] {
        let set = ["developer", "set-password", "--email", email];
        let set = copies.home.run_with_input(&set, &format!("{password}\n"));
        assert!(set.status.success(), "{}", set.stderr);
        copies.home.json(&["backup", backup]);
    }
    let older = "the older one is restored, and the newer one known";
    let newer = "the newer one is restored, and the older one asked";
    for (restored, from, why) in [("old.db", "new.db", older), ("new.db", "old.db", newer)] {
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

//! `master-key rotate`, killed in the middle.

use crate::backup::{kill, until};
use crate::process::{Args as _, Home, ServerProcess, tell, user};

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_that_is_killed_loses_nothing_and_can_be_repeated() {
    let homes = Home::on_both().await.into_iter();
    for (home, engine) in homes.zip(["SQLite", "Postgres"]) {
        let mut key = None;
        // The flag that names the master key, once there is one.
        let mut current = String::new();
        let points = [
            "rotation-step",
            "rotation-before-retirement",
            "rotation-retired",
        ];
        for (n, point) in points.into_iter().enumerate() {
            let before = current;
            let serving = serve(&home, &before).await;
            let known = serving.announced["api_key"].as_str().map(ToOwned::to_owned);
            key = key.or(known);
            let client = serving.client(key.as_deref());
            tell(&client, &format!("user-{n}"), "I live in Lisbon.").await;
            serving.stop().await;

            let secret = n.to_string().repeat(64);
            home.write(&format!("master-{n}"), secret);
            let rotate = format!("{before} master-key rotate --new-master-key-file master-{n}");
            kill(until(&home, point, &rotate.list()).await);

            // Until a server starts with the new one, the former master key still opens all.
            let key = key.as_deref();
            if point != "rotation-retired" {
                assert_knows(&home, &before, key, n, &format!("{engine}, {point}")).await;
                home.printed(&rotate);
            }
            current = format!("--master-key-file master-{n}");
            assert_knows(&home, &current, key, n, &format!("{engine}, after {point}")).await;
            if !before.is_empty() {
                let opens = home.run(&rotate).status.success();
                assert!(!opens, "the former master key opens nothing");
            }
        }
    }
}

async fn serve(home: &Home, flags: &str) -> ServerProcess {
    home.serve(&format!("--log warn {flags}")).await
}

/// All users up to this one are known to a server with these flags.
async fn assert_knows(home: &Home, flags: &str, key: Option<&str>, last: usize, when: &str) {
    let serving = serve(home, flags).await;
    let client = serving.client(key);
    for n in 0..=last {
        let name = format!("user-{n}");
        let injected = client.inject(&user(&name), "You help.").await.unwrap();
        assert!(injected.prompt().contains("Lisbon"), "{name} {when}");
    }
    serving.stop().await;
}

//! `master-key rotate`, killed in the middle.

use ctxmem_test_postgres::empty_database;

use crate::backup::{kill, until};
use crate::process::{Home, ServerProcess, user};

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_that_is_killed_loses_nothing_and_can_be_repeated() {
    let database = empty_database().await;
    for (home, engine) in [
        (Home::new(), "SQLite"),
        (Home::on(&database.url), "Postgres"),
    ] {
        let mut key = None;
        let mut current: Option<String> = None;
        for (n, point) in [
            "rotation-step",
            "rotation-before-retirement",
            "rotation-retired",
        ]
        .iter()
        .enumerate()
        {
            let flags = |file: &Option<String>| -> Vec<String> {
                let given = file.iter();
                given
                    .flat_map(|file| ["--master-key-file".to_owned(), file.clone()])
                    .collect()
            };
            let before = flags(&current);
            let serving = serve(&home, &before).await;
            let known = serving.announced["api_key"].as_str().map(ToOwned::to_owned);
            key = key.or(known);
            let client = serving.client(key.as_deref());
            let name = format!("user-{n}");
            let said = client
                .update(&user(&name), "I live in Lisbon.", "Noted.")
                .await;
            said.unwrap();
            serving.stop().await;

            let new = format!("master-{n}");
            let secret = n.to_string().repeat(64);
            std::fs::write(home.path(&new), secret).unwrap();
            let rotate = ["master-key", "rotate", "--new-master-key-file", &new];
            let args: Vec<&str> = before.iter().map(String::as_str).chain(rotate).collect();
            kill(until(&home, point, &args));

            // Until a server starts with the new one, the former master key still opens all.
            if *point != "rotation-retired" {
                let serving = serve(&home, &before).await;
                assert_knows(&serving, key.as_deref(), n, &format!("{engine}, {point}")).await;
                serving.stop().await;
                let done = home.run(&args);
                assert!(done.status.success(), "{engine}, {point}: {}", done.stderr);
            }
            current = Some(new.clone());
            let serving = serve(&home, &flags(&current)).await;
            assert_knows(
                &serving,
                key.as_deref(),
                n,
                &format!("{engine}, after {point}"),
            )
            .await;
            serving.stop().await;
            if !before.is_empty() {
                let refused = home.run(&args);
                assert!(
                    !refused.status.success(),
                    "the former master key opens nothing"
                );
            }
        }
    }
}

async fn serve(home: &Home, flags: &[String]) -> ServerProcess {
    let mut args = vec!["--log", "warn"];
    args.extend(flags.iter().map(String::as_str));
    home.serve(&args).await
}

/// All users up to this one are known.
async fn assert_knows(serving: &ServerProcess, key: Option<&str>, last: usize, when: &str) {
    let client = serving.client(key);
    for n in 0..=last {
        let name = format!("user-{n}");
        let injected = client.inject(&user(&name), "You help.").await.unwrap();
        assert!(injected.prompt().contains("Lisbon"), "{name} {when}");
    }
}

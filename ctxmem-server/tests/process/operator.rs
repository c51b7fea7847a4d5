//! The operator's name and contact, as flags or the environment give them.

use crate::process::{Home, assert_has, browser};

#[tokio::test]
async fn the_operator_is_named_by_flags_or_the_environment() {
    let home = Home::new();
    let mut by_environment = home.serving("");
    by_environment
        .env("CTXMEM_OPERATOR_NAME", "Example Ltd")
        .env("CTXMEM_OPERATOR_CONTACT", "help@example.com")
        .env("CTXMEM_PRIVACY_URL", "https://example.com/privacy");
    for command in [
        home.serving(&[
            "--operator-name",
            "Example Ltd",
            "--operator-contact",
            "help@example.com",
            "--privacy-url",
            "https://example.com/privacy",
        ]),
        by_environment,
    ] {
        let serving = home.start(command).await;
        let about = browser().get(format!("{}/about", serving.url()));
        let about = about.send().await.unwrap().text().await.unwrap();
        let contact = "mailto:help@example.com";
        let privacy = "https://example.com/privacy";
        assert_has(&about, &["Example Ltd", contact, privacy]);
    }
}

#[test]
fn what_can_not_be_a_link_is_refused_at_the_start() {
    let home = Home::new();
    for (flag, value) in [
        ("--operator-name", " "),
        ("--operator-contact", "javascript:alert(1)"),
        ("--privacy-url", "example.com"),
    ] {
        let refused = home.run(&["serve", "--listen", "127.0.0.1:0", flag, value]);
        assert!(!refused.status.success());
        assert!(refused.stderr.contains(flag), "{}", refused.stderr);
    }
}

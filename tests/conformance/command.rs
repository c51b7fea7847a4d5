//! The program as a whole: its arguments, output and exit status.

use ctxmem_conformance::Args;
use secrecy::ExposeSecret as _;
use serde_json::Value;
use tokio::sync::mpsc::unbounded_channel;

use crate::fake::{Fake, KEY};
use crate::support::OwnServer;

/// Exit status, stdout and stderr.
async fn run(args: &[&str]) -> (u8, String, String) {
    let (_alive, interrupts) = unbounded_channel();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = ["ctxmem-conformance"].iter().chain(args);
    let status = ctxmem_conformance::main(args, interrupts, &mut out, &mut err).await;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status, text(out), text(err))
}

/// The arguments, and these words after them.
fn with<'a>(args: &[&'a str], words: &'a str) -> Vec<&'a str> {
    args.iter().copied().chain(words.split(' ')).collect()
}

#[tokio::test]
async fn a_table_with_a_summary() {
    let fake = Fake::new().start().await;
    let (status, out, err) = run(&["--url", &fake.url, "--key", KEY]).await;
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("health\n  health.open "), "{out}");
    assert!(out.contains(" 0 fail, "), "{out}");
    assert!(out.ends_with("\nEvery test user was removed.\n"), "{out}");
}

#[tokio::test]
async fn one_json_object() {
    let fake = Fake::new().start().await;
    let (status, out, _) = run(&["--url", &fake.url, "--key", KEY, "--json"]).await;
    assert_eq!(status, 0, "{out}");
    assert_eq!(out.lines().count(), 1);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["url"], fake.url);
    assert_eq!(report["rules"][0]["id"], "health.open");
    assert_eq!(report["rules"][0]["verdict"], "pass");
    assert_eq!(report["summary"]["fail"], 0);
    assert_eq!(report["left_behind"], Value::Array(Vec::new()));
}

#[tokio::test]
async fn nothing_at_the_address_exits_with_2() {
    let (status, out, err) = run(&["--url", "http://127.0.0.1:1", "--key", KEY]).await;
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("can't be reached"), "{err}");
}

#[tokio::test]
async fn wrong_usage_exits_with_2_and_repeats_no_secret() {
    let url = "http://127.0.0.1:1";
    let right = ["--url", url, "--key", KEY];
    for args in [
        &["--url", url] as &[&str],
        &["--key", KEY],
        &["--url", "memory", "--key", KEY],
        &["--url", "", "--key", KEY],
        &["--url", url, "--key", ""],
        &["--url", url, "--key", "ctxm canary"],
        &with(&right, "--second-key canary"),
        &with(&right, "--second-agent-id b"),
        &with(&right, "--session-cookie session=canary"),
        &with(&right, "--session-user u"),
        &with(&right, "--session-user u --session-cookie canary"),
        &with(&right, "--agent-id a --second-key k --second-agent-id a"),
        &with(&right, "--no-such-flag"),
    ] {
        let (status, out, err) = run(args).await;
        assert_eq!((status, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(
            !err.is_empty() && !err.contains("canary"),
            "{args:?}: {err}"
        );
        assert!(!err.contains(KEY), "{args:?}: {err}");
    }
}

#[tokio::test]
async fn rejected_credentials_are_wrong_usage() {
    let server = OwnServer::start(0, 0).await;
    let Args {
        url,
        key,
        session_user,
        ..
    } = server.args.clone();
    let (url, key, user) = (url.unwrap(), key.unwrap(), session_user.unwrap());
    let right = ["--url", &url, "--key", key.expose_secret()];
    let second = "--second-key canary --second-agent-id b";
    // The user's id has spaces.
    let mut session = with(&right, "--session-cookie a=canary --session-user");
    session.push(&user);
    for (args, named) in [
        (vec!["--url", &url, "--key", "ctxm_canary"], "refuses --key"),
        (with(&right, second), "refuses --second-key"),
        (session, "refuses --session-cookie"),
    ] {
        let (status, _, err) = run(&args).await;
        assert_eq!(status, 2, "{err}");
        assert!(err.contains(named) && !err.contains("canary"), "{err}");
    }
}

#[tokio::test]
async fn help_and_rules_need_no_deployment() {
    let (status, out, _) = run(&["--help"]).await;
    assert_eq!(status, 0);
    assert!(out.contains("--second-agent-id"), "{out}");
    let (status, out, _) = run(&["--rules"]).await;
    assert_eq!((status, out), (0, ctxmem_conformance::rules_in_markdown()));
}

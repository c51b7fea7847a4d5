//! Sources of settings: flags, the environment, files.

use std::time::Duration;

use serde_json::Value;

use crate::process::{CommandOutput, Home, assert_has, assert_lacks, within};

fn run(home: &Home, environment: &[(&str, &str)], args: &[&str]) -> CommandOutput {
    let mut command = home.command();
    command.envs(environment.iter().copied()).args(args);
    CommandOutput::of(command.output().unwrap())
}

fn shown(home: &Home, environment: &[(&str, &str)], args: &[&str]) -> Value {
    let args = [args, &["config", "show", "--json"]].concat();
    let shown = run(home, environment, &args);
    assert!(shown.status.success(), "{}", shown.stderr);
    serde_json::from_str(&shown.stdout).unwrap()
}

#[test]
fn a_flag_comes_before_the_environment_and_this_before_the_file() {
    let home = Home::new();
    home.write(
        "ctxmem.toml",
        "rate-limit = 1\nerasure-limit = 1\nmonthly-quota = 1\nfirst-grant = \"ask\"\n\
         trusted-proxy = [\"10.0.0.1\", \"10.1.0.0/16\"]\n",
    );
    let environment = [
        ("CTXMEM_CONFIG", "ctxmem.toml"),
        ("CTXMEM_RATE_LIMIT", "2"),
        ("CTXMEM_ERASURE_LIMIT", "2"),
    ];
    let settings = shown(&home, &environment, &["--rate-limit", "3"]);
    for (name, value, from) in [
        ("rate-limit", "3", "flag"),
        ("erasure-limit", "2", "environment"),
        ("monthly-quota", "1", "ctxmem.toml"),
        ("first-grant", "ask", "ctxmem.toml"),
        ("trusted-proxy", "10.0.0.1,10.1.0.0/16", "ctxmem.toml"),
        ("token-budget", "2000", "default"),
        ("listen", "127.0.0.1:8080", "default"),
    ] {
        assert_eq!(settings[name]["value"], value, "{name}");
        assert_eq!(settings[name]["from"], from, "{name}");
    }
}

#[tokio::test]
async fn a_server_starts_by_its_file() {
    let home = Home::new();
    home.write("ctxmem.toml", "rate-limit = 7\n");
    for args in [
        &["--config", "ctxmem.toml"][..],
        &["serve", "--config=ctxmem.toml"],
    ] {
        let mut command = home.command();
        command
            .args(args)
            .args(["--listen", "127.0.0.1:0", "--json"]);
        let serving = home.start(command).await;
        let log = serving.stderr();
        assert!(log.contains("rate_limit=7"), "{args:?}: {log}");
    }
}

#[test]
fn a_wrong_setting_is_named_with_where_it_is_from() {
    let home = Home::new();
    let sample = "wrong.toml: rate_limit: there is no such setting; `ctxmem-server config sample`";
    for (text, status, expected) in [
        ("rate-limit = \"canary\"\n", 2, "--rate-limit"),
        (
            "rate-limit = \"canary\"\n",
            2,
            "The value is from wrong.toml",
        ),
        (
            "rate-limit = 1.5\n",
            1,
            "wrong.toml: rate-limit: expected a text, a whole number",
        ),
        ("rate_limit = 1\n", 1, sample),
        (
            "[table]\n",
            1,
            "wrong.toml: table: there is no such setting",
        ),
        (
            "config = \"other.toml\"\n",
            1,
            "wrong.toml: config: there is no such setting",
        ),
        ("\nrate-limit = \n", 1, "wrong.toml: line 2"),
    ] {
        home.write("wrong.toml", text);
        home.refused("config check --config wrong.toml", status, expected);
    }
    home.refused(
        "config check --config absent.toml",
        1,
        "--config absent.toml",
    );

    let environment = [("CTXMEM_RATE_LIMIT", "many")];
    let check = ["--rate-limit", "few", "config", "check"];
    let refused = run(&home, &environment, &check[2..]);
    let variable = "from the environment variable CTXMEM_RATE_LIMIT";
    assert_has(&refused.stderr, &[variable]);
    // One on the command line is where everybody sees it.
    let refused = run(&home, &environment, &check);
    assert_lacks(&refused.stderr, &["environment variable"]);
}

#[test]
fn secrets_are_read_from_files_and_never_shown() {
    let home = Home::new();
    let secret = "canary-0123456789abcdef0123456789";
    home.write("secret", format!("{secret}\n"));
    home.write("short", "canary");
    home.write("ctxmem.toml", "sign-in-secret-file = \"secret\"\n");
    let by_environment = [("CTXMEM_SIGN_IN_SECRET_FILE", "secret")];
    for (environment, args, from) in [
        (&by_environment[..], &[][..], "secret"),
        (&[], &["--config", "ctxmem.toml"], "secret"),
        (&[("CTXMEM_SIGN_IN_SECRET", secret)], &[], "environment"),
    ] {
        let settings = shown(&home, environment, args);
        let shown = &settings["sign-in-secret"];
        assert_eq!(shown["value"], "(set, not shown)");
        assert_eq!(shown["from"], from);
        assert!(!settings.to_string().contains("canary"), "{settings}");
    }
    let url = "postgres://ctxmem:canary@127.0.0.1/ctxmem";
    let settings = shown(&home, &[("CTXMEM_DATABASE_URL", url)], &[]);
    assert!(!settings.to_string().contains("canary"), "{settings}");

    // It is checked as any other.
    let short = [("CTXMEM_SIGN_IN_SECRET_FILE", "short")];
    let both = [by_environment[0], ("CTXMEM_SIGN_IN_SECRET", secret)];
    for (environment, expected) in [
        (&short[..], "--sign-in-secret: expected at least 32"),
        (&both, "CTXMEM_SIGN_IN_SECRET_FILE: set either"),
    ] {
        let refused = run(&home, environment, &["config", "check"]);
        assert_has(&refused.stderr, &[expected]);
        assert_lacks(&refused.stderr, &["canary"]);
    }
}

/// Every setting that is a URL, and one that can be used.
const URLS: [(&str, &str); 9] = [
    ("database-url", "postgres://127.0.0.1/ctxmem"),
    ("keys-database-url", "postgres://127.0.0.1/keys"),
    ("public-url", "https://memory.example.com"),
    ("otlp-url", "http://127.0.0.1:4318"),
    ("model-url", "http://127.0.0.1:1/v1"),
    ("webhook-url", "https://app.example.com/hook"),
    ("oidc-issuer", "https://id.example.com"),
    ("operator-contact", "https://example.com/help"),
    ("privacy-url", "https://example.com/privacy"),
];

#[test]
fn no_user_and_no_password_of_a_url_is_shown() {
    let home = Home::new();
    let help = home.run(&["--help"]).stdout;
    let flags = help.lines().filter_map(|line| {
        let (flag, value) = line.trim().split_once(" <")?;
        value
            .ends_with("URL>")
            .then(|| flag.trim_start_matches("--"))
    });
    let mut flags: Vec<&str> = flags.collect();
    let mut urls = URLS.map(|(name, _)| name);
    flags.sort_unstable();
    urls.sort_unstable();
    assert_eq!(flags, urls, "each setting that is a URL is tried here");

    let commands: [&[&str]; 3] = [&["config", "show"], &["--help"], &["serve", "--help"]];
    for (name, url) in URLS {
        let (scheme, rest) = url.split_once("://").unwrap();
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let variable = format!("CTXMEM_{}", name.to_uppercase().replace('-', "_"));
        for url in [
            format!("{scheme}://ann:canary@{rest}"),
            format!("{scheme}://canary@{rest}"),
            format!("{scheme}://ann:can/canary@{rest}"),
            format!("{scheme}://ann:canary@{host}:port/{path}"),
            format!("ann:canary@{rest}"),
        ] {
            home.write("urls.toml", format!("{name} = {url:?}\n"));
            let flag = format!("--{name}={url}");
            for command in commands {
                let by_file = [&["--config", "urls.toml"], command].concat();
                let by_flag = [&[&*flag], command].concat();
                for said in [
                    run(&home, &[(&variable, &url)], command),
                    run(&home, &[], &by_file),
                    run(&home, &[], &by_flag),
                ] {
                    let said = format!("{}{}", said.stdout, said.stderr);
                    let what = format!("{command:?}, {name} {url}: {said}");
                    assert!(!said.contains("canary"), "{what}");
                    assert!(said.contains(name), "{what}");
                }
            }
        }
    }
    // What is no secret is shown as ever.
    let model = [
        ("CTXMEM_MODEL_URL", "http://ann:canary@127.0.0.1:1/v1"),
        ("CTXMEM_MODEL_NAME", "m"),
    ];
    let settings = shown(&home, &model, &[]);
    assert_eq!(settings["model-url"]["value"], "http://***@127.0.0.1:1/v1");
    let url = [("CTXMEM_OPERATOR_CONTACT", "help@example.com")];
    let settings = shown(&home, &url, &[]);
    assert_eq!(settings["operator-contact"]["value"], "help@example.com");

    // The address of a command is no setting.
    let restore = "restore backup.db --erasures-from postgres://ann:canary@:port/";
    for (command, status) in [(restore, 1), ("http://ann:canary@127.0.0.1/", 2)] {
        assert_lacks(&home.refused(command, status, ""), &["canary"]);
    }
}

#[test]
fn the_help_shows_no_secret_of_a_file() {
    let home = Home::new();
    home.write("secret", "canary-0123456789abcdef0123456789");
    let file = [("CTXMEM_SIGN_IN_SECRET_FILE", "secret")];
    for command in [&["--help"][..], &["serve", "--help"]] {
        let help = run(&home, &file, command).stdout;
        assert!(help.contains("--sign-in-secret"), "{help}");
        assert!(!help.contains("canary"), "{help}");
    }
}

#[test]
fn the_sample_names_every_setting_and_can_be_used() {
    let home = Home::new();
    let sample = home.run(&["config", "sample"]).stdout;
    let settings = shown(&home, &[], &[]);
    for name in settings.as_object().unwrap().keys() {
        assert_has(&sample, &[&format!("\n#{name} = ")]);
    }
    // With every number set to its default it says the same.
    let of_number = |line: &&str| {
        let value = line.split(" = ").nth(1);
        value.is_some_and(|value| value.parse::<u64>().is_ok())
    };
    let set = sample.lines().filter_map(|line| line.strip_prefix('#'));
    let set: Vec<&str> = set.filter(of_number).collect();
    assert!(set.len() > 5, "{set:?}");
    home.write("ctxmem.toml", set.join("\n"));
    let again = shown(&home, &[], &["--config", "ctxmem.toml"]);
    for (name, setting) in settings.as_object().unwrap() {
        assert_eq!(again[name]["value"], setting["value"], "{name}");
    }
    let kept = include_str!("../../../deploy/ctxmem.toml");
    assert!(
        kept == sample,
        "deploy/ctxmem.toml: run `ctxmem-server config sample` and keep what it prints"
    );
}

#[tokio::test]
async fn a_container_can_ask_whether_its_server_is_ready() {
    let home = Home::new();
    let nobody = "127.0.0.1:1: no server answers";
    home.refused("--listen 127.0.0.1:1 healthcheck", 1, nobody);
    let serving = home.serve("--metrics-listen 127.0.0.1:0").await;
    let (_, port) = serving.url().rsplit_once(':').unwrap();
    for host in ["127.0.0.1", "0.0.0.0"] {
        home.printed(&format!("--listen {host}:{port} healthcheck"));
    }
    // Beside the figures too, where a cluster looks.
    let metrics = serving.announced["metrics_url"].as_str().unwrap();
    for path in ["livez", "readyz"] {
        let answer = reqwest::get(metrics.replace("metrics", path)).await;
        assert_eq!(answer.unwrap().text().await.unwrap(), "ok\n");
    }
    // Not ready: the files are gone.
    std::fs::remove_file(home.database()).unwrap();
    let check = format!("--listen 127.0.0.1:{port} healthcheck");
    // That a write succeeded is remembered for some seconds.
    let gone = async || !home.run(&check).status.success();
    within(Duration::from_secs(10), "it is not ready", gone).await;
    home.refused(&check, 1, "not ready (status 503)");
}

#[test]
fn the_committed_openapi_document_is_that_of_the_code() {
    let home = Home::new();
    let committed = include_str!("../../../docs/openapi.json");
    assert!(
        home.printed("openapi") == committed,
        "docs/openapi.json is stale: cargo run --bin ctxmem-server openapi > docs/openapi.json"
    );
}

//! `export` and `import`: everything goes from one engine to the other and back.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use aws_lc_rs::hmac;
use ctxmem_client::{GrantRequest, InjectReason, Scope};
use serde_json::Value;

use crate::backup::{kill, until};
use crate::operators::texts;
use crate::process::{
    Args as _, Home, ServerProcess, assert_has, assert_lacks, count, setting, tell, user,
};

const BASE: &str = "You help.";

/// A server on which people have said, decided and erased things.
pub(crate) async fn lived_in(home: &Home) -> String {
    let serving = home.serve("--log warn --rate-limit 0").await;
    let client = serving.client(None);
    let agent = serving.agent();
    let ada = "My name is Ada and I live in Lisbon. I use Helix as my editor.";
    for (name, message) in [
        ("ada", ada),
        ("bob", "I live in Porto. Keep your answers short."),
        ("erased", "I live in Faro."),
        ("refuses", "I live in Braga."),
    ] {
        tell(&client, name, message).await;
    }
    refuse(&serving, home, "refuses", agent).await;
    let session = serving.sign_in(home, "erased").await;
    erase_own(&serving, &session).await;
    let profile = ["agent", "profile", "--agent", agent];
    let back = ["--return-url", "https://trips.example/chat"];
    let needs = ["--need", "goals=To plan."];
    home.json(&[&profile[..], &back, &needs].concat());
    home.json("agent create --name second --developer ann@example.com");
    let set = "developer set-password --email ann@example.com";
    home.run_with_input(set, "a long password\n");
    let key = serving.key().to_owned();
    serving.stop().await;
    key
}

/// A user who signs in grants an agent access, and takes it away again.
async fn refuse(serving: &ServerProcess, home: &Home, name: &str, agent: &str) {
    let client = serving.user_client(home, name).await;
    let request = GrantRequest::new(user(name), agent, [Scope::Goals]);
    let grant = client.create_grant(&request).await.unwrap();
    client.revoke_grant(&grant.id).await.unwrap();
}

/// Presses the button at `/account/erase`, which the user has to confirm.
async fn erase_own(serving: &ServerProcess, session: &str) {
    let browser = crate::process::browser();
    let page = format!("{}/account/erase", serving.url());
    let form = browser.get(&page).header("cookie", session).send();
    let html = form.await.unwrap().text().await.unwrap();
    let (_, rest) = html.split_once("name=\"made_for\" value=\"").unwrap();
    let made_for = rest.split('"').next().unwrap();
    let answer = browser
        .post(&page)
        .header("cookie", session)
        .header("origin", serving.url())
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("made_for={made_for}&confirm=erase"))
        .send()
        .await
        .unwrap();
    let status = answer.status();
    assert!(status.is_redirection() || status.is_success(), "{status}");
}

pub(crate) fn exported(home: &Home) -> String {
    home.printed("export")
}

/// The lines but for the first and the last, and for what the log says about exports: each adds an entry
/// to it.
fn records(export: &str) -> BTreeSet<&str> {
    let lines = export.lines().skip(1);
    lines
        .filter(|line| !line.starts_with("{\"end\"") && !line.contains("\"action\":\"export\""))
        .collect()
}

fn kinds(export: &str) -> BTreeSet<String> {
    let kinds = export.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line.as_object().unwrap().keys().next().unwrap().clone()
    });
    kinds.collect()
}

async fn assert_lives_on(home: &Home, key: &str) {
    let serving = home.serve("--demo off --log error").await;
    let made = serving.announced.get("api_key");
    assert_eq!(made, None, "it is not a first start");
    let client = serving.client(Some(key));
    let prompt = client.inject(&user("ada"), BASE).await.unwrap();
    assert!(prompt.prompt().contains("Lisbon") && prompt.prompt().contains("Helix"));
    let refused = client.inject(&user("refuses"), BASE).await.unwrap();
    assert_eq!(refused.reason(), Some(&InjectReason::NoGrant));
    // A user who erased everything is asked before an agent begins again: the database still knows them.
    let erased = client.inject(&user("erased"), BASE).await.unwrap();
    assert_eq!(erased.prompt(), BASE);
    assert_eq!(erased.reason(), Some(&InjectReason::NoGrant));
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_goes_from_sqlite_to_postgres_and_back() {
    let home = Home::new();
    let key = lived_in(&home).await;
    let first = exported(&home);
    let expected = "agent developer end event header key usage user".list();
    let expected: BTreeSet<String> = expected.into_iter().map(str::to_owned).collect();
    assert_eq!(kinds(&first), expected);
    let fields = [
        r#""return_url":"https://trips.example/chat""#,
        r#""needs":{"goals":"To plan."}"#,
        r#""since_at":"#,
    ];
    assert_has(&first, &fields);
    let file = home.write("all.ndjson", &first);

    let postgres = Home::on_postgres().await;
    let taken = postgres.json(&["import", &file]);
    assert_eq!(taken["not_taken"], 0, "{taken}");
    let second = exported(&postgres);
    assert!(records(&first) == records(&second));
    // Again it changes nothing.
    let again = postgres.json(&["import", &file]);
    for nothing in ["added", "not_taken"] {
        assert_eq!(again[nothing], 0, "{nothing}");
    }
    assert!(records(&second) == records(&exported(&postgres)));

    let back = Home::new();
    let piped = back.run_with_input(&["import", "-", "--json"], &second);
    assert!(piped.status.success(), "{}", piped.stderr);
    assert!(records(&first) == records(&exported(&back)));
    assert_lives_on(&postgres, &key).await;
    assert_lives_on(&back, &key).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_deployment_takes_what_it_can_and_says_what_it_cannot() {
    let (home, other) = (Home::new(), Home::new());
    lived_in(&home).await;
    let file = home.write("all.ndjson", exported(&home));
    let serving = other.serve(&["--log", "error"]).await;
    let agent = serving.client(None);
    // The same person is known here too, and elsewhere by now.
    tell(&agent, "ada", "I live in Madrid.").await;
    let taken = other.json(&["import", &file]);
    let reasons = texts(&taken["reasons"], "reason").join("\n");
    assert_has(&reasons, &["erased", "address"]);
    // What was there stays as it was, and what it lacked is added.
    let context = agent.context(&user("ada")).await.unwrap();
    let facts = serde_json::to_string(&context).unwrap();
    assert_has(&facts, &["Madrid", "Helix"]);
    assert_lacks(&facts, &["Lisbon"]);
    serving.stop().await;
    let again = other.json(&["import", &file]);
    assert_eq!(again["added"], 0, "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_user_goes_alone() {
    let home = Home::new();
    lived_in(&home).await;
    home.printed("export --user ada --file ada.ndjson");
    let export = std::fs::read_to_string(home.path("ada.ndjson")).unwrap();
    let absent = ["Porto", "password_hash", "argon2", "index_key", "\"hash\""];
    assert_lacks(&export, &absent);
    assert_has(&export, &["Lisbon"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = std::fs::metadata(home.path("ada.ndjson")).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
    let again = home.run(&["export", "--file", "ada.ndjson"]);
    assert_eq!(again.status.code(), Some(1), "it overwrites nothing");
    let other = Home::migrated();
    let file = home.path("ada.ndjson");
    let taken = other.json(&["import", file.to_str().unwrap()]);
    assert_eq!(taken["not_taken"], 0, "{taken}");
    assert!(exported(&other).contains("Lisbon"));
    let unknown = "There is nothing about this user.";
    home.refused("export --user nobody", 1, unknown);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_is_killed_goes_on_where_it_was() {
    let home = Home::new();
    lived_in(&home).await;
    let whole = many_users(&exported(&home), 350);
    let file = home.write("many.ndjson", &whole);
    for home in Home::on_both().await {
        for _ in 0..2 {
            kill(until(&home, "import-stored", &["import", &file]).await);
        }
        let stored = exported(&home);
        let stored = records(&stored).len();
        assert!(stored > 50 && stored < records(&whole).len(), "{stored}");
        let taken = home.json(&["import", &file]);
        assert_eq!(taken["not_taken"], 0, "{taken}");
        assert!(records(&whole) == records(&exported(&home)));
    }
}

/// The hash under which the database of an export stores a user.
pub(crate) fn user_key(export: &str, user_id: &str) -> String {
    let header: Value = serde_json::from_str(export.lines().next().unwrap()).unwrap();
    let index_key = hex::decode(header["header"]["index_key"].as_str().unwrap()).unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &index_key);
    hex::encode(hmac::sign(&key, format!("user{user_id}").as_bytes()))
}

/// An export with so many users more, each with a fact.
fn many_users(export: &str, users: usize) -> String {
    let mut lines: Vec<String> = export.lines().map(str::to_owned).collect();
    let bob = |line: &&String| line.contains("\"user_id\":\"bob\"");
    let bob = lines.iter().find(bob).unwrap();
    let mut template: Value = serde_json::from_str(bob).unwrap();
    lines.pop();
    for n in 0..users {
        let user = &mut template["user"];
        let id = format!("user-{n:06}");
        user["user_key"] = user_key(export, &id).into();
        user["user_id"] = id.into();
        let grants = user["grants"].as_array_mut().unwrap();
        for (m, grant) in grants.iter_mut().enumerate() {
            grant["id"] = format!("00000000-0000-4000-8000-{n:08x}{m:04x}").into();
        }
        lines.push(template.to_string());
    }
    lines.push(format!("{{\"end\":{{\"records\":{}}}}}", lines.len() - 1));
    lines.join("\n") + "\n"
}

/// A file is refused for this reason, and nothing of it is stored or repeated.
#[track_caller]
pub(crate) fn is_no_export(file: &str, said: &str) {
    let home = Home::new();
    for flags in [&["--dry-run"][..], &[]] {
        let import = [&["import", file], flags].concat();
        assert_lacks(&home.refused(&import, 1, said), &["secret"]);
    }
    assert!(!home.database().exists(), "{said}");
}

#[test]
fn files_that_are_no_export_are_refused_before_anything_is_stored() {
    let home = Home::migrated();
    home.json(&["agent", "create", "--name", "a"]);
    let export = exported(&home);
    let lines: Vec<&str> = export.lines().collect();
    let wrong = "\"created_at\":\"secret\",\"x\":";
    let header = "expected the header of an export";
    for (text, said) in [
        (lines[..lines.len() - 1].join("\n"), "the file is cut off"),
        (export[..export.len() * 2 / 3].to_owned(), "line "),
        (
            export.replacen("\"format\":1", "\"format\":2", 1),
            "format 2, newer than this binary knows",
        ),
        (
            [&lines[..2], &lines[3..]].concat().join("\n"),
            "records, and ",
        ),
        (
            format!("{export}{}\n", lines[1]),
            "expected nothing after the end",
        ),
        (export.replacen("\"created_at\":", wrong, 1), "line 2: "),
        (
            "Dear operator,\nplease import this.\n".to_owned(),
            &format!("line 1: {header}"),
        ),
        (String::new(), header),
    ] {
        is_no_export(&home.write("export.ndjson", text), said);
    }
    is_no_export("absent", "absent");
    // A file that is whole is only looked at.
    let other = Home::new();
    let whole = home.write("whole", &export);
    let checked = other.json(&["import", "--dry-run", &whole]);
    assert_eq!(checked["records"], lines.len() - 2);
    assert!(!other.database().exists());
}

/// A hundred thousand users from SQLite to Postgres, in `scripts/soak.sh`.
#[tokio::test(flavor = "multi_thread")]
async fn many_users_go_to_postgres() {
    let users = setting("CTXMEM_TEST_USERS");
    let users = users.map_or(count(1_000, 100_000), |users| users.try_into().unwrap());
    let home = Home::new();
    lived_in(&home).await;
    let file = home.write("many.ndjson", many_users(&exported(&home), users));
    let timed = |home: &Home, args: &[&str]| -> Duration {
        let began = Instant::now();
        home.printed(args);
        began.elapsed()
    };
    let sqlite = Home::new();
    let in_sqlite = timed(&sqlite, &["import", &file]);
    let out = timed(&sqlite, &["export", "--file", "all.ndjson"]);
    let postgres = Home::on_postgres().await;
    let file = sqlite.path("all.ndjson");
    let in_postgres = timed(&postgres, &["import", file.to_str().unwrap()]);
    let first = std::fs::read_to_string(&file).unwrap();
    let second = exported(&postgres);
    let is_same = records(&first) == records(&second);
    assert!(is_same, "something is not as it was");
    println!(
        "figure: export and import of {users} users, {} records, each there and the same: into SQLite \
         {in_sqlite:.1?}, out of it {out:.1?}, into Postgres {in_postgres:.1?}",
        records(&first).len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_memory_held_is_learned_as_if_the_agent_had_learned_it() {
    for home in Home::on_both().await {
        home.json(&["migrate"]);
        let made = home.json(&["agent", "create", "--name", "travel agent"]);
        let agent = made["agent_id"].as_str().unwrap();
        let mem0 = serde_json::json!({"results": [
            {"memory": "User lives in Lisbon", "user_id": "ada"},
            {"memory": "User's sister Ines is a nurse", "user_id": "ada", "categories": ["family"]},
            {"memory": "User said something odd about nothing", "user_id": "ada"},
            {"memory": "User's password is hunter2", "user_id": "ada", "categories": ["family"]},
            {"memory": "User lives in Porto"},
        ]});
        let file = home.write("mem0.json", mem0.to_string());
        let import = ["import", "--format", "mem0", "--agent", agent, &file];
        let checked = home.json(&[&import[..], &["--dry-run"]].concat());
        assert_eq!(checked["records"], 5);
        assert!(!exported(&home).contains("Lisbon"));
        let taken = home.json(&import);
        assert_eq!(taken["added"], 3, "{taken}");
        let refused = taken["reasons"].as_array().unwrap().iter();
        let lines: Vec<_> = refused.map(|refused| &refused["line"]).collect();
        assert_eq!(lines, [4, 5], "{taken}");
        let reasons = texts(&taken["reasons"], "reason");
        assert_lacks(reasons[0], &["hunter2"]);
        assert_has(reasons[1], &["--user"]);
        let export = exported(&home);
        // What fits no slot is kept as it was written.
        assert_has(&export, &["Lisbon", "Ines", "odd"]);
        assert_lacks(&export, &["hunter2", "Porto"]);
        // Again it changes nothing.
        let again = home.json(&import);
        assert_eq!(again["added"], 0, "{again}");
        assert_eq!(again["known"], 3, "{again}");

        // A user who refused the agent is not learned about.
        let serving = home.serve("--log error").await;
        refuse(&serving, &home, "bob", agent).await;
        serving.stop().await;
        home.write("notes.txt", "- User lives in Faro\n");
        let import = format!("import --format chatgpt --agent {agent} --user bob notes.txt");
        let refused = home.json(&import);
        assert_eq!(refused["not_taken"], 1, "{refused}");
        assert_has(&refused["reasons"].to_string(), &["does not allow"]);
        let wrong = format!("import --format zep --agent {agent} {file}");
        home.refused(&wrong, 1, "expected a list of objects with `fact`");
        let nobody = format!("import --format mem0 --agent nobody {file}");
        home.refused(&nobody, 1, "There is no such agent");
    }
}

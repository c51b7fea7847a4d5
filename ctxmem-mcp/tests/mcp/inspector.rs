//! The official inspector in its command-line form, over both transports and in both eras of the
//! protocol. Each run of it is a session of its own.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{PROGRAM, Service};

/// The inspector, as `scripts/inspector.sh` leaves it.
fn inspector() -> Command {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.parent().unwrap().join("inspector");
    let program = folder.join("run");
    assert!(
        program.exists(),
        "the inspector is needed for this test: run scripts/inspector.sh ({} is missing)",
        program.display()
    );
    let mut command = Command::new(program);
    // It keeps nothing of one run for the next.
    command.env("HOME", &folder).args(["--cli", "--quiet"]);
    command
}

/// What to inspect.
#[derive(Clone, Copy, Debug)]
enum Target {
    Stdio,
    Http,
}

fn run(service: &Service, target: Target, era: &str, arguments: &[&str]) -> Output {
    let mut command = inspector();
    match target {
        Target::Stdio => {
            command.env("CTXMEM_BASE_URL", &service.url);
            for (name, value) in [
                ("CTXMEM_BASE_URL", &*service.url),
                ("CTXMEM_API_KEY", &service.key),
                ("CTXMEM_USER_ID", &format!("inspected-{era}-stdio")),
            ] {
                command.arg("-e").arg(format!("{name}={value}"));
            }
            command.arg(PROGRAM);
        }
        Target::Http => {
            command
                .arg(format!("{}/mcp", service.url))
                .args(["--transport", "http", "--header"])
                .arg(format!("Authorization: Bearer {}", service.key))
                .arg("--header")
                .arg(format!("X-CtxMem-User-Id: inspected-{era}-http"));
        }
    }
    command.args(["--protocol-era", era, "--format", "json"]);
    command.args(arguments).output().unwrap()
}

#[track_caller]
fn answered(output: &Output) -> Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let answer: Result<Value, _> = serde_json::from_str(&stdout);
    let answer = answer.unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"));
    // What it would tell people who read its results, such as that a schema is of little use.
    assert!(stderr.is_empty(), "{stderr}");
    answer["result"].clone()
}

fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inspector_drives_every_tool_resource_and_prompt() {
    let service = &Service::start().await;
    std::thread::scope(|scope| {
        for target in [Target::Stdio, Target::Http] {
            for era in ["legacy", "modern"] {
                scope.spawn(move || inspect(service, target, era));
            }
        }
    });
}

fn inspect(service: &Service, target: Target, era: &str) {
    let ask = |arguments: &[&str]| answered(&run(service, target, era, arguments));
    let call = |tool: &str, arguments: &[&str]| {
        let method = ["--method", "tools/call", "--tool-name", tool];
        ask(&[&method[..], arguments].concat())
    };
    // It also fails where the schemas of tools can't be used by everybody.
    let tools = ask(&["--method", "tools/list", "--strict"]);
    assert_eq!(
        tools["tools"].as_array().unwrap().len(),
        4,
        "{target:?} {era}"
    );
    let said = "text=My name is Ada and I live in Lisbon.";
    let stored = call("remember", &["--tool-arg", said]);
    assert_eq!(stored["structuredContent"]["stored"][0]["value"], "Ada");
    let context = call("get_context", &[]);
    assert!(text(&context).contains("- location: Lisbon"), "{context}");
    let scope = call("get_context", &["--tool-arg", "scope=general"]);
    assert!(text(&scope).contains("- name: Ada"), "{scope}");
    let facts = call("list_facts", &[]);
    let facts = facts["structuredContent"]["facts"].as_array().unwrap();
    let id = format!("fact_id={}", facts[0]["id"].as_str().unwrap());
    let gone = call("forget", &["--tool-arg", &id]);
    assert_eq!(gone["structuredContent"]["forgotten"]["id"], facts[0]["id"]);

    let resources = ask(&["--method", "resources/list"]);
    for resource in resources["resources"].as_array().unwrap() {
        let uri = resource["uri"].as_str().unwrap();
        let read = ask(&["--method", "resources/read", "--uri", uri]);
        assert_eq!(read["contents"][0]["uri"], uri);
    }
    let templates = ask(&["--method", "resources/templates/list"]);
    assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 1);
    let prompts = ask(&["--method", "prompts/list"]);
    assert_eq!(prompts["prompts"][0]["name"], "turn");
    let turn = ["--method", "prompts/get", "--prompt-name", "turn"];
    let turn = ask(&[&turn[..], &["--prompt-args", "message=Hello"]].concat());
    assert_eq!(turn["messages"][1]["content"]["text"], "Hello");

    let wrong = ["--method", "tools/call", "--tool-name", "get_context"];
    let wrong = [&wrong[..], &["--tool-arg", "scope=nowhere"]].concat();
    let wrong = run(service, target, era, &wrong);
    let told = [wrong.stdout, wrong.stderr].concat();
    let told = String::from_utf8_lossy(&told);
    assert!(told.contains("scope: expected one of general"), "{told}");
}

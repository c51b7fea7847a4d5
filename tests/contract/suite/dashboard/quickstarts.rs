//! The programs on the page of a new key, and those of docs/clients.md, do what they say, against a
//! real server.

use ctxmem_types::ScopeSet;
use tokio::process::Command;

use crate::suite::support::{Server, Setup, Text as _, user};

/// The text of a program as the page has it.
macro_rules! program {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/ctxmem-server/templates/dashboard/first_turn.",
            $name
        ))
    };
}

async fn prints(server: &Server, key: &str, command: &[&str]) -> String {
    let (program, arguments) = command.split_first().unwrap();
    let ran = Command::new(program)
        .args(arguments)
        .env("CTXMEM_BASE_URL", &server.url)
        .env("CTXMEM_API_KEY", key)
        .output();
    let ran = ran
        .await
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{program}: {errors}");
    String::from_utf8(ran.stdout).unwrap()
}

/// The program in this language in docs/clients.md.
fn documented(language: &str) -> &'static str {
    let document = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/clients.md"));
    let (_, rest) = document.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

#[tokio::test]
async fn each_program_gets_a_prompt_and_learns_from_the_turn() {
    // Whatever runs TypeScript leaves its types out.
    let plain =
        |text: &str| text.replace("(path: string, body: object): Promise<any>", "(path, body)");
    let typescript = plain(program!("ts"));
    let documented_typescript = plain(documented("typescript"));
    for (command, learned) in [
        (&["sh", "-ec", program!("sh")][..], "\"updated\":true"),
        (&["python3", "-c", program!("py")], "learned: {'general'"),
        (
            &["node", "--input-type=module", "-e", &typescript],
            r#"learned: {"general""#,
        ),
        (
            &["python3", "-c", documented("python")],
            "learned: {'general'",
        ),
        (
            &["node", "--input-type=module", "-e", &documented_typescript],
            r#"learned: {"general""#,
        ),
    ] {
        let server = Setup::auto().start().await;
        let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
        let printed = prints(&server, &agent.key, command).await;
        printed.assert_has("You are a helpful assistant.");
        assert!(printed.contains(learned), "{learned} in {printed}");
        assert!(agent.prompt(&user("ada")).await.contains("Lisbon"));
    }
}

//! The program: how it starts and ends, what it does while its server is away, and how a call is
//! cancelled.

use std::time::Duration;

use futures_util::future::join_all;
use rmcp::model::{CallToolRequest, ClientRequest, GetPromptRequestParams};
use rmcp::service::PeerRequestOptions;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use crate::support::{Era, PROGRAM, Service, Session, params, program, refusal, text};

/// Longer than anything here takes. What is not done by then never is.
const NEVER: Duration = Duration::from_secs(30);

/// An address at which nobody listens.
async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn a_setting_that_is_missing_or_wrong_is_named_and_not_repeated() {
    for (changed, expected) in [
        (("CTXMEM_BASE_URL", ""), "CTXMEM_BASE_URL is not set"),
        (
            ("CTXMEM_BASE_URL", "canary"),
            "CTXMEM_BASE_URL can't be used",
        ),
        (("CTXMEM_API_KEY", ""), "CTXMEM_API_KEY is not set"),
        (
            ("CTXMEM_API_KEY", "can ary"),
            "CTXMEM_API_KEY can't be used",
        ),
        (("CTXMEM_USER_ID", ""), "CTXMEM_USER_ID can't be used"),
    ] {
        let mut command = program("http://127.0.0.1:1", "ctxm_canary", "canary");
        command.env(changed.0, changed.1);
        let output = command.output().await.unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{changed:?}");
        assert!(output.stdout.is_empty());
        assert!(stderr.contains(expected), "{stderr}");
        assert!(!stderr.contains("canary") && !stderr.contains("can ary"));
    }
    let mut command = program("http://127.0.0.1:1", "ctxm_k", "ada");
    let output = command.env_remove("CTXMEM_USER_ID").output().await.unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("CTXMEM_USER_ID is not set"), "{stderr}");
    let help = std::process::Command::new(PROGRAM).arg("--help").output();
    let help = String::from_utf8(help.unwrap().stdout).unwrap();
    for variable in ["CTXMEM_BASE_URL", "CTXMEM_API_KEY", "CTXMEM_USER_ID"] {
        assert!(help.contains(variable), "{help}");
    }
}

#[tokio::test]
async fn it_ends_with_its_input() {
    let output = program("http://127.0.0.1:1", "ctxm_k", "ada")
        .spawn()
        .unwrap()
        .wait_with_output();
    let output = tokio::time::timeout(NEVER, output).await.unwrap().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[tokio::test]
async fn a_wrong_key_and_a_server_that_is_away_are_said_at_the_start() {
    let service = Service::start().await;
    for (url, said) in [
        (&*service.url, "401 UNAUTHORIZED"),
        (&*nobody().await, "could not connect"),
    ] {
        let mut command = program(url, "ctxm_canary", "canary");
        let mut program = command.spawn().unwrap();
        let mut stderr = BufReader::new(program.stderr.take().unwrap()).lines();
        let line = tokio::time::timeout(NEVER, stderr.next_line())
            .await
            .unwrap();
        let line = line.unwrap().unwrap();
        assert!(
            line.starts_with("ctxmem-mcp: ") && line.contains(said),
            "{line}"
        );
        assert!(!line.contains("canary"), "{line}");
    }
    // With a good key it says nothing, and what it is asked it answers.
    let session = Session::over_stdio(program(&service.url, &service.key, "ada"), Era::Legacy);
    let answer = session.await.call("list_facts", json!({})).await;
    assert!(!answer.is_error.unwrap_or_default(), "{}", text(&answer));
}

#[tokio::test]
async fn while_the_server_is_away_every_call_says_so() {
    let session = Session::over_stdio(program(&nobody().await, "ctxm_k", "ada"), Era::Legacy);
    let session = session.await;
    for (tool, arguments) in [
        ("get_context", json!({})),
        ("get_context", json!({ "scope": "goals" })),
        ("remember", json!({ "text": "My name is Ada." })),
        ("list_facts", json!({})),
        ("forget", json!({ "fact_id": "f" })),
    ] {
        let answer = session.call(tool, arguments).await;
        let refusal = refusal(&answer);
        assert!(refusal.contains("could not connect"), "{tool}: {refusal}");
        assert!(refusal.contains("Go on without it"), "{tool}: {refusal}");
    }
    let message = json!({ "message": "Hello" });
    let turn =
        GetPromptRequestParams::new("turn").with_arguments(message.as_object().unwrap().clone());
    let turn = session.running.get_prompt(turn).await.unwrap();
    assert_eq!(turn.messages[1].content.as_text().unwrap().text, "Hello");
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_its_request_and_nothing_else() {
    // A service that takes requests and answers none.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let session = Session::over_stdio(program(&url, "ctxm_k", "ada"), Era::Legacy).await;
    let call = params("remember", json!({ "text": "My name is Ada." }));
    let call = ClientRequest::CallToolRequest(CallToolRequest::new(call));
    let peer = session.running.peer();
    let under_way = peer
        .send_cancellable_request(call, PeerRequestOptions::no_options())
        .await
        .unwrap();
    // At the start it also asks whether its key is good.
    let mut first = listener.accept().await.unwrap().0;
    let mut second = listener.accept().await.unwrap().0;
    let mut heads = [[0; 16]; 2];
    first.read_exact(&mut heads[0]).await.unwrap();
    second.read_exact(&mut heads[1]).await.unwrap();
    let is_call = heads.map(|head| head.starts_with(b"POST /api/"));
    assert_ne!(is_call[0], is_call[1]);
    let mut connection = if is_call[0] { first } else { second };
    under_way
        .cancel(Some("no longer needed".to_owned()))
        .await
        .unwrap();
    // The program closes the connection, although its own timeouts are longer than this.
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(NEVER, connection.read_to_end(&mut rest));
    closed.await.unwrap().unwrap();
    let _ = connection.shutdown().await;
    let tools = session.running.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_are_answered_each_by_its_own_answer() {
    let service = Service::start().await;
    let program = program(&service.url, &service.key, "ada");
    let session = Session::over_stdio(program, Era::Modern).await;
    let calls = (0..64).map(async |n| {
        let said = json!({ "text": format!("Remember that my locker is number {n}x.") });
        let stored = session.call("remember", said).await;
        assert!(text(&stored).contains(&format!("{n}x")), "{stored:?}");
    });
    join_all(calls).await;
}

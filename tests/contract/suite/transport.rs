//! Connections: slow ones, many of them, odd ones, and those that are open at shutdown.

use std::time::Duration;

use ctxmem_client::Client;
use ctxmem_server::http::Limits;
use futures_util::future::join_all;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::suite::support::{
    Agent, Connection, FakeModel, Server, Setup, Text as _, completion, exact, refused, user,
};

/// What ends at a deadline ends before this, however busy the machine is.
const SOON: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_millis(200);

fn limits(change: impl FnOnce(&mut Limits)) -> Setup {
    Setup::new().with(|config| change(&mut config.limits))
}

fn get(server: &Server, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", server.address())
}

/// The head of an inject whose body has this length, or comes in chunks.
fn inject_head(server: &Server, key: &str, length: Option<usize>) -> String {
    let framing = match length {
        Some(length) => format!("content-length: {length}"),
        None => "transfer-encoding: chunked".to_owned(),
    };
    format!(
        "POST /api/context/inject HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {key}\r\n\
         content-type: application/json\r\n{framing}\r\n",
        server.address()
    )
}

const INJECT: &str = r#"{"userId":"ada","basePrompt":"Be brief."}"#;

// ---- slow clients --------------------------------------------------------------------

#[tokio::test]
async fn a_head_has_a_limited_time_to_arrive() {
    let setup = limits(|limits| limits.header_timeout = SHORT);
    let (server, agent) = setup.start_with_agent().await;
    let beginnings = [
        "",
        "G",
        "GET /api/health HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nhost: x\r\nx",
    ];
    let slow = join_all((0..20).map(async |n| {
        let mut connection = Connection::open(&server).await;
        connection.write(beginnings[n % beginnings.len()]).await;
        connection.until_closed().await
    }));
    let closed = timeout(SOON, slow).await.unwrap();
    assert!(closed.iter().all(|answer| !answer.contains("200 OK")));
    agent.inject(&user("ada"), "").await.unwrap();
}

#[tokio::test]
async fn a_head_that_trickles_in_gets_no_more_time() {
    let server = limits(|limits| limits.header_timeout = SHORT).start().await;
    let mut connection = Connection::open(&server).await;
    connection.write("GET /api/health HTTP/1.1\r\nx: ").await;
    let trickle = async {
        while connection.try_write("x").await {
            sleep(SHORT / 8).await;
        }
    };
    timeout(SOON, trickle).await.unwrap();
}

#[tokio::test]
async fn a_client_that_does_not_read_its_answers_is_cut_off() {
    let server = limits(|limits| limits.write_timeout = SHORT).start().await;
    let unread = join_all((0..20).map(async |_| {
        let mut connection = Connection::open_with_little_room(&server).await;
        while connection.try_write(get(&server, "/style.css")).await {}
    }));
    timeout(SOON, unread).await.unwrap();
    server.get("/style.css").gets(200).await;
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let server = limits(|limits| limits.header_timeout = SHORT).start().await;
    let mut connection = Connection::open(&server).await;
    connection.write(get(&server, "/api/health")).await;
    assert_eq!(connection.answer().await.status, 200);
    let rest = timeout(SOON, connection.until_closed()).await.unwrap();
    assert_eq!(rest, "");
}

#[tokio::test]
async fn a_body_has_a_limited_time_to_arrive() {
    let setup = limits(|limits| limits.body_timeout = SHORT);
    let (server, agent) = setup.start_with_agent().await;
    for (length, some_of_it) in [(Some(INJECT.len()), "{"), (None, "1\r\n{\r\n"), (None, "")] {
        let mut connection = Connection::open(&server).await;
        let head = inject_head(&server, &agent.key, length);
        connection.write(format!("{head}\r\n{some_of_it}")).await;
        let answer = timeout(SOON, connection.answer()).await.unwrap();
        answer.assert_error(408).assert_begins("body: ");
        timeout(SOON, connection.until_closed()).await.unwrap();
    }
}

#[tokio::test]
async fn a_body_that_trickles_in_gets_no_more_time() {
    let setup = limits(|limits| limits.body_timeout = SHORT);
    let (server, agent) = setup.start_with_agent().await;
    // Also where it is refused before it is read.
    for (key, status) in [(agent.key.as_str(), "408"), ("ctxm_unknown", "401")] {
        let mut connection = Connection::open(&server).await;
        let head = inject_head(&server, key, Some(1_000));
        connection.write(format!("{head}\r\n")).await;
        let trickle = async {
            while connection.try_write(" ").await {
                sleep(SHORT / 8).await;
            }
        };
        timeout(SOON, trickle).await.unwrap();
        connection
            .until_closed()
            .await
            .assert_begins(format!("HTTP/1.1 {status} "));
    }
}

#[tokio::test]
async fn a_client_that_waits_to_be_asked_for_its_body_is_asked_only_if_it_is_wanted() {
    let (server, agent) = Server::with_agent().await;
    let expecting = async |key: &str, length| {
        let mut connection = Connection::open(&server).await;
        let head = inject_head(&server, key, Some(length));
        connection
            .write(format!("{head}expect: 100-continue\r\n\r\n"))
            .await;
        connection
    };
    let mut good = expecting(&agent.key, INJECT.len()).await;
    assert_eq!(good.interim().await, "HTTP/1.1 100 Continue");
    good.write(INJECT).await;
    assert_eq!(good.answer().await.status, 200);

    for (key, length, status) in [("ctxm_unknown", 1_000, 401), (&*agent.key, 20 << 20, 413)] {
        let mut refused = expecting(key, length).await;
        assert_eq!(refused.answer().await.status, status);
        // What follows could be the body or another request: the connection ends.
        assert_eq!(timeout(SOON, refused.until_closed()).await.unwrap(), "");
    }
}

// ---- many clients --------------------------------------------------------------------

#[tokio::test]
async fn beyond_the_connection_cap_clients_are_told_so_until_there_is_room() {
    let server = limits(|limits| limits.max_connections = 2).start().await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut connection = Connection::open(&server).await;
        connection.write(get(&server, "/api/health")).await;
        assert_eq!(connection.answer().await.status, 200);
        open.push(connection);
    }
    for _ in 0..3 {
        let answer = server.get("/style.css").send().await;
        answer.assert_error(503);
        assert!(answer.header("retry-after").is_some());
        server.get("/api/health").gets(200).await;
    }
    for connection in &mut open {
        connection.write(get(&server, "/api/health")).await;
        assert_eq!(connection.answer().await.status, 200);
    }
    open.pop();
    let recovery = async {
        while server.get("/style.css").send().await.status != 200 {
            sleep(SHORT / 20).await;
        }
    };
    timeout(SOON, recovery).await.unwrap();
}

#[tokio::test]
async fn clients_that_send_nothing_take_no_room_from_those_that_ask_for_the_health() {
    let few = |limits: &mut Limits| (limits.max_connections, limits.max_turned_away) = (2, 2);
    let server = limits(few).start().await;
    let silent = join_all((0..50).map(|_| Connection::open(&server))).await;
    for _ in 0..10 {
        let asking = server.get("/api/health").send();
        assert_eq!(timeout(SOON, asking).await.unwrap().status, 200);
    }
    drop(silent);
}

#[tokio::test]
async fn the_client_gets_to_know_that_there_are_too_many_connections() {
    let setup = limits(|limits| limits.max_connections = 0);
    let (_server, agent) = setup.start_with_agent().await;
    for prompt in ["Be brief.".to_owned(), "x".repeat(1 << 19)] {
        for _ in 0..20 {
            let error = agent.inject(&user("ada"), &prompt).await.unwrap_err();
            assert!(
                error.is_retryable() && error.retry_after().is_some(),
                "{error}"
            );
            refused::<()>(Err(error), 503);
        }
    }
}

// ---- odd clients ---------------------------------------------------------------------

#[tokio::test]
async fn a_connection_serves_one_request_after_another() {
    let (server, agent) = Server::with_agent().await;
    let mut connection = Connection::open(&server).await;
    let inject = |key| {
        format!(
            "{}\r\n{INJECT}",
            inject_head(&server, key, Some(INJECT.len()))
        )
    };
    for (request, status) in [
        (get(&server, "/api/health"), 200),
        (inject(&agent.key), 200),
        (inject("ctxm_unknown"), 401),
        (get(&server, "/nowhere"), 404),
        (inject(&agent.key).replace("/json", "/xml"), 415),
        (inject(&agent.key), 200),
    ] {
        connection.write(request).await;
        assert_eq!(connection.answer().await.status, status);
    }
}

#[tokio::test]
async fn requests_that_come_at_once_are_answered_in_their_order() {
    let (server, agent) = Server::with_agent().await;
    let mut connection = Connection::open(&server).await;
    let inject = format!(
        "{}\r\n{INJECT}",
        inject_head(&server, &agent.key, Some(INJECT.len()))
    );
    let requests = [
        get(&server, "/api/health"),
        inject.clone(),
        get(&server, "/nowhere"),
        inject.replace("/json", "/xml"),
        inject,
        get(&server, "/api/context/ada"),
    ];
    connection.write(requests.concat()).await;
    for status in [200, 200, 404, 415, 200, 401] {
        assert_eq!(connection.answer().await.status, status);
    }
}

#[tokio::test]
async fn a_request_shows_one_key_at_most() {
    let (server, agent, other, _) = Server::with_two_agents().await;
    let session = server.sign_in(&user("ada")).await;
    for path in ["/api/context/ada", "/account", "/mcp"] {
        let asked = || server.get(path).cookie(&session);
        for (first, second) in [(&agent, &other), (&agent, &agent)] {
            let answer = asked().key(&first.key).key(&second.key).send().await;
            let text = answer.assert_error(400);
            assert_eq!(text, "Authorization: expected one at most.");
            assert!(!answer.body.contains(&agent.key));
        }
        assert_ne!(asked().key(&agent.key).send().await.status, 400, "{path}");
    }
    // One that is no text is one as well: the session beside it does not count.
    let facts = server.get("/api/context/ada/facts").cookie(&session);
    let unreadable = facts.clone().header("authorization", "Bearer \u{e9}");
    unreadable.send().await.assert_error(401);
    assert_eq!(facts.send().await.status, 200);
}

#[tokio::test]
async fn a_request_says_to_which_host_it_goes_exactly_once() {
    let server = Server::start().await;
    for (request, status) in [
        ("GET /api/health HTTP/1.1\r\n\r\n", 400),
        (
            "GET /api/health HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
            400,
        ),
        (
            "GET /api/health HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n",
            400,
        ),
        (
            "GET /api/health HTTP/1.1\r\nhost: any.example:80\r\n\r\n",
            200,
        ),
        // The older protocol did not have the header.
        ("GET /api/health HTTP/1.0\r\n\r\n", 200),
    ] {
        let mut connection = Connection::open(&server).await;
        connection.write(request).await;
        let answer = connection.answer().await;
        assert_eq!(answer.status, status, "{request}");
        if status == 400 {
            answer.assert_bad_request("Host: ");
        }
    }
}

#[tokio::test]
async fn a_malformed_request_is_refused_and_its_connection_closed() {
    let server = Server::start().await;
    let long_path = format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "a".repeat(70_000));
    let many_headers = format!(
        "GET / HTTP/1.1\r\nhost: x\r\n{}\r\n",
        "x: y\r\n".repeat(200)
    );
    let long_header = format!(
        "GET / HTTP/1.1\r\nhost: x\r\nx: {}\r\n\r\n",
        "y".repeat(1 << 20)
    );
    for (request, statuses) in [
        ("\0\u{1}\u{2}garbage\r\n\r\n", &[400][..]),
        ("GET /api/health\r\n\r\n", &[400]),
        ("GET /api/health HTTP/9.9\r\nhost: x\r\n\r\n", &[400, 505]),
        ("GET /a b HTTP/1.1\r\nhost: x\r\n\r\n", &[400]),
        ("GET / HTTP/1.1\r\nhost: x\r\nno colon\r\n\r\n", &[400]),
        (
            "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
            &[400],
        ),
        (
            "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
            &[400],
        ),
        // It is longer than a whole head may be.
        (&*long_path, &[431]),
        (&*many_headers, &[431]),
        (&*long_header, &[431]),
    ] {
        let mut connection = Connection::open(&server).await;
        // It may be refused before all of it was sent.
        connection.try_write(request).await;
        let answer = timeout(SOON, connection.until_closed()).await.unwrap();
        let shown: String = request.chars().take(60).collect();
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        assert!(
            status.is_some_and(|status| statuses.contains(&status)),
            "{shown}: {answer}"
        );
    }
    let mut newer = Connection::open(&server).await;
    newer.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert_eq!(newer.until_closed().await, "");
    assert_eq!(server.get("/api/health").send().await.status, 200);
}

#[tokio::test]
async fn two_framings_of_one_body_hide_no_second_request() {
    let (server, agent) = Server::with_agent().await;
    let hidden = get(&server, "/api/health");
    let chunks = format!("{:x}\r\n{INJECT}\r\n0\r\n\r\n", INJECT.len());
    for length in [0, chunks.len(), chunks.len() + hidden.len()] {
        let head = inject_head(&server, &agent.key, Some(length));
        let mut connection = Connection::open(&server).await;
        let request = format!("{head}transfer-encoding: chunked\r\n\r\n{chunks}{hidden}");
        connection.write(request).await;
        let answers = timeout(SOON, connection.until_closed()).await.unwrap();
        assert!(answers.matches("HTTP/1.1 ").count() <= 1, "{answers}");
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_harms_nobody() {
    let (server, agent) = Server::with_agent().await;
    for (length, some_of_it) in [(Some(1_000), "{"), (None, "5\r\n{\r\n"), (None, "zz\r\n{")] {
        let mut connection = Connection::open(&server).await;
        let head = inject_head(&server, &agent.key, length);
        connection.write(format!("{head}\r\n{some_of_it}")).await;
        connection.end().await;
        let answer = timeout(SOON, connection.until_closed()).await.unwrap();
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 400 "),
            "{answer}"
        );
    }
    agent.inject(&user("ada"), "").await.unwrap();
}

// ---- deadlines and shutdown ----------------------------------------------------------

/// A model that finds one fact, after a while.
async fn slow_model(delay: Duration) -> FakeModel {
    let found = json!({"scope": "knowledge", "value": "Rust", "quote": LESSON});
    let answer = completion(&json!({"facts": [found]}).to_string());
    let model = FakeModel::start().await;
    model.answers(answer.set_delay(delay));
    model
}

fn with_model(setup: Setup, model: &FakeModel) -> Setup {
    setup.model(model, Duration::from_mins(2))
}

/// A client that waits longer than any test takes.
fn patient(server: &Server, agent: &Agent) -> Client {
    exact(&server.url)
        .api_key(agent.key.as_str())
        .inject_timeout(Duration::from_mins(2))
        .update_timeout(Duration::from_mins(2))
        .build()
        .unwrap()
}

const LESSON: &str = "I have been writing Rust for five years.";

/// Waits until the model is being asked.
async fn asked(model: &FakeModel) {
    let asking = async {
        while model.requests().await.is_empty() {
            sleep(SHORT / 20).await;
        }
    };
    timeout(SOON, asking).await.unwrap();
}

#[tokio::test]
async fn a_request_has_a_limited_time_in_all() {
    let model = slow_model(Duration::from_mins(1)).await;
    let setup = limits(|limits| limits.request_timeout = SHORT);
    let (_server, agent, ada) = with_model(setup, &model).start_with_ada().await;
    let update = agent.update(&ada, LESSON, "");
    refused(timeout(SOON, update).await.unwrap(), 500);
    // The next has time of its own, which a busy machine may use up as well.
    let answered = async { while agent.inject(&ada, "").await.is_err() {} };
    timeout(SOON, answered).await.unwrap();
}

#[tokio::test]
async fn at_shutdown_what_is_under_way_is_answered_and_nothing_new_is_taken() {
    let model = slow_model(Duration::from_secs(1)).await;
    let (server, agent) = with_model(Setup::new(), &model).start_with_agent().await;
    let client = patient(&server, &agent);
    let update = tokio::spawn(async move { client.update(&user("ada"), LESSON, "").await });
    asked(&model).await;
    let address = server.address().to_owned();
    let stopped = tokio::spawn(server.stop());
    let refusal = async {
        while TcpStream::connect(&address).await.is_ok() {
            sleep(SHORT / 20).await;
        }
    };
    timeout(SOON, refusal).await.unwrap();
    assert!(
        !update.is_finished(),
        "new connections are refused meanwhile"
    );
    let updated = timeout(SOON, update).await.unwrap().unwrap().unwrap();
    assert!(!updated.delta.unwrap().is_empty());
    timeout(SOON, stopped).await.unwrap().unwrap();
}

#[tokio::test]
async fn shutdown_waits_for_no_connection_that_asks_nothing() {
    let server = Server::start().await;
    let mut idle = Connection::open(&server).await;
    idle.write(get(&server, "/api/health")).await;
    assert_eq!(idle.answer().await.status, 200);
    let silent = Connection::open(&server).await;
    assert_eq!(server.get("/api/health").send().await.status, 200);
    timeout(SOON, server.stop()).await.unwrap();
    assert_eq!(timeout(SOON, idle.until_closed()).await.unwrap(), "");
    assert_eq!(timeout(SOON, silent.until_closed()).await.unwrap(), "");
}

#[tokio::test]
async fn shutdown_waits_no_longer_than_its_deadline() {
    let model = slow_model(Duration::from_mins(1)).await;
    let setup = limits(|limits| limits.drain_timeout = SHORT);
    let (server, agent) = with_model(setup, &model).start_with_agent().await;
    let mut half = Connection::open(&server).await;
    half.write(format!(
        "{}\r\n{{",
        inject_head(&server, &agent.key, Some(100))
    ))
    .await;
    let client = patient(&server, &agent);
    let update = tokio::spawn(async move { client.update(&user("ada"), LESSON, "").await });
    asked(&model).await;
    timeout(SOON, server.stop()).await.unwrap();
    update.abort();
}

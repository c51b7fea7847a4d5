//! Races and storms that are counted: short here, at full counts in `scripts/soak.sh`. Each
//! prints its figure.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ctxmem_types::{Context, Scope, UserId};
use futures_util::future::join_all;
use serde_json::json;

use crate::suite::support::{
    Agent, ENGINE, Engine, FakeModel, HELLO, RawRequest, Server, Setup, count, fact, user,
};

/// A model that finds whatever project is named, and a server that asks it.
async fn server_that_hears_of_projects() -> (FakeModel, Server) {
    let model = FakeModel::start().await;
    let server = Setup::asking(&model).endless_lists().start().await;
    model.finds_with(|said| {
        let (_, name) = said.split_once("project:").unwrap();
        let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        vec![fact(Scope::Goals, &name[..end.unwrap_or(name.len())])]
    });
    (model, server)
}

fn about(project: &str) -> String {
    format!("I am working on project:{project} these days.")
}

fn projects(context: Context) -> HashSet<String> {
    let tasks = context.ongoing_tasks.into_iter();
    tasks.map(|fact| fact.value).collect()
}

/// A moment between nothing and this.
async fn a_moment(longest: Duration) {
    tokio::time::sleep(longest.mul_f64(rand::random::<f64>())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_deletion_that_races_updates_is_never_undone() {
    const UPDATES: usize = 3;
    let (_model, server) = server_that_hears_of_projects().await;
    let agent = server.agent().await;
    let trials = count(60, 1_000);
    let (mut raced, mut resurrected) = (0, 0);
    for trial in 0..trials {
        let ada = user(&format!("ada-{trial}"));
        agent.tells(&ada, &about("before")).await;
        let under_way = AtomicUsize::new(0);
        let updates = (0..UPDATES).map(async |n| {
            under_way.fetch_add(1, Ordering::SeqCst);
            let said = about(&format!("during-{n}"));
            // Some are refused, some come before the deletion: both are well.
            let _ = agent.update(&ada, said, "Noted.").await;
            under_way.fetch_sub(1, Ordering::SeqCst);
        });
        let deletion = async {
            a_moment(Duration::from_millis(4)).await;
            raced += usize::from(under_way.load(Ordering::SeqCst) > 0);
            agent.delete_context(&ada).await.unwrap();
        };
        futures_util::join!(join_all(updates), deletion);
        server.user_allows(&ada, &agent).await;
        let context = agent.context(&ada).await.unwrap();
        resurrected += usize::from(!context.is_empty());
    }
    let engine = *ENGINE;
    println!(
        "figure: delete racing {UPDATES} updates on {engine}: {trials} trials, {raced} with \
         updates under way at the deletion, {resurrected} with facts resurrected"
    );
    assert_eq!(resurrected, 0);
    assert!(raced * 100 >= trials * 50, "only {raced} of {trials} raced");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_writers_of_one_user_lose_no_update() {
    const WRITERS: usize = 16;
    let (_model, server) = server_that_hears_of_projects().await;
    let (agent, ada) = (server.agent().await, user("ada"));
    let each = count(20, 100);
    join_all((0..WRITERS).map(async |writer| {
        for n in 0..each {
            let said = about(&format!("w{writer}-n{n}"));
            assert_eq!(agent.tells(&ada, &said).await["updated"], true);
        }
    }))
    .await;
    let stored = projects(agent.context(&ada).await.unwrap()).len();
    let lost = WRITERS * each - stored;
    let engine = *ENGINE;
    println!("figure: {WRITERS} writers x {each} updates of one user on {engine}: {lost} lost");
    assert_eq!(lost, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_that_leave_at_any_point_do_no_harm() {
    const AT_ONCE: usize = 16;
    let (server, agent) = Server::with_agent().await;
    let rounds = count(128, 4_800) / AT_ONCE;
    let (mut left, mut open) = (0, 0);
    let mut acknowledged = Vec::new();
    for round in 0..rounds {
        let calls = (0..AT_ONCE).map(async |n| {
            // Each of a user of its own, so that every call makes a grant and stores a fact.
            let ada = user(&format!("ada-{round}-{n}"));
            // Every other one stays in any case.
            let patience = (n % 2 == 0).then_some(Duration::from_millis(30));
            let stayed = call_and_maybe_leave(&agent, &ada, patience).await;
            stayed.then_some(ada)
        });
        for answered in join_all(calls).await {
            match answered {
                Some(ada) => acknowledged.push(ada),
                None => left += 1,
            }
        }
        // What was begun for those who left comes to its end; then all connections are free.
        open = open.max(server.store.open_transactions().await);
    }
    let mut invisible = 0;
    for ada in &acknowledged {
        let context = agent.context(ada).await.unwrap();
        invisible += usize::from(context.is_empty());
    }
    let engine = *ENGINE;
    println!(
        "figure: client disconnects on {engine}: {left} at random points, {} stayed, {open} \
         transactions left open, {invisible} acknowledged but invisible",
        acknowledged.len()
    );
    assert_eq!((open, invisible), (0, 0));
    assert!(
        left > 0 && !acknowledged.is_empty(),
        "nobody left, or nobody stayed"
    );
}

/// Sends an update and answers whether it stayed for the whole answer, or left before it at a
/// random point within its patience.
async fn call_and_maybe_leave(agent: &Agent, ada: &UserId, patience: Option<Duration>) -> bool {
    tokio::select! {
        answer = agent.raw_update(ada.as_str(), HELLO).send() => {
            assert_eq!(answer.status, 200);
            true
        }
        () = a_moment(patience.unwrap_or_default()), if patience.is_some() => false,
    }
}

/// An update about a project, under an idempotency key that is its name.
fn update_once(server: &Server, agent: &Agent, project: &str) -> RawRequest {
    let said = about(project);
    let body = json!({"userId": "ada", "userMessage": said, "agentResponse": "Noted."});
    let request = server.raw("POST", "/api/context/update").key(&agent.key);
    request.header("idempotency-key", project).json(&body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn updates_whose_answer_got_lost_are_neither_counted_nor_stored_twice() {
    /// How often the answer to a request gets lost at most.
    const LOSSES: usize = 3;
    /// What is left of the quota in the end.
    const LEFT: usize = 5;
    let trials = count(100, 500);
    let quota = u32::try_from(trials + LEFT).unwrap();
    let model = FakeModel::start().await;
    // It finds something else each time, so that an update that is carried out twice shows.
    let asked = AtomicUsize::new(0);
    model.finds_with(move |said| {
        let (_, name) = said.split_once("project:").unwrap();
        let name = name.split(' ').next().unwrap();
        let time = asked.fetch_add(1, Ordering::SeqCst);
        // As letters: no model may make up a number.
        let time: String = time
            .to_string()
            .bytes()
            .map(|c| char::from(c + b'a' - b'0'))
            .collect();
        vec![fact(Scope::Goals, &format!("{name} found {time}"))]
    });
    // On Postgres a retry goes to any of two processes.
    let mut servers = vec![
        Setup::asking(&model)
            .endless_lists()
            .monthly_quota(quota)
            .start()
            .await,
    ];
    if let Engine::Postgres | Engine::Citus = *ENGINE {
        let beside = Setup::on(servers[0].store.clone());
        let beside = beside.model(&model, Duration::from_secs(30));
        servers.push(beside.endless_lists().monthly_quota(quota).start().await);
    }
    let (agent, ada) = (servers[0].agent().await, user("ada"));
    agent.injects(&ada).await;
    // As long as an answer takes, a little more or less, the client waits.
    let other = servers[0].agent().await;
    let began = Instant::now();
    for _ in 0..10 {
        other.tells(&user("bob"), &about("before")).await;
    }
    let usual = began.elapsed() / 10;
    let (mut lost, mut replayed) = (0, 0);
    for trial in 0..trials {
        let project = format!("p{trial}");
        let call = |n: usize| update_once(&servers[(trial + n) % servers.len()], &agent, &project);
        let losses = rand::random_range(1..=LOSSES);
        for n in 0..losses {
            let connection = call(n).sent().await;
            a_moment(usual * 2).await;
            drop(connection);
        }
        lost += losses;
        let answer = call(losses).gets(200).await;
        assert_eq!(answer.json()["updated"], true);
        replayed += usize::from(answer.header("idempotent-replayed").is_some());
    }
    let stored = projects(agent.context(&ada).await.unwrap());
    let mut doubled = stored.len();
    for trial in 0..trials {
        let prefix = format!("p{trial} found ");
        assert!(stored.iter().any(|fact| fact.starts_with(&prefix)), "lost");
        doubled -= 1;
    }
    let mut left = 0;
    while agent.tells(&ada, &about("more")).await["updated"] == true {
        left += 1;
    }
    let used = trials + LEFT - left;
    let engine = *ENGINE;
    println!(
        "figure: lost answers on {engine}, {} server(s): {trials} keys, {lost} answers lost, \
         answered in the end {replayed} times as before, {doubled} facts doubled, {used} updates \
         counted",
        servers.len()
    );
    assert_eq!((doubled, used), (0, trials));
    assert!(
        replayed * 4 >= trials,
        "only {replayed} retries of {trials} came after the effect"
    );
}

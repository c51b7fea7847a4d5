//! inject by how much is known of the user: what a block costs a kilobyte, from memory and read anew, what the
//! search of a whole memory adds, and what a user takes in the cache.

use std::sync::Arc;

use serde_json::json;

use super::inject::BASE;
use super::{Bench, facts};
use crate::baseline;
use crate::load::{Wire, float, metric};
use crate::report;
use crate::request;
use crate::rounds::{self, Target};
use crate::server::Server;

/// More facts than the default budget has room for: those that are left are searched.
const FULL: usize = 300;

/// The users of whom the cache holds something.
const CACHED: usize = 100;

const QUESTION: &str = "Which of the walnut shelves did I want to paint before the guests arrive?";

/// Nothing is looked for where all words are common, but the facts are read.
const SMALL_TALK: &str = "What would you do about that?";

const THINGS: [&str; 15] = [
    "shelf",
    "lantern",
    "violin",
    "kettle",
    "bicycle",
    "carpet",
    "ladder",
    "mirror",
    "notebook",
    "teapot",
    "drawer",
    "telescope",
    "blanket",
    "window",
    "barrel",
];
const WOODS: [&str; 10] = [
    "walnut", "cherry", "maple", "birch", "cedar", "willow", "chestnut", "spruce", "poplar",
    "ebony",
];

/// One of many requests to remember something, which all lists of scopes share.
fn request_to_remember(n: usize) -> String {
    let (thing, wood) = (
        THINGS[n % THINGS.len()],
        WOODS[n / THINGS.len() % WOODS.len()],
    );
    if n.is_multiple_of(2) {
        format!("Please remember: the {wood} {thing} in room {n} came from my aunt's house.")
    } else {
        format!("Please remember that I prefer the {wood} {thing} over the others, as in room {n}.")
    }
}

/// Teaches as much as is kept, and answers how many facts that is.
async fn fill(server: &Server, user: &str) -> usize {
    facts::teach(server, user).await;
    let mut agent = server.agent().await;
    for n in 0..FULL {
        agent.tell(user, &request_to_remember(n)).await;
    }
    agent.facts(user).await.len()
}

pub(super) async fn run(bench: &Bench) {
    let flags = ["--metrics-listen", "127.0.0.1:0"];
    let mut server = Server::on_sqlite(&bench.server, &flags);
    facts::teach(&server, "ada").await;
    let known = fill(&server, "grace").await;
    compare(bench, &server, "from memory", known).await;
    cached(&mut server).await;
    let server = server.restart(&["--cache-mib", "0"]);
    compare(bench, &server, "read anew", known).await;
}

async fn compare(bench: &Bench, server: &Server, how: &str, known: usize) {
    for (user, memory) in [("ada", "some facts"), ("grace", "a full memory")] {
        let bytes = server.agent().await.size_of_inject(user, BASE).await;
        let bare = baseline::start(&["bare", &bytes.to_string()]);
        let plain = request::inject(&server.key, user, BASE);
        let post_with = |message| {
            let body = json!({ "userId": user, "basePrompt": BASE, "message": message });
            request::post("/api/context/inject", &server.key, &body)
        };
        let (talking, searching) = (post_with(SMALL_TALK), post_with(QUESTION));
        let target = |name, process, request: &bytes::Bytes| {
            let request = request.clone();
            Target::new(name, process, Arc::new(move |_, _| request.clone()))
        };
        let targets = [
            target("bare warp", &bare, &plain),
            target("ctxmem", &server.process, &plain),
            target("ctxmem, with small talk", &server.process, &talking),
            target("ctxmem, with a question", &server.process, &searching),
        ];
        let title = format!("inject, {how}, {memory} ({known} at most), {bytes} bytes, SQLite");
        let measured = rounds::compare(bench.plan, &title, 1, &targets).await;
        if user == "grace" {
            let searched = report::difference(&measured[3], &measured[2], |turn| turn.cpu);
            println!("\nThe search of {known} facts: {searched} µs of processor.");
        }
    }
}

/// What a user takes in the cache.
async fn cached(server: &mut Server) {
    let mut agent = server.agent().await;
    let before = cache(server).await;
    for n in 0..CACHED {
        let user = format!("cached-{n}");
        facts::teach(server, &user).await;
        agent.inject(&user, BASE, None).await;
    }
    let after = cache(server).await;
    let (bytes, entries) = (after[0] - before[0], after[1] - before[1]);
    println!("\n### the cache, after an inject each of {CACHED} users with some facts\n");
    report::head("what | measured");
    println!("| bytes a user | {:.0} |", bytes / float(CACHED));
    println!("| entries a user | {:.1} |", entries / float(CACHED));
}

async fn cache(server: &Server) -> [f64; 2] {
    let mut wire = Wire::open(server.process.metrics_address()).await;
    let figures = wire.metrics().await;
    ["ctxmem_cache_bytes", "ctxmem_cache_entries"].map(|name| metric(figures, name))
}

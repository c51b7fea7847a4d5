//! Facts to work with.

use std::sync::Arc;

use bytes::Bytes;

use crate::load::Requests;
use crate::request;
use crate::server::Server;

/// Cities and editors that the rules know. They alternate, so every update changes two facts.
const CITIES: [&str; 8] = [
    "Lisbon", "Vienna", "Oslo", "Madrid", "Dublin", "Prague", "Athens", "Warsaw",
];
const EDITORS: [&str; 8] = [
    "Helix",
    "Zed",
    "Vim",
    "Emacs",
    "Neovim",
    "Kakoune",
    "Sublime Text",
    "Nano",
];

/// A message with two facts, different ones for each number.
pub(super) fn message(n: usize) -> String {
    let (city, editor) = (CITIES[n % 8], EDITORS[n % 8]);
    format!("I live in {city} now. I use {editor} as my editor.")
}

/// A message with one fact of some 230 bytes, another one for each number: ten fill the token budget.
pub(super) fn memo(n: usize) -> String {
    format!(
        "Please remember: the store room number {n:07} of our house has shelves for paper, ink, \
         glue, string, chalk, paint, brushes, tape, wax, cloth, wood, nails, screws, hooks, wire, \
         lamps, oil, soap, salt, sand, seeds, bulbs, pots, tools and some old maps."
    )
}

/// Some facts of a user, learned by updates: a block of about 2 KB.
pub(super) async fn teach(server: &Server, user: &str) {
    let mut agent = server.agent().await;
    for message in [
        "My name is Ada. I live in Lisbon. My time zone is Europe/Lisbon.",
        "I use Helix as my editor. I deploy to Fly.io. I use Postgres for my projects.",
        "I prefer Rust over Go. I know Kubernetes, Terraform and Python.",
        "Please keep your answers short and always use metric units.",
        "My manager is called Grace. My colleague Tim works on billing.",
        "I'm working on a parser for invoices. My deadline is Friday.",
        "We decided to use SQLite for the prototype last week.",
    ] {
        agent.tell(user, message).await;
    }
}

/// Updates of a user, each of which changes what the one before stored.
pub(super) fn eight(server: &Server, user: &str) -> [Bytes; 8] {
    std::array::from_fn(|n| request::update(&server.key, user, &message(n)))
}

/// Updates of many users in turn, so that no two connections write of the same one at once.
pub(super) fn updates(
    server: &Server,
    users: impl Iterator<Item = String>,
    connections: usize,
) -> Requests {
    let requests: Vec<_> = users.map(|user| eight(server, &user)).collect();
    let each = requests.len() / connections;
    Arc::new(move |connection, n| requests[connection * each + n % each][n / each % 8].clone())
}

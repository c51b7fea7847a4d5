//! Many users and facts, stored by updates as agents send them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;

use super::Bench;
use super::facts::{memo, message};
use super::inject::BASE;
use crate::server::Server;

/// So many updates are under way at once: the server commits them together.
pub(super) const AT_ONCE: usize = 64;

/// Facts of each of the other users.
pub(super) const FACTS_EACH: usize = 3;

/// What a file holds.
#[derive(Clone, Copy)]
pub(super) struct Data {
    /// Facts of the user `ada`.
    pub(super) facts: usize,
    /// Other users, whose ids `user` tells.
    pub(super) users: usize,
}

/// The nth of the other users.
pub(super) fn user(n: usize) -> String {
    format!("user {n:07}")
}

impl Data {
    /// A server on a SQLite file that holds this.
    pub(super) async fn serve(self, bench: &Bench, flags: &[&str]) -> Server {
        // Lists of any length.
        let server = Server::in_memory(&bench.server, &["--facts-per-list", "0"]);
        let server = Arc::new(server);
        learn(&server, 1, 0..self.facts, |n| ("ada".to_owned(), memo(n))).await;
        learn(&server, AT_ONCE, 0..self.users, |n| {
            (user(n), format!("{} {}", message(0), memo(n)))
        })
        .await;
        let server = Arc::into_inner(server).unwrap();
        server.restart_on_disk(flags)
    }
}

/// Sends the updates with these numbers: of a user, with a message.
pub(super) async fn learn(
    server: &Arc<Server>,
    connections: usize,
    updates: Range<usize>,
    update: fn(usize) -> (String, String),
) {
    let next = Arc::new(AtomicUsize::new(updates.start));
    let mut sending = JoinSet::new();
    for _ in 0..connections {
        let (server, next) = (Arc::clone(server), Arc::clone(&next));
        sending.spawn(async move {
            let mut agent = server.agent().await;
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= updates.end {
                    break;
                }
                let (user, message) = update(n);
                agent.tell(&user, &message).await;
            }
        });
    }
    sending.join_all().await;
}

/// Has so many users speak one after the other, each with an inject before each of their messages, and
/// answers the server again.
pub(super) async fn converse<const TURNS: usize>(
    server: Server,
    users: usize,
    messages: fn(usize) -> [String; TURNS],
) -> Server {
    let server = Arc::new(server);
    let mut all = JoinSet::new();
    for connection in 0..AT_ONCE {
        let server = Arc::clone(&server);
        all.spawn(async move {
            let mut agent = server.agent().await;
            for n in (connection..users).step_by(AT_ONCE) {
                for message in messages(n) {
                    agent.inject(&user(n), BASE, None).await;
                    agent.tell(&user(n), &message).await;
                }
            }
        });
    }
    all.join_all().await;
    Arc::into_inner(server).unwrap()
}

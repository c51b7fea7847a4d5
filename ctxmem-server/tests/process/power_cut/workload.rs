//! Clients at work: first calls of new users, updates, erasures.

use ctxmem_client::Client;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tokio::task::JoinSet;

use crate::history::History;

/// How much is done while a server runs.
#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) clients: usize,
    pub(super) users: usize,
    /// Updates of one user, at most.
    pub(super) updates: usize,
    /// How likely it is that a user is erased.
    pub(super) erased: f64,
}

impl Load {
    /// Few updates and many erasures, each of which empties the log.
    pub(super) const ERASING: Self = Self {
        clients: 4,
        users: 6,
        updates: 4,
        erased: 0.4,
    };

    /// So many updates that the log is copied into the file in between.
    pub(super) const FILLING: Self = Self {
        clients: 4,
        users: 14,
        updates: 40,
        erased: 0.005,
    };

    /// Does it all. Which calls are made depends on the seed only.
    pub(super) async fn run(self, client: &Client, round: usize, seed: u64) -> Vec<History> {
        let mut tasks = JoinSet::new();
        for number in 0..self.clients {
            let client = client.clone();
            let random = StdRng::seed_from_u64(seed.wrapping_add(number as u64));
            tasks.spawn(async move { self.one_client(&client, [round, number], random).await });
        }
        tasks.join_all().await.concat()
    }

    async fn one_client(
        self,
        client: &Client,
        [round, number]: [usize; 2],
        mut random: StdRng,
    ) -> Vec<History> {
        let mut histories: Vec<History> = Vec::new();
        for user in 0..self.users {
            let mut history = History::new(round, number, user);
            if random.random() {
                history.inject(client).await.unwrap();
            }
            for _ in 0..random.random_range(1..=self.updates) {
                history.update(client).await.unwrap();
            }
            histories.push(history);
            if random.random_bool(self.erased) {
                // Somebody of before, whose facts others have moved to other pages meanwhile.
                let there = histories.iter_mut().filter(|one| one.erasure.is_none());
                if let Some(earlier) = there.choose(&mut random) {
                    earlier.erase(client).await.unwrap();
                }
            }
        }
        histories
    }
}

//! Clients at work: first calls of new users, updates, erasures.

use std::sync::Arc;

use ctxmem_client::Client;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tokio::task::JoinSet;

use crate::database_files::DatabaseFolder;
use crate::evidence::Copies;
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
    /// Answers with it, and with copies of users that were made right before they were erased.
    pub(super) async fn run(
        self,
        client: &Client,
        folder: &Arc<DatabaseFolder>,
        round: usize,
        seed: u64,
    ) -> (Vec<History>, Copies) {
        let mut tasks = JoinSet::new();
        for number in 0..self.clients {
            let (client, folder) = (client.clone(), Arc::clone(folder));
            let random = StdRng::seed_from_u64(seed.wrapping_add(number as u64));
            tasks.spawn(async move {
                self.one_client(&client, &folder, [round, number], random)
                    .await
            });
        }
        let (mut histories, mut copies) = (Vec::new(), Copies::default());
        for (some, copy) in tasks.join_all().await {
            histories.extend(some);
            copies.add(copy);
        }
        (histories, copies)
    }

    async fn one_client(
        self,
        client: &Client,
        folder: &DatabaseFolder,
        [round, number]: [usize; 2],
        mut random: StdRng,
    ) -> (Vec<History>, Copies) {
        let (mut histories, mut copies) = (Vec::<History>::new(), Copies::default());
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
                    let mut copy = Copies::of_sqlite(folder);
                    copy.retain(earlier.name());
                    copies.add(copy);
                    earlier.erase(client).await.unwrap();
                }
            }
        }
        (histories, copies)
    }
}

//! News for users: what agents do without them. The pages read it from what is stored (`/account` shows it until it
//! was seen); whoever [subscribes](Grants::news) is told of it as it happens.

use std::sync::Arc;

use ctxmem_types::UserId;
use tokio::sync::mpsc;

use super::{Grants, playground};

/// How many news wait for a subscriber at most. Those beyond are not told.
const WAITING: usize = 1_000;

/// What an agent did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewsKind {
    /// It asks for access, and waits for the user.
    AgentWaits,
    /// It got access without asking.
    AgentBegan,
    /// It deleted a fact.
    FactDeleted,
    /// It erased everything.
    MemoryErased,
}

/// Something that an agent did, of which the user may want to hear.
#[derive(Clone, PartialEq, Eq)]
pub struct News {
    /// What it did.
    pub kind: NewsKind,
    /// Whose memory it is about.
    pub user_id: UserId,
    /// The agent.
    pub agent_id: Arc<str>,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

impl Grants {
    /// The news from now on, for the first who asks.
    pub fn news(&self) -> Option<mpsc::Receiver<News>> {
        let (sender, receiver) = mpsc::channel(WAITING);
        self.subscriber.set(sender).ok().map(|()| receiver)
    }

    /// Tells the subscriber, if there is one. Call it when what was done is committed.
    pub(super) fn tell(&self, kind: NewsKind, user_id: &UserId, agent_id: &Arc<str>) {
        let Some(subscriber) = self.subscriber.get() else {
            return;
        };
        // Nobody is behind a test user.
        if playground::is_any_test_user(user_id) {
            return;
        }
        let news = News {
            kind,
            user_id: user_id.clone(),
            agent_id: Arc::clone(agent_id),
            at: self.clock.millis(),
        };
        if subscriber.try_send(news).is_err() {
            self.note_untold();
        }
    }

    /// Counts news that the subscriber did not get to where it goes.
    pub(crate) fn note_untold(&self) {
        self.metrics.news_untold.inc();
    }
}

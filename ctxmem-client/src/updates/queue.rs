//! The interactions that wait to be sent. Pure. A user's interactions go out one after the
//! other, in the order in which they came; those of different users at the same time.

use std::collections::{HashMap, VecDeque};

use ctxmem_types::UserId;

use super::store::{NotStored, StoredId};
use super::{RejectReason, UpdateStats};
use crate::Interaction;
use crate::time::Instant;

/// An interaction that the queue accepted.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) interaction: Interaction,
    pub(super) accepted_at: Instant,
    /// Its place in the file of a durable queue.
    pub(super) stored: Option<StoredId>,
}

/// The counter of [`UpdateStats`] to which an accepted interaction goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Completion {
    Sent,
    Failed,
    Dropped,
}

#[derive(Debug)]
pub(super) struct Queue {
    max_items: usize,
    max_bytes: usize,
    /// The waiting items of each user. While an item of a user is being sent, the user has an
    /// entry as well, though it may be empty.
    waiting: HashMap<UserId, VecDeque<Item>>,
    /// The users whose next item may be sent.
    ready: VecDeque<UserId>,
    /// The size of the items that wait or are being sent.
    bytes: usize,
    closed: bool,
    stats: UpdateStats,
}

impl Queue {
    pub(super) fn new(max_items: usize, max_bytes: usize) -> Self {
        Self {
            max_items,
            max_bytes,
            waiting: HashMap::new(),
            ready: VecDeque::new(),
            bytes: 0,
            closed: false,
            stats: UpdateStats::default(),
        }
    }

    /// Accepts an interaction, or returns it. It is stored first, so that what was accepted is
    /// stored, and only if there is room, so that what is stored was accepted.
    #[expect(
        clippy::result_large_err,
        reason = "a refusal is rare and gives the interaction back"
    )]
    pub(super) fn push(
        &mut self,
        interaction: Interaction,
        now: Instant,
        store: impl FnOnce(&Interaction) -> Result<Option<StoredId>, NotStored>,
    ) -> Result<(), (Interaction, RejectReason)> {
        let bytes = self.bytes + interaction.size();
        let stored = if self.closed {
            Err(RejectReason::Closed)
        } else if self.stats.pending >= self.max_items || bytes > self.max_bytes {
            Err(RejectReason::Full)
        } else {
            store(&interaction).map_err(|NotStored| RejectReason::NotStored)
        };
        match stored {
            Ok(stored) => {
                self.add(interaction, now, stored);
                Ok(())
            }
            Err(reason) => {
                self.stats.rejected += 1;
                Err((interaction, reason))
            }
        }
    }

    /// Whether a further interaction of the usual size would be refused.
    pub(super) fn is_full(&self) -> bool {
        let usual = self.bytes / self.stats.pending.max(1);
        self.stats.pending >= self.max_items || self.bytes + usual > self.max_bytes
    }

    /// Adds an interaction that was accepted, by this process or an earlier one.
    pub(super) fn add(&mut self, interaction: Interaction, now: Instant, stored: Option<StoredId>) {
        self.bytes += interaction.size();
        self.stats.accepted += 1;
        self.stats.pending += 1;
        let user_id = interaction.user_id.clone();
        let item = Item {
            interaction,
            accepted_at: now,
            stored,
        };
        if let Some(items) = self.waiting.get_mut(&user_id) {
            items.push_back(item);
        } else {
            self.waiting.insert(user_id.clone(), [item].into());
            self.ready.push_back(user_id);
        }
    }

    /// The next item to send. The user's further items wait until it is
    /// [completed](Self::complete).
    pub(super) fn take(&mut self) -> Option<Item> {
        let user_id = self.ready.pop_front()?;
        self.waiting.get_mut(&user_id)?.pop_front()
    }

    /// Counts an item that was taken, and releases the user's next one.
    pub(super) fn complete(&mut self, interaction: &Interaction, completion: Completion) {
        self.count(interaction, completion);
        let user_id = &interaction.user_id;
        match self.waiting.get(user_id) {
            Some(items) if !items.is_empty() => self.ready.push_back(user_id.clone()),
            _ => {
                self.waiting.remove(user_id);
            }
        }
    }

    /// Drops the waiting items. Those that are being sent are not affected.
    pub(super) fn drop_waiting(&mut self) -> Vec<Interaction> {
        self.ready.clear();
        let dropped: Vec<Interaction> = self
            .waiting
            .values_mut()
            .flat_map(|items| items.drain(..))
            .map(|item| item.interaction)
            .collect();
        for interaction in &dropped {
            self.count(interaction, Completion::Dropped);
        }
        dropped
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Whether the queue is closed and nothing is pending.
    pub(super) fn is_finished(&self) -> bool {
        self.closed && self.stats.pending == 0
    }

    pub(super) fn stats(&self) -> UpdateStats {
        self.stats
    }

    fn count(&mut self, interaction: &Interaction, completion: Completion) {
        self.bytes -= interaction.size();
        self.stats.pending -= 1;
        match completion {
            Completion::Sent => self.stats.sent += 1,
            Completion::Failed => self.stats.failed += 1,
            Completion::Dropped => self.stats.dropped += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interaction(user: &str, said: &str) -> Interaction {
        Interaction::new(UserId::new(user).unwrap(), said, "")
    }

    fn queue() -> Queue {
        Queue::new(3, 10_000)
    }

    fn push(queue: &mut Queue, user: &str, said: &str) -> Result<(), RejectReason> {
        let pushed = queue.push(interaction(user, said), Instant::now(), |_| Ok(None));
        pushed.map_err(|(_, reason)| reason)
    }

    #[test]
    fn a_users_items_go_one_after_the_other() {
        let mut queue = queue();
        for (user, said) in [("a", "1"), ("a", "2"), ("b", "3")] {
            push(&mut queue, user, said).unwrap();
        }
        let first = queue.take().unwrap();
        let other = queue.take().unwrap();
        assert_eq!(first.interaction.user_message, "1");
        assert_eq!(other.interaction.user_message, "3");
        assert!(queue.take().is_none(), "the second of a has to wait");
        queue.complete(&first.interaction, Completion::Sent);
        assert_eq!(queue.take().unwrap().interaction.user_message, "2");
    }

    #[test]
    fn a_new_item_of_a_busy_user_waits_too() {
        let mut queue = queue();
        push(&mut queue, "a", "1").unwrap();
        let first = queue.take().unwrap();
        push(&mut queue, "a", "2").unwrap();
        assert!(queue.take().is_none());
        queue.complete(&first.interaction, Completion::Failed);
        assert!(queue.take().is_some());
    }

    #[test]
    fn items_and_bytes_are_bounded_until_they_ended() {
        let mut queue = queue();
        for said in ["1", "2", "3"] {
            push(&mut queue, "a", said).unwrap();
        }
        let taken = queue.take().unwrap();
        assert_eq!(push(&mut queue, "b", "4"), Err(RejectReason::Full));
        queue.complete(&taken.interaction, Completion::Sent);
        assert_eq!(
            push(&mut queue, "b", &"x".repeat(10_000)),
            Err(RejectReason::Full)
        );
        push(&mut queue, "b", "5").unwrap();
        queue.close();
        assert_eq!(push(&mut queue, "b", "6"), Err(RejectReason::Closed));
        let stats = queue.stats();
        assert_eq!((stats.accepted, stats.rejected), (4, 3));
    }

    #[test]
    fn only_what_is_accepted_is_stored_and_only_what_is_stored_is_accepted() {
        let mut queue = Queue::new(1, 10_000);
        let unstored = queue.push(interaction("a", "1"), Instant::now(), |_| Err(NotStored));
        assert_eq!(
            unstored.map_err(|(_, why)| why),
            Err(RejectReason::NotStored)
        );
        assert_eq!(queue.stats().pending, 0);
        push(&mut queue, "a", "2").unwrap();
        let full = queue.push(interaction("a", "3"), Instant::now(), |_| {
            panic!("there is no room for it")
        });
        assert_eq!(full.map_err(|(_, why)| why), Err(RejectReason::Full));
    }

    proptest! {
        #[test]
        fn every_accepted_item_is_counted_once(steps in prop::collection::vec((0..4_u8, 0..4_u8), 0..200)) {
            let mut queue = Queue::new(20, 2_000);
            let mut taken: Vec<Item> = Vec::new();
            for (step, which) in steps {
                match step {
                    0 | 1 => {
                        let _ = push(&mut queue, &format!("u{which}"), "said");
                    }
                    2 => taken.extend(queue.take()),
                    _ => if let Some(item) = taken.pop() {
                        let completions = [Completion::Sent, Completion::Failed, Completion::Dropped, Completion::Sent];
                        queue.complete(&item.interaction, completions[usize::from(which)]);
                    },
                }
                let r = queue.stats();
                prop_assert_eq!(r.accepted, r.sent + r.failed + r.dropped + r.pending);
                let users: std::collections::HashSet<_> =
                    taken.iter().map(|item| &item.interaction.user_id).collect();
                prop_assert_eq!(users.len(), taken.len(), "two of one user at a time");
            }
            queue.drop_waiting();
            for item in taken {
                queue.complete(&item.interaction, Completion::Sent);
            }
            let r = queue.stats();
            prop_assert_eq!(r.pending, 0);
            prop_assert_eq!(r.accepted, r.sent + r.failed + r.dropped);
            prop_assert_eq!(queue.bytes, 0);
            prop_assert!(queue.waiting.is_empty() || queue.waiting.values().all(VecDeque::is_empty));
        }
    }
}

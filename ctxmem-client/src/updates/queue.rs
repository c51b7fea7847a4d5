//! What waits to be sent. Pure: a user's interactions go out one after the other, in the
//! order in which they came; those of different users side by side.

use std::collections::{HashMap, VecDeque};

use ctxmem_types::UserId;

use super::{Refusal, Report};
use crate::Interaction;
use crate::time::Instant;

/// An interaction that was accepted.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) interaction: Interaction,
    pub(super) accepted_at: Instant,
}

/// How an accepted interaction ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Sent,
    Failed,
    Dropped,
}

#[derive(Debug)]
pub(super) struct Queue {
    max_items: usize,
    max_bytes: usize,
    /// The waiting items of each user. A user of whom one is being sent has a lane, too,
    /// though it may be empty.
    lanes: HashMap<UserId, VecDeque<Item>>,
    /// The users whose next item may go out.
    ready: VecDeque<UserId>,
    /// Of the items that wait or are being sent.
    bytes: usize,
    closed: bool,
    report: Report,
}

impl Queue {
    pub(super) fn new(max_items: usize, max_bytes: usize) -> Self {
        Self {
            max_items,
            max_bytes,
            lanes: HashMap::new(),
            ready: VecDeque::new(),
            bytes: 0,
            closed: false,
            report: Report::default(),
        }
    }

    /// Accepts an interaction, or gives it back.
    pub(super) fn push(
        &mut self,
        interaction: Interaction,
        now: Instant,
    ) -> Result<(), (Interaction, Refusal)> {
        let bytes = self.bytes + interaction.size();
        let refusal = if self.closed {
            Some(Refusal::Closed)
        } else if self.report.pending >= self.max_items || bytes > self.max_bytes {
            Some(Refusal::Full)
        } else {
            None
        };
        if let Some(refusal) = refusal {
            self.report.refused += 1;
            return Err((interaction, refusal));
        }
        self.bytes = bytes;
        self.report.accepted += 1;
        self.report.pending += 1;
        let user_id = interaction.user_id.clone();
        let item = Item {
            interaction,
            accepted_at: now,
        };
        if let Some(lane) = self.lanes.get_mut(&user_id) {
            lane.push_back(item);
        } else {
            self.lanes.insert(user_id.clone(), [item].into());
            self.ready.push_back(user_id);
        }
        Ok(())
    }

    /// The next item to send. Its user has to wait until it [ended](Self::end).
    pub(super) fn take(&mut self) -> Option<Item> {
        let user_id = self.ready.pop_front()?;
        self.lanes.get_mut(&user_id)?.pop_front()
    }

    /// Counts an item that was taken, and lets the user's next one go.
    pub(super) fn end(&mut self, interaction: &Interaction, end: End) {
        self.count(interaction, end);
        let user_id = &interaction.user_id;
        match self.lanes.get(user_id) {
            Some(lane) if !lane.is_empty() => self.ready.push_back(user_id.clone()),
            _ => {
                self.lanes.remove(user_id);
            }
        }
    }

    /// Drops what waits; what is being sent is not touched.
    pub(super) fn drop_waiting(&mut self) -> Vec<Interaction> {
        self.ready.clear();
        let waiting: Vec<Interaction> = self
            .lanes
            .values_mut()
            .flat_map(|lane| lane.drain(..))
            .map(|item| item.interaction)
            .collect();
        for interaction in &waiting {
            self.count(interaction, End::Dropped);
        }
        waiting
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Whether nothing is left and nothing will come.
    pub(super) fn is_over(&self) -> bool {
        self.closed && self.report.pending == 0
    }

    pub(super) fn report(&self) -> Report {
        self.report
    }

    fn count(&mut self, interaction: &Interaction, end: End) {
        self.bytes -= interaction.size();
        self.report.pending -= 1;
        match end {
            End::Sent => self.report.sent += 1,
            End::Failed => self.report.failed += 1,
            End::Dropped => self.report.dropped += 1,
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

    fn push(queue: &mut Queue, user: &str, said: &str) -> Result<(), Refusal> {
        let pushed = queue.push(interaction(user, said), Instant::now());
        pushed.map_err(|(_, refusal)| refusal)
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
        queue.end(&first.interaction, End::Sent);
        assert_eq!(queue.take().unwrap().interaction.user_message, "2");
    }

    #[test]
    fn a_new_item_of_a_busy_user_waits_too() {
        let mut queue = queue();
        push(&mut queue, "a", "1").unwrap();
        let first = queue.take().unwrap();
        push(&mut queue, "a", "2").unwrap();
        assert!(queue.take().is_none());
        queue.end(&first.interaction, End::Failed);
        assert!(queue.take().is_some());
    }

    #[test]
    fn items_and_bytes_are_bounded_until_they_ended() {
        let mut queue = queue();
        for said in ["1", "2", "3"] {
            push(&mut queue, "a", said).unwrap();
        }
        let taken = queue.take().unwrap();
        assert_eq!(push(&mut queue, "b", "4"), Err(Refusal::Full));
        queue.end(&taken.interaction, End::Sent);
        assert_eq!(
            push(&mut queue, "b", &"x".repeat(10_000)),
            Err(Refusal::Full)
        );
        push(&mut queue, "b", "5").unwrap();
        queue.close();
        assert_eq!(push(&mut queue, "b", "6"), Err(Refusal::Closed));
        let report = queue.report();
        assert_eq!((report.accepted, report.refused), (4, 3));
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
                        let ends = [End::Sent, End::Failed, End::Dropped, End::Sent];
                        queue.end(&item.interaction, ends[usize::from(which)]);
                    },
                }
                let r = queue.report();
                prop_assert_eq!(r.accepted, r.sent + r.failed + r.dropped + r.pending);
                let users: std::collections::HashSet<_> =
                    taken.iter().map(|item| &item.interaction.user_id).collect();
                prop_assert_eq!(users.len(), taken.len(), "two of one user at a time");
            }
            queue.drop_waiting();
            for item in taken {
                queue.end(&item.interaction, End::Sent);
            }
            let r = queue.report();
            prop_assert_eq!(r.pending, 0);
            prop_assert_eq!(r.accepted, r.sent + r.failed + r.dropped);
            prop_assert_eq!(queue.bytes, 0);
            prop_assert!(queue.lanes.is_empty() || queue.lanes.values().all(VecDeque::is_empty));
        }
    }
}

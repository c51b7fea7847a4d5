//! What was deleted because of its age stays away, and a choice that was taken back deletes nothing any more.

use ctxmem_types::{Scope, UserId};

use super::Side;
use super::accounts::Parted;
use crate::core::AutoDelete;

impl Side {
    /// Adds a goal, and answers whose.
    async fn with_goal(&self, user: &str) -> UserId {
        let user = UserId::new(user).unwrap();
        let goal = "Learn to swim".to_owned();
        let memory = &self.core.memory;
        let added = memory.add_fact(user.clone(), Scope::Goals, None, goal);
        added.await.unwrap();
        user
    }

    /// Chooses after how many months goals are deleted, or that they stay.
    async fn chooses(&self, user: &UserId, months: Option<u32>) {
        let mut chosen = AutoDelete::default();
        if let Some(months) = months {
            chosen.set(Scope::Goals, months);
        }
        let chosen = self.core.memory.set_auto_delete(user, &chosen).await;
        chosen.unwrap();
    }
}

#[tokio::test]
async fn what_each_copy_chose_last_holds_in_both() {
    let before = async |side: &Side| {
        let users = [side.with_goal("aged").await, side.with_goal("kept").await];
        side.chooses(&users[1], Some(3)).await;
        users
    };
    for (parted, [aged, kept]) in Parted::after(before).await {
        parted
            .in_other(10, async |side| side.chooses(&kept, None).await)
            .await;
        // It is old enough, so it goes at once. What comes later would stay.
        parted
            .in_other(100, async |side| {
                side.chooses(&aged, Some(3)).await;
                side.chooses(&aged, None).await;
            })
            .await;
        parted
            .merge(async |side, _| {
                side.core.memory.delete_old_facts().await.unwrap();
                for (user, facts) in [(&aged, 0), (&kept, 1)] {
                    let stored = side.core.memory.facts_with_provenance(user).await.unwrap();
                    assert_eq!(stored.len(), facts, "{}", user.as_str());
                }
            })
            .await;
    }
}

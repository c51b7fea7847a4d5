//! Two copies of a database that parted longer ago than their logs go back: where nothing tells which of
//! them knows more, what either denies is denied, and an operator can decide again.

use ctxmem_types::{GrantRequest, Scope, ScopeSet, UserId};

use super::accounts::{ANN, BOB, Merged, OTHER_PASSWORD, PASSWORD, Parted, SignIn};
use super::{Caller, Key, Side, agents, latest};
use crate::core::MemberRef;
use crate::core::clock::DAY_MILLIS;

/// The day until which the log is forgotten, and one after it.
const CUT: i64 = 50;
const LATER: i64 = 100;

impl Side {
    /// Forgets what happened more than so many days ago.
    async fn forgets(&self, days: i64) {
        self.forgets_until(self.core.now() - days * DAY_MILLIS)
            .await;
    }

    /// By the operator.
    async fn hands_over_to(&self, email: &str) {
        let whom = MemberRef::Email(email.to_owned());
        self.core.console.hand_over_team(whom).await.unwrap();
    }
}

#[tokio::test]
async fn neither_of_two_holds_where_the_log_of_the_change_is_gone() {
    const EVA: &str = "eva@example.com";
    const FRED: &str = "fred@example.com";
    for something_later in [true, false] {
        let before = async |side: &Side| {
            for email in [ANN, EVA, FRED] {
                side.begins(email).await;
            }
            side.joins(ANN, BOB).await;
            side.sets_factor_up(ANN).await
        };
        for (parted, factor) in Parted::after(before).await {
            let deciding = async |side: &Side| {
                side.withdraws_factor(ANN, &factor.recovery[0]).await;
                side.sets_password(EVA, OTHER_PASSWORD).await;
                side.sets_password(FRED, "a password in between").await;
                let bob = side.person(BOB).await;
                side.core.console.leave_team(&bob).await.unwrap();
            };
            parted.in_other(1, deciding).await;
            let later = async |side: &Side| {
                if something_later {
                    side.sets_password(FRED, OTHER_PASSWORD).await;
                }
                side.forgets(LATER - CUT).await;
            };
            parted.in_other(LATER, later).await;
            let check = async |side: &Side, merged: Merged<'_>| {
                for (email, code) in [(ANN, &*factor.recovery[1]), (EVA, ""), (BOB, "")] {
                    for password in [PASSWORD, OTHER_PASSWORD] {
                        side.expects(SignIn::Refused, email, password, code).await;
                    }
                }
                assert_eq!(side.team().await, [format!("{ANN}*")]);
                // What was decided since the log goes back is known, in both.
                let undecided = if something_later {
                    side.expects(SignIn::ByPassword, FRED, OTHER_PASSWORD, "")
                        .await;
                    2
                } else {
                    3
                };
                assert_eq!(merged.taken.passwords, undecided);
                // The operator decides, and asking the other copy again does not undo that, unless all of its log is
                // gone.
                for email in [ANN, EVA, FRED] {
                    side.sets_password(email, PASSWORD).await;
                }
                if something_later {
                    side.takes_from(merged.source).await;
                }
                for email in [ANN, EVA, FRED] {
                    side.expects(SignIn::ByPassword, email, PASSWORD, "").await;
                }
            };
            parted.merge(check).await;
        }
    }
}

#[tokio::test]
async fn a_team_of_which_nobody_knows_the_owner_has_none_until_somebody_is_named() {
    for (parted, ()) in Parted::after(Side::has_ann_and_bob).await {
        let handing_over = async |side: &Side| side.hands_over_to(BOB).await;
        parted.in_other(1, handing_over).await;
        parted
            .in_other(LATER, async |side| side.forgets(LATER - CUT).await)
            .await;
        let check = async |side: &Side, merged: Merged<'_>| {
            assert_eq!(side.team().await, [ANN, BOB]);
            side.hands_over_to(BOB).await;
            side.takes_from(merged.source).await;
            assert_eq!(side.team().await, [ANN.to_owned(), format!("{BOB}*")]);
        };
        parted.merge(check).await;
    }
}

fn named(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

impl Side {
    async fn grants(&self, user: &str, key: &Key) {
        let agent = key.agent_id.to_string();
        let request = GrantRequest::new(named(user), agent, ScopeSet::ALL.iter());
        let user = Caller::User(named(user));
        let granted = self.core.grants.create_grant(user, request);
        granted.await.unwrap();
    }

    async fn tells(&self, user: &str, place: &str) {
        let (slot, memory) = (Some(place.to_owned()), &self.core.memory);
        let added = memory.add_fact(named(user), Scope::General, slot, "yes".to_owned());
        added.await.unwrap();
    }

    /// Whether the agent has access, and what is stored, in the order of storing.
    async fn state(&self, user: &str, key: &Key) -> (bool, Vec<String>) {
        let record = self.db.user_record(&named(user)).await.unwrap();
        let grant = latest(record.as_ref(), key.agent_id.as_ref());
        let has_access = grant.is_some_and(|grant| grant.revoked_at.is_none());
        let facts = record.into_iter().flat_map(|record| record.facts);
        (has_access, facts.map(|fact| fact.slot).collect())
    }
}

#[tokio::test]
async fn what_a_user_has_taken_away_stays_away_when_the_log_of_it_is_gone() {
    let before = async |side: &Side| {
        let keys = agents(&side.core).await;
        for user in ["revoked", "erased", "deleted"] {
            side.grants(user, &keys[0]).await;
            side.tells(user, "before").await;
        }
        keys
    };
    for (parted, keys) in Parted::after(before).await {
        let key = &keys[0];
        let deciding = async |side: &Side| {
            let agent = key.agent_id.to_string();
            let revoked = side.core.grants.revoke_agent(named("revoked"), agent);
            revoked.await.unwrap();
            let memory = &side.core.memory;
            memory.erase_own(named("erased")).await.unwrap();
            let facts = memory.facts_with_provenance(&named("deleted")).await;
            let seen = vec![facts.unwrap()[0].version()];
            let deleted = memory.delete_facts(named("deleted"), seen, false);
            deleted.await.unwrap();
        };
        parted.in_other(1, deciding).await;
        parted
            .in_other(LATER, async |side| side.forgets(LATER - CUT).await)
            .await;
        // The older one was restored, and is in use.
        let telling = async |side: &Side| {
            for user in ["revoked", "erased", "deleted"] {
                side.tells(user, "after").await;
            }
        };
        parted.in_one(LATER, telling).await;
        let check = async |side: &Side, merged: Merged<'_>| {
            let after = || {
                let after = merged.is_one.then(|| "after".to_owned());
                after.into_iter().collect::<Vec<String>>()
            };
            assert!(!side.state("revoked", key).await.0);
            assert_eq!(side.state("erased", key).await, (false, Vec::new()));
            assert_eq!(side.state("deleted", key).await, (true, after()));
        };
        parted.merge(check).await;
    }
}

/// A user who came back after an erasure is not erased again by a copy that remembers it longer.
#[tokio::test]
async fn an_erasure_that_is_known_is_not_repeated_when_the_log_of_it_is_gone() {
    let before = async |side: &Side| {
        let keys = agents(&side.core).await;
        side.grants("back", &keys[0]).await;
        side.tells("back", "before").await;
        side.core.memory.erase_own(named("back")).await.unwrap();
        keys
    };
    for (parted, keys) in Parted::after(before).await {
        let key = &keys[0];
        let coming_back = async |side: &Side| {
            side.grants("back", key).await;
            side.tells("back", "after").await;
        };
        parted.in_other(1, coming_back).await;
        let later = async |side: &Side| {
            side.tells("somebody", "later").await;
            side.forgets(LATER - CUT).await;
        };
        parted.in_other(LATER, later).await;
        let check = async |side: &Side, merged: Merged<'_>| {
            if !merged.is_one {
                let after = vec!["after".to_owned()];
                assert_eq!(side.state("back", key).await.1, after);
            }
        };
        parted.merge(check).await;
    }
}

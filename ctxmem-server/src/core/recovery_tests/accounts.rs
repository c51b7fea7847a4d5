//! Developers' decisions in one of two copies hold whichever copy takes them from the other: passwords, second factors,
//! recovery codes, members and owners of a team.

use std::sync::Arc;

use secrecy::ExposeSecret as _;
use totp_rs::{Builder, Secret};

use super::super::clock::{DAY_MILLIS, StillClock};
use super::super::{
    Core, Developer, DeveloperSignIn, Joining, MemberRef, Network, Role, SecondFactor,
    SignInOrigin, unit,
};
use super::{Decisions, Place, Side, carry_decisions_over, on_both, open_at};
use crate::store::Record;

const BEGIN: i64 = 20_000 * DAY_MILLIS;

pub(super) const ANN: &str = "ann@example.com";
pub(super) const BOB: &str = "bob@example.com";
pub(super) const PASSWORD: &str = "the first password";
pub(super) const OTHER_PASSWORD: &str = "another password";

/// A database and a copy of it, each of which goes on by itself.
pub(super) struct Parted {
    one: Place,
    other: Place,
    clock: Arc<StillClock>,
}

impl Parted {
    /// With what happened on day 0 in both, on each engine.
    pub(super) async fn after<T>(before: impl AsyncFn(&Side) -> T) -> [(Self, T); 2] {
        let [sqlite, postgres] = on_both().await;
        [
            Self::of(sqlite, &before).await,
            Self::of(postgres, &before).await,
        ]
    }

    async fn of<T>(one: Place, before: impl AsyncFnOnce(&Side) -> T) -> (Self, T) {
        let clock = Arc::new(StillClock::at(BEGIN));
        let side = open_at(&one, clock.clone()).await;
        let known = before(&side).await;
        side.db.close().await;
        let other = one.copy().await;
        (Self { one, other, clock }, known)
    }

    async fn on<T>(&self, day: i64, place: &Place, act: impl AsyncFnOnce(&Side) -> T) -> T {
        self.clock.set(BEGIN + day * DAY_MILLIS);
        let side = open_at(place, self.clock.clone()).await;
        let done = act(&side).await;
        side.db.close().await;
        done
    }

    pub(super) async fn in_one<T>(&self, day: i64, act: impl AsyncFnOnce(&Side) -> T) -> T {
        self.on(day, &self.one, act).await
    }

    pub(super) async fn in_other<T>(&self, day: i64, act: impl AsyncFnOnce(&Side) -> T) -> T {
        self.on(day, &self.other, act).await
    }

    /// Each takes what was decided in the other, and again, which changes nothing.
    pub(super) async fn merge(&self, check: impl AsyncFn(&Side, Merged<'_>)) {
        for (target, source, is_one) in [
            (&self.one, &self.other, true),
            (&self.other, &self.one, false),
        ] {
            // Copies, since it changes the one and is asked for the other way round, too.
            let places = [target.copy().await, source.copy().await];
            let target = open_at(&places[0], self.clock.clone()).await;
            let source = open_at(&places[1], self.clock.clone()).await;
            let oldest = target.oldest_entry().await;
            let taken = target.takes_from(&source).await;
            let again = target.takes_from(&source).await;
            // What time has taken out of the log is not back.
            assert!(oldest.is_none() || target.oldest_entry().await == oldest);
            let none = (again.erased, again.facts, again.grants, again.passwords);
            assert_eq!(none, (0, 0, 0, 0));
            let merged = Merged {
                is_one,
                taken,
                source: &source,
            };
            check(&target, merged).await;
            for side in [target, source] {
                side.db.close().await;
            }
        }
    }
}

/// How a copy came to what is checked.
pub(super) struct Merged<'s> {
    /// Whether it is the one copy, which has taken from the other.
    pub(super) is_one: bool,
    pub(super) taken: Decisions,
    /// The copy from which it has taken.
    pub(super) source: &'s Side,
}

/// What comes of an attempt to sign in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SignIn {
    Refused,
    ByPassword,
    ByCode,
    WrongCode,
}

/// A second factor that is set up.
pub(super) struct Factor {
    secret: String,
    pub(super) recovery: Vec<String>,
}

impl Factor {
    /// What the app shows now.
    fn code(&self, core: &Core) -> String {
        let secret = Secret::try_from_base32(&self.secret).unwrap();
        let totp = Builder::new().with_secret(secret).build().unwrap();
        let seconds = u64::try_from(core.now() / 1_000).unwrap();
        totp.generate(seconds).to_string()
    }
}

fn origin() -> SignInOrigin {
    SignInOrigin::Network(Network::of([203, 0, 113, 1].into()))
}

impl Side {
    pub(super) async fn takes_from(&self, source: &Side) -> Decisions {
        let taken = carry_decisions_over(&source.db, &self.db, self.core.now()).await;
        taken.unwrap()
    }

    async fn oldest_entry(&self) -> Option<i64> {
        let oldest = unit::read(&self.db, async |tx| tx.oldest_event().await);
        oldest.await.unwrap()
    }

    pub(super) async fn person(&self, email: &'static str) -> Developer {
        let found = unit::read(&self.db, async |tx| tx.developer(email).await);
        found.await.unwrap().unwrap()
    }

    /// Somebody with an account of their own.
    pub(super) async fn begins(&self, email: &'static str) {
        self.core.console.create_developer(email).await.unwrap();
        self.sets_password(email, PASSWORD).await;
    }

    pub(super) async fn joins(&self, owner: &'static str, email: &str) {
        let owner = self.person(owner).await;
        let console = &self.core.console;
        let link = console.invite(&owner, "for a colleague").await.unwrap();
        let joining = Joining::Password {
            name: "A colleague".to_owned(),
            email: email.to_owned(),
            password: PASSWORD.into(),
            origin: origin(),
        };
        let joined = console.join_team(link.expose_secret(), joining, None);
        assert!(joined.await.unwrap().is_some());
    }

    /// Ann's team, with Bob in it.
    pub(super) async fn has_ann_and_bob(&self) {
        self.begins(ANN).await;
        self.joins(ANN, BOB).await;
    }

    /// By the operator.
    pub(super) async fn sets_password(&self, email: &str, password: &str) {
        let set = self.core.console.set_password(email, password.into());
        set.await.unwrap();
    }

    pub(super) async fn sets_factor_up(&self, email: &'static str) -> Factor {
        let person = self.person(email).await;
        let console = &self.core.console;
        console.begin_second_factor(&person.member).await.unwrap();
        let begun = console.second_factor(&person).await.unwrap();
        let SecondFactor::Pending { secret, .. } = begun else {
            panic!("it is not being set up");
        };
        let mut factor = Factor {
            secret: secret.expose_secret().to_owned(),
            recovery: Vec::new(),
        };
        let shown = factor.code(&self.core);
        let origin = origin();
        let confirmed = console.confirm_second_factor(&person, &shown, PASSWORD.into(), &origin);
        let codes = confirmed.await.unwrap().unwrap();
        let codes = codes.expose_secret().split(' ').map(str::to_owned);
        factor.recovery = codes.collect();
        factor
    }

    pub(super) async fn withdraws_factor(&self, email: &'static str, code: &str) {
        let person = self.person(email).await;
        let ended = self.core.console.end_second_factor(&person.member, code);
        ended.await.unwrap();
    }

    async fn signs_in(&self, email: &str, password: &str, code: &str) -> SignIn {
        let (console, origin) = (&self.core.console, origin());
        let signed_in = console.sign_in_developer(email, password.into(), None, &origin);
        match signed_in.await.unwrap() {
            DeveloperSignIn::Refused => SignIn::Refused,
            DeveloperSignIn::SignedIn(_) => SignIn::ByPassword,
            DeveloperSignIn::NeedsCode(kept) => {
                let typed = console.sign_in_with_code(kept.expose_secret(), code, None);
                match typed.await.unwrap() {
                    Some(_) => SignIn::ByCode,
                    None => SignIn::WrongCode,
                }
            }
        }
    }

    pub(super) async fn expects(&self, expected: SignIn, email: &str, password: &str, code: &str) {
        let signed_in = self.signs_in(email, password, code).await;
        assert_eq!(signed_in, expected, "{email}, {password}, {code}");
    }

    /// The addresses of Ann's team in their order, its owner's with a star.
    pub(super) async fn team(&self) -> Vec<String> {
        let team = self.core.console.team_of(ANN).await.unwrap();
        let members = team.members.iter().map(|member| {
            let star = if member.developer.role == Role::Owner {
                "*"
            } else {
                ""
            };
            format!("{}{star}", member.developer.email)
        });
        let mut members: Vec<String> = members.collect();
        members.sort();
        members
    }
}

#[tokio::test]
async fn a_former_password_is_not_back() {
    for (parted, ()) in Parted::after(async |side| side.begins(ANN).await).await {
        let setting = async |side: &Side| side.sets_password(ANN, OTHER_PASSWORD).await;
        parted.in_other(1, setting).await;
        let check = async |side: &Side, _: Merged<'_>| {
            side.expects(SignIn::Refused, ANN, PASSWORD, "").await;
            side.expects(SignIn::ByPassword, ANN, OTHER_PASSWORD, "")
                .await;
        };
        parted.merge(check).await;
    }
}

async fn ann_with_factor() -> [(Parted, Factor); 2] {
    let before = async |side: &Side| {
        side.begins(ANN).await;
        side.sets_factor_up(ANN).await
    };
    Parted::after(before).await
}

#[tokio::test]
async fn a_withdrawn_second_factor_is_not_back() {
    for (parted, factor) in ann_with_factor().await {
        let code = &factor.recovery[0];
        let withdrawing = async |side: &Side| side.withdraws_factor(ANN, code).await;
        parted.in_other(1, withdrawing).await;
        let check = async |side: &Side, _: Merged<'_>| {
            let code = factor.code(&side.core);
            side.expects(SignIn::ByPassword, ANN, PASSWORD, &code).await;
        };
        parted.merge(check).await;
    }
}

#[tokio::test]
async fn a_second_factor_takes_the_place_of_one_that_was_lost() {
    for (parted, former) in ann_with_factor().await {
        let replacing = async |side: &Side| {
            side.withdraws_factor(ANN, &former.recovery[0]).await;
            side.sets_factor_up(ANN).await
        };
        let present = parted.in_other(1, replacing).await;
        // A code is not accepted again that has confirmed it.
        parted.in_other(2, async |_| ()).await;
        let check = async |side: &Side, _: Merged<'_>| {
            for code in [&former.code(&side.core), &former.recovery[1]] {
                side.expects(SignIn::WrongCode, ANN, PASSWORD, code).await;
            }
            for code in [&present.code(&side.core), &present.recovery[0]] {
                side.expects(SignIn::ByCode, ANN, PASSWORD, code).await;
            }
        };
        parted.merge(check).await;
    }
}

#[tokio::test]
async fn a_code_that_was_used_stays_used() {
    for (parted, factor) in ann_with_factor().await {
        let signing_in = async |side: &Side| {
            for code in [&factor.code(&side.core), &factor.recovery[0]] {
                side.expects(SignIn::ByCode, ANN, PASSWORD, code).await;
            }
        };
        parted.in_other(1, signing_in).await;
        let check = async |side: &Side, _: Merged<'_>| {
            for code in [&factor.code(&side.core), &factor.recovery[0]] {
                side.expects(SignIn::WrongCode, ANN, PASSWORD, code).await;
            }
            side.expects(SignIn::ByCode, ANN, PASSWORD, &factor.recovery[1])
                .await;
        };
        parted.merge(check).await;
    }
}

#[tokio::test]
async fn what_each_copy_decided_of_a_person_holds_in_both() {
    for (parted, factor) in ann_with_factor().await {
        let setting = async |side: &Side| side.sets_password(ANN, OTHER_PASSWORD).await;
        parted.in_one(1, setting).await;
        let code = &factor.recovery[0];
        let withdrawing = async |side: &Side| side.withdraws_factor(ANN, code).await;
        parted.in_other(2, withdrawing).await;
        let check = async |side: &Side, _: Merged<'_>| {
            side.expects(SignIn::Refused, ANN, PASSWORD, "").await;
            side.expects(SignIn::ByPassword, ANN, OTHER_PASSWORD, "")
                .await;
        };
        parted.merge(check).await;
    }
}

/// An app that somebody looked at and put away is no second factor.
#[tokio::test]
async fn a_second_factor_that_nobody_confirmed_decides_nothing() {
    for (parted, ()) in Parted::after(async |side| side.begins(ANN).await).await {
        let beginning = async |side: &Side| {
            let ann = side.person(ANN).await;
            let begun = side.core.console.begin_second_factor(&ann.member).await;
            begun.unwrap();
        };
        parted.in_other(1, beginning).await;
        let check = async |side: &Side, _: Merged<'_>| {
            side.expects(SignIn::ByPassword, ANN, PASSWORD, "").await;
        };
        parted.merge(check).await;
    }
}

#[tokio::test]
async fn whoever_has_left_a_team_stays_out() {
    const CARL: &str = "carl@example.com";
    const DORA: &str = "dora@example.com";
    let before = async |side: &Side| {
        side.begins(ANN).await;
        for email in [BOB, CARL] {
            side.joins(ANN, email).await;
        }
    };
    for (parted, ()) in Parted::after(before).await {
        let leaving = async |side: &Side| {
            let bob = side.person(BOB).await;
            side.core.console.leave_team(&bob).await.unwrap();
            let carl = MemberRef::Email(CARL.to_owned());
            side.core.console.remove_member(carl).await.unwrap();
            side.joins(ANN, DORA).await;
        };
        parted.in_other(1, leaving).await;
        let check = async |side: &Side, merged: Merged<'_>| {
            for email in [BOB, CARL] {
                side.expects(SignIn::Refused, email, PASSWORD, "").await;
            }
            // Nothing is given: who joined since is a member where they joined only.
            let team = side.team().await;
            if merged.is_one {
                assert_eq!(team, [format!("{ANN}*")]);
            } else {
                assert_eq!(team, [format!("{ANN}*"), DORA.to_owned()]);
            }
        };
        parted.merge(check).await;
    }
}

#[tokio::test]
async fn a_team_that_was_handed_over_has_its_new_owner() {
    for by_operator in [false, true] {
        for (parted, ()) in Parted::after(Side::has_ann_and_bob).await {
            let handing_over = async |side: &Side| {
                let (ann, bob) = (side.person(ANN).await, side.person(BOB).await);
                let whom = if by_operator {
                    MemberRef::Email(BOB.to_owned())
                } else {
                    MemberRef::Id(bob.member.as_str().to_owned(), ann)
                };
                side.core.console.hand_over_team(whom).await.unwrap();
            };
            parted.in_other(1, handing_over).await;
            let check = async |side: &Side, _: Merged<'_>| {
                assert_eq!(side.team().await, [ANN.to_owned(), format!("{BOB}*")]);
            };
            parted.merge(check).await;
        }
    }
}

#[tokio::test]
async fn a_founder_who_has_left_stays_out() {
    for (parted, ()) in Parted::after(Side::has_ann_and_bob).await {
        let leaving = async |side: &Side| {
            let whom = MemberRef::Email(BOB.to_owned());
            side.core.console.hand_over_team(whom).await.unwrap();
            let ann = side.person(ANN).await;
            side.core.console.leave_team(&ann).await.unwrap();
        };
        parted.in_other(1, leaving).await;
        // Where it is not known that she has gone.
        let setting = async |side: &Side| side.sets_password(ANN, OTHER_PASSWORD).await;
        parted.in_one(2, setting).await;
        let check = async |side: &Side, _: Merged<'_>| {
            for password in [PASSWORD, OTHER_PASSWORD] {
                side.expects(SignIn::Refused, ANN, password, "").await;
            }
            let owner = side.person(BOB).await;
            assert_eq!(owner.role, Role::Owner);
            // Nothing of how she signed in is left.
            let left = unit::read(&side.db, async |tx| tx.account_records().await).await;
            let gone = left.unwrap().into_iter().find_map(|record| match record {
                Record::Developer(person) if person.role == "gone" => Some(person),
                _ => None,
            });
            assert!(gone.unwrap().password_hash.is_none());
        };
        parted.merge(check).await;
    }
}

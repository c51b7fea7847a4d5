//! The members of a team: who they are, who may remove whom, and who owns the team.
//!
//! Everything else belongs to the team and is the same for all members. Each change locks the accounts
//! and looks again at who acts: of an owner who hands the team over and removes somebody at the same
//! time, one is refused.

use super::developers::checked_email;
use super::manager::{NO_DEVELOPER, acting, did, note_deed};
use super::{Console, Error, unit};
use crate::store::{
    Action, Actor, AuditEvent, Developer, InvitationRow, MemberRow, Role, StoreError, Tx,
};

const NO_MEMBER: Error = Error::NotFound("There is no such member.");
const OWNERS_ONLY: Error = Error::Forbidden("Only the owner of the team can do this.");
const OWNER_STAYS: Error =
    Error::Conflict("The owner can't leave or be removed. Hand the team over to somebody first.");

/// A team, as its members see it.
pub struct Team {
    /// The members, the one who joined first at the top.
    pub members: Vec<MemberRow>,
    /// The invitations that can be used now.
    pub invitations: Vec<InvitationRow>,
    /// The address that users see with the team's agents.
    pub contact: String,
}

/// Which member is meant.
#[derive(Clone)]
pub enum MemberRef {
    /// The one with this id, by the owner of the team.
    Id(String, Developer),
    /// The one with this address, by the operator of the service.
    Email(String),
}

impl Console {
    /// The team of a developer.
    pub async fn team(&self, developer: &Developer) -> Result<Team, Error> {
        let now = self.clock.millis();
        unit::read(&self.db, async |tx| {
            let id = &developer.id;
            Ok::<_, Error>(Team {
                members: tx.members(id).await?,
                invitations: tx.invitations(id, now).await?,
                contact: tx.contact(id).await?.unwrap_or_default(),
            })
        })
        .await
    }

    /// The team of the developer with this address.
    pub async fn team_of(&self, email: &str) -> Result<Team, Error> {
        let email = checked_email(email)?;
        let found = unit::read(&self.db, async |tx| tx.developer(&email).await).await?;
        let developer = found.ok_or(NO_DEVELOPER)?;
        self.team(&developer).await
    }

    /// Removes a member: every session ends, and password and second factor are gone. What they made
    /// stays, keys included. Answers who it was. Fails with [`Error::Forbidden`] unless the owner or
    /// an operator acts, [`Error::Conflict`] when it is the owner.
    pub async fn remove_member(&self, whom: MemberRef) -> Result<Developer, Error> {
        let now = self.clock.millis();
        unit::write(&self.db, async move |tx| {
            let whom = &whom;
            let member = whom.find(tx).await?;
            remove(tx, &member).await?;
            whom.note(tx, Action::RemoveMember, now).await?;
            Ok::<_, Error>(member)
        })
        .await
    }

    /// All developers, each with the instant of their creation (milliseconds since 1970) and how many
    /// agents their team has.
    pub async fn developers(&self) -> Result<Vec<(Developer, i64, i64)>, Error> {
        unit::read(&self.db, async |tx| tx.developers().await).await
    }

    /// Deletes a developer, for operators: every session ends, and password and second factor are gone.
    /// The last one of a team goes only once it has no agents left. Fails with [`Error::Conflict`] when
    /// the team still needs this one.
    pub async fn delete_developer(&self, email: &str) -> Result<Developer, Error> {
        let now = self.clock.millis();
        let given = checked_email(email)?;
        unit::write(&self.db, async move |tx| {
            let email = &given;
            tx.lock_accounts().await?;
            let found = tx.developer(email).await?;
            let developer = found.ok_or(NO_DEVELOPER)?;
            if tx.members(&developer.id).await?.len() > 1 {
                remove(tx, &developer).await?;
            } else if tx
                .developers()
                .await?
                .iter()
                .any(|(other, _, agents)| other.member == developer.member && *agents > 0)
            {
                return Err(Error::Conflict(
                    "The developer still has agents. Delete these first, or make somebody \
                     else the owner.",
                ));
            } else {
                tx.remove_member(&developer).await?;
            }
            let event = AuditEvent::new(Action::RemoveMember, Actor::Operator, now)
                .developer(developer.member.as_str());
            tx.audit(None, &event).await?;
            Ok(developer)
        })
        .await
    }

    /// Removes the developer who asks from their team. Fails with [`Error::Conflict`] when it is
    /// the owner.
    pub async fn leave_team(&self, developer: &Developer) -> Result<(), Error> {
        let now = self.clock.millis();
        let given = developer.clone();
        unit::write(&self.db, async move |tx| {
            let developer = &given;
            tx.lock_accounts().await?;
            let member = acting(tx, developer).await?;
            remove(tx, &member).await?;
            note_deed(tx, &member.member, Action::LeaveTeam, now).await?;
            Ok::<_, Error>(())
        })
        .await
    }

    /// Makes a member the owner, and the owner a member. If an operator does it, users see the new
    /// owner's address with the team's agents from now on: nobody else vouches for an address.
    /// Fails with [`Error::Forbidden`] unless the owner or an operator acts.
    pub async fn hand_over_team(&self, whom: MemberRef) -> Result<Developer, Error> {
        let now = self.clock.millis();
        unit::write(&self.db, async move |tx| {
            let whom = &whom;
            let member = whom.find(tx).await?;
            for other in tx.members(&member.id).await? {
                if other.developer.role == Role::Owner {
                    tx.set_role(&other.developer.member, Role::Member).await?;
                }
            }
            tx.set_role(&member.member, Role::Owner).await?;
            if matches!(whom, MemberRef::Email(_)) {
                tx.set_contact(&member.id, &member.email).await?;
            }
            whom.note(tx, Action::HandOver, now).await?;
            Ok::<_, Error>(member)
        })
        .await
    }
}

impl MemberRef {
    /// The member, once the accounts are locked and it is known that whoever asks may decide about
    /// members.
    async fn find(&self, tx: &mut Tx) -> Result<Developer, Error> {
        tx.lock_accounts().await?;
        match self {
            Self::Id(id, by) => {
                let owner = owner(tx, by).await?;
                tx.member(&owner.id, id).await?.ok_or(NO_MEMBER)
            }
            Self::Email(email) => tx
                .developer(&email.trim().to_lowercase())
                .await?
                .ok_or(NO_DEVELOPER),
        }
    }

    async fn note(&self, tx: &mut Tx, action: Action, now: i64) -> Result<(), StoreError> {
        let event = match self {
            Self::Id(_, by) => did(&by.member, action, now),
            Self::Email(_) => AuditEvent::new(action, Actor::Operator, now),
        };
        tx.audit(None, &event).await.map(drop)
    }
}

/// The developer who acts, if they own the team now.
pub(super) async fn owner(tx: &mut Tx, developer: &Developer) -> Result<Developer, Error> {
    let acting = acting(tx, developer).await?;
    match acting.role {
        Role::Owner => Ok(acting),
        Role::Member => Err(OWNERS_ONLY),
    }
}

async fn remove(tx: &mut Tx, member: &Developer) -> Result<(), Error> {
    match member.role {
        Role::Owner => Err(OWNER_STAYS),
        Role::Member => Ok(tx.remove_member(member).await?),
    }
}

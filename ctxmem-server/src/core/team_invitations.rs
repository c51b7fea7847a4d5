//! Invitations: how somebody becomes a member of a team.
//!
//! There is no mail. The owner gets a link, which is shown once, and hands it to the person by whatever
//! way they trust. Whoever has the link can join, once.

use chrono::Duration;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use super::agent_profiles::checked_line;
use super::agents::checked_name;
use super::developers::{NewSession, checked_email};
use super::manager::note_deed;
use super::sessions::latest_beginning;
use super::team::owner;
use super::{Console, Error, SignInOrigin, keys, unit};
use crate::store::{Action, Developer, Hash, InvitationRow, MemberId, Role, Tx, hash};

/// For how many days an invitation can be used.
const DAYS: i64 = 7;
/// How many members and open invitations a team has at most.
const MAX_MEMBERS: usize = 50;
/// The longest label, in bytes.
const MAX_LABEL: usize = 100;

const NO_INVITATION: Error = Error::NotFound("There is no such invitation.");
const FULL: Error = Error::Conflict(
    "A team has at most 50 members and open invitations. Withdraw an invitation first, or remove a \
     member.",
);

/// How somebody joins.
#[derive(Clone)]
pub enum Joining {
    /// With a password, under an address that they type.
    Password {
        /// What others call them.
        name: String,
        /// Their address.
        email: String,
        /// The password that they chose.
        password: SecretString,
        /// Where they are: others wait no longer for whoever joins than for whoever signs in.
        origin: SignInOrigin,
    },
    /// Signed in at an identity provider, which has verified this address.
    Verified {
        /// Their address.
        email: String,
        /// What the provider calls them.
        name: Option<String>,
    },
}

impl Console {
    /// Makes an invitation to the team of this developer, and answers the secret of its link. Fails
    /// with [`Error::Forbidden`] unless it is the owner, [`Error::Conflict`] when the team is full.
    pub async fn invite(&self, by: &Developer, label: &str) -> Result<SecretString, Error> {
        let now = self.clock.millis();
        let secret = SecretString::from(keys::secret());
        let token = hash(secret.expose_secret());
        let invitation = InvitationRow {
            id: Uuid::new_v4().to_string(),
            label: checked_line("label", label, MAX_LABEL)?,
            created_at: now,
            expires_at: now + Duration::days(DAYS).num_milliseconds(),
        };
        let given = (by.clone(), invitation);
        unit::write(&self.db, async move |tx| {
            let (by, invitation) = &given;
            tx.lock_accounts().await?;
            let owner = owner(tx, by).await?;
            let open = tx.invitations(&owner.id, now).await?.len();
            if open + tx.members(&owner.id).await?.len() >= MAX_MEMBERS {
                return Err(FULL);
            }
            tx.insert_invitation(&owner.id, &token, invitation).await?;
            Ok(note_deed(tx, &owner.member, Action::Invite, now).await?)
        })
        .await?;
        Ok(secret)
    }

    /// Withdraws an invitation to the team of this developer. Fails with [`Error::Forbidden`]
    /// unless it is the owner.
    pub async fn withdraw_invitation(&self, by: &Developer, id: &str) -> Result<(), Error> {
        let (given, now) = ((by.clone(), id.to_owned()), self.clock.millis());
        unit::write(&self.db, async move |tx| {
            let (by, id) = &given;
            tx.lock_accounts().await?;
            let owner = owner(tx, by).await?;
            if !tx.withdraw_invitation(&owner.id, id).await? {
                return Err(NO_INVITATION);
            }
            Ok(note_deed(tx, &owner.member, Action::WithdrawInvitation, now).await?)
        })
        .await
    }

    /// The address that users see with the agents of the team to which the invitation with this secret
    /// leads; `None` if it can't be used. It remains unused.
    pub async fn look_at_invitation(&self, secret: &str) -> Result<Option<String>, Error> {
        let now = self.clock.millis();
        unit::read(&self.db, async |tx| {
            let latest = latest_beginning(now);
            let Some(team) = tx.invitation(&hash(secret), now, latest).await? else {
                return Ok::<_, Error>(None);
            };
            Ok(Some(tx.contact(&team).await?.unwrap_or_default()))
        })
        .await
    }

    /// Uses an invitation, opens a session for the new member and ends the browser's previous one.
    /// `None` if the invitation can't be used. If anything else is wrong, it remains unused.
    pub async fn join_team(
        &self,
        secret: &str,
        joining: Joining,
        before: Option<&str>,
    ) -> Result<Option<SecretString>, Error> {
        // Only somebody who holds an invitation is told what is wrong, or has a password hashed.
        if self.look_at_invitation(secret).await?.is_none() {
            return Ok(None);
        }
        let (name, email, password_hash) = match joining {
            Joining::Password {
                name,
                email,
                password,
                origin,
            } => (
                Some(checked_name(&name)?),
                checked_email(&email)?,
                Some(self.passwords.hash_from(password, &origin).await?),
            ),
            // Other letters fold to those of somebody else's address.
            Joining::Verified { email, name } => (
                name.and_then(|name| checked_name(&name).ok()),
                email.to_ascii_lowercase(),
                None,
            ),
        };
        let member = NewMember {
            invitation: hash(secret),
            id: MemberId::new(Uuid::new_v4().to_string()),
            name,
            email,
            password_hash,
        };
        let now = self.clock.millis();
        let (session, opening) = NewSession::after(before)?;
        let joined = unit::write(&self.db, async move |tx| {
            let (member, opening) = (&member, &opening);
            let Some(joined) = member.clone().join(tx, now).await? else {
                return Ok::<_, Error>(false);
            };
            note_deed(tx, &joined.member, Action::JoinTeam, now).await?;
            opening.open(tx, &joined.member, now).await?;
            Ok(true)
        })
        .await?;
        Ok(joined.then_some(session))
    }
}

/// Somebody who joins, for a unit of work.
#[derive(Clone)]
struct NewMember {
    invitation: Hash,
    id: MemberId,
    name: Option<String>,
    email: String,
    password_hash: Option<String>,
}

impl NewMember {
    async fn join(self, tx: &mut Tx, now: i64) -> Result<Option<Developer>, Error> {
        tx.lock_accounts().await?;
        let latest = latest_beginning(now);
        let team = tx.use_invitation(&self.invitation, now, latest).await?;
        let Some(team) = team else {
            return Ok(None);
        };
        if tx.developer(&self.email).await?.is_some() {
            return Err(Error::BadRequest(
                "email: expected an address without an account. This one has an account already, and a \
                 person can be in one team only"
                    .to_owned(),
            ));
        }
        let member = Developer {
            id: team,
            member: self.id,
            email: self.email,
            name: self.name,
            role: Role::Member,
        };
        tx.insert_member(&member, self.password_hash.as_deref(), now)
            .await?;
        Ok(Some(member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_refused_is_told_how_many_a_team_has() {
        let expected = format!("A team has at most {MAX_MEMBERS} members and open invitations.");
        assert!(matches!(FULL, Error::Conflict(text) if text.starts_with(&expected)));
    }
}

//! Creates developers, sets their passwords and signs them in.

use secrecy::SecretString;
use uuid::Uuid;

use super::manager::{NO_DEVELOPER, note_deed};
use super::{Console, DeveloperSignIn, Error, SignInOrigin, keys, unit};
use crate::extract::is_hidden;
use crate::store::{Action, Actor, AuditEvent, Developer, MemberId, StoreError, Token, Tx};

/// The address of the developer that is created when none is named.
const FIRST_DEVELOPER: &str = "developer@localhost";

impl Console {
    /// Creates a developer.
    pub async fn create_developer(&self, email: &str) -> Result<Developer, Error> {
        let now = self.clock.millis();
        let given = checked_email(email)?;
        unit::write(&self.db, async move |tx| {
            let email = &given;
            tx.lock_accounts().await?;
            if tx.developer(email).await?.is_some() {
                return Err(Error::BadRequest(
                    "email: expected an address that no developer has yet".to_owned(),
                ));
            }
            Ok(add(tx, email, now).await?)
        })
        .await
    }

    /// Sets a developer's password and ends all sessions of that developer.
    pub async fn set_password(&self, email: &str, password: SecretString) -> Result<(), Error> {
        let email = checked_email(email)?;
        let (hash, now) = (self.passwords.hash(password).await?, self.clock.millis());
        unit::write(&self.db, async move |tx| {
            let (email, hash) = (&email, &hash);
            let set = tx.set_password(email, hash).await?;
            let id = set.ok_or(NO_DEVELOPER)?;
            tx.end_developer_sessions(&id).await?;
            let event = AuditEvent::new(Action::ChangePassword, Actor::Operator, now)
                .developer(id.as_str());
            tx.audit(None, &event).await?;
            Ok::<_, Error>(())
        })
        .await
    }

    /// Sets the password of a developer who is signed in and knows the current one. Ends all sessions
    /// of that developer and answers a new one; `None` if the current password is wrong. Fails with
    /// [`Error::Overloaded`] if too many of this origin are being signed in.
    pub async fn change_password(
        &self,
        email: &str,
        current: SecretString,
        new: SecretString,
        origin: &SignInOrigin,
    ) -> Result<Option<SecretString>, Error> {
        let found = unit::read(&self.db, async |tx| tx.password(email).await).await?;
        let stored = found.and_then(|(_, hash)| hash);
        if !self
            .passwords
            .verify(current, stored.clone(), origin)
            .await?
        {
            return Ok(None);
        }
        let hash = self.passwords.hash(new).await?;
        let now = self.clock.millis();
        let (session, token) = keys::new_session()?;
        let given = (email.to_owned(), hash, stored, token);
        let changed = unit::write(&self.db, async move |tx| {
            let (email, hash, stored, token) = &given;
            // Another change may have come first.
            if !matches!(tx.lock_password(email).await?, Some((_, now)) if now == *stored) {
                return Ok(false);
            }
            let Some(id) = tx.set_password(email, hash).await? else {
                return Ok(false);
            };
            tx.end_developer_sessions(&id).await?;
            tx.insert_session(token, &id, now).await?;
            note_deed(tx, &id, Action::ChangePassword, now).await?;
            Ok::<_, Error>(true)
        })
        .await?;
        Ok(changed.then_some(session))
    }

    /// Opens a session for the developer with this address and password, and ends the browser's
    /// previous session, unless a code is needed as well. Neither the answer nor the time it takes
    /// reveals whether there is such a developer. Fails with [`Error::Overloaded`] if too many of
    /// this origin are being signed in.
    pub async fn sign_in_developer(
        &self,
        email: &str,
        password: SecretString,
        before: Option<&str>,
        origin: &SignInOrigin,
    ) -> Result<DeveloperSignIn, Error> {
        let email = email.trim().to_lowercase();
        let found = unit::read(&self.db, async |tx| tx.password(&email).await).await?;
        let stored = found.as_ref().and_then(|(_, hash)| hash.clone());
        let is_right = self.passwords.verify(password, stored.clone(), origin);
        let is_right = is_right.await?;
        if !is_right {
            return Ok(DeveloperSignIn::Refused);
        }
        let awaited = self.await_code(&email, stored.as_deref())?;
        let now = self.clock.millis();
        let (session, opening) = NewSession::after(before)?;
        let given = (email, stored, opening);
        let opened = unit::write(&self.db, async move |tx| {
            let (email, stored, opening) = &given;
            // The password may have been changed since it was looked up.
            match tx.lock_password(email).await? {
                Some((developer, now_stored)) if now_stored == *stored => {
                    let factor = tx.second_factor(&developer.member).await?;
                    if factor.is_some_and(|factor| factor.is_confirmed) {
                        return Ok(Some(false));
                    }
                    opening.open(tx, &developer.member, now).await?;
                    Ok::<_, Error>(Some(true))
                }
                _ => Ok(None),
            }
        })
        .await?;
        Ok(match opened {
            Some(true) => DeveloperSignIn::SignedIn(session),
            Some(false) => DeveloperSignIn::NeedsCode(awaited),
            None => DeveloperSignIn::Refused,
        })
    }

    /// Opens a session for the developer with this address, whom an identity provider has signed
    /// in, and ends the browser's previous session. `None` if there is no such developer.
    ///
    /// Only ASCII letters are compared without case. Others, such as the Kelvin sign, fold to
    /// letters of somebody else's address.
    pub async fn open_developer_session(
        &self,
        email: &str,
        before: Option<&str>,
    ) -> Result<Option<SecretString>, Error> {
        let email = email.to_ascii_lowercase();
        let now = self.clock.millis();
        let (session, opening) = NewSession::after(before)?;
        let opened = unit::write(&self.db, async move |tx| {
            let (email, opening) = (&email, &opening);
            let Some(developer) = tx.developer(email).await? else {
                return Ok::<_, Error>(false);
            };
            opening.open(tx, &developer.member, now).await?;
            Ok(true)
        })
        .await?;
        Ok(opened.then_some(session))
    }

    /// The developer who is signed in by this session.
    pub async fn signed_in_developer(&self, session: &str) -> Result<Developer, Error> {
        let id: MemberId = self.sign_in.owner_of(session).await?;
        let found = unit::read(&self.db, async |tx| tx.developer_by_id(&id).await).await?;
        found.ok_or(Error::NotSignedIn)
    }

    /// Ends a developer's session.
    pub async fn sign_out_developer(&self, session: &str) -> Result<(), Error> {
        self.sign_in.end_session::<MemberId>(session).await
    }
}

/// A session of a developer that is about to be opened, and the browser's previous one, which ends.
#[derive(Clone)]
pub(super) struct NewSession {
    token: Token,
    previous: Option<Token>,
}

impl NewSession {
    /// A new session with its secret, which ends the previous one.
    pub(super) fn after(previous: Option<&str>) -> Result<(SecretString, Self), Error> {
        let (secret, token) = keys::new_session()?;
        let previous = previous.map(Token::new).transpose()?;
        Ok((secret, Self { token, previous }))
    }

    /// Opens it for somebody who was authenticated.
    pub(super) async fn open(
        &self,
        tx: &mut Tx,
        member: &MemberId,
        now: i64,
    ) -> Result<(), StoreError> {
        if let Some(previous) = &self.previous {
            tx.end_session::<MemberId>(previous).await?;
        }
        tx.insert_session(&self.token, member, now).await?;
        note_deed(tx, member, Action::SignIn, now).await
    }
}

/// The developer with this address, who is added if missing; without an address the oldest one.
/// Lock the accounts before.
pub(super) async fn find_or_add(
    tx: &mut Tx,
    email: Option<String>,
    now: i64,
) -> Result<Developer, StoreError> {
    let found = match &email {
        Some(email) => tx.developer(email).await?,
        None => tx.oldest_developer().await?,
    };
    match found {
        Some(developer) => Ok(developer),
        None => add(tx, email.as_deref().unwrap_or(FIRST_DEVELOPER), now).await,
    }
}

async fn add(tx: &mut Tx, email: &str, now: i64) -> Result<Developer, StoreError> {
    let developer = Developer::alone(Uuid::new_v4().to_string(), email);
    tx.insert_developer(&developer, now).await?;
    Ok(developer)
}

/// The address in the form in which it is stored. A character that nobody sees would make it look like
/// somebody else's.
pub(super) fn checked_email(email: &str) -> Result<String, Error> {
    let email = email.trim().to_lowercase();
    let plausible = email.len() <= 254
        && !email.contains(|c: char| c.is_whitespace() || is_hidden(c))
        && email
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    if plausible {
        Ok(email)
    } else {
        Err(Error::BadRequest(
            "email: expected an address such as dev@example.com, without spaces or characters \
             that print nothing"
                .to_owned(),
        ))
    }
}

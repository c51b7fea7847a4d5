//! The sessions of developers.

use secrecy::{ExposeSecret as _, SecretString};

use super::{Core, Error, keys};
use crate::store::{Action, Actor, AuditEvent, hash};

impl Core {
    /// Opens a session for the developer with this address, for whom somebody else vouched;
    /// `None` when there is none.
    ///
    /// Only ASCII is folded: other letters, such as the Kelvin sign, fold to what belongs to
    /// somebody else's address.
    pub async fn open_developer_session(&self, email: &str) -> Result<Option<SecretString>, Error> {
        let email = email.to_ascii_lowercase();
        let now = self.now();
        let session = SecretString::from(keys::secret());
        let session_hash = hash(session.expose_secret());
        let opened: bool = self
            .db
            .write(move |tx| {
                let email = email.clone();
                Box::pin(async move {
                    let Some(developer) = tx.developer(&email).await? else {
                        return Ok::<_, Error>(false);
                    };
                    tx.insert_developer_session(&session_hash, &developer.id, now)
                        .await?;
                    let event = AuditEvent::new(Action::SignIn, Actor::Developer, now)
                        .developer(developer.id);
                    tx.audit(None, &event).await?;
                    Ok(true)
                })
            })
            .await?;
        Ok(opened.then_some(session))
    }

    /// Ends a developer's session.
    pub async fn end_developer_session(&self, session: &str) -> Result<(), Error> {
        let token = hash(session);
        self.db
            .write(move |tx| Box::pin(async move { Ok(tx.end_developer_session(&token).await?) }))
            .await
    }
}

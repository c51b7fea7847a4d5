//! Sessions, of users and of developers, and the one-time links by which users sign in.

use chrono::{DateTime, Duration, Utc};
use ctxmem_types::UserId;
use secrecy::{ExposeSecret as _, SecretString};

use super::{Core, Error, keys};
use crate::store::{DeveloperId, Owner, SessionRow, hash};

/// How long a sign-in link works.
const LINK_MINUTES: i64 = 15;
/// A session ends this long after it began.
const SESSION_HOURS: i64 = 12;
/// A session ends this long after it was last used.
const IDLE_HOURS: i64 = 1;
/// How exactly the last use is noted, so that a page view does not cost a write.
const SEEN_EVERY_MILLIS: i64 = 60_000;

/// A sign-in link that was just made.
#[derive(Clone, Debug)]
pub struct SignInLink {
    /// The secret that the link carries.
    pub token: SecretString,
    /// When it stops working.
    pub expires_at: DateTime<Utc>,
}

impl Core {
    /// Makes a link by which this user can sign in once.
    pub async fn sign_in_link(&self, user_id: UserId) -> Result<SignInLink, Error> {
        let link = SignInLink {
            token: SecretString::from(keys::secret()),
            expires_at: self.clock.now() + Duration::minutes(LINK_MINUTES),
        };
        let token = hash(link.token.expose_secret());
        let expires_at = link.expires_at.timestamp_millis();
        self.db
            .write(move |tx| {
                let user_id = user_id.clone();
                Box::pin(async move { tx.insert_link(&token, &user_id, expires_at).await })
            })
            .await?;
        Ok(link)
    }

    /// Whom a link would sign in. It is not used up by looking.
    pub async fn look_at_link(&self, token: &str) -> Result<Option<UserId>, Error> {
        let (token, now) = (hash(token), self.now());
        let user_id = self
            .db
            .read(|tx| Box::pin(async move { tx.link(&token, now).await }))
            .await?;
        Ok(user_id)
    }

    /// Uses a link up and opens a session; `None` when the link is not good (any more).
    pub async fn sign_in(&self, token: &str) -> Result<Option<SecretString>, Error> {
        let (token, now) = (hash(token), self.now());
        let session = SecretString::from(keys::secret());
        let session_hash = hash(session.expose_secret());
        let opened: bool = self
            .db
            .write(move |tx| {
                Box::pin(async move {
                    let Some(user_id) = tx.use_link(&token, now).await? else {
                        return Ok::<_, Error>(false);
                    };
                    tx.insert_session(&session_hash, &user_id, now).await?;
                    Ok(true)
                })
            })
            .await?;
        Ok(opened.then_some(session))
    }

    /// Which user is signed in by this session.
    pub async fn signed_in(&self, session: &str) -> Result<UserId, Error> {
        self.owner_of(session).await
    }

    /// Ends a user's session.
    pub async fn sign_out(&self, session: &str) -> Result<(), Error> {
        self.end_session::<UserId>(session).await
    }

    /// Who is signed in by this session, among those who have such sessions.
    pub(super) async fn owner_of<W: Owner>(&self, session: &str) -> Result<W, Error> {
        let (token, now) = (hash(session), self.now());
        let found: SessionRow<W> = self
            .db
            .read(|tx| Box::pin(async move { tx.session(&token).await }))
            .await?
            .ok_or(Error::NotSignedIn)?;
        if found.created_at <= began_too_early(now) || found.seen_at <= seen_too_early(now) {
            return Err(Error::NotSignedIn);
        }
        if now - found.seen_at >= SEEN_EVERY_MILLIS {
            self.db
                .write(move |tx| Box::pin(async move { tx.see_session::<W>(&token, now).await }))
                .await?;
        }
        Ok(found.owner)
    }

    /// Ends a session.
    pub(super) async fn end_session<W: Owner>(&self, session: &str) -> Result<(), Error> {
        let token = hash(session);
        self.db
            .write(move |tx| Box::pin(async move { Ok(tx.end_session::<W>(&token).await?) }))
            .await
    }

    /// Forgets links and sessions that are over.
    pub async fn drop_old_sessions(&self) -> Result<(), Error> {
        let now = self.now();
        let (began, seen) = (began_too_early(now), seen_too_early(now));
        self.db
            .write(move |tx| {
                Box::pin(async move {
                    tx.drop_old_links(now).await?;
                    tx.drop_old_sessions::<UserId>(began, seen).await?;
                    Ok(tx.drop_old_sessions::<DeveloperId>(began, seen).await?)
                })
            })
            .await
    }
}

/// What began then, or before, is over.
fn began_too_early(now: i64) -> i64 {
    now - Duration::hours(SESSION_HOURS).num_milliseconds()
}

/// What was last used then, or before, is over.
fn seen_too_early(now: i64) -> i64 {
    now - Duration::hours(IDLE_HOURS).num_milliseconds()
}

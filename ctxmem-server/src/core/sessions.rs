//! Sessions of users and developers, and the one-time links with which users sign in.

use chrono::{DateTime, Duration, Utc};
use ctxmem_types::UserId;
use secrecy::SecretString;

use super::{Error, SignIn, keys, unit};
use crate::store::{
    Action, Actor, AuditEvent, ListedSession, MemberId, Owner, SessionRow, StoreError, Token, Tx,
};

/// How long a sign-in link works.
const LINK_MILLIS: i64 = 15 * 60 * 1_000;
/// A session ends this long after it began.
const SESSION_MILLIS: i64 = 12 * 60 * 60 * 1_000;
/// A session ends this long after it was last used.
const IDLE_MILLIS: i64 = 60 * 60 * 1_000;
/// The last use is stored at most once in this time, so that a page view does not cost a write.
const SEEN_INTERVAL_MILLIS: i64 = 60_000;
/// How far the clocks of processes may be apart. What is from later than that is from a clock that was
/// ahead, and would live as long as the clock was ahead: it doesn't count until its time has come.
const AHEAD_MILLIS: i64 = 5 * 60 * 1_000;

/// A sign-in link that was just created.
#[derive(Clone, Debug)]
pub struct SignInLink {
    /// The secret that the link carries.
    pub token: SecretString,
    /// When it stops working.
    pub expires_at: DateTime<Utc>,
}

impl SignIn {
    /// Creates a link with which this user can sign in once.
    pub async fn sign_in_link(&self, user_id: UserId) -> Result<SignInLink, Error> {
        let (secret, token) = keys::new_session()?;
        let end = self.clock.now() + Duration::milliseconds(LINK_MILLIS);
        unit::write(&self.db, async move |tx| {
            let (token, user_id) = (&token, &user_id);
            tx.insert_link(token, user_id, end.timestamp_millis()).await
        })
        .await?;
        Ok(SignInLink {
            token: secret,
            expires_at: end,
        })
    }

    /// The user whom a link would sign in. The link remains unused.
    pub async fn look_at_link(&self, token: &str) -> Result<Option<UserId>, Error> {
        let (token, now) = (Token::new(token)?, self.clock.millis());
        let latest = latest_beginning(now) + LINK_MILLIS;
        unit::read(&self.db, async |tx| tx.link(&token, now, latest).await).await
    }

    /// Uses a link and opens a session; `None` if the link was used before or has expired.
    pub async fn sign_in(&self, token: &str) -> Result<Option<SecretString>, Error> {
        // Anybody can send tokens. Those that open nothing do not wait for the writer.
        if self.look_at_link(token).await?.is_none() {
            return Ok(None);
        }
        let now = self.clock.millis();
        let latest = latest_beginning(now) + LINK_MILLIS;
        let (secret, session) = keys::new_session()?;
        let given = (Token::new(token)?, session);
        let opened = unit::write(&self.db, async move |tx| {
            let (token, session) = &given;
            let Some(user_id) = tx.use_link(token, now, latest).await? else {
                return Ok::<_, Error>(false);
            };
            open(tx, session, &user_id, now).await?;
            Ok(true)
        })
        .await?;
        Ok(opened.then_some(secret))
    }

    /// Opens a session for a user whom an identity provider has signed in.
    pub async fn open_session(&self, user_id: UserId) -> Result<SecretString, Error> {
        let now = self.clock.millis();
        let (session, token) = keys::new_session()?;
        unit::write(&self.db, async move |tx| {
            let (token, user_id) = (&token, &user_id);
            open(tx, token, user_id, now).await
        })
        .await?;
        Ok(session)
    }

    /// The user who is signed in by this session.
    pub async fn signed_in(&self, session: &str) -> Result<UserId, Error> {
        self.owner_of(session).await
    }

    /// Ends a user's session.
    pub async fn sign_out(&self, session: &str) -> Result<(), Error> {
        self.end_session::<UserId>(session).await
    }

    /// The sessions by which this user is signed in; `session` is the one that asks.
    pub async fn sessions(
        &self,
        user_id: &UserId,
        session: &str,
    ) -> Result<Vec<ListedSession>, Error> {
        let (token, now) = (Token::new(session)?, self.clock.millis());
        let (began, seen) = (now - SESSION_MILLIS, now - IDLE_MILLIS);
        let mut sessions = unit::read(&self.db, async |tx| {
            tx.sessions_of(user_id, &token, began, seen).await
        })
        .await?;
        let latest = latest_beginning(now);
        sessions.retain(|session| session.created_at.max(session.seen_at) <= latest);
        Ok(sessions)
    }

    /// Ends every session of this user, the one that asks included.
    pub async fn sign_out_everywhere(&self, user_id: &UserId) -> Result<(), Error> {
        let now = self.clock.millis();
        let given = user_id.clone();
        unit::write(&self.db, async move |tx| {
            let user_id = &given;
            tx.end_sessions_of(user_id).await?;
            let event = AuditEvent::new(Action::SignOutEverywhere, Actor::User, now);
            tx.audit(Some(user_id), &event).await?;
            Ok::<_, Error>(())
        })
        .await
    }

    /// The owner of this session, among accounts of this kind.
    pub(super) async fn owner_of<W: Owner>(&self, session: &str) -> Result<W, Error> {
        let (token, now) = (Token::new(session)?, self.clock.millis());
        let found: Option<SessionRow<W>> =
            unit::read(&self.db, async |tx| tx.session(&token).await).await?;
        let found = found.ok_or(Error::NotSignedIn)?;
        if found.created_at <= now - SESSION_MILLIS
            || found.seen_at <= now - IDLE_MILLIS
            || found.created_at.max(found.seen_at) > latest_beginning(now)
        {
            return Err(Error::NotSignedIn);
        }
        if now - found.seen_at >= SEEN_INTERVAL_MILLIS {
            unit::write(&self.db, async move |tx| {
                tx.see_session::<W>(&token, now).await
            })
            .await?;
        }
        Ok(found.owner)
    }

    /// Ends a session.
    pub(super) async fn end_session<W: Owner>(&self, session: &str) -> Result<(), Error> {
        let token = Token::new(session)?;
        // Anybody can send cookies. Those of no session do not wait for the writer.
        let found: Option<SessionRow<W>> =
            unit::read(&self.db, async |tx| tx.session(&token).await).await?;
        if found.is_none() {
            return Ok(());
        }
        unit::write(&self.db, async move |tx| tx.end_session::<W>(&token).await).await
    }

    /// Deletes links, invitations and sessions that are over.
    pub async fn drop_old_sessions(&self) -> Result<(), Error> {
        let now = self.clock.millis();
        let (began, seen) = (now - SESSION_MILLIS, now - IDLE_MILLIS);
        unit::write(&self.db, async move |tx| {
            tx.drop_old_links(now).await?;
            tx.drop_old_invitations(now).await?;
            tx.drop_old_sessions::<UserId>(began, seen).await?;
            tx.drop_old_sessions::<MemberId>(began, seen).await
        })
        .await
    }
}

/// When something began at the latest, unless by a clock that was ahead.
pub(super) fn latest_beginning(now: i64) -> i64 {
    now + AHEAD_MILLIS
}

/// Opens a session and notes that the user signed in.
async fn open(tx: &mut Tx, session: &Token, user_id: &UserId, now: i64) -> Result<(), StoreError> {
    tx.insert_session(session, user_id, now).await?;
    tx.name_session(session, user_id).await?;
    let event = AuditEvent::new(Action::SignIn, Actor::User, now);
    tx.audit(Some(user_id), &event).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::core::{Core, Purpose, SystemClock};

    #[tokio::test]
    async fn made_up_tokens_and_cookies_do_not_reach_the_writer() {
        let folder = tempfile::tempdir().unwrap();
        let core = Core::in_folder(&folder, Arc::new(SystemClock)).await;
        let ada = UserId::new("ada").unwrap();
        let link = core.sign_in.sign_in_link(ada.clone()).await.unwrap();
        let begun = core
            .sign_in
            .begin_oidc_sign_in(Purpose::User)
            .await
            .unwrap();
        let (state, browser) = (begun.state.expose_secret(), begun.browser.expose_secret());
        let writes = || core.operator.db.writes();
        let before = writes();
        for made_up in ["", "made-up"] {
            assert!(core.sign_in.sign_in(made_up).await.unwrap().is_none());
            core.sign_in.sign_out(made_up).await.unwrap();
            core.console.sign_out_developer(made_up).await.unwrap();
            for (state, browser) in [(made_up, made_up), (state, made_up), (made_up, browser)] {
                let ended = core.sign_in.end_oidc_sign_in(state, browser).await.unwrap();
                assert!(ended.is_none());
            }
        }
        assert_eq!(writes(), before);
        // What is right works, once.
        let token = link.token.expose_secret();
        let session = core.sign_in.sign_in(token).await.unwrap().unwrap();
        assert!(core.sign_in.sign_in(token).await.unwrap().is_none());
        let session = session.expose_secret();
        assert_eq!(core.sign_in.signed_in(session).await.unwrap(), ada);
        core.sign_in.sign_out(session).await.unwrap();
        assert!(core.sign_in.signed_in(session).await.is_err());
        let ended = core.sign_in.end_oidc_sign_in(state, browser).await.unwrap();
        assert!(ended.is_some());
        let again = core.sign_in.end_oidc_sign_in(state, browser).await.unwrap();
        assert!(again.is_none());
        assert!(writes() > before);
    }
}

//! Sign-in links and the sessions that they open, both stored as hashes only.

use ctxmem_types::UserId;

use super::row::Row;
use super::statement::statements;
use super::{Hash, Statement, StoreError, Tx};

/// A kind of account that has sessions. Each kind has a table of its own.
pub trait Owner: Clone + Send + Sync + Sized + 'static {
    /// Opens a session.
    const INSERT: Statement;
    /// Finds one by its token.
    const FIND: Statement;
    /// Notes that one was used.
    const SEE: Statement;
    /// Ends one.
    const END: Statement;
    /// Ends all sessions of an owner.
    const END_ALL: Statement;
    /// Deletes those that are over.
    const DROP_OLD: Statement;

    /// The id that is stored.
    fn id(&self) -> &str;

    /// The owner with this id.
    ///
    /// # Errors
    ///
    /// When this is no such id.
    fn from_id(id: String) -> Result<Self, StoreError>;
}

/// A stored session. Instants are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow<W> {
    /// Who is signed in.
    pub owner: W,
    /// When the session began.
    pub created_at: i64,
    /// When it was last used, accurate to about a minute.
    pub seen_at: i64,
}

statements! {
    INSERT_LINK changes Nothing:
        "INSERT INTO sign_in_links (token_hash, user_id, expires_at) VALUES ($1, $2, $3)";
    FIND_LINK:
        "SELECT user_id FROM sign_in_links
         WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2";
    // One statement checks and uses the link, so of many requests at once only one succeeds.
    USE_LINK changes Nothing:
        "UPDATE sign_in_links SET used_at = $2
         WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING user_id";
    INSERT_SESSION changes Nothing:
        "INSERT INTO sessions (token_hash, user_id, created_at, seen_at) VALUES ($1, $2, $3, $3)";
    FIND_SESSION:
        "SELECT user_id AS owner, created_at, seen_at FROM sessions WHERE token_hash = $1";
    SEE_SESSION changes Nothing:
        "UPDATE sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at < $2";
    END_SESSION changes Nothing: "DELETE FROM sessions WHERE token_hash = $1";
    END_SESSIONS changes Nothing: "DELETE FROM sessions WHERE user_id = $1";
    DROP_OLD_LINKS changes Nothing: "DELETE FROM sign_in_links WHERE expires_at <= $1";
    DROP_OLD_SESSIONS changes Nothing:
        "DELETE FROM sessions WHERE created_at <= $1 OR seen_at <= $2";
}

impl Tx {
    /// Stores a sign-in link.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn insert_link(
        &mut self,
        token: &Hash,
        user_id: &UserId,
        expires_at: i64,
    ) -> Result<(), StoreError> {
        self.run(
            INSERT_LINK,
            &[token.into(), user_id.as_str().into(), expires_at.into()],
        )
        .await?;
        Ok(())
    }

    /// The user whom a link would sign in. The link remains unused.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn link(&mut self, token: &Hash, now: i64) -> Result<Option<UserId>, StoreError> {
        let row = self.find(FIND_LINK, &[token.into(), now.into()]).await?;
        row.as_ref().map(user_id).transpose()
    }

    /// Uses a link and answers the user whom it signs in; `None` if there is no such link, or it
    /// was used before or has expired.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn use_link(&mut self, token: &Hash, now: i64) -> Result<Option<UserId>, StoreError> {
        let row = self.find(USE_LINK, &[token.into(), now.into()]).await?;
        row.as_ref().map(user_id).transpose()
    }

    /// Deletes links that expired before `now`.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn drop_old_links(&mut self, now: i64) -> Result<(), StoreError> {
        self.run(DROP_OLD_LINKS, &[now.into()]).await?;
        Ok(())
    }

    /// Opens a session.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn insert_session<W: Owner>(
        &mut self,
        token: &Hash,
        owner: &W,
        now: i64,
    ) -> Result<(), StoreError> {
        self.run(W::INSERT, &[token.into(), owner.id().into(), now.into()])
            .await?;
        Ok(())
    }

    /// The session with this token, no matter how old.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn session<W: Owner>(
        &mut self,
        token: &Hash,
    ) -> Result<Option<SessionRow<W>>, StoreError> {
        let row = self.find(W::FIND, &[token.into()]).await?;
        row.map(|row| {
            Ok(SessionRow {
                owner: W::from_id(row.text("owner")?)?,
                created_at: row.int("created_at")?,
                seen_at: row.int("seen_at")?,
            })
        })
        .transpose()
    }

    /// Notes that a session was used.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn see_session<W: Owner>(
        &mut self,
        token: &Hash,
        now: i64,
    ) -> Result<(), StoreError> {
        self.run(W::SEE, &[token.into(), now.into()]).await?;
        Ok(())
    }

    /// Ends a session.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn end_session<W: Owner>(&mut self, token: &Hash) -> Result<(), StoreError> {
        self.run(W::END, &[token.into()]).await?;
        Ok(())
    }

    /// Ends every session of an owner.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn end_sessions<W: Owner>(&mut self, owner: &W) -> Result<(), StoreError> {
        self.run(W::END_ALL, &[owner.id().into()]).await?;
        Ok(())
    }

    /// Deletes sessions that began or were last used before the given instants.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn drop_old_sessions<W: Owner>(
        &mut self,
        created_before: i64,
        seen_before: i64,
    ) -> Result<(), StoreError> {
        self.run(W::DROP_OLD, &[created_before.into(), seen_before.into()])
            .await?;
        Ok(())
    }
}

impl Owner for UserId {
    const INSERT: Statement = INSERT_SESSION;
    const FIND: Statement = FIND_SESSION;
    const SEE: Statement = SEE_SESSION;
    const END: Statement = END_SESSION;
    const END_ALL: Statement = END_SESSIONS;
    const DROP_OLD: Statement = DROP_OLD_SESSIONS;

    fn id(&self) -> &str {
        self.as_str()
    }

    fn from_id(id: String) -> Result<Self, StoreError> {
        UserId::new(id).map_err(|_| StoreError::corrupt("sessions", "user_id"))
    }
}

fn user_id(row: &Row) -> Result<UserId, StoreError> {
    UserId::from_id(row.text("user_id")?)
}

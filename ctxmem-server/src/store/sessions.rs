//! Sign-in links and the sessions that they open, both kept as hashes only.

use ctxmem_types::UserId;

use super::statement::{Row, statement};
use super::{Hash, Statement, StoreError, Tx};

/// A session that was found. Instants are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Who is signed in.
    pub user_id: UserId,
    /// When the session began.
    pub created_at: i64,
    /// When it was last used, to the minute or so.
    pub seen_at: i64,
}

pub(super) const STATEMENTS: &[Statement] = &[
    INSERT_LINK,
    FIND_LINK,
    USE_LINK,
    INSERT_SESSION,
    FIND_SESSION,
    SEE_SESSION,
    END_SESSION,
    DROP_OLD_LINKS,
    DROP_OLD_SESSIONS,
];

statement!(
    INSERT_LINK,
    "INSERT INTO sign_in_links (token_hash, user_id, expires_at) VALUES ($1, $2, $3)"
);
statement!(
    FIND_LINK,
    "SELECT user_id FROM sign_in_links
     WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2"
);
// Checking and using are one statement: of many at once, one finds the link unused.
statement!(
    USE_LINK,
    "UPDATE sign_in_links SET used_at = $2
     WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING user_id"
);
statement!(
    INSERT_SESSION,
    "INSERT INTO sessions (token_hash, user_id, created_at, seen_at) VALUES ($1, $2, $3, $3)"
);
statement!(
    FIND_SESSION,
    "SELECT user_id, created_at, seen_at FROM sessions WHERE token_hash = $1"
);
statement!(
    SEE_SESSION,
    "UPDATE sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at < $2"
);
statement!(END_SESSION, "DELETE FROM sessions WHERE token_hash = $1");
statement!(
    DROP_OLD_LINKS,
    "DELETE FROM sign_in_links WHERE expires_at <= $1"
);
statement!(
    DROP_OLD_SESSIONS,
    "DELETE FROM sessions WHERE created_at <= $1 OR seen_at <= $2"
);

impl Tx {
    /// Stores a sign-in link.
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

    /// Whom a link would sign in, without using it.
    pub async fn link(&mut self, token: &Hash, now: i64) -> Result<Option<UserId>, StoreError> {
        let row = self.find(FIND_LINK, &[token.into(), now.into()]).await?;
        row.as_ref().map(user_id).transpose()
    }

    /// Uses a link up and answers whom it signs in; `None` when there is no such link, when
    /// it was used before or has expired.
    pub async fn use_link(&mut self, token: &Hash, now: i64) -> Result<Option<UserId>, StoreError> {
        let row = self.find(USE_LINK, &[token.into(), now.into()]).await?;
        row.as_ref().map(user_id).transpose()
    }

    /// Opens a session.
    pub async fn insert_session(
        &mut self,
        token: &Hash,
        user_id: &UserId,
        now: i64,
    ) -> Result<(), StoreError> {
        self.run(
            INSERT_SESSION,
            &[token.into(), user_id.as_str().into(), now.into()],
        )
        .await?;
        Ok(())
    }

    /// The session with this token, however old.
    pub async fn session(&mut self, token: &Hash) -> Result<Option<SessionRow>, StoreError> {
        let row = self.find(FIND_SESSION, &[token.into()]).await?;
        row.map(|row| {
            Ok(SessionRow {
                user_id: user_id(&row)?,
                created_at: row.int("created_at")?,
                seen_at: row.int("seen_at")?,
            })
        })
        .transpose()
    }

    /// Notes that a session was used.
    pub async fn see_session(&mut self, token: &Hash, now: i64) -> Result<(), StoreError> {
        self.run(SEE_SESSION, &[token.into(), now.into()]).await?;
        Ok(())
    }

    /// Ends a session.
    pub async fn end_session(&mut self, token: &Hash) -> Result<(), StoreError> {
        self.run(END_SESSION, &[token.into()]).await?;
        Ok(())
    }

    /// Forgets links that expired before `now`, and sessions that began or were last used
    /// before the given instants.
    pub async fn drop_old_sessions(
        &mut self,
        now: i64,
        created_before: i64,
        seen_before: i64,
    ) -> Result<(), StoreError> {
        self.run(DROP_OLD_LINKS, &[now.into()]).await?;
        self.run(
            DROP_OLD_SESSIONS,
            &[created_before.into(), seen_before.into()],
        )
        .await?;
        Ok(())
    }
}

fn user_id(row: &Row) -> Result<UserId, StoreError> {
    UserId::new(row.text("user_id")?).map_err(|_| StoreError::Corrupt("user_id"))
}

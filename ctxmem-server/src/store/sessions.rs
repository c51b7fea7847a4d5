//! Sign-in links and the sessions that they open. Of their tokens only hashes are stored. The user
//! id is sealed under a key that is made of the token, so only who presents the token can read it.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ctxmem_types::UserId;
use zeroize::Zeroizing;

use super::arg::args;
use super::row::Row;
use super::statement::statements;
use super::user_keys::{UserCipher, token_cipher};
use super::{Hash, Result, Statement, StoreError, Tx, hash};

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
    /// Deletes those that are over.
    const DROP_OLD: Statement;

    /// What a session's row says of its owner.
    fn to_stored(&self, token: &Token) -> Result<StoredOwner>;

    /// The owner in a session's row.
    fn from_stored(row: &Row, token: &Token) -> Result<Self>;
}

/// The owner of a session as it is stored.
pub enum StoredOwner {
    /// A developer's id.
    Id(String),
    /// A sealed user id.
    Sealed(Vec<u8>),
}

/// The secret of a sign-in link or a session: what it is looked up by, and the cipher for what
/// only its holder can read. The secret itself is not kept.
#[derive(Clone)]
pub struct Token {
    hash: Hash,
    cipher: Arc<UserCipher>,
}

impl Token {
    /// The token with this secret, which is random and long.
    pub fn new(secret: &str) -> Result<Self> {
        Ok(Self {
            hash: hash(secret),
            cipher: Arc::new(token_cipher(secret)?),
        })
    }

    /// Seals a text that only who presents the token again can read, and only for this purpose.
    pub fn seal_text(&self, purpose: &str, text: &str) -> Result<Vec<u8>> {
        self.cipher.seal(purpose.as_bytes(), text.as_bytes())
    }

    /// Opens such a text; `None` if it was not sealed so.
    pub fn open_text(&self, purpose: &str, sealed: &[u8]) -> Option<Zeroizing<String>> {
        let opened = self.cipher.open(purpose.as_bytes(), sealed)?;
        let text = std::str::from_utf8(&opened).ok()?;
        Some(Zeroizing::new(text.to_owned()))
    }

    /// Like [`seal_text`](Self::seal_text), in characters that addresses and cookies may hold.
    pub fn seal_for_browser(&self, purpose: &str, text: &str) -> Result<String> {
        Ok(URL_SAFE_NO_PAD.encode(self.seal_text(purpose, text)?))
    }

    /// Opens such a text; `None` if it was not sealed so.
    pub fn open_from_browser(&self, purpose: &str, sealed: &str) -> Option<Zeroizing<String>> {
        self.open_text(purpose, &URL_SAFE_NO_PAD.decode(sealed).ok()?)
    }

    fn seal(&self, user_id: &UserId) -> Result<Vec<u8>> {
        self.cipher.seal(SEALED_FOR, user_id.as_str().as_bytes())
    }

    fn open(&self, row: &Row, table: &'static str) -> Result<UserId> {
        let sealed = row.bytes("sealed_user_id")?;
        let id = self.cipher.open(SEALED_FOR, &sealed);
        id.and_then(|id| String::from_utf8(id.to_vec()).ok())
            .and_then(|id| UserId::new(id).ok())
            .ok_or(StoreError::corrupt(table, "sealed_user_id"))
    }
}

/// A session in the list of its user. Instants are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    /// Whether it is the one that asks.
    pub is_this_one: bool,
    /// When it began.
    pub created_at: i64,
    /// When it was last used, accurate to about a minute.
    pub seen_at: i64,
}

/// The associated data of a user id that is sealed for a token.
const SEALED_FOR: &[u8] = b"token";

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
        "INSERT INTO sign_in_links (token_hash, sealed_user_id, expires_at) VALUES ($1, $2, $3)";
    FIND_LINK:
        "SELECT sealed_user_id FROM sign_in_links
         WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 AND expires_at <= $3";
    // One statement checks and uses the link, so of many requests at once only one succeeds.
    USE_LINK changes Nothing:
        "UPDATE sign_in_links SET used_at = $2
         WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 AND expires_at <= $3
         RETURNING sealed_user_id";
    INSERT_SESSION changes Nothing:
        "INSERT INTO sessions (token_hash, sealed_user_id, created_at, seen_at)
         VALUES ($1, $2, $3, $3)";
    FIND_SESSION:
        "SELECT sealed_user_id, created_at, seen_at FROM sessions WHERE token_hash = $1";
    SEE_SESSION changes Nothing:
        "UPDATE sessions SET seen_at = $2 WHERE token_hash = $1 AND seen_at < $2";
    END_SESSION changes Nothing: "DELETE FROM sessions WHERE token_hash = $1";
    NAME_SESSION changes Nothing: "UPDATE sessions SET user_key = $2 WHERE token_hash = $1";
    LIST_SESSIONS_OF_USER:
        "SELECT token_hash, created_at, seen_at FROM sessions
         WHERE user_key = $1 AND created_at > $2 AND seen_at > $3
         ORDER BY seen_at DESC, created_at DESC";
    END_SESSIONS_OF_USER changes Nothing: "DELETE FROM sessions WHERE user_key = $1";
    DROP_OLD_LINKS changes Nothing: "DELETE FROM sign_in_links WHERE expires_at <= $1";
    DROP_OLD_SESSIONS changes Nothing:
        "DELETE FROM sessions WHERE created_at <= $1 OR seen_at <= $2";
}

impl Tx {
    /// Stores a sign-in link.
    pub async fn insert_link(
        &mut self,
        token: &Token,
        user_id: &UserId,
        expires_at: i64,
    ) -> Result<()> {
        let sealed = token.seal(user_id)?;
        let args = args![&token.hash, &sealed, expires_at];
        self.run(INSERT_LINK, args).await
    }

    /// The user whom a link would sign in, one that ends after `now` and not after `latest`. The link
    /// remains unused.
    pub async fn link(&mut self, token: &Token, now: i64, latest: i64) -> Result<Option<UserId>> {
        self.user_of_link(FIND_LINK, token, now, latest).await
    }

    /// Uses a link and answers the user whom it signs in; `None` if there is no such link, or it
    /// was used before, has expired or ends after `latest`.
    pub async fn use_link(
        &mut self,
        token: &Token,
        now: i64,
        latest: i64,
    ) -> Result<Option<UserId>> {
        self.user_of_link(USE_LINK, token, now, latest).await
    }

    async fn user_of_link(
        &mut self,
        statement: Statement,
        token: &Token,
        now: i64,
        latest: i64,
    ) -> Result<Option<UserId>> {
        let args = args![&token.hash, now, latest];
        self.find_with(statement, args, |row| token.open(row, "sign_in_links"))
            .await
    }

    /// Deletes links that expired before `now`.
    pub async fn drop_old_links(&mut self, now: i64) -> Result<()> {
        self.run(DROP_OLD_LINKS, args![now]).await
    }

    /// Opens a session.
    pub async fn insert_session<W: Owner>(
        &mut self,
        token: &Token,
        owner: &W,
        now: i64,
    ) -> Result<()> {
        let owner = owner.to_stored(token)?;
        let owner = match &owner {
            StoredOwner::Id(id) => id.into(),
            StoredOwner::Sealed(sealed) => sealed.into(),
        };
        self.run(W::INSERT, &[(&token.hash).into(), owner, now.into()])
            .await
    }

    /// Notes whose session this is, so that the user finds it among theirs.
    pub async fn name_session(&mut self, token: &Token, user_id: &UserId) -> Result<()> {
        let key = self.keys.user_key(user_id);
        self.run(NAME_SESSION, args![&token.hash, &key]).await
    }

    /// The sessions of a user that began and were last used after the given instants, the one that
    /// was used last first. `asking` is the session that asks.
    pub async fn sessions_of(
        &mut self,
        user_id: &UserId,
        asking: &Token,
        created_after: i64,
        seen_after: i64,
    ) -> Result<Vec<ListedSession>> {
        let key = self.keys.user_key(user_id);
        let args = args![&key, created_after, seen_after];
        self.list_with(LIST_SESSIONS_OF_USER, args, |row| {
            Ok(ListedSession {
                is_this_one: row.bytes("token_hash")? == asking.hash,
                created_at: row.int("created_at")?,
                seen_at: row.int("seen_at")?,
            })
        })
        .await
    }

    /// Ends every session of a user and answers how many there were.
    pub async fn end_sessions_of(&mut self, user_id: &UserId) -> Result<u64> {
        let key = self.keys.user_key(user_id);
        self.execute(END_SESSIONS_OF_USER, args![&key]).await
    }

    /// The session with this token, no matter how old.
    pub async fn session<W: Owner>(&mut self, token: &Token) -> Result<Option<SessionRow<W>>> {
        self.find_with(W::FIND, args![&token.hash], |row| {
            Ok(SessionRow {
                owner: W::from_stored(row, token)?,
                created_at: row.int("created_at")?,
                seen_at: row.int("seen_at")?,
            })
        })
        .await
    }

    /// Notes that a session was used.
    pub async fn see_session<W: Owner>(&mut self, token: &Token, now: i64) -> Result<()> {
        self.run(W::SEE, args![&token.hash, now]).await
    }

    /// Ends a session.
    pub async fn end_session<W: Owner>(&mut self, token: &Token) -> Result<()> {
        self.run(W::END, args![&token.hash]).await
    }

    /// Deletes sessions that began or were last used before the given instants.
    pub async fn drop_old_sessions<W: Owner>(
        &mut self,
        created_before: i64,
        seen_before: i64,
    ) -> Result<()> {
        self.run(W::DROP_OLD, args![created_before, seen_before])
            .await
    }
}

impl Owner for UserId {
    const INSERT: Statement = INSERT_SESSION;
    const FIND: Statement = FIND_SESSION;
    const SEE: Statement = SEE_SESSION;
    const END: Statement = END_SESSION;
    const DROP_OLD: Statement = DROP_OLD_SESSIONS;

    fn to_stored(&self, token: &Token) -> Result<StoredOwner> {
        token.seal(self).map(StoredOwner::Sealed)
    }

    fn from_stored(row: &Row, token: &Token) -> Result<Self> {
        token.open(row, "sessions")
    }
}

//! What is handed to OAuth clients: client ids, codes and tokens. Each is a text that says by itself
//! whose it is, sealed under a key that is made of the key database: nobody else can read or make one,
//! and no database names a user by it. A row of the store says whether it still works.

use ctxmem_types::UserId;
use secrecy::SecretString;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{OAuth, OAuthClient};
use crate::core::Error;
use crate::store::{StoreError, Token};

/// What an access token begins with.
const ACCESS: &str = "ctxa_";

/// A kind of text that is sealed.
pub(super) trait Sealed: Serialize + DeserializeOwned {
    /// What the text begins with. Nothing that is sealed as one kind opens as another.
    const PREFIX: &'static str;
}

/// A connection in a code or a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Held {
    #[serde(rename = "u")]
    pub(super) user_id: UserId,
    /// The id of the connection.
    #[serde(rename = "c")]
    pub(super) connection: String,
}

/// What a client exchanges for its first tokens, once.
#[derive(Serialize, Deserialize)]
pub(super) struct Code {
    #[serde(flatten)]
    pub(super) held: Held,
    #[serde(rename = "i")]
    pub(super) client_id_hash: String,
    #[serde(rename = "r")]
    pub(super) redirect_uri: String,
    /// The PKCE challenge (RFC 7636), by S256.
    #[serde(rename = "p")]
    pub(super) challenge: String,
    /// In milliseconds since 1970.
    #[serde(rename = "x")]
    pub(super) expires_at: i64,
}

/// With what a client calls.
#[derive(Serialize, Deserialize)]
pub(super) struct Access {
    #[serde(flatten)]
    pub(super) held: Held,
    /// In milliseconds since 1970.
    #[serde(rename = "x")]
    pub(super) expires_at: i64,
}

/// What a client exchanges for new tokens.
#[derive(Serialize, Deserialize)]
pub(super) struct Refresh {
    #[serde(flatten)]
    pub(super) held: Held,
    #[serde(rename = "i")]
    pub(super) client_id_hash: String,
    #[serde(rename = "g")]
    pub(super) generation: i64,
}

impl Sealed for OAuthClient {
    const PREFIX: &'static str = "ctxi_";
}

impl Sealed for Code {
    const PREFIX: &'static str = "ctxc_";
}

impl Sealed for Access {
    const PREFIX: &'static str = ACCESS;
}

impl Sealed for Refresh {
    const PREFIX: &'static str = "ctxr_";
}

impl OAuth {
    pub(super) fn seal<T: Sealed>(&self, held: &T) -> Result<SecretString, Error> {
        let text = serde_json::to_string(held).map_err(|_| StoreError::Crypto)?;
        let sealed = self.sealing()?.seal_for_browser(T::PREFIX, &text)?;
        Ok(format!("{}{sealed}", T::PREFIX).into())
    }

    /// What was sealed so; `None` for any other text.
    pub(super) fn open<T: Sealed>(&self, text: &str) -> Option<T> {
        let sealed = text.strip_prefix(T::PREFIX)?;
        let opened = self.sealing().ok()?.open_from_browser(T::PREFIX, sealed)?;
        serde_json::from_str(&opened).ok()
    }

    fn sealing(&self) -> Result<Token, Error> {
        let secret = self.db.keyed_hash(&[Some("oauth")]);
        Ok(Token::new(&hex::encode(secret))?)
    }
}

/// Whether a credential is a client's, not an agent's key.
pub fn is_access_token(text: &str) -> bool {
    text.starts_with(ACCESS)
}

//! Refusals and failures of the core.

use crate::extract::{ExtractError, Refusal};
use crate::store::StoreError;

/// A refusal or a failure. The texts are for people and repeat nothing that is stored.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request is malformed; the text names the field.
    #[error("{0}")]
    BadRequest(String),
    /// The API key is missing, malformed, unknown or revoked.
    #[error("Invalid API key.")]
    InvalidKey,
    /// Nobody is signed in.
    #[error("Not signed in.")]
    NotSignedIn,
    /// The caller is known but may not do this.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The user has to allow this agent first, at the page with this address.
    #[error("The user has not allowed this agent yet. Send them to consent_url.")]
    MustAsk(String),
    /// It does not exist, or the caller may not know that it does.
    #[error("{0}")]
    NotFound(&'static str),
    /// What the caller saw has changed since.
    #[error("{0}")]
    Conflict(&'static str),
    /// There is too much to do.
    #[error("{0}")]
    Overloaded(&'static str),
    /// The language model failed.
    #[error("The language model failed: {0}. Retry; then check the model's key and availability.")]
    Model(#[from] ExtractError),
    /// The database failed.
    #[error("The database failed. Retry later.")]
    Store(#[from] StoreError),
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::BadRequest(refusal.to_string())
    }
}

impl Error {
    /// Others are served first; it may be tried again in a moment.
    pub(crate) const BUSY: Self = Self::Overloaded("The server is busy. Try again in a moment.");

    /// The server is working on as many updates as it can.
    pub(crate) const TOO_MANY_UPDATES: Self =
        Self::Overloaded("Too many updates are under way. Retry later.");

    /// No active grant between the agent and the user.
    pub(crate) const NO_GRANT: Self =
        Self::Forbidden("No active grant between this agent and this user.");

    /// What an agent is told whose grant allows nothing that its key reaches.
    pub(crate) const NO_SCOPES_TEXT: &str = "The user has paused access, or the grant and this API key have no scope in common. The user \
         can allow more, signed in, or the developer can use a key with more scopes.";

    /// The grant allows nothing that the key reaches.
    pub(crate) const NO_SCOPES: Self = Self::Forbidden(Self::NO_SCOPES_TEXT);

    /// The user has paused all access.
    pub(crate) const PAUSED: Self =
        Self::Forbidden("The user has paused all access. They can end the pause, signed in.");
}

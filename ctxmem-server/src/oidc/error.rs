//! Why a sign-in at the provider failed.

/// A refusal or a failure. The texts are for the operator and repeat nothing that the provider or
/// a browser sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OidcError {
    /// The configuration can't be used.
    #[error("{0}")]
    Config(&'static str),
    /// No connection could be made, or it broke.
    #[error("the provider can't be reached")]
    Unreachable,
    /// It took too long.
    #[error("the provider did not answer in time")]
    TimedOut,
    /// A status that is neither success nor a refusal known to OAuth.
    #[error("the provider answered with status {0}")]
    Status(u16),
    /// An answer of more than one MiB.
    #[error("an answer of the provider is too large")]
    TooLarge,
    /// An answer in an unexpected format.
    #[error("{0} can't be read")]
    Malformed(&'static str),
    /// The provider sends browsers or secrets to an address without TLS.
    #[error("the provider names an address that is neither https nor on this machine")]
    Insecure,
    /// The provider names another issuer.
    #[error("the provider names another issuer than --oidc-issuer")]
    OtherIssuer,
    /// The provider does not know the code, or not from this client.
    #[error("the provider does not accept the code")]
    Code,
    /// The provider refuses this server, whatever the code.
    #[error("the provider refuses this server; check its client id, secret and redirect URI")]
    Client,
    /// The ID token is not valid.
    #[error("the ID token is refused: {0}")]
    Token(&'static str),
}

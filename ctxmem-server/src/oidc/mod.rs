//! OpenID Connect: people sign in at a provider that the operator trusts. It knows HTTP to the
//! provider and nothing about the store.
//!
//! It uses the authorization code flow with PKCE. The server starts even if the provider does not
//! answer: discovery happens when somebody first signs in, and its result is kept for an hour.

mod config;
mod discovery;
mod error;
mod identity;
mod provider;
mod token;
mod transport;

pub use config::OidcConfig;
pub use discovery::Discovery;
pub use error::OidcError;
pub use identity::Identity;
pub use provider::{Provider, SignInSecrets};

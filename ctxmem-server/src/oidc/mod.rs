//! OpenID Connect: people sign in at a provider that the operator trusts. It knows HTTP to the
//! provider and nothing of the store.
//!
//! The authorization code flow with PKCE. The server starts whether or not the provider
//! answers: what the provider says of itself is fetched when somebody first signs in, and
//! kept for an hour.

mod config;
mod error;
mod identity;
mod provider;
mod token;
mod transport;

pub use config::OidcConfig;
pub use error::OidcError;
pub use identity::Identity;
pub use provider::{Discovered, Provider, SignIn};

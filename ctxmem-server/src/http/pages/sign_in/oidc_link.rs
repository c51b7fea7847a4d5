//! The button that leads to the provider at which people sign in.

use crate::core::Purpose;
use crate::http::engine::state::ServerState;

pub(crate) struct OidcLink<'a> {
    pub(crate) name: &'a str,
    pub(crate) href: &'static str,
}

impl<'a> OidcLink<'a> {
    /// The button for this kind of sign-in, if there is a provider.
    pub(crate) fn new(state: &'a ServerState, purpose: Purpose) -> Option<Self> {
        state.oidc.as_ref().map(|oidc| Self {
            name: oidc.provider.name(),
            href: match purpose {
                Purpose::User => "/sign-in/oidc",
                Purpose::Developer => "/dashboard/sign-in/oidc",
            },
        })
    }
}

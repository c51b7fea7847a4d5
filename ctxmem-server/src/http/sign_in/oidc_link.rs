//! The button that leads to the provider at which people sign in.

use crate::core::Purpose;
use crate::http::api::Api;

/// The button that leads to the provider.
pub(in crate::http) struct OidcLink<'a> {
    /// The provider's name on the button.
    pub(in crate::http) name: &'a str,
    /// Where the button leads.
    pub(in crate::http) href: &'static str,
}

impl<'a> OidcLink<'a> {
    /// The button for this kind of sign-in, if there is a provider.
    pub(in crate::http) fn new(api: &'a Api, purpose: Purpose) -> Option<Self> {
        api.oidc.as_ref().map(|oidc| Self {
            name: oidc.name(),
            href: match purpose {
                Purpose::User => "/sign-in/oidc",
                Purpose::Developer => "/dashboard/sign-in/oidc",
            },
        })
    }
}

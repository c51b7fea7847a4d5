//! The provider at which people sign in, and the button that leads there.

use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::core::Purpose;
use crate::http::Api;
use crate::http::error::HttpError;
use crate::oidc::Provider;

/// How many sign-ins may start in a minute. Each is stored for ten minutes, so this bounds
/// how many are stored at once.
const STARTS_A_MINUTE: NonZeroU32 = NonZeroU32::new(120).expect("it is not zero");

/// The provider, with a limit on how often browsers are sent to it.
pub(crate) struct SignInProvider {
    provider: Provider,
    starts: DefaultDirectRateLimiter,
}

impl SignInProvider {
    pub(crate) fn new(provider: Provider) -> Self {
        Self {
            provider,
            starts: RateLimiter::direct(Quota::per_minute(STARTS_A_MINUTE)),
        }
    }

    pub(super) fn provider(&self) -> &Provider {
        &self.provider
    }

    /// Counts a sign-in that starts; refuses it if there were too many in the last minute.
    pub(super) fn count_start(&self) -> Result<(), HttpError> {
        self.starts.check().map_err(|_| HttpError::RateLimited)
    }
}

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
            name: oidc.provider.name(),
            href: match purpose {
                Purpose::User => "/sign-in/oidc",
                Purpose::Developer => "/dashboard/sign-in/oidc",
            },
        })
    }
}

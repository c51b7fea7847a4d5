//! The provider at which people sign in, and the button that leads there.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use crate::core::{Network, Purpose};
use crate::http::Api;
use crate::http::buckets::Buckets;
use crate::http::error::HttpError;
use crate::oidc::Provider;

/// How many sign-ins of one network may start in a minute.
const STARTS_OF_NETWORK: NonZeroU32 = NonZeroU32::new(120).expect("it is not zero");
/// How many sign-ins may start in a minute. Each is stored for ten minutes, so this bounds
/// how many are stored at once.
const STARTS: NonZeroU32 = NonZeroU32::new(2_400).expect("it is not zero");

/// The provider, with a limit on how often browsers are sent to it.
pub(crate) struct SignInProvider {
    provider: Provider,
    starts_of_network: Buckets,
    starts: DefaultDirectRateLimiter,
}

impl SignInProvider {
    pub(crate) fn new(provider: Provider) -> Self {
        Self {
            provider,
            starts_of_network: Buckets::new(Quota::per_minute(STARTS_OF_NETWORK)),
            starts: RateLimiter::direct(Quota::per_minute(STARTS)),
        }
    }

    /// What the provider is called on buttons.
    pub(in crate::http) fn name(&self) -> &str {
        self.provider.name()
    }

    pub(super) fn provider(&self) -> &Provider {
        &self.provider
    }

    /// Counts a sign-in that this client starts; refuses it if there were too many in the last
    /// minute. What is refused by network does not count against all.
    pub(super) fn count_start(&self, client: IpAddr) -> Result<(), HttpError> {
        let taken = self.starts_of_network.take(&Network::of(client));
        taken.map_err(|_| HttpError::RateLimited)?;
        self.starts.check().map_err(|_| HttpError::RateLimited)
    }

    /// Removes what is at rest again.
    pub(in crate::http) fn evict_idle(&self) {
        self.starts_of_network.evict_idle();
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

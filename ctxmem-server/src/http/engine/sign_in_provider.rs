//! The provider at which people sign in, and how often browsers are sent there.

use std::net::IpAddr;
use std::time::Duration;

use super::buckets::Buckets;
use super::error::HttpError;
use crate::core::Network;
use crate::oidc::Provider;

/// How many sign-ins of one network may start in a minute.
const STARTS_OF_NETWORK: u32 = 120;
/// How many of those go before the starts of others.
const FIRST_STARTS_OF_NETWORK: u32 = 3;
/// How many sign-ins may start in a minute, and how many more that are the first ones of their
/// networks. Each is stored for ten minutes, so this bounds how many are stored at once.
const STARTS: u32 = 2_400;

/// The provider, with a limit on how often browsers are sent to it.
pub(crate) struct SignInProvider {
    pub(crate) provider: Provider,
    starts: Starts,
}

/// Counts the sign-ins that start. A few networks that start as many as they may take the shared
/// bucket from all others, but not the first starts of those.
struct Starts {
    of_network: Buckets,
    first_of_network: Buckets,
    /// Of all, and of the first ones that come when it is empty.
    shared: Buckets,
}

/// The names of the shared buckets.
#[derive(Hash)]
enum Shared {
    All,
    First,
}

impl Starts {
    fn new() -> Self {
        let per_minute = |starts| Buckets::new(starts, starts);
        Self {
            of_network: per_minute(STARTS_OF_NETWORK),
            first_of_network: per_minute(FIRST_STARTS_OF_NETWORK),
            shared: per_minute(STARTS),
        }
    }

    /// Counts a start, or says how long to wait. What is refused by network does not count against
    /// all.
    fn take(&self, client: IpAddr) -> Result<(), Duration> {
        let network = Network::of(client);
        self.of_network.take(&network)?;
        let is_first = self.first_of_network.take(&network).is_ok();
        let taken = match self.shared.take(&Shared::All) {
            Err(_) if is_first => self.shared.take(&Shared::First),
            taken => taken,
        };
        if taken.is_err() {
            self.of_network.give_back(&network);
        }
        taken
    }
}

impl SignInProvider {
    pub(crate) fn new(provider: Provider) -> Self {
        Self {
            provider,
            starts: Starts::new(),
        }
    }

    /// Counts a sign-in that this client starts; refuses it if there were too many in the last
    /// minute.
    pub(crate) fn count_start(&self, client: IpAddr) -> Result<(), HttpError> {
        self.starts.take(client).map_err(HttpError::RateLimited)
    }

    /// Removes what is at rest again.
    pub(crate) fn evict_idle(&self) {
        self.starts.of_network.evict_idle();
        self.starts.first_of_network.evict_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_networks_do_not_stop_the_first_starts_of_others() {
        let starts = Starts::new();
        let from = |n: u8, network: u8| starts.take([203, 0, network, n].into());
        // Until nothing is left, whatever became due meanwhile.
        let mut crowd = (0..100).flat_map(|network| (0..STARTS_OF_NETWORK).map(move |_| network));
        let wait = crowd.find_map(|network| from(1, network).err()).unwrap();
        assert!(wait <= Duration::from_mins(1), "{wait:?}");
        // Each of the others has all three, unless it shares a bucket with one that came before: of 156
        // that happens to one in six runs, and to seven in none.
        let free = (100..=255).filter(|network| (0..3).all(|n| from(n, *network).is_ok()));
        assert!(free.count() >= 150);
    }

    #[test]
    fn first_starts_are_bounded_too() {
        let starts = Starts::new();
        let networks = (0..=u16::MAX).map(u16::to_be_bytes);
        let all = networks.flat_map(|[a, b]| [[203, a, b, 1]; 3]);
        let taken = all.filter(|client| starts.take((*client).into()).is_ok());
        let taken = u32::try_from(taken.count()).unwrap();
        // As many again become due in each minute that this takes.
        assert!((2 * STARTS..8 * STARTS).contains(&taken), "{taken}");
    }
}

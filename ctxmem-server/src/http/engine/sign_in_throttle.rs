//! Limits attempts to sign in. Somebody who guesses a developer's password locks out neither the
//! developer's own browser nor other networks. Codes of the second factor are so short that they
//! are counted by developer, wherever they come from.
//!
//! What is counted is in the memory of this process.

use std::time::Duration;

use super::buckets::Buckets;
use crate::core::{Network, SignInOrigin};

/// How many attempts with one address are accepted in a row from one origin, and how many wrong
/// codes of one developer from everywhere. Then it is one a minute.
const IN_A_ROW: u32 = 10;
/// How many attempts are accepted in a row from one network, whatever the addresses.
const IN_A_ROW_OF_NETWORK: u32 = 60;
/// How many a minute come after those.
const PER_MINUTE_OF_NETWORK: u32 = 30;

/// Counts attempts to sign in. The tables are apart: strangers can empty no bucket of a device.
pub(crate) struct SignInThrottle {
    networks: Buckets,
    addresses: Buckets,
    devices: Buckets,
    codes: Buckets,
}

impl SignInThrottle {
    pub(crate) fn new() -> Self {
        let few = || Buckets::new(IN_A_ROW, 1);
        Self {
            networks: Buckets::new(IN_A_ROW_OF_NETWORK, PER_MINUTE_OF_NETWORK),
            addresses: few(),
            devices: few(),
            codes: few(),
        }
    }

    /// Counts an attempt with this address, in any case. If there were too many, the error says
    /// how long to wait.
    pub(crate) fn take(&self, email: &str, origin: &SignInOrigin) -> Result<(), Duration> {
        match origin {
            SignInOrigin::Device { nonce, .. } => self.devices.take(nonce),
            SignInOrigin::Network(network) => {
                self.networks.take(network)?;
                let taken = self.addresses.take(&at(email, *network));
                if taken.is_err() {
                    // Neighbours with other addresses go on.
                    self.networks.give_back(network);
                }
                taken
            }
        }
    }

    /// Forgets an attempt that was turned away before it was judged.
    pub(crate) fn give_back(&self, email: &str, origin: &SignInOrigin) {
        match origin {
            SignInOrigin::Device { nonce, .. } => self.devices.give_back(nonce),
            SignInOrigin::Network(network) => {
                self.networks.give_back(network);
                self.addresses.give_back(&at(email, *network));
            }
        }
    }

    /// Counts a code that an app shows, of the developer with this address. If there were too many
    /// that were wrong, the error says how long to wait.
    pub(crate) fn take_code(&self, email: &str) -> Result<(), Duration> {
        self.codes.take(&normal(email))
    }

    /// Forgets a code that was right, or was not judged.
    pub(crate) fn give_code_back(&self, email: &str) {
        self.codes.give_back(&normal(email));
    }

    /// Removes what is at rest again.
    pub(crate) fn evict_idle(&self) {
        for buckets in [&self.networks, &self.addresses, &self.devices, &self.codes] {
            buckets.evict_idle();
        }
    }
}

/// An address as those of one network try it.
fn at(email: &str, network: Network) -> (String, Network) {
    (normal(email), network)
}

fn normal(email: &str) -> String {
    email.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network_of(address: &str) -> Network {
        Network::of(address.parse().unwrap())
    }

    fn network(address: &str) -> SignInOrigin {
        SignInOrigin::Network(network_of(address))
    }

    fn device(nonce: &str) -> SignInOrigin {
        SignInOrigin::Device {
            nonce: nonce.to_owned(),
            email: "ann@example.com".to_owned(),
            network: network_of("203.0.113.7"),
        }
    }

    #[test]
    fn ten_attempts_pass_and_the_next_waits_a_minute_at_most() {
        let throttle = SignInThrottle::new();
        let here = network("203.0.113.7");
        for _ in 0..10 {
            assert_eq!(throttle.take("Ann@Example.com", &here), Ok(()));
        }
        let wait = throttle.take(" ann@example.COM ", &here).unwrap_err();
        assert!(wait > Duration::from_secs(50) && wait <= Duration::from_mins(1));
    }

    #[test]
    fn neither_addresses_nor_origins_stand_in_for_each_other() {
        let throttle = SignInThrottle::new();
        let here = network("203.0.113.7");
        while throttle.take("ann@example.com", &here).is_ok() {}
        // One in some hundred thousand shares the bucket.
        let others = (0..20).map(|n| format!("{n}@example.com"));
        let free = others.filter(|email| throttle.take(email, &here).is_ok());
        assert!(free.count() >= 19);
        let networks = (0..20).map(|n| network(&format!("198.51.{n}.1")));
        let devices = (0..20).map(|n| device(&n.to_string()));
        let free = networks.chain(devices);
        let free = free.filter(|origin| throttle.take("ann@example.com", origin).is_ok());
        assert!(free.count() >= 39);
    }

    #[test]
    fn a_network_is_limited_over_all_addresses_and_empties_no_bucket_of_a_device() {
        let throttle = SignInThrottle::new();
        let here = network("203.0.113.7");
        let made_up = (0..20_000).map(|n| format!("{n}@example.com"));
        let taken = made_up.filter(|email| throttle.take(email, &here).is_ok());
        let taken = taken.count();
        // A few more become due meanwhile.
        assert!((60..200).contains(&taken), "{taken}");
        for n in 0..100 {
            assert_eq!(
                throttle.take("ann@example.com", &device(&n.to_string())),
                Ok(())
            );
        }
    }

    #[test]
    fn what_was_not_judged_does_not_count() {
        let throttle = SignInThrottle::new();
        for origin in [network("203.0.113.7"), device("nonce")] {
            for _ in 0..200 {
                assert_eq!(throttle.take("ann@example.com", &origin), Ok(()));
                throttle.give_back("ann@example.com", &origin);
            }
        }
        // Nor do attempts with a locked address count for its neighbours.
        let here = network("198.51.100.7");
        for _ in 0..200 {
            let _ = throttle.take("ann@example.com", &here);
        }
        assert_eq!(throttle.take("bob@example.com", &here), Ok(()));
    }

    #[test]
    fn codes_count_by_developer() {
        let throttle = SignInThrottle::new();
        for _ in 0..10 {
            assert_eq!(throttle.take_code("Ann@example.com"), Ok(()));
        }
        assert!(throttle.take_code("ann@example.com").is_err());
        throttle.give_code_back("ann@example.com");
        assert_eq!(throttle.take_code("ann@example.com"), Ok(()));
        assert_eq!(throttle.take_code("bob@example.com"), Ok(()));
    }
}

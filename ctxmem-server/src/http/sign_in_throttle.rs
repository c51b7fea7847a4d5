//! Limits attempts to sign in, by address and origin: a few in a row, then one per minute. Who
//! guesses a developer's password locks out neither the developer's own browser nor other networks.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::Quota;

use super::buckets::Buckets;
use crate::core::SignInOrigin;

/// How many attempts are accepted in a row.
const BURST: NonZeroU32 = NonZeroU32::new(10).expect("it is not zero");

/// Counts attempts to sign in.
pub(super) struct SignInThrottle(Buckets);

impl SignInThrottle {
    /// A throttle without any attempts.
    pub(super) fn new() -> Self {
        let quota = Quota::per_minute(NonZeroU32::MIN).allow_burst(BURST);
        Self(Buckets::new(quota))
    }

    /// Counts an attempt with this address, in any case. If there were too many, the error says
    /// how long to wait.
    pub(super) fn take(&self, email: &str, origin: &SignInOrigin) -> Result<(), Duration> {
        self.0.take(&(email.trim().to_lowercase(), origin))
    }

    /// Removes what is at rest again.
    pub(super) fn evict_idle(&self) {
        self.0.evict_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Network;

    fn network(address: &str) -> SignInOrigin {
        SignInOrigin::Network(Network::of(address.parse().unwrap()))
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
        let devices = (0..20).map(|n| SignInOrigin::Device(n.to_string()));
        let free = networks.chain(devices);
        let free = free.filter(|origin| throttle.take("ann@example.com", origin).is_ok());
        assert!(free.count() >= 39);
    }
}

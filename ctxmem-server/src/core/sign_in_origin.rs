//! Origins of sign-in attempts. Attempts are counted, and wait for their turn, by origin: somebody who guesses
//! passwords holds up neighbours at most, and never a browser that has signed in before.
//!
//! Such a browser is known by a device cookie: a nonce, and a MAC over the nonce and the developer's
//! address. It opens nothing by itself, and no process has to remember it.

use std::net::IpAddr;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use ipnet::IpNet;
use secrecy::SecretString;

use super::{SignIn, keys};
use crate::store::Hash;

/// The network of a client: as many addresses as one customer of a provider usually has. Whoever
/// has one of them has all, so they count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(IpNet);

/// The bits of an IPv4 address that make its network.
const IPV4_BITS: u8 = 24;
/// The bits of an IPv6 address that make its network.
const IPV6_BITS: u8 = 56;

impl Network {
    /// The network of an address.
    pub fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        let bits = if address.is_ipv4() {
            IPV4_BITS
        } else {
            IPV6_BITS
        };
        Self(IpNet::new(address, bits).map_or_else(|_| address.into(), |net| net.trunc()))
    }
}

/// Where an attempt to sign in comes from.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum SignInOrigin {
    /// A browser in which a developer has signed in before.
    Device {
        /// The nonce of its device cookie.
        nonce: String,
        /// The developer's address, in lower case.
        email: String,
        /// Where the browser is.
        network: Network,
    },
    /// Anybody in this network.
    Network(Network),
}

impl SignIn {
    /// The device cookie for a browser in which the developer with this address has signed in: the
    /// one that it has, or a new one. So who signs in again and again does not gather many.
    pub fn device_cookie(&self, email: &str, kept: Option<&str>) -> SecretString {
        if let Some(kept) = kept.filter(|kept| self.nonce_of(kept, email).is_some()) {
            return kept.into();
        }
        let nonce = keys::secret();
        let mac = hex::encode(self.device_mac(&nonce, email));
        format!("{nonce}.{mac}").into()
    }

    /// The origin of an attempt with this address, by a browser that may have a device cookie.
    pub fn sign_in_origin(
        &self,
        email: &str,
        device_cookie: Option<&str>,
        client: IpAddr,
    ) -> SignInOrigin {
        let nonce = device_cookie.and_then(|cookie| self.nonce_of(cookie, email));
        let network = Network::of(client);
        match nonce {
            Some(nonce) => SignInOrigin::Device {
                nonce: nonce.to_owned(),
                email: email.trim().to_lowercase(),
                network,
            },
            None => SignInOrigin::Network(network),
        }
    }

    /// The nonce of a device cookie, if we made it for this address.
    fn nonce_of<'c>(&self, cookie: &'c str, email: &str) -> Option<&'c str> {
        let (nonce, mac) = cookie.split_once('.')?;
        let mac = hex::decode(mac).ok()?;
        let expected = self.device_mac(nonce, email);
        verify_slices_are_equal(&mac, &expected).ok()?;
        Some(nonce)
    }

    fn device_mac(&self, nonce: &str, email: &str) -> Hash {
        let email = email.trim().to_lowercase();
        self.db
            .keyed_hash(&[Some("device cookie"), Some(nonce), Some(&email)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(address: &str) -> Network {
        Network::of(address.parse().unwrap())
    }

    #[test]
    fn neighbours_share_a_network() {
        assert_eq!(network("203.0.113.7"), network("203.0.113.255"));
        assert_ne!(network("203.0.113.7"), network("203.0.112.7"));
        assert_eq!(network("2001:db8:0:ff::1"), network("2001:db8::"));
        assert_ne!(network("2001:db8:0:100::1"), network("2001:db8::"));
    }

    #[test]
    fn an_ipv4_address_is_the_same_in_the_form_of_ipv6() {
        assert_eq!(network("::ffff:203.0.113.7"), network("203.0.113.9"));
        assert_ne!(network("::ffff:203.0.113.7"), network("::ffff:203.0.112.7"));
    }
}

//! The address of a client, also behind proxies.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies that are believed what they say of their clients.
pub(crate) struct TrustedProxies(pub(crate) Vec<IpNet>);

impl TrustedProxies {
    /// The client at the other end: the peer, or where that is a trusted proxy, the client that it
    /// forwards for. Each proxy adds its client on the right, and what stands left of the first one
    /// that is not trusted may be made up.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let values = headers.get_all(X_FORWARDED_FOR).iter().rev();
        // Each entry is read by itself: what a client made up does not spoil what a proxy added.
        let entries = values.flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b','));
        for entry in entries {
            if !self.trust(client) {
                break;
            }
            let Some(address) = address(entry) else {
                break;
            };
            client = address;
        }
        client
    }

    fn trust(&self, address: IpAddr) -> bool {
        self.0.iter().any(|trusted| trusted.contains(&address))
    }
}

/// The address in an entry, which some proxies write with a port.
fn address(entry: &[u8]) -> Option<IpAddr> {
    let entry = std::str::from_utf8(entry).ok()?.trim();
    let with_port = || Some(entry.parse::<std::net::SocketAddr>().ok()?.ip());
    let address = entry.parse().ok().or_else(with_port)?;
    Some(IpAddr::to_canonical(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&'static str]) -> String {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().unwrap());
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(X_FORWARDED_FOR, value.parse().unwrap());
        }
        let client = TrustedProxies(trusted.into()).client(peer.parse().unwrap(), &headers);
        client.to_string()
    }

    #[test]
    fn a_peer_that_is_no_proxy_speaks_for_itself() {
        assert_eq!(client("192.0.2.1", &["198.51.100.1"]), "192.0.2.1");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("::ffff:192.0.2.1", &[]), "192.0.2.1");
    }

    #[test]
    fn the_first_from_the_right_that_is_no_proxy_is_the_client() {
        for (forwarded, expected) in [
            (&["198.51.100.1"][..], "198.51.100.1"),
            (&["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
            (&["1.1.1.1,198.51.100.1 , 10.9.9.9"], "198.51.100.1"),
            (&["1.1.1.1", "198.51.100.1", "fd00::1"], "198.51.100.1"),
            (&["10.0.0.7"], "10.0.0.7"),
            (&["198.51.100.1:4711"], "198.51.100.1"),
            (&["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["::ffff:198.51.100.1"], "198.51.100.1"),
        ] {
            assert_eq!(client("10.0.0.1", forwarded), expected, "{forwarded:?}");
            assert_eq!(client("::ffff:10.0.0.1", forwarded), expected);
        }
    }

    #[test]
    fn what_a_client_made_up_does_not_hide_it() {
        let trusted = TrustedProxies(vec!["10.0.0.0/8".parse().unwrap()]);
        for forwarded in [
            &b"\xff, 198.51.100.1"[..],
            b"1.1.1.1, \xc3\xa4,198.51.100.1",
        ] {
            let mut headers = HeaderMap::new();
            let value = http::HeaderValue::from_bytes(forwarded).unwrap();
            headers.insert(X_FORWARDED_FOR, value);
            let client = trusted.client([10, 0, 0, 1].into(), &headers);
            assert_eq!(client.to_string(), "198.51.100.1");
        }
    }

    #[test]
    fn what_is_no_address_ends_the_search() {
        for forwarded in ["unknown", "198.51.100.1, _hidden", "198.51.100.1, "] {
            assert_eq!(client("10.0.0.1", &[forwarded]), "10.0.0.1", "{forwarded}");
        }
        assert_eq!(client("10.0.0.1", &["x, 10.0.0.2"]), "10.0.0.2");
    }
}

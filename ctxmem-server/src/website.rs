//! A website that confirms an agent: `/.well-known/ctxmem.txt` there names the agents of its owner, an id a line.
//! Users then see on the page of consent that the address is no mere claim.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use tokio::sync::Semaphore;

use crate::core::{Console, Error, is_local as is_on_this_machine};

/// Where a website names agents.
pub(crate) const PATH: &str = "/.well-known/ctxmem.txt";

/// How long a website has for all of its answer.
const TIMEOUT: Duration = Duration::from_secs(4);
/// The largest answer that is read, in bytes: some 400 agents.
const MAX_ANSWER: usize = 16 << 10;
/// How many websites are asked at a time: whoever is signed in can have one asked.
static ASKING: Semaphore = Semaphore::const_new(4);

/// The name of the host in the address of a website, which is what people know it by.
pub(crate) fn host(website: &str) -> String {
    let url = Url::parse(website).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host).to_owned()
}

/// Asks the agent's website whether it confirms the agent, notes the answer and returns it.
pub(crate) async fn verify(
    console: &Console,
    agent_id: &str,
    website: &str,
    is_local: bool,
) -> Result<bool, Error> {
    let is_confirmed = confirms(website, agent_id, is_local).await;
    console
        .set_website_verified(agent_id, website, is_confirmed)
        .await?;
    Ok(is_confirmed)
}

/// Whether the website of this address confirms the agent now. Websites are asked over https and at public
/// addresses, so that nobody learns by it what else answers in the server's network; with `is_local`, for trying
/// it out, also on this machine.
async fn confirms(website: &str, agent_id: &str, is_local: bool) -> bool {
    let Some(address) = address(website).filter(|address| may_be_asked(address, is_local)) else {
        return false;
    };
    let asking = async {
        let _turn = ASKING.acquire().await.ok()?;
        let names = names(address, is_local).await?;
        names
            .lines()
            .any(|line| line.trim() == agent_id)
            .then_some(())
    };
    matches!(tokio::time::timeout(TIMEOUT, asking).await, Ok(Some(())))
}

/// Where this website names agents.
pub(crate) fn address(website: &str) -> Option<Url> {
    Url::parse(website).ok()?.join(PATH).ok()
}

/// Whether what is at this address is asked: by a name of the web, over https, or on this machine.
fn may_be_asked(url: &Url, is_local: bool) -> bool {
    let is_named = url.domain().is_some_and(|domain| domain != "localhost");
    let is_public = url.scheme() == "https" && url.port().is_none() && is_named;
    is_public || (is_local && is_on_this_machine(url))
}

/// What is at this address. What a redirect leads to is another's word.
async fn names(address: Url, is_local: bool) -> Option<String> {
    let client = Client::builder().redirect(Policy::none()).no_proxy();
    let client = if is_local {
        client
    } else {
        client.dns_resolver(Arc::new(PublicAddresses))
    };
    let mut response = client.build().ok()?.get(address).send().await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let mut text = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        text.extend_from_slice(&chunk);
        if text.len() > MAX_ANSWER {
            return None;
        }
    }
    String::from_utf8(text).ok()
}

/// Looks names up, and leaves out what only the server's own network reaches.
struct PublicAddresses;

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.filter(|found| is_public(found.ip())).collect();
            if found.is_empty() {
                return Err(io::Error::other("no public address").into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Whether an address is one of the internet: those that the registries of special addresses (RFC 6890 and what
/// follows it) name are not, nor are those which carry another address in them.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => is_public_v4(address),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = match first {
        0 | 10 | 127 | 224.. => true,
        100 => (64..128).contains(&second),
        169 => second == 254,
        172 => (16..32).contains(&second),
        192 => second == 168 || (second == 0 && matches!(third, 0 | 2)),
        198 => matches!(second, 18 | 19) || (second == 51 && third == 100),
        203 => second == 0 && third == 113,
        _ => false,
    };
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_global = first & 0xe000 == 0x2000;
    // Teredo and other protocols, documentation, 6to4.
    is_global && !(first == 0x2001 && (second < 0x200 || second == 0xdb8)) && first != 0x2002
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn only_public_addresses_are_asked() {
        for public in [
            "93.184.215.14",
            "8.8.8.8",
            "172.32.0.1",
            "2606:2800:220:1::1",
            "::ffff:8.8.8.8",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        let special = "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 \
                       172.31.255.255 192.0.0.8 192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.1 \
                       203.0.113.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:10.0.0.1 64:ff9b::a00:1 \
                       fc00::1 fe80::1 ff02::1 2001::1 2001:db8::1 2002:a00:1::1";
        for special in special.split_whitespace() {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }

    #[test]
    fn websites_are_asked_over_https_by_their_names() {
        let asked = |website: &str, is_local| {
            let address = address(website).filter(|address| may_be_asked(address, is_local));
            address.map(String::from)
        };
        let well_known = Some("https://trips.example/.well-known/ctxmem.txt".to_owned());
        assert_eq!(
            asked("https://trips.example/about?x=1#y", false),
            well_known
        );
        let here = Some("http://localhost:3000/.well-known/ctxmem.txt".to_owned());
        assert_eq!(asked("http://localhost:3000/", true), here);
        for refused in [
            "http://trips.example/",
            "https://trips.example:8443/",
            "https://localhost/",
            "http://localhost:3000/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://10.0.0.1/",
            "",
        ] {
            assert_eq!(asked(refused, false), None, "{refused}");
        }
        assert_eq!(asked("http://trips.example/", true), None);
    }

    #[test]
    fn a_website_is_known_by_its_host() {
        for (url, name) in [
            ("https://trips.example/about?x=1", "trips.example"),
            ("https://www.trips.example/", "trips.example"),
            ("https://trips.example@evil.example/", "evil.example"),
            ("", ""),
        ] {
            assert_eq!(host(url), name, "{url}");
        }
    }

    #[tokio::test]
    async fn names_that_lead_into_the_servers_network_are_not_connected_to() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = Url::parse(&format!("http://localhost:{port}{PATH}")).unwrap();
        let accepted = tokio::spawn(async move { listener.accept().await.is_ok() });
        assert_eq!(names(url.clone(), false).await, None);
        assert!(!accepted.is_finished());
        // Where it may be asked, it is.
        let asking = tokio::spawn(names(url, true));
        assert!(accepted.await.unwrap());
        assert_eq!(asking.await.unwrap(), None);
    }
}

//! OAuth clients: the programs that ask users for access. None is stored. What a client registers (RFC
//! 7591) is sealed into the id that it gets, so anybody may register any number of them.
//!
//! What a client says of itself nobody has checked. Known is the host to which its users are sent back, which
//! gets its codes: name and host together are the agent that stands for it. On a person's own machine even
//! that says nothing, so there a name is all that tells programs apart.

use reqwest::Url;
use serde::{Deserialize, Serialize};
use uuid::Builder;

use super::OAuthRefusal;
use crate::core::agent_profiles::is_local;
use crate::core::agents::checked_name;
use crate::extract::is_hidden;
use crate::store::{Agent, DeveloperId, hash};

/// How many addresses a client may name.
const MAX_REDIRECTS: usize = 10;
/// The longest of them, in bytes.
const MAX_REDIRECT: usize = 500;
/// What all of them and the name may take together, in bytes: they travel in addresses and a cookie.
const MAX_IN_ALL: usize = 1_200;
/// What programs on a person's own machine are said to be of.
const LOCAL: &str = "localhost";

/// A program that asks users for access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OAuthClient {
    /// What it calls itself.
    #[serde(rename = "n")]
    pub name: String,
    /// Where users may be sent back to, as the client wrote it.
    #[serde(rename = "r")]
    pub redirect_uris: Vec<String>,
}

impl OAuthClient {
    /// The client that registers so. Without a name it has that of its host.
    pub fn register(name: Option<&str>, redirect_uris: &[String]) -> Result<Self, OAuthRefusal> {
        if redirect_uris.is_empty() || redirect_uris.len() > MAX_REDIRECTS {
            return Err(BAD_REDIRECT);
        }
        let redirects = redirect_uris.iter().map(|uri| Redirect::checked(uri));
        let redirects: Vec<Redirect> = redirects.collect::<Option<_>>().ok_or(BAD_REDIRECT)?;
        let name = match (name, redirects.first()) {
            (Some(name), _) => checked_name(name).map_err(|_| BAD_NAME)?,
            (None, Some(first)) => first.host(),
            (None, None) => return Err(BAD_REDIRECT),
        };
        if name.chars().any(is_hidden) {
            return Err(BAD_NAME);
        }
        let in_all = name.len() + redirect_uris.iter().map(String::len).sum::<usize>();
        if in_all > MAX_IN_ALL {
            return Err(OAuthRefusal::new(
                "invalid_client_metadata",
                "client_name and redirect_uris: expected at most 1200 bytes in all",
            ));
        }
        Ok(Self {
            name,
            redirect_uris: redirect_uris.to_vec(),
        })
    }

    /// The address to which a user is to be sent back, if it is one of the client's. On a person's own
    /// machine any port is as good as another (RFC 8252 §7.3).
    pub fn redirect(&self, uri: &str) -> Option<Redirect> {
        let asked = Redirect::checked(uri)?;
        let is_known = |known: &String| {
            known == uri
                || Redirect::checked(known).is_some_and(|known| known.is_same_local(&asked))
        };
        self.redirect_uris.iter().any(is_known).then_some(asked)
    }

    /// The agent that stands for the client where users are sent back so. Its id follows from what it is
    /// called and from the host, and so does that of the developer who it is said to be of.
    pub(super) fn agent(&self, redirect: &Redirect) -> Agent {
        let host = redirect.host();
        Agent {
            id: derived_id(&["agent", &host, &self.name]),
            developer_id: DeveloperId::new(derived_id(&["host", &host])),
            name: self.name.clone(),
        }
    }
}

/// An address to which users are sent back: over https, or to a program on their own machine.
#[derive(Clone, Debug)]
pub struct Redirect(Url);

impl Redirect {
    fn checked(uri: &str) -> Option<Self> {
        let is_text = uri.len() <= MAX_REDIRECT && uri.bytes().all(|byte| byte.is_ascii_graphic());
        let url = Url::parse(uri).ok().filter(|_| is_text)?;
        let redirect = Self(url);
        let url = &redirect.0;
        let is_safe = url.scheme() == "https" || (url.scheme() == "http" && redirect.is_local());
        // A query might send them on: "https://example.com/go?to=https://evil.example".
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.fragment().is_none()
            && url.query().is_none();
        (is_safe && is_plain && is_host(url.host_str()?)).then_some(redirect)
    }

    /// Whether it leads to the machine of whoever follows it.
    pub fn is_local(&self) -> bool {
        is_local(&self.0)
    }

    /// The host by which people know whom they are sent to, with its port unless that is the usual one.
    pub fn host(&self) -> String {
        let host = self.0.host_str().filter(|_| !self.is_local());
        match (host, self.0.port()) {
            (None, _) => LOCAL.to_owned(),
            (Some(host), None) => host.to_owned(),
            (Some(host), Some(port)) => format!("{host}:{port}"),
        }
    }

    /// The origin, such as `https://example.com`.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// The address with more fields in its query.
    pub fn with(&self, fields: &[(&str, &str)]) -> String {
        let mut url = self.0.clone();
        url.query_pairs_mut().extend_pairs(fields);
        url.into()
    }

    fn is_same_local(&self, other: &Self) -> bool {
        let without_port = |redirect: &Self| {
            let mut url = redirect.0.clone();
            url.set_port(None).is_ok().then_some(url)
        };
        self.is_local() && other.is_local() && without_port(self) == without_port(other)
    }
}

/// Whether a host is a name of the web or an address: it stands in a header, where others mean something.
fn is_host(host: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    host.bytes().all(is_name) || host.parse::<std::net::Ipv4Addr>().is_ok() || host == "[::1]"
}

const BAD_REDIRECT: OAuthRefusal = OAuthRefusal::new(
    "invalid_redirect_uri",
    "redirect_uris: expected 1 to 10 addresses over https or on localhost, of at most 500 bytes, without a query and a fragment",
);

const BAD_NAME: OAuthRefusal = OAuthRefusal::new(
    "invalid_client_metadata",
    "client_name: expected 1 to 100 bytes of text without control characters or characters that print nothing",
);

/// A UUID (version 8) that follows from these texts.
fn derived_id(texts: &[&str]) -> String {
    let hash = hash(&format!("oauth\n{}", texts.join("\n")));
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(hash) {
        *to = from;
    }
    Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAUDE: &str = "https://claude.ai/api/mcp/auth_callback";

    fn registered(name: Option<&str>, uris: &[&str]) -> Result<OAuthClient, &'static str> {
        let uris: Vec<String> = uris.iter().map(|uri| (*uri).to_owned()).collect();
        OAuthClient::register(name, &uris).map_err(|refusal| refusal.code)
    }

    #[test]
    fn a_client_is_sent_back_over_https_or_to_the_persons_own_machine() {
        for uri in [
            CLAUDE,
            "https://example.com",
            "https://example.com:8443/back",
            "http://localhost/callback",
            "http://127.0.0.1:33418/callback",
            "http://[::1]:33418/callback",
        ] {
            assert!(registered(Some("Claude"), &[uri]).is_ok(), "{uri}");
        }
        for uri in [
            "",
            "http://example.com/back",
            "http://localhost.example.com/",
            "https://claude.ai@evil.example/",
            "https://example.com/#fragment",
            "https://example.com/go?to=https://evil.example",
            "https://a;sandbox/",
            "https://*/",
            "https://a,default-src/",
            "javascript:alert(1)",
            "data:text/html,x",
            "cursor://callback",
            "/back",
            "https://example.com/a b",
            "https://example.com/\r\nSet-Cookie: a=b",
            &format!("https://example.com/{}", "a".repeat(MAX_REDIRECT)),
        ] {
            let refused = registered(Some("Claude"), &[CLAUDE, uri]);
            assert_eq!(refused, Err("invalid_redirect_uri"), "{uri}");
        }
        assert_eq!(registered(None, &[]), Err("invalid_redirect_uri"));
        assert_eq!(
            registered(None, &[CLAUDE; MAX_REDIRECTS + 1]),
            Err("invalid_redirect_uri")
        );
    }

    #[test]
    fn a_client_has_a_name_that_can_be_seen() {
        let client = registered(Some(" Claude "), &[CLAUDE]).unwrap();
        assert_eq!(client.name, "Claude");
        assert_eq!(registered(None, &[CLAUDE]).unwrap().name, "claude.ai");
        for name in ["", " ", "a\nb", "Clau\u{200b}de", &"a".repeat(101)] {
            let refused = registered(Some(name), &[CLAUDE]);
            assert_eq!(refused, Err("invalid_client_metadata"), "{name:?}");
        }
        let long = format!("https://example.com/{}", "a".repeat(470));
        let refused = registered(None, &[&long, &long, &long]);
        assert_eq!(refused, Err("invalid_client_metadata"));
    }

    #[test]
    fn only_an_address_that_was_registered_is_led_to_and_locally_any_port() {
        let local = "http://localhost:3000/callback";
        let client = registered(Some("Claude"), &[CLAUDE, local]).unwrap();
        for uri in [CLAUDE, local, "http://localhost:51000/callback"] {
            assert!(client.redirect(uri).is_some(), "{uri}");
        }
        for uri in [
            "https://claude.ai/api/mcp/auth_callback/",
            "https://claude.ai/api/mcp/auth_callback?next=1",
            "https://claude.ai:8443/api/mcp/auth_callback",
            "https://CLAUDE.ai/api/mcp/auth_callback",
            "http://localhost:3000/other",
            "http://127.0.0.1:3000/callback",
            "https://localhost:3000/callback",
            "https://evil.example/",
        ] {
            assert!(client.redirect(uri).is_none(), "{uri}");
        }
    }

    #[test]
    fn name_and_host_are_the_agent() {
        let agent = |name: &str, uri: &str| {
            let client = registered(Some(name), &[uri]).unwrap();
            client.agent(&client.redirect(uri).unwrap())
        };
        let claude = agent("Claude", CLAUDE);
        assert_ne!(claude.id, agent("Claude", "https://claude.ai:8443/").id);
        assert_eq!(claude, agent("Claude", "https://claude.ai/elsewhere"));
        let evil = agent("Claude", "https://evil.example/");
        assert_ne!(claude.id, evil.id);
        assert_ne!(claude.developer_id, evil.developer_id);
        let other = agent("Claude 2", CLAUDE);
        assert_ne!(claude.id, other.id);
        assert_eq!(claude.developer_id, other.developer_id);
        let local = agent("Code", "http://localhost:1/a");
        assert_eq!(local, agent("Code", "http://127.0.0.1:2/b"));
    }

    #[test]
    fn fields_are_added_to_the_address() {
        let redirect = |uri| Redirect::checked(uri).unwrap();
        assert_eq!(
            redirect(CLAUDE).with(&[("code", "a+b"), ("state", "&")]),
            format!("{CLAUDE}?code=a%2Bb&state=%26")
        );
        assert_eq!(
            redirect("https://example.com").with(&[("code", "c")]),
            "https://example.com/?code=c"
        );
        let local = redirect("http://127.0.0.1:33418/callback");
        assert_eq!(local.origin(), "http://127.0.0.1:33418");
        assert_eq!((&*local.host(), local.is_local()), (LOCAL, true));
        assert_eq!(redirect(CLAUDE).host(), "claude.ai");
    }
}

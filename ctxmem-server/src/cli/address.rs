//! Parses addresses in flags, suggests a correction for an invalid one, and shows them without
//! passwords.

use reqwest::Url;

/// Stands in the place of a user and a password.
const HIDDEN: &str = "***";

/// A URL as it may be shown: without a user and a password. What is no URL, or a broken one, stays as it
/// is but for what may be a password.
pub(super) fn shown(text: &str) -> String {
    let (scheme, rest) = text.split_at(text.find("://").map_or(0, |at| at + 3));
    // An at sign behind the host is none of a password, unless a slash in the password ended the host.
    let authority = match Url::parse(text) {
        Ok(url) if url.has_host() => rest.split(['/', '?', '#', '\\']).next().unwrap_or_default(),
        _ => rest,
    };
    let Some(at) = authority.rfind('@') else {
        return text.to_owned();
    };
    let (user, host) = rest.split_at(at);
    // Such as an address for mail.
    if scheme.is_empty() && !user.contains(':') {
        return text.to_owned();
    }
    format!("{scheme}{HIDDEN}{host}")
}

/// Whether a URL names a user or a password.
pub(super) fn has_user(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// Parses the server's address for browsers. An error may suggest a correction.
pub(super) fn public_url(text: &str) -> Result<Url, String> {
    const EXPECTED: &str = "expected an http:// or https:// address";
    let is_of_the_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    if let Ok(url) = Url::parse(text)
        && is_of_the_web(&url)
    {
        if has_user(&url) {
            return Err(format!("{EXPECTED} without a user and a password"));
        }
        return Ok(url);
    }
    if text.contains("://") || text.contains('@') {
        return Err(EXPECTED.to_owned());
    }
    // Public addresses need https; names of this machine and bare IP addresses usually have none.
    let host = text.split([':', '/']).next().unwrap_or_default();
    let is_local = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok();
    let meant = format!("{}://{text}", if is_local { "http" } else { "https" });
    if host.is_empty() || !Url::parse(&meant).is_ok_and(|url| is_of_the_web(&url)) {
        return Err(EXPECTED.to_owned());
    }
    Err(format!("{EXPECTED}, such as {meant}"))
}

/// Checks that an address to listen on has a port.
pub(super) fn listen(text: &str) -> Result<String, String> {
    let port = text.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
    let is_v6_alone = text.parse::<std::net::Ipv6Addr>().is_ok();
    if matches!(port, Some(Ok(_))) && !is_v6_alone {
        return Ok(text.to_owned());
    }
    let meant = if is_v6_alone {
        format!("[{text}]:8080")
    } else {
        "127.0.0.1:8080".to_owned()
    };
    Err(format!("expected HOST:PORT, such as {meant}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_probably_meant_is_suggested() {
        for (text, meant) in [
            ("example.com", "https://example.com"),
            (
                "memory.example.com/ctxmem",
                "https://memory.example.com/ctxmem",
            ),
            ("localhost:8080", "http://localhost:8080"),
            ("192.168.1.7:8080", "http://192.168.1.7:8080"),
        ] {
            let error = public_url(text).unwrap_err();
            assert!(
                error.ends_with(&format!("such as {meant}")),
                "{text}: {error}"
            );
        }
        for text in ["", "ftp://example.com", "://", "/path"] {
            let error = public_url(text).unwrap_err();
            assert_eq!(error, "expected an http:// or https:// address", "{text}");
        }
        assert!(public_url("https://example.com").is_ok());
    }

    #[test]
    fn no_user_and_no_password_is_shown() {
        for (text, expected) in [
            ("https://example.com/@ann", "https://example.com/@ann"),
            (
                "http://u:canary@host:8080/v1?a=b@c",
                "http://***@host:8080/v1?a=b@c",
            ),
            ("http://canary@host", "http://***@host"),
            ("http://u:can@ary@host/v1", "http://***@host/v1"),
            ("http://u:can/ary@host", "http://***@host"),
            ("http://u:canary@host:port/v1", "http://***@host:port/v1"),
            ("postgres://u:canary@one:1,two:2/db", "***"),
            ("u:canary@host", "***@host"),
            ("help@example.com", "help@example.com"),
            ("http:u:canary@host", "***@host"),
            ("", ""),
        ] {
            let shown = shown(text);
            assert!(!shown.contains("canary"), "{text}: {shown}");
            if expected != "***" {
                assert_eq!(shown, expected, "{text}");
            }
        }
        for text in ["https://u:canary@example.com", "u:canary@example.com"] {
            let error = public_url(text).unwrap_err();
            assert!(error.starts_with("expected an http://"), "{error}");
            assert!(!error.contains("canary"), "{error}");
        }
    }

    #[test]
    fn who_leaves_out_the_port_is_told() {
        for text in [
            "localhost",
            "127.0.0.1",
            "localhost:",
            "localhost:http",
            ":99999",
        ] {
            assert!(
                listen(text).unwrap_err().starts_with("expected HOST:PORT"),
                "{text}"
            );
        }
        assert_eq!(
            listen("::1").unwrap_err(),
            "expected HOST:PORT, such as [::1]:8080"
        );
        for text in ["localhost:8080", "127.0.0.1:0", "[::1]:8080", ":8080"] {
            assert_eq!(listen(text).as_deref(), Ok(text));
        }
    }
}

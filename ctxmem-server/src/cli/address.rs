//! Parses addresses in flags, and suggests a correction for an invalid one.

use reqwest::Url;

/// Parses the server's address for browsers.
///
/// # Errors
///
/// What was expected, with a correction where one can be guessed.
pub(super) fn public_url(text: &str) -> Result<Url, String> {
    const EXPECTED: &str = "expected an http:// or https:// address";
    let is_of_the_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    if let Ok(url) = Url::parse(text)
        && is_of_the_web(&url)
    {
        return Ok(url);
    }
    if text.contains("://") {
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
///
/// # Errors
///
/// What was expected.
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

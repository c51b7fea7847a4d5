//! Causes of network failures, in a few words: whether to look at the name, the port or the certificate.

use std::error::Error;
use std::io;

/// What failed below HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Dns,
    Refused,
    Tls,
    Other,
}

impl Cause {
    /// Looks through an error's causes. The libraries below don't export the types of all of their
    /// errors, but the beginnings of their texts are stable.
    pub(super) fn of(error: &(dyn Error + 'static)) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(io) = error.downcast_ref::<io::Error>() {
                match io.kind() {
                    io::ErrorKind::ConnectionRefused => return Self::Refused,
                    // rustls' errors are wrapped so.
                    io::ErrorKind::InvalidData => return Self::Tls,
                    _ => {}
                }
            }
            let text = error.to_string();
            if text.starts_with("dns error") {
                return Self::Dns;
            }
            if is_tls(&text) {
                return Self::Tls;
            }
            next = error.source();
        }
        Self::Other
    }

    /// What to look at.
    pub(super) fn text(self) -> Option<&'static str> {
        match self {
            Self::Dns => Some("its name can't be resolved (DNS); check the base URL"),
            Self::Refused => {
                Some("the connection was refused; check whether it runs there, and the port")
            }
            Self::Tls => Some(
                "TLS failed; check its certificate, and that the base URL begins with http:// if it \
                 has none",
            ),
            Self::Other => None,
        }
    }
}

/// The errors of rustls and of the systems' own libraries.
fn is_tls(text: &str) -> bool {
    const TEXTS: [&str; 6] = [
        "invalid peer certificate",
        "received corrupt message",
        "received fatal alert",
        "unexpected EOF during handshake",
        "tls handshake",
        "SSL routines",
    ];
    TEXTS.into_iter().any(|known| text.contains(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(kind: io::ErrorKind, text: &str) -> io::Error {
        io::Error::new(kind, text.to_owned())
    }

    #[test]
    fn causes_are_found() {
        use io::ErrorKind::{ConnectionRefused, ConnectionReset, InvalidData, Other};
        for (error, expected) in [
            (wrapped(ConnectionRefused, "x"), Cause::Refused),
            (wrapped(InvalidData, "x"), Cause::Tls),
            (
                wrapped(Other, "invalid peer certificate: UnknownIssuer"),
                Cause::Tls,
            ),
            (
                wrapped(Other, "dns error: failed to lookup address"),
                Cause::Dns,
            ),
            (wrapped(ConnectionReset, "reset by peer"), Cause::Other),
        ] {
            assert_eq!(Cause::of(&error), expected, "{error}");
        }
    }
}

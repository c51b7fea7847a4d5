//! The flags that say on the pages who runs the service.

use clap::Args;
use reqwest::Url;

use super::CliError;
use super::address::has_user;
use crate::config::OperatorConfig;

/// Who runs the service.
#[derive(Clone, Debug, Args)]
pub(super) struct OperatorArgs {
    /// Your name or your organisation's, shown on the sign-in pages and at /about [default: none]
    #[arg(long, env = "CTXMEM_OPERATOR_NAME", value_name = "NAME")]
    operator_name: Option<String>,
    /// An e-mail address or https URL, shown at /about and in /.well-known/security.txt
    /// [default: none]
    #[arg(long, env = "CTXMEM_OPERATOR_CONTACT", value_name = "EMAIL_OR_URL")]
    operator_contact: Option<String>,
    /// The address of your privacy policy, linked at /about [default: none]
    #[arg(long, env = "CTXMEM_PRIVACY_URL", value_name = "URL")]
    privacy_url: Option<String>,
}

impl OperatorArgs {
    pub(super) fn config(self) -> Result<OperatorConfig, CliError> {
        let wrong = |text: &str| Err(CliError::Usage(text.to_owned()));
        if self
            .operator_name
            .as_deref()
            .is_some_and(|name| !is_line(name))
        {
            return wrong("--operator-name: expected one line of text");
        }
        let contact = self.operator_contact.as_deref();
        if contact.is_some_and(|contact| !is_email(contact) && !is_address(contact, &["https"])) {
            return wrong(
                "--operator-contact: expected an e-mail address, or a URL that begins with https://",
            );
        }
        let privacy = self.privacy_url.as_deref();
        if privacy.is_some_and(|url| !is_address(url, &["https", "http"])) {
            return wrong("--privacy-url: expected a URL that begins with https:// or http://");
        }
        Ok(OperatorConfig {
            name: self.operator_name,
            contact: self.operator_contact,
            privacy_url: self.privacy_url,
        })
    }
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(char::is_control)
}

/// Whether it can stand in a link that opens a mail program.
fn is_email(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@.-_+".contains(c);
    let parts = text.split_once('@');
    text.chars().all(is_plain)
        && parts
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
}

fn is_address(text: &str, schemes: &[&str]) -> bool {
    let has_scheme = schemes
        .iter()
        .any(|scheme| text.starts_with(&format!("{scheme}://")));
    has_scheme
        && !text.contains(|c: char| c.is_control() || c.is_whitespace())
        && Url::parse(text).is_ok_and(|url| !has_user(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(contact: Option<&str>, privacy: Option<&str>) -> Option<String> {
        let args = OperatorArgs {
            operator_name: Some("Example".to_owned()),
            operator_contact: contact.map(ToOwned::to_owned),
            privacy_url: privacy.map(ToOwned::to_owned),
        };
        args.config().err().map(|error| error.to_string())
    }

    #[test]
    fn only_addresses_that_can_be_opened_are_taken() {
        for contact in ["help@example.com", "https://example.com/help"] {
            assert_eq!(problem(Some(contact), None), None);
        }
        for contact in [
            "",
            "help",
            "@",
            "a@b@c",
            "a@b?cc=x",
            "http://example.com",
            "javascript:alert(1)",
            "https://",
            "https://example.com/\nX: y",
            "https://ann:secret@example.com",
            "a b@example.com",
        ] {
            let problem = problem(Some(contact), None);
            let begins = problem
                .as_deref()
                .unwrap()
                .starts_with("--operator-contact: ");
            assert!(begins, "{contact}");
        }
        assert_eq!(problem(None, Some("http://example.com/privacy")), None);
        assert!(problem(None, Some("javascript:alert(1)")).is_some());
        let blank = OperatorArgs {
            operator_name: Some(" ".to_owned()),
            operator_contact: None,
            privacy_url: None,
        };
        assert!(blank.config().is_err());
    }
}

//! The flag for the secret with which the operator's application requests sign-in links.

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use super::CliError;

/// Shorter secrets can be guessed.
const MIN_CHARS: usize = 32;
/// The prefix of API keys, which are refused: agents must not be able to sign users in.
const KEY_PREFIX: &str = "ctxm_";

/// The secret behind `POST /api/sign-in-links`.
#[derive(Clone, Debug, Args)]
pub(super) struct SignInSecretArgs {
    /// Let your application request sign-in links with this secret of at least 32 characters;
    /// prefer the environment variable
    #[arg(
        long,
        env = "CTXMEM_SIGN_IN_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    sign_in_secret: Option<SecretString>,
}

impl SignInSecretArgs {
    pub(super) fn config(self) -> Result<Option<SecretString>, CliError> {
        let Some(secret) = self.sign_in_secret else {
            return Ok(None);
        };
        let text = secret.expose_secret();
        let problem = if text.starts_with(KEY_PREFIX) {
            "expected a secret of its own, not an API key"
        } else if text.chars().count() < MIN_CHARS {
            "expected at least 32 characters, such as `openssl rand -hex 32` prints"
        } else if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            "expected visible ASCII characters, which is what a header can hold"
        } else {
            return Ok(Some(secret));
        };
        Err(CliError::Usage(format!("--sign-in-secret: {problem}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(secret: &str) -> Result<Option<SecretString>, CliError> {
        let sign_in_secret = Some(secret.to_owned().into());
        SignInSecretArgs { sign_in_secret }.config()
    }

    #[test]
    fn a_long_secret_is_taken_as_it_is() {
        let secret = "0123456789abcdef0123456789abcdef";
        let taken = config(secret).unwrap().unwrap();
        assert_eq!(taken.expose_secret(), secret);
    }

    #[test]
    fn what_is_short_or_a_key_or_no_header_is_refused_by_the_name_of_the_flag() {
        for secret in [
            "",
            "0123456789abcdef0123456789abcde",
            "ctxm_0123456789abcdef0123456789abcdef0123456789abcdef",
            "0123456789abcdef 0123456789abcdef",
            "0123456789abcdef0123456789abcdefé",
        ] {
            let text = config(secret).unwrap_err().to_string();
            assert!(text.starts_with("--sign-in-secret: expected "), "{text}");
            assert!(secret.is_empty() || !text.contains(secret), "{text}");
        }
    }
}

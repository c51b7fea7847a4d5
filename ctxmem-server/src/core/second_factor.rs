//! A second factor for developers: one-time codes of an authenticator app (TOTP, RFC 6238), and
//! recovery codes for whoever loses it.
//!
//! Between the password and the code there is no session. The browser keeps a sealed cookie that says
//! whose password it was, for a few minutes; nothing is stored. People who sign in at an identity provider are asked
//! for no code here: it is up to the provider to ask for a second factor.

use secrecy::SecretString;
use totp_rs::{Builder, Secret, Totp};

use super::developers::NewSession;
use super::manager::{NO_DEVELOPER, note_deed};
use super::{Console, Error, SignInOrigin, unit};
use crate::store::{Action, Developer, MemberId, StoreError, Token, Tx, hash};

/// For how long the code may be typed after the password.
const STEP_MILLIS: i64 = 5 * 60 * 1_000;
/// How many recovery codes there are.
const RECOVERY_CODES: usize = 10;
/// The characters of a recovery code that are compared: 80 bits.
const RECOVERY_CHARS: usize = 16;

/// A developer's second factor.
pub enum SecondFactor {
    /// There is none.
    Off,
    /// One is being set up: the app needs this, and then its first code is typed.
    Pending {
        /// The secret as people type it.
        secret: SecretString,
        /// The secret as an app reads it.
        url: SecretString,
        /// Whether the developer has a password, which is asked for.
        has_password: bool,
    },
    /// Signing in needs it.
    On {
        /// How many recovery codes are left.
        recovery_codes: i64,
    },
}

/// How an attempt to sign in ended.
pub enum DeveloperSignIn {
    /// Address and password don't match.
    Refused,
    /// A session was opened.
    SignedIn(SecretString),
    /// The password is right, and now a code is needed. What the browser keeps until then.
    NeedsCode(SecretString),
}

const WRONG_CODE: &str = "code: expected the six digits that the app shows now";

impl Console {
    /// The second factor of a developer.
    pub async fn second_factor(&self, developer: &Developer) -> Result<SecondFactor, Error> {
        let (row, recovery_codes, password) = unit::read(&self.db, async |tx| {
            let row = tx.second_factor(&developer.member).await?;
            let codes = tx.recovery_codes(&developer.member).await?;
            Ok::<_, Error>((row, codes, tx.password(&developer.email).await?))
        })
        .await?;
        let Some(row) = row else {
            return Ok(SecondFactor::Off);
        };
        if row.is_confirmed {
            return Ok(SecondFactor::On { recovery_codes });
        }
        let secret = self.open_secret(&developer.member, &row.sealed)?;
        let name: String = form_urlencoded::byte_serialize(developer.email.as_bytes()).collect();
        let text = secret.to_base32();
        Ok(SecondFactor::Pending {
            url: format!("otpauth://totp/ctxmem:{name}?secret={text}&issuer=ctxmem").into(),
            secret: text.into(),
            has_password: password.is_some_and(|(_, hash)| hash.is_some()),
        })
    }

    /// Begins to set a second factor up. It is needed once its first code was typed. Fails with
    /// [`Error::Conflict`] where there is one.
    pub async fn begin_second_factor(&self, developer: &MemberId) -> Result<(), Error> {
        let secret = Secret::new(Box::new(rand::random::<[u8; 20]>()));
        let token = self.secret_token(developer)?;
        let given = (
            developer.clone(),
            token.seal_text(PURPOSE, &secret.to_base32())?,
        );
        unit::write(&self.db, async move |tx| {
            let (developer, sealed) = &given;
            // The person may have been removed since the request was authenticated.
            if tx.developer_by_id(developer).await?.is_none() {
                return Err(Error::NotSignedIn);
            }
            if tx.begin_second_factor(developer, sealed).await? {
                Ok(())
            } else {
                Err(Error::Conflict("There is a second factor already."))
            }
        })
        .await
    }

    /// Checks the first code, from which on the second factor is needed, and answers the recovery
    /// codes, with spaces between them. A developer who has a password must give it: otherwise a
    /// stolen session would be enough to lock its owner out. `None` if the password is wrong. Fails
    /// with [`Error::BadRequest`] if the code is wrong, [`Error::Conflict`] if nothing is being set
    /// up.
    pub async fn confirm_second_factor(
        &self,
        developer: &Developer,
        code: &str,
        password: SecretString,
        origin: &SignInOrigin,
    ) -> Result<Option<SecretString>, Error> {
        const NOTHING: Error = Error::Conflict("No second factor is being set up. Start again.");
        let (row, stored) = unit::read(&self.db, async |tx| {
            let row = tx.second_factor(&developer.member).await?;
            Ok::<_, Error>((row, tx.password(&developer.email).await?))
        })
        .await?;
        let row = row.filter(|row| !row.is_confirmed).ok_or(NOTHING)?;
        let developer = &developer.member;
        let secret = self.open_secret(developer, &row.sealed)?;
        let step = self
            .step_of(secret, code)
            .ok_or_else(|| Error::BadRequest(WRONG_CODE.to_owned()))?;
        // A person whose only account is at an identity provider has no password to know.
        if let Some(stored) = stored.and_then(|(_, hash)| hash)
            && !self
                .passwords
                .verify(password, Some(stored), origin)
                .await?
        {
            return Ok(None);
        }
        let codes: Vec<String> = (0..RECOVERY_CODES).map(|_| recovery_code()).collect();
        let hashes: Vec<_> = codes.iter().map(|code| self.code_hash(code)).collect();
        let (given, now) = ((developer.clone(), hashes, row), self.clock.millis());
        unit::write(&self.db, async move |tx| {
            let (developer, hashes, row) = &given;
            if !tx.use_second_factor(developer, row, step, now).await? {
                return Err(NOTHING);
            }
            for code in hashes {
                tx.insert_recovery_code(developer, code).await?;
            }
            note_deed(tx, developer, Action::ChangeSecondFactor, now).await?;
            Ok(())
        })
        .await?;
        Ok(Some(codes.join(" ").into()))
    }

    /// Removes the second factor of a developer who types a code of it, or a recovery code.
    pub async fn end_second_factor(&self, developer: &MemberId, code: &str) -> Result<(), Error> {
        if self.accept_code(developer, code, Then::Ends).await? {
            Ok(())
        } else {
            Err(Error::BadRequest(WRONG_CODE.to_owned()))
        }
    }

    /// Removes the second factor of the developer with this address, without a code.
    pub async fn reset_second_factor(&self, email: &str) -> Result<(), Error> {
        let email = email.trim().to_lowercase();
        let found = unit::read(&self.db, async |tx| tx.developer(&email).await).await?;
        let developer = found.ok_or(NO_DEVELOPER)?;
        let now = self.clock.millis();
        let given = developer.member;
        unit::write(&self.db, async move |tx| end(tx, &given, now).await).await
    }

    /// What a browser keeps between the password and the code.
    pub(super) fn await_code(
        &self,
        email: &str,
        password_hash: Option<&str>,
    ) -> Result<SecretString, Error> {
        let of = hex::encode(hash(password_hash.unwrap_or_default()));
        let text = format!("{} {of} {email}", self.clock.millis());
        Ok(self.step_token()?.seal_for_browser(PURPOSE, &text)?.into())
    }

    /// The address for which a browser's password was right a moment ago; `None` without any.
    pub fn awaits_code(&self, kept: &str) -> Option<String> {
        self.password_of(kept).map(|(email, _)| email)
    }

    /// The address and the hash of the password's hash.
    fn password_of(&self, kept: &str) -> Option<(String, String)> {
        let text = self.step_token().ok()?.open_from_browser(PURPOSE, kept)?;
        let mut parts = text.splitn(3, ' ');
        let at: i64 = parts.next()?.parse().ok()?;
        let of = parts.next()?.to_owned();
        let email = parts.next()?.to_owned();
        let age = self.clock.millis() - at;
        (0..STEP_MILLIS).contains(&age).then_some((email, of))
    }

    /// Opens a session for whoever typed the password before and types a code now, and ends the
    /// browser's previous session. `None` if the code is wrong. Fails with [`Error::NotSignedIn`]
    /// if the password was typed too long ago or has changed since.
    pub async fn sign_in_with_code(
        &self,
        kept: &str,
        code: &str,
        before: Option<&str>,
    ) -> Result<Option<SecretString>, Error> {
        let (email, of) = self.password_of(kept).ok_or(Error::NotSignedIn)?;
        let found = unit::read(&self.db, async |tx| tx.password(&email).await).await?;
        let is_same = |stored: Option<&str>| hex::encode(hash(stored.unwrap_or_default())) == of;
        let (developer, stored) = found
            .filter(|(_, stored)| is_same(stored.as_deref()))
            .ok_or(Error::NotSignedIn)?;
        let accepted = self.accept_code(&developer.member, code, Then::Stays);
        if !accepted.await? {
            return Ok(None);
        }
        let now = self.clock.millis();
        let (session, opening) = NewSession::after(before)?;
        let given = (developer, stored, opening);
        unit::write(&self.db, async move |tx| {
            let (developer, stored, opening) = &given;
            // The password may have been changed meanwhile, or the person removed.
            let now_stored = tx.lock_password(&developer.email).await?;
            if now_stored != Some((developer.clone(), stored.clone())) {
                return Err(Error::NotSignedIn);
            }
            Ok(opening.open(tx, &developer.member, now).await?)
        })
        .await?;
        Ok(Some(session))
    }

    /// Uses a code of the confirmed second factor, or a recovery code. Neither is accepted twice.
    async fn accept_code(
        &self,
        developer: &MemberId,
        code: &str,
        then: Then,
    ) -> Result<bool, Error> {
        let row = unit::read(&self.db, async |tx| tx.second_factor(developer).await).await?;
        let Some(row) = row.filter(|row| row.is_confirmed) else {
            return Ok(false);
        };
        let secret = self.open_secret(developer, &row.sealed)?;
        let step = self.step_of(secret, code);
        let (recovery, now) = (self.code_hash(code), self.clock.millis());
        let given = (developer.clone(), row);
        unit::write(&self.db, async move |tx| {
            let (developer, row) = &given;
            let used = match step {
                Some(step) => tx.use_second_factor(developer, row, step, now).await?,
                None => tx.use_recovery_code(developer, &recovery).await?,
            };
            if used && then == Then::Ends {
                end(tx, developer, now).await?;
            }
            Ok::<_, Error>(used)
        })
        .await
    }

    /// The step of a code that is right now, or was half a minute ago, or will be.
    fn step_of(&self, secret: Secret, code: &str) -> Option<i64> {
        let code = app_code(code)?;
        let totp: Totp = Builder::new().with_secret(secret).build().ok()?;
        let seconds = u64::try_from(self.clock.millis() / 1_000).ok()?;
        let step = totp.check(&code, seconds)?;
        i64::try_from(step).ok()
    }

    fn open_secret(&self, developer: &MemberId, sealed: &[u8]) -> Result<Secret, Error> {
        let text = self.secret_token(developer)?.open_text(PURPOSE, sealed);
        text.and_then(|text| Secret::try_from_base32(text.as_str()).ok())
            .ok_or_else(|| StoreError::corrupt("second_factors", "sealed").into())
    }

    fn secret_token(&self, developer: &MemberId) -> Result<Token, Error> {
        let texts = [Some("second factor"), Some(developer.as_str())];
        Ok(Token::new(&hex::encode(self.db.keyed_hash(&texts)))?)
    }

    fn step_token(&self) -> Result<Token, Error> {
        let secret = self.db.keyed_hash(&[Some("second step")]);
        Ok(Token::new(&hex::encode(secret))?)
    }

    /// The hash of a recovery code, as people may type it.
    fn code_hash(&self, code: &str) -> [u8; 32] {
        let letters = code.chars().filter(char::is_ascii_alphanumeric);
        let code: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        self.db.keyed_hash(&[Some("recovery code"), Some(&code)])
    }
}

/// Whether somebody typed what an app may show, and no recovery code.
pub fn is_app_code(typed: &str) -> bool {
    app_code(typed).is_some()
}

/// The six digits that somebody typed.
fn app_code(typed: &str) -> Option<String> {
    let code: String = typed.chars().filter(|c| !c.is_whitespace()).collect();
    let is_code = code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then_some(code)
}

/// What the sealed texts here are for. Their keys differ.
const PURPOSE: &str = "second factor";

/// What becomes of a second factor whose code is right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// It is needed as before.
    Stays,
    /// It is removed with the same unit of work: one that is set up later is another.
    Ends,
}

async fn end(tx: &mut Tx, developer: &MemberId, now: i64) -> Result<(), StoreError> {
    tx.end_second_factor(developer).await?;
    note_deed(tx, developer, Action::ChangeSecondFactor, now).await
}

/// A new recovery code, such as `k3vq-7x2m-ahg4-p9wz`. Without letters that look like digits.
fn recovery_code() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let random: [u8; RECOVERY_CHARS] = rand::random();
    let mut code = String::new();
    for (n, byte) in random.into_iter().enumerate() {
        if n > 0 && n % 4 == 0 {
            code.push('-');
        }
        let letter = LETTERS.get(usize::from(byte % 32)).copied();
        code.push(char::from(letter.unwrap_or(b'a')));
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recovery_codes_are_random_and_readable() {
        let codes: std::collections::HashSet<String> =
            (0..1_000).map(|_| recovery_code()).collect();
        assert_eq!(codes.len(), 1_000);
        for code in codes {
            assert_eq!(code.len(), 19, "{code}");
            assert!(!code.contains(['l', 'o', '0', '1']), "{code}");
        }
    }
}

//! The master key, which the operator may keep apart from the database.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use zeroize::Zeroizing;

use super::aead::{Aead, Derivation};
use crate::store::{Result, StoreError};

const KEY_BYTES: usize = 32;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Protects the keys of all users: without it, nobody can read them from the files of the database
/// or from a backup.
#[derive(Clone)]
pub struct MasterKey(Arc<Aead>);

/// Why there is no master key. It never shows what was read.
#[derive(Debug, thiserror::Error)]
pub enum MasterKeyError {
    /// The file can't be read.
    #[error("the file of the master key can't be read: {0}")]
    File(#[from] std::io::Error),
    /// The text is not a key.
    #[error(
        "the master key has another form than expected: 32 bytes, either in base64 (as \
         `openssl rand -base64 32` prints them) or in hexadecimal (64 digits)"
    )]
    Form,
    /// The cryptographic library failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MasterKey {
    /// Reads the key from a file, which holds nothing else.
    pub fn from_file(path: &Path) -> Result<Self, MasterKeyError> {
        let text = Zeroizing::new(std::fs::read(path)?);
        let text = std::str::from_utf8(&text).map_err(|_| MasterKeyError::Form)?;
        Self::parse(text)
    }

    /// Reads 32 bytes in base64 or hexadecimal. Space around them is allowed.
    pub fn parse(text: &str) -> Result<Self, MasterKeyError> {
        let text = text.trim_ascii();
        // The decoder wants room for more than it writes.
        let mut bytes = Zeroizing::new([0; 2 * KEY_BYTES]);
        let (key, _) = bytes.split_at_mut(KEY_BYTES);
        let is_read = if text.len() == 2 * KEY_BYTES {
            hex::decode_to_slice(text, key).is_ok()
        } else {
            BASE64.decode_slice(text, bytes.as_mut_slice()) == Ok(KEY_BYTES)
        };
        if !is_read {
            return Err(MasterKeyError::Form);
        }
        let (key, _) = bytes.split_at(KEY_BYTES);
        let derived = Derivation::from(key).key("master: wrapping keys")?;
        Ok(Self(Arc::new(Aead::new(&derived)?)))
    }

    pub(super) fn aead(&self) -> &Aead {
        &self.0
    }

    pub(super) fn is_same(&self, other: &Self) -> Result<bool> {
        let sealed = other.0.seal(b"", b"")?;
        Ok(self.0.open(b"", &sealed).is_some())
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    const SAME_IN_BASE64: &str = "ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8=";

    #[test]
    fn a_key_is_read_in_either_form() {
        let key = MasterKey::parse(HEX).unwrap();
        let upper = HEX.to_ascii_uppercase();
        let newline = format!("{HEX}\n");
        let unpadded = SAME_IN_BASE64.trim_end_matches('=');
        for text in [&upper, &newline, SAME_IN_BASE64, unpadded] {
            let other = MasterKey::parse(text).unwrap();
            assert!(key.is_same(&other).unwrap(), "{text}");
        }
        let other = MasterKey::parse(&HEX.replace('0', "1")).unwrap();
        assert!(!key.is_same(&other).unwrap());
    }

    #[test]
    fn an_error_says_what_was_expected_and_not_what_was_there() {
        let short = &HEX[2..];
        let long = format!("{HEX}00");
        let digit = HEX.replace('f', "g");
        for text in [
            "",
            "secret",
            short,
            &long,
            &digit,
            "ABEiM0RVZneImaq7zN3u/w==",
        ] {
            let error = MasterKey::parse(text).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(shown.contains("32 bytes"), "{shown}");
            assert!(text.is_empty() || !shown.contains(text), "{shown}");
        }
    }

    #[test]
    fn a_key_is_read_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("master.key");
        assert!(matches!(
            MasterKey::from_file(&file),
            Err(MasterKeyError::File(_))
        ));
        std::fs::write(&file, [0xff; 32]).unwrap();
        assert!(matches!(
            MasterKey::from_file(&file),
            Err(MasterKeyError::Form)
        ));
        std::fs::write(&file, format!("{SAME_IN_BASE64}\n")).unwrap();
        let key = MasterKey::from_file(&file).unwrap();
        assert!(key.is_same(&MasterKey::parse(HEX).unwrap()).unwrap());
        assert_eq!(format!("{key:?}"), "MasterKey(..)");
    }
}

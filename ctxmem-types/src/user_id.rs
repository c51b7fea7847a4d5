//! The id of an end user.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

/// An end user's id: any text of 1 to 256 bytes without NUL, except `.` and `..` (URL parsers
/// remove those path segments, so no client could address such a user).
///
/// Ids are compared byte for byte, without case folding or Unicode normalisation.
///
/// It has no `Display`, because it identifies a person and displayed texts end up in logs. Take
/// [`as_str`](Self::as_str) where you mean the id itself. (A `Display` that hides the id would be a
/// trap: `to_string` would give the same text for everybody.)
///
/// ```compile_fail
/// # let user = ctxmem_types::UserId::new("ada").unwrap();
/// println!("{user}");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(String);

impl UserId {
    /// The longest user id, in bytes of UTF-8.
    pub const MAX_BYTES: usize = 256;

    /// Checks the text.
    ///
    /// # Errors
    ///
    /// [`InvalidUserId`] unless the text is 1 to 256 bytes without NUL, other than `.` and `..`.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidUserId> {
        let text = text.into();
        let valid = !text.is_empty()
            && text.len() <= Self::MAX_BYTES
            && !text.contains('\0')
            && text != "."
            && text != "..";
        if valid {
            Ok(Self(text))
        } else {
            Err(InvalidUserId)
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `Debug` does not show the id, because it identifies a person and `Debug` ends up in logs.
impl fmt::Debug for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserId(..)")
    }
}

impl AsRef<str> for UserId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The text can't be a user id. The error does not repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidUserId;

impl fmt::Display for InvalidUserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected 1 to {} bytes of text without NUL, other than `.` and `..`",
            UserId::MAX_BYTES
        )
    }
}

impl std::error::Error for InvalidUserId {}

impl FromStr for UserId {
    type Err = InvalidUserId;

    fn from_str(text: &str) -> Result<Self, InvalidUserId> {
        Self::new(text)
    }
}

impl TryFrom<&str> for UserId {
    type Error = InvalidUserId;

    fn try_from(text: &str) -> Result<Self, InvalidUserId> {
        Self::new(text)
    }
}

impl TryFrom<String> for UserId {
    type Error = InvalidUserId;

    fn try_from(text: String) -> Result<Self, InvalidUserId> {
        Self::new(text)
    }
}

impl Serialize for UserId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for UserId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

//! Paths of the endpoints, and user ids in them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::UserId;
use crate::user_id::InvalidUserId;

/// `POST`: enrich a prompt.
pub const INJECT: &str = "/api/context/inject";
/// `POST`: learn from an interaction.
pub const UPDATE: &str = "/api/context/update";
/// `POST`: create a grant.
pub const GRANTS: &str = "/api/grants";
/// `GET`: liveness.
pub const HEALTH: &str = "/api/health";

/// All but the unreserved characters of RFC 3986: what is left has one spelling only.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// `/api/context/{userId}`, the id percent-encoded as one segment.
pub fn context(user_id: &UserId) -> String {
    format!("/api/context/{}", encode_segment(user_id.as_str()))
}

/// `/api/grants/{grantId}`, the id percent-encoded as one segment.
pub fn grant(grant_id: &str) -> String {
    format!("{GRANTS}/{}", encode_segment(grant_id))
}

fn encode_segment(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Reads a user id from one raw path segment: decoded exactly once, so `%2F` is a slash in
/// the id and `%2541` is the text `%41`. Broken escapes and bytes that are not UTF-8 are
/// refused.
pub fn decode_user_id(segment: &str) -> Result<UserId, InvalidUserId> {
    if !escapes_are_whole(segment) {
        return Err(InvalidUserId);
    }
    let text = percent_decode_str(segment)
        .decode_utf8()
        .map_err(|_| InvalidUserId)?;
    UserId::new(text)
}

fn escapes_are_whole(segment: &str) -> bool {
    let mut bytes = segment.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let hex = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
            if !hex(bytes.next()) || !hex(bytes.next()) {
                return false;
            }
        }
    }
    true
}

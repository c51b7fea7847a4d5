//! The paths of the endpoints, and the user ids in them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::UserId;
use crate::user_id::InvalidUserId;

/// `POST`: enrich a prompt.
pub const INJECT: &str = "/api/context/inject";
/// `POST`: learn from an interaction.
pub const UPDATE: &str = "/api/context/update";
/// `POST`: create a grant.
pub const GRANTS: &str = "/api/grants";
/// `POST`: request a link with which a user can sign in.
pub const SIGN_IN_LINKS: &str = "/api/sign-in-links";
/// `GET`: the health of the service.
pub const HEALTH: &str = "/api/health";

/// Every character except the unreserved ones of RFC 3986, so that a path has one spelling.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// `/api/context/{userId}`, the id percent-encoded as one segment.
pub fn context(user_id: &UserId) -> String {
    format!("/api/context/{}", encode_segment(user_id.as_str()))
}

/// `/api/context/{userId}/facts`, the id percent-encoded as one segment.
pub fn facts(user_id: &UserId) -> String {
    format!("{}/facts", context(user_id))
}

/// `/api/context/{userId}/facts/search`, the id percent-encoded as one segment.
pub fn facts_search(user_id: &UserId) -> String {
    format!("{}/search", facts(user_id))
}

/// `/api/context/{userId}/facts/{factId}`, each id percent-encoded as one segment.
pub fn fact(user_id: &UserId, fact_id: &str) -> String {
    format!("{}/{}", facts(user_id), encode_segment(fact_id))
}

/// `/api/grants/{grantId}`, the id percent-encoded as one segment.
pub fn grant(grant_id: &str) -> String {
    format!("{GRANTS}/{}", encode_segment(grant_id))
}

fn encode_segment(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Reads a user id from one raw path segment. It is decoded exactly once, so `%2F` is a slash
/// in the id and `%2541` is the text `%41`.
///
/// # Errors
///
/// [`InvalidUserId`] if the segment has incomplete escapes or is not UTF-8, or if the text
/// can't be a user id.
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

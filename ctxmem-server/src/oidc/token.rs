//! Verification of ID tokens. The library checks signatures; the claims are checked here, by the
//! server's clock and more strictly.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, Header, Validation, decode, decode_header,
};
use serde::Deserialize;
use serde_json::Value;

use super::{Identity, OidcError};

/// The accepted signature algorithms: those whose key only the provider has.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// How far ahead the provider's clock may be, in seconds.
const LEEWAY: f64 = 300.0;

/// None of the keys has signed the token. Verification might succeed with newer ones.
pub(super) const UNVERIFIED: OidcError = OidcError::Token("its signature is not good");
const UNSUPPORTED: OidcError = OidcError::Token("it is of a kind that is not supported");
const MALFORMED: OidcError = OidcError::Malformed("the ID token");

/// What the token of a sign-in must say.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client_id: &'a str,
    pub(super) nonce: &'a str,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    /// Seconds since 1970, as the other times.
    exp: f64,
    iat: f64,
    nbf: Option<f64>,
    nonce: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

/// Checks type, signature, issuer, audience, times and nonce. Errors repeat nothing from the token.
pub(super) fn verify(
    token: &str,
    keys: &[Jwk],
    expected: &Expected<'_>,
    now: DateTime<Utc>,
) -> Result<Identity, OidcError> {
    let header = decode_header(token).map_err(|error| match error.kind() {
        // An algorithm that the library does not have, such as `none`.
        ErrorKind::Json(_) => UNSUPPORTED,
        _ => MALFORMED,
    })?;
    if !ALGORITHMS.contains(&header.alg) || !is_id_token(&header) {
        return Err(UNSUPPORTED);
    }
    let key = signing_key(&header, keys).ok_or(UNVERIFIED)?;
    let mut only_signature = Validation::new(header.alg);
    only_signature.required_spec_claims.clear();
    only_signature.validate_exp = false;
    only_signature.validate_aud = false;
    let token =
        decode::<Value>(token, &key, &only_signature).map_err(|error| match error.kind() {
            ErrorKind::Json(_) | ErrorKind::Base64(_) => MALFORMED,
            _ => UNVERIFIED,
        })?;
    let claims = Claims::deserialize(&token.claims).map_err(|_| MALFORMED)?;
    check(&claims, expected, now)?;
    match token.claims {
        Value::Object(claims) => Ok(Identity(claims)),
        _ => Err(MALFORMED),
    }
}

/// Whether the header is that of an ID token, and of none that only others understand. Providers
/// sign other tokens too, such as access tokens, and name their type.
fn is_id_token(header: &Header) -> bool {
    let kind = header.typ.as_deref().map(str::to_ascii_lowercase);
    let kind = kind.as_deref().unwrap_or("jwt");
    let kind = kind.strip_prefix("application/").unwrap_or(kind);
    matches!(kind, "jwt" | "jose") && header.cty.is_none() && header.crit.is_none()
}

/// The key that must have signed a token with this header. If several could have, none is
/// believed.
fn signing_key(header: &Header, keys: &[Jwk]) -> Option<DecodingKey> {
    let mut eligible = keys.iter().filter(|key| {
        (header.kid.is_none() || header.kid == key.common.key_id) && signs(key, header.alg)
    });
    match (eligible.next(), eligible.next()) {
        (Some(key), None) => decoding_key(key),
        _ => None,
    }
}

/// Whether this key is for signatures by this algorithm. No secret is: providers publish none.
fn signs(key: &Jwk, algorithm: Algorithm) -> bool {
    let is_of_kind = match &key.algorithm {
        AlgorithmParameters::RSA(_) => algorithm.family() == AlgorithmFamily::Rsa,
        AlgorithmParameters::EllipticCurve(key) => match algorithm {
            Algorithm::ES256 => key.curve == EllipticCurve::P256,
            Algorithm::ES384 => key.curve == EllipticCurve::P384,
            _ => false,
        },
        AlgorithmParameters::OctetKeyPair(key) => {
            algorithm == Algorithm::EdDSA && key.curve == EllipticCurve::Ed25519
        }
        _ => false,
    };
    let (usage, only) = (&key.common.public_key_use, key.common.key_algorithm);
    is_of_kind
        && usage
            .as_ref()
            .is_none_or(|usage| *usage == PublicKeyUse::Signature)
        && only.is_none_or(|only| only == KeyAlgorithm::from(algorithm))
}

fn decoding_key(key: &Jwk) -> Option<DecodingKey> {
    let AlgorithmParameters::RSA(key) = &key.algorithm else {
        return DecodingKey::from_jwk(key).ok();
    };
    // Some providers publish leading zeros, which the library refuses.
    let number = |text: &str| {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(
            bytes
                .into_iter()
                .skip_while(|byte| *byte == 0)
                .collect::<Vec<_>>(),
        )
    };
    let (modulus, exponent) = (number(&key.n)?, number(&key.e)?);
    Some(DecodingKey::from_rsa_raw_components(&modulus, &exponent))
}

fn check(claims: &Claims, expected: &Expected<'_>, now: DateTime<Utc>) -> Result<(), OidcError> {
    if claims.sub.is_empty() {
        return Err(MALFORMED);
    }
    if claims.iss != expected.issuer {
        return Err(OidcError::Token("it is from another issuer"));
    }
    // A token that is for others as well could be used here by them. As none is accepted, it does
    // not matter to which of several audiences it was issued (`azp`).
    let is_for_this_client = match &claims.aud {
        Audience::One(client) => client == expected.client_id,
        Audience::Several(clients) => {
            !clients.is_empty() && clients.iter().all(|client| client == expected.client_id)
        }
    };
    if !is_for_this_client {
        return Err(OidcError::Token("it is for another client"));
    }
    let now = (now - DateTime::UNIX_EPOCH).to_std().unwrap_or_default();
    let now = now.as_secs_f64();
    if claims.exp <= now {
        return Err(OidcError::Token("it has expired"));
    }
    let latest = now + LEEWAY;
    if claims.iat > latest || claims.nbf.is_some_and(|from| from > latest) {
        return Err(OidcError::Token("it is not valid yet"));
    }
    let is_of_sign_in = claims.nonce.as_ref().is_some_and(|nonce| {
        verify_slices_are_equal(nonce.as_bytes(), expected.nonce.as_bytes()).is_ok()
    });
    if !is_of_sign_in {
        return Err(OidcError::Token("it belongs to another sign-in"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;

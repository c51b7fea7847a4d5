//! Verification of ID tokens.

use chrono::{DateTime, Utc};
use openidconnect::core::{
    CoreGenderClaim, CoreJsonWebKeySet, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm,
};
use openidconnect::{
    ClaimsVerificationError, ClientId, EmptyExtraTokenFields, IdToken, IdTokenFields,
    IdTokenVerifier, IssuerUrl, Nonce, SignatureVerificationError,
};

use super::identity::{Claims, OtherClaims};

/// The accepted signature algorithms: those whose key only the provider has.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

pub(super) type Token = IdToken<
    OtherClaims,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;
pub(super) type TokenFields = IdTokenFields<
    OtherClaims,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;

/// Checks issuer, audience, signature, expiry and nonce.
pub(super) fn verify<'t>(
    token: &'t Token,
    client: ClientId,
    issuer: IssuerUrl,
    keys: &CoreJsonWebKeySet,
    nonce: &Nonce,
    now: DateTime<Utc>,
) -> Result<&'t Claims, ClaimsVerificationError> {
    // Always as a public client. With the client secret, the verifier would also accept tokens
    // that are signed with that secret.
    let verifier = IdTokenVerifier::new_public_client(client, issuer, keys.clone())
        .set_allowed_algs(ALGORITHMS)
        .set_time_fn(move || now);
    token.claims(&verifier, nonce)
}

/// Whether verification might succeed with other keys.
pub(super) fn is_about_keys(error: &ClaimsVerificationError) -> bool {
    use SignatureVerificationError::{AmbiguousKeyId, CryptoError, InvalidKey, NoMatchingKey};
    matches!(
        error,
        ClaimsVerificationError::SignatureVerification(
            NoMatchingKey | CryptoError(_) | InvalidKey(_) | AmbiguousKeyId(_)
        )
    )
}

/// What is wrong, without repeating anything from the token.
pub(super) fn problem(error: &ClaimsVerificationError) -> &'static str {
    match error {
        ClaimsVerificationError::Expired(_) => "it has expired",
        ClaimsVerificationError::InvalidAudience(_) => "it is for another client",
        ClaimsVerificationError::InvalidIssuer(_) => "it is from another issuer",
        ClaimsVerificationError::InvalidNonce(_) => "it belongs to another sign-in",
        ClaimsVerificationError::SignatureVerification(_) => "its signature is not good",
        _ => "it is of a kind that is not supported",
    }
}

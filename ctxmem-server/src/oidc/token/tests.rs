//! ID tokens that sign somebody in, and forged ones that don't.

use std::slice::from_ref;
use std::sync::LazyLock;

use aws_lc_rs::encoding::{AsDer as _, PublicKeyX509Der};
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair as RsaKeyPair, KeySize, PublicKey};
use aws_lc_rs::signature::{
    self, ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair as _, RsaEncoding,
};
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use serde_json::json;

use super::*;

const ISSUER: &str = "https://id.example.com/tenant";
const CLIENT: &str = "ctxmem";
const NONCE: &str = "nonce-of-this-sign-in";
const EXPIRED: OidcError = OidcError::Token("it has expired");
const NOT_YET: OidcError = OidcError::Token("it is not valid yet");
const OTHER_ISSUER: OidcError = OidcError::Token("it is from another issuer");
const OTHER_CLIENT: OidcError = OidcError::Token("it is for another client");
const OTHER_SIGN_IN: OidcError = OidcError::Token("it belongs to another sign-in");

/// Generating one takes long.
static RSA: LazyLock<RsaKeyPair> =
    LazyLock::new(|| RsaKeyPair::generate(KeySize::Rsa2048).unwrap());
static EC: LazyLock<EcdsaKeyPair> = LazyLock::new(|| ec(&ECDSA_P256_SHA256_FIXED_SIGNING));

fn ec(algorithm: &'static EcdsaSigningAlgorithm) -> EcdsaKeyPair {
    EcdsaKeyPair::generate(algorithm).unwrap()
}

fn now() -> DateTime<Utc> {
    "2026-03-01T09:00:00Z".parse().unwrap()
}

fn claims() -> Value {
    json!({
        "iss": ISSUER,
        "sub": "ada",
        "aud": CLIENT,
        "exp": now().timestamp() + 600,
        "iat": now().timestamp(),
        "nonce": NONCE,
    })
}

fn token(header: &Value, claims: &Value, sign: impl Fn(&[u8]) -> Vec<u8>) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(header), part(claims));
    let signature = URL_SAFE_NO_PAD.encode(sign(signed.as_bytes()));
    format!("{signed}.{signature}")
}

fn sign_ec(key: &EcdsaKeyPair, message: &[u8]) -> Vec<u8> {
    let signature = key.sign(&SystemRandom::new(), message).unwrap();
    signature.as_ref().to_vec()
}

fn sign_rsa(encoding: &'static dyn RsaEncoding, message: &[u8]) -> Vec<u8> {
    let mut signature = vec![0; RSA.public_modulus_len()];
    RSA.sign(encoding, &SystemRandom::new(), message, &mut signature)
        .unwrap();
    signature
}

/// A token of this sign-in but for the header, signed by `EC`.
fn with_header(header: &Value) -> String {
    token(header, &claims(), |message| sign_ec(&EC, message))
}

/// A token of this sign-in but for these claims, signed by `EC`.
fn with_claims(changes: &Value) -> String {
    let mut claims = claims();
    let changes = changes.as_object().unwrap().clone();
    claims.as_object_mut().unwrap().extend(changes);
    let header = json!({"alg": "ES256", "kid": "ec"});
    token(&header, &claims, |message| sign_ec(&EC, message))
}

fn ec_jwk(key: &EcdsaKeyPair, curve: &str) -> Value {
    // An uncompressed point: 4, x, y.
    let (x, y) = key.public_key().as_ref()[1..].split_at(key.public_key().as_ref().len() / 2);
    json!({
        "kty": "EC", "crv": curve, "kid": "ec",
        "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y),
    })
}

fn modulus() -> Vec<u8> {
    // DER that ends in the 256 bytes of n and the five of e, which is 65537.
    let (head, exponent) = RSA.public_key().as_ref().split_last_chunk::<5>().unwrap();
    assert_eq!(exponent, &[2, 3, 1, 0, 1]);
    head[head.len() - 256..].to_vec()
}

fn rsa_jwk() -> Value {
    json!({
        "kty": "RSA", "kid": "rsa", "e": "AQAB", "n": URL_SAFE_NO_PAD.encode(modulus()),
    })
}

fn verify_with(token: &str, keys: &[Value]) -> Result<Identity, OidcError> {
    let keys = keys.iter().cloned().map(serde_json::from_value);
    let keys: Vec<Jwk> = keys.map(Result::unwrap).collect();
    verify_at(token, &keys, now())
}

fn verify_at(token: &str, keys: &[Jwk], now: DateTime<Utc>) -> Result<Identity, OidcError> {
    let expected = Expected {
        issuer: ISSUER,
        client_id: CLIENT,
        nonce: NONCE,
    };
    verify(token, keys, &expected, now)
}

/// Verification by the provider's two keys.
fn verified(token: &str) -> Result<Identity, OidcError> {
    verify_with(token, &[ec_jwk(&EC, "P-256"), rsa_jwk()])
}

#[track_caller]
fn assert_refused(token: &str, expected: OidcError) {
    assert_eq!(verified(token).err(), Some(expected), "{token}");
}

#[track_caller]
fn assert_ada(found: Result<Identity, OidcError>) {
    assert_eq!(found.unwrap().text("sub"), Some("ada"));
}

#[test]
fn signatures_that_only_the_provider_can_make_are_accepted() {
    let rsa = [
        ("RS256", &signature::RSA_PKCS1_SHA256 as &dyn RsaEncoding),
        ("RS384", &signature::RSA_PKCS1_SHA384),
        ("RS512", &signature::RSA_PKCS1_SHA512),
        ("PS256", &signature::RSA_PSS_SHA256),
        ("PS384", &signature::RSA_PSS_SHA384),
        ("PS512", &signature::RSA_PSS_SHA512),
    ];
    for (algorithm, encoding) in rsa {
        let header = json!({"alg": algorithm, "kid": "rsa"});
        assert_ada(verified(&token(&header, &claims(), |message| {
            sign_rsa(encoding, message)
        })));
    }
    assert_ada(verified(&with_header(
        &json!({"alg": "ES256", "kid": "ec"}),
    )));
    let p384 = ec(&ECDSA_P384_SHA384_FIXED_SIGNING);
    let header = json!({"alg": "ES384", "kid": "ec"});
    let signed = token(&header, &claims(), |message| sign_ec(&p384, message));
    assert_ada(verify_with(&signed, &[ec_jwk(&p384, "P-384")]));
    let ed = Ed25519KeyPair::generate().unwrap();
    let x = URL_SAFE_NO_PAD.encode(ed.public_key());
    let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": x});
    let signed = token(
        &json!({"alg": "EdDSA", "kid": "ed"}),
        &claims(),
        |message| ed.sign(message).as_ref().to_vec(),
    );
    assert_ada(verify_with(&signed, &[key]));
}

#[test]
fn a_token_without_a_signature_is_refused() {
    for algorithm in ["none", "None", "NONE", ""] {
        for signature in [Vec::new(), vec![0; 64]] {
            let header = json!({"alg": algorithm, "kid": "ec"});
            let unsigned = token(&header, &claims(), |_| signature.clone());
            assert_refused(&unsigned, UNSUPPORTED);
        }
    }
    let header = json!({"alg": "ES256", "kid": "ec"});
    assert_refused(&token(&header, &claims(), |_| Vec::new()), UNVERIFIED);
    // The signature of another token.
    let [good, other] = [json!({}), json!({"sub": "eve"})].map(|changes| with_claims(&changes));
    let (_, signature) = good.rsplit_once('.').unwrap();
    let (signed, _) = other.rsplit_once('.').unwrap();
    assert_refused(&format!("{signed}.{signature}"), UNVERIFIED);
    assert_refused("ada", MALFORMED);
    assert_refused("a.b.c", MALFORMED);
    assert_refused(signed, MALFORMED);
}

#[test]
fn a_public_key_is_no_secret() {
    let der: PublicKeyX509Der<'_> = RSA.public_key().as_der().unwrap();
    let base64 = STANDARD.encode(der.as_ref());
    let lines: Vec<_> = base64.as_bytes().chunks(64).map(str::from_utf8).collect();
    let lines: Result<Vec<_>, _> = lines.into_iter().collect();
    let pem = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
        lines.unwrap().join("\n")
    );
    let pkcs1: &PublicKey = RSA.public_key();
    let secrets = [
        der.as_ref().to_vec(),
        pkcs1.as_ref().to_vec(),
        pem.trim_end().as_bytes().to_vec(),
        pem.into_bytes(),
        modulus(),
        rsa_jwk()["n"].as_str().unwrap().as_bytes().to_vec(),
        EC.public_key().as_ref().to_vec(),
    ];
    for (name, algorithm) in [
        ("HS256", hmac::HMAC_SHA256),
        ("HS384", hmac::HMAC_SHA384),
        ("HS512", hmac::HMAC_SHA512),
    ] {
        for secret in &secrets {
            for kid in ["rsa", "ec"] {
                let forged = token(&json!({"alg": name, "kid": kid}), &claims(), |message| {
                    let key = hmac::Key::new(algorithm, secret);
                    hmac::sign(&key, message).as_ref().to_vec()
                });
                assert_refused(&forged, UNSUPPORTED);
            }
        }
    }
}

#[test]
fn a_secret_that_the_provider_publishes_signs_nothing() {
    let secret = json!({"kty": "oct", "kid": "ec", "k": URL_SAFE_NO_PAD.encode("secret")});
    let hs256 = |message: &[u8]| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"secret");
        hmac::sign(&key, message).as_ref().to_vec()
    };
    for (algorithm, expected) in [("HS256", UNSUPPORTED), ("ES256", UNVERIFIED)] {
        let header = json!({"alg": algorithm, "kid": "ec"});
        let found = verify_with(&token(&header, &claims(), hs256), from_ref(&secret));
        assert_eq!(found.err(), Some(expected), "{algorithm}");
    }
}

#[test]
fn a_key_that_is_not_the_providers_signs_nothing() {
    let own = ec(&ECDSA_P256_SHA256_FIXED_SIGNING);
    let mut jwk = ec_jwk(&own, "P-256");
    jwk["kid"] = json!("own");
    for header in [
        json!({"alg": "ES256", "kid": "own"}),
        json!({"alg": "ES256", "kid": "ec"}),
        json!({"alg": "ES256"}),
        json!({"alg": "ES256", "kid": "own", "jwk": jwk}),
        json!({"alg": "ES256", "kid": "own", "jku": "https://evil.example.com/jwks"}),
    ] {
        let forged = token(&header, &claims(), |message| sign_ec(&own, message));
        assert_refused(&forged, UNVERIFIED);
    }
}

#[test]
fn a_key_signs_only_what_it_is_for() {
    let by_ec = |kid: &str| with_header(&json!({"alg": "ES256", "kid": kid}));
    // Another key's name, or another algorithm than the key's.
    assert_refused(&by_ec("rsa"), UNVERIFIED);
    assert_refused(&by_ec("unknown"), UNVERIFIED);
    for algorithm in ["ES384", "RS256", "PS256", "EdDSA"] {
        assert_refused(
            &with_header(&json!({"alg": algorithm, "kid": "ec"})),
            UNVERIFIED,
        );
    }
    for (field, value, is_accepted) in [
        ("use", json!("sig"), true),
        ("use", json!("enc"), false),
        ("use", json!("other"), false),
        ("alg", json!("ES256"), true),
        ("alg", json!("ES384"), false),
        ("alg", json!("ECDH-ES"), false),
        ("crv", json!("P-384"), false),
        ("kid", json!("other"), false),
    ] {
        let mut key = ec_jwk(&EC, "P-256");
        key[field] = value.clone();
        let found = verify_with(&by_ec("ec"), &[key]);
        assert_eq!(found.is_ok(), is_accepted, "{field} {value}");
    }
}

#[test]
fn a_token_that_names_no_key_must_fit_exactly_one() {
    let unnamed = with_header(&json!({"alg": "ES256"}));
    assert_ada(verified(&unnamed));
    let keys = [ec_jwk(&EC, "P-256"), ec_jwk(&EC, "P-256")];
    assert_eq!(verify_with(&unnamed, &keys).err(), Some(UNVERIFIED));
    assert_eq!(verify_with(&unnamed, &[]).err(), Some(UNVERIFIED));
}

#[test]
fn a_modulus_may_begin_with_zeros() {
    let mut key = rsa_jwk();
    let padded = [&[0, 0][..], &modulus()].concat();
    key["n"] = json!(URL_SAFE_NO_PAD.encode(padded));
    let header = json!({"alg": "RS256", "kid": "rsa"});
    let signed = token(&header, &claims(), |message| {
        sign_rsa(&signature::RSA_PKCS1_SHA256, message)
    });
    assert_ada(verify_with(&signed, &[key]));
}

#[test]
fn tokens_of_other_types_are_refused() {
    for (field, value, is_accepted) in [
        ("typ", json!("JWT"), true),
        ("typ", json!("jwt"), true),
        ("typ", json!("application/jwt"), true),
        ("typ", json!("at+jwt"), false),
        ("typ", json!("logout+jwt"), false),
        ("typ", json!(""), false),
        ("cty", json!("JWT"), false),
        ("crit", json!(["exp"]), false),
        ("crit", json!([]), false),
        ("crit", json!("exp"), false),
        // Whatever else stands there changes nothing.
        ("x", json!({"y": 1}), true),
    ] {
        let mut header = json!({"alg": "ES256", "kid": "ec"});
        header[field] = value.clone();
        let found = verified(&with_header(&header));
        let expected = (!is_accepted).then_some(UNSUPPORTED);
        assert_eq!(found.err(), expected, "{field} {value}");
    }
}

#[test]
fn claims_of_another_sign_in_are_refused() {
    for (changes, expected) in [
        (json!({"iss": "https://id.example.com/other"}), OTHER_ISSUER),
        (json!({"iss": "https://id.example.com"}), OTHER_ISSUER),
        (json!({"iss": format!("{ISSUER}/")}), OTHER_ISSUER),
        (json!({"iss": ISSUER.to_uppercase()}), OTHER_ISSUER),
        (json!({"iss": [ISSUER]}), MALFORMED),
        (json!({"iss": null}), MALFORMED),
        (json!({"aud": "other"}), OTHER_CLIENT),
        (json!({"aud": [CLIENT, "other"]}), OTHER_CLIENT),
        (
            json!({"aud": [CLIENT, "other"], "azp": CLIENT}),
            OTHER_CLIENT,
        ),
        (json!({"aud": []}), OTHER_CLIENT),
        (json!({"aud": "ctxme"}), OTHER_CLIENT),
        (json!({"aud": null}), MALFORMED),
        (json!({"nonce": "nonce-of-that-sign-in"}), OTHER_SIGN_IN),
        (json!({"nonce": ""}), OTHER_SIGN_IN),
        (json!({"nonce": null}), OTHER_SIGN_IN),
        (json!({"nonce": [NONCE]}), MALFORMED),
        (json!({"exp": null}), MALFORMED),
        (json!({"exp": "2100"}), MALFORMED),
        (json!({"iat": null}), MALFORMED),
        (json!({"sub": null}), MALFORMED),
        (json!({"sub": ""}), MALFORMED),
        (json!({"sub": 7}), MALFORMED),
    ] {
        assert_refused(&with_claims(&changes), expected);
    }
    assert_ada(verified(&with_claims(&json!({"aud": [CLIENT]}))));
}

#[test]
fn a_token_is_valid_for_a_time() {
    let seconds = now().timestamp();
    for (changes, expected) in [
        (json!({"exp": seconds + 1}), None),
        (json!({"exp": seconds}), Some(EXPIRED)),
        (json!({"exp": seconds - 1}), Some(EXPIRED)),
        (json!({"exp": -1}), Some(EXPIRED)),
        (json!({"exp": 1e300}), None),
        // Clocks differ.
        (json!({"iat": seconds + 300, "nbf": seconds + 300}), None),
        (json!({"iat": seconds + 301}), Some(NOT_YET)),
        (json!({"nbf": seconds + 301}), Some(NOT_YET)),
        (json!({"iat": 0, "nbf": null}), None),
    ] {
        let found = verified(&with_claims(&changes));
        assert_eq!(found.err(), expected, "{changes}");
    }
    // By the clock of the server, and not by that of the machine.
    let good = with_claims(&json!({}));
    let keys = [serde_json::from_value(ec_jwk(&EC, "P-256")).unwrap()];
    for (later, expected) in [(599, None), (600, Some(EXPIRED))] {
        let found = verify_at(&good, &keys, now() + TimeDelta::seconds(later));
        assert_eq!(found.err(), expected, "{later}");
    }
}

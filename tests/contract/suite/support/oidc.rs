//! An OpenID Connect provider on wiremock, and sign-ins at it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair as RsaKeyPair, KeySize};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256,
};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ctxmem_server::config::OidcConfig;
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::{RawResponse, Server};

/// The server's client id at the provider.
const CLIENT_ID: &str = "ctxmem-client";
/// The server's client secret at the provider.
pub(crate) const CLIENT_SECRET: &str = "client-secret-0123456789";

/// How ID tokens are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signing {
    Es256,
    Rs256,
    /// By a key that the provider does not publish, under the name of one that it does.
    WrongKey,
    /// By a key that the provider does not publish, under a name of its own.
    UnknownKey,
    /// By the client's secret.
    Hs256,
    /// By a public key, as if it were a secret.
    Hs256ByPublicKey,
    /// Not at all.
    None,
    /// By a new key, published now.
    NewKey,
}

type Change = Box<dyn Fn(&mut Value) + Send>;

/// A provider that knows one person, who always agrees.
pub(crate) struct OidcProvider {
    server: MockServer,
    state: Arc<Mutex<ProviderState>>,
}

struct ProviderState {
    issuer: String,
    key: EcdsaKeyPair,
    rsa: Option<RsaKeyPair>,
    key_id: String,
    signing: Signing,
    /// Codes that were given out, with the nonce and the challenge that belong to them.
    codes: HashMap<String, (String, String)>,
    claims: Value,
    /// Changes the claims of ID tokens before they are signed.
    change: Option<Change>,
    /// Answers given instead of the usual ones, by path.
    instead: HashMap<String, ResponseTemplate>,
}

fn new_key() -> EcdsaKeyPair {
    EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap()
}

impl OidcProvider {
    /// A provider that returns these claims for everybody who signs in.
    pub(crate) async fn start(claims: Value) -> Self {
        let server = MockServer::start().await;
        let state = Arc::new(Mutex::new(ProviderState {
            issuer: server.uri(),
            key: new_key(),
            rsa: None,
            key_id: "key-1".to_owned(),
            signing: Signing::Es256,
            codes: HashMap::new(),
            claims,
            change: None,
            instead: HashMap::new(),
        }));
        Mock::given(any())
            .respond_with(Answers(Arc::clone(&state)))
            .mount(&server)
            .await;
        Self { server, state }
    }

    /// The configuration with which a server uses this provider.
    pub(crate) fn config(&self) -> OidcConfig {
        let mut config = OidcConfig::new(self.server.uri(), CLIENT_ID);
        config.client_secret = Some(CLIENT_SECRET.into());
        config
    }

    /// From now on ID tokens are signed in this way.
    pub(crate) fn signs(&self, signing: Signing) {
        let mut state = self.state.lock().unwrap();
        state.signing = signing;
        match signing {
            Signing::Rs256 | Signing::Hs256ByPublicKey => {
                state.rsa = Some(RsaKeyPair::generate(KeySize::Rsa2048).unwrap());
            }
            Signing::NewKey => {
                state.key = new_key();
                "key-2".clone_into(&mut state.key_id);
            }
            _ => {}
        }
    }

    /// From now on this function changes the claims of ID tokens.
    pub(crate) fn changes(&self, change: impl Fn(&mut Value) + Send + 'static) {
        self.state.lock().unwrap().change = Some(Box::new(change));
    }

    /// From now on requests for this path get this answer.
    pub(crate) fn answers(&self, path: &str, answer: ResponseTemplate) {
        let mut state = self.state.lock().unwrap();
        state.instead.insert(path.to_owned(), answer);
    }

    /// From now on everything is answered as usual again.
    pub(crate) fn recovers(&self) {
        self.state.lock().unwrap().instead.clear();
    }

    /// The provider's metadata, to be changed and passed to `answers`.
    pub(crate) fn metadata(&self) -> Value {
        self.state.lock().unwrap().metadata()
    }

    /// The keys that the provider publishes, to be changed and passed to `answers`.
    pub(crate) fn keys(&self) -> Value {
        self.state.lock().unwrap().keys()
    }

    /// The requests for this path.
    pub(crate) async fn asked(&self, path: &str) -> Vec<Request> {
        let mut requests = self.server.received_requests().await.unwrap();
        requests.retain(|request| request.url.path() == path);
        requests
    }

    /// Begins to sign in at this path of the server, up to the code that the provider gives.
    pub(crate) async fn begin_sign_in(&self, server: &Server, path: &str) -> SignInAttempt {
        let sent = server.raw("GET", path).send().await;
        assert_eq!(sent.status, 303, "{}", sent.body);
        let url = Url::parse(sent.header("location").unwrap()).unwrap();
        assert!(url.as_str().starts_with(&self.server.uri()), "{url}");
        let cookie = sent.cookie_pair("ctxmem_oidc");
        let mut attempt = SignInAttempt {
            code: format!("code-{}", cookie.split_once('=').unwrap().1),
            cookie,
            state: String::new(),
            url,
        };
        attempt.state = attempt.field("state");
        let asked = (attempt.field("nonce"), attempt.field("code_challenge"));
        let mut state = self.state.lock().unwrap();
        state.codes.insert(attempt.code.clone(), asked);
        attempt
    }

    /// Signs in at this path of the server, to the end.
    pub(crate) async fn sign_in(&self, server: &Server, path: &str) -> RawResponse {
        self.begin_sign_in(server, path).await.returns(server).await
    }
}

/// A sign-in that has got as far as the provider.
pub(crate) struct SignInAttempt {
    pub(crate) url: Url,
    pub(crate) state: String,
    pub(crate) code: String,
    pub(crate) cookie: String,
}

impl SignInAttempt {
    /// A parameter of the server's request to the provider.
    pub(crate) fn field(&self, name: &str) -> String {
        let mut found = self.url.query_pairs().filter(|(field, _)| field == name);
        let (_, value) = found.next().unwrap_or_else(|| panic!("no {name}"));
        assert!(found.next().is_none(), "{name} twice");
        value.into_owned()
    }

    /// The provider sends the browser back.
    pub(crate) async fn returns(&self, server: &Server) -> RawResponse {
        self.returns_with(server, &self.cookie).await
    }

    /// The same with these cookies.
    pub(crate) async fn returns_with(&self, server: &Server, cookies: &str) -> RawResponse {
        let path = format!(
            "/sign-in/oidc/callback?code={}&state={}",
            self.code, self.state
        );
        server.raw("GET", &path).cookie(cookies).send().await
    }
}

struct Answers(Arc<Mutex<ProviderState>>);

impl Respond for Answers {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut state = self.0.lock().unwrap();
        let path = request.url.path();
        if let Some(instead) = state.instead.get(path) {
            return instead.clone();
        }
        match path {
            "/.well-known/openid-configuration" => ok(&state.metadata()),
            "/jwks" => ok(&state.keys()),
            "/token" => state.token(request),
            "/authorize" => state.authorize(&request.url),
            _ => ResponseTemplate::new(404),
        }
    }
}

fn ok(body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

impl ProviderState {
    fn metadata(&self) -> Value {
        let issuer = &self.issuer;
        json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize?tenant=7"),
            "token_endpoint": format!("{issuer}/token"),
            "jwks_uri": format!("{issuer}/jwks"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "none"],
        })
    }

    fn keys(&self) -> Value {
        // An uncompressed point: 4, x, y.
        let point = self.key.public_key().as_ref();
        let mut keys = vec![json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "kid": self.key_id,
            "x": URL_SAFE_NO_PAD.encode(&point[1..33]),
            "y": URL_SAFE_NO_PAD.encode(&point[33..65]),
        })];
        if let Some(rsa) = &self.rsa {
            // DER that ends in the 256 bytes of n and the five of e, which is 65537.
            let der = rsa.public_key().as_ref();
            let (head, e) = der.split_at(der.len() - 5);
            assert_eq!(e, [2, 3, 1, 0, 1]);
            keys.push(json!({
                "kty": "RSA", "use": "sig", "kid": "rsa-1",
                "n": URL_SAFE_NO_PAD.encode(&head[head.len() - 256..]),
                "e": URL_SAFE_NO_PAD.encode([1, 0, 1]),
            }));
        }
        json!({ "keys": keys })
    }

    /// The page on which a person agrees. Its link leads back to the server from another site.
    fn authorize(&mut self, url: &Url) -> ResponseTemplate {
        let asked: HashMap<String, String> = url.query_pairs().into_owned().collect();
        let code = format!("code-{}", self.codes.len());
        let bound = (asked["nonce"].clone(), asked["code_challenge"].clone());
        self.codes.insert(code.clone(), bound);
        let given = [("code", &*code), ("state", &*asked["state"])];
        let back = Url::parse_with_params(&asked["redirect_uri"], given).unwrap();
        let back = back.as_str().replace('&', "&amp;");
        let page = format!(
            "<!doctype html><html lang=en><title>Provider</title><main><h1>Provider</h1>\
             <a href=\"{back}\">Agree</a></main>"
        );
        ResponseTemplate::new(200).set_body_raw(page, "text/html")
    }

    /// Takes a code once, from the right client, with the verifier of its challenge.
    fn token(&mut self, request: &Request) -> ResponseTemplate {
        let form: HashMap<String, String> = Url::parse(&format!(
            "http://form?{}",
            String::from_utf8_lossy(&request.body)
        ))
        .unwrap()
        .query_pairs()
        .into_owned()
        .collect();
        let expected = STANDARD.encode(format!("{CLIENT_ID}:{CLIENT_SECRET}"));
        let authorization = request.headers.get("authorization");
        if authorization.is_none_or(|found| *found != format!("Basic {expected}")) {
            return ResponseTemplate::new(401).set_body_json(json!({"error": "invalid_client"}));
        }
        let refused = ResponseTemplate::new(400).set_body_json(json!({"error": "invalid_grant"}));
        let Some((nonce, challenge)) = form.get("code").and_then(|code| self.codes.remove(code))
        else {
            return refused;
        };
        let verifier = form.get("code_verifier").map(String::as_str);
        let shown = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.unwrap_or_default()));
        if shown != challenge || form["grant_type"] != "authorization_code" {
            return refused;
        }
        ok(&json!({
            "access_token": "access-token-0123456789",
            "token_type": "Bearer",
            "id_token": self.id_token(&nonce),
        }))
    }

    fn id_token(&self, nonce: &str) -> String {
        let mut claims = json!({
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": 1_767_225_600, // 2026
            "exp": 4_102_444_800_i64, // 2100
            "nonce": nonce,
        });
        let more = self.claims.as_object().unwrap().clone();
        claims.as_object_mut().unwrap().extend(more);
        if let Some(change) = &self.change {
            change(&mut claims);
        }
        let (alg, key_id) = match self.signing {
            Signing::Rs256 => ("RS256", "rsa-1"),
            Signing::Hs256 => ("HS256", "key-1"),
            Signing::Hs256ByPublicKey => ("HS256", "rsa-1"),
            Signing::UnknownKey => ("ES256", "key-0"),
            Signing::None => ("none", "key-1"),
            _ => ("ES256", &*self.key_id),
        };
        let header = json!({"alg": alg, "typ": "JWT", "kid": key_id});
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        let signature = URL_SAFE_NO_PAD.encode(self.signature(signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    fn signature(&self, signed: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        let ec = |key: &EcdsaKeyPair| key.sign(&random, signed).unwrap().as_ref().to_vec();
        let hs256 = |secret: &[u8]| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
            hmac::sign(&key, signed).as_ref().to_vec()
        };
        match self.signing {
            Signing::Es256 | Signing::NewKey => ec(&self.key),
            Signing::WrongKey | Signing::UnknownKey => ec(&new_key()),
            Signing::Rs256 => {
                let key = self.rsa.as_ref().unwrap();
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, signed, &mut signature)
                    .unwrap();
                signature
            }
            Signing::Hs256 => hs256(CLIENT_SECRET.as_bytes()),
            Signing::Hs256ByPublicKey => hs256(self.rsa.as_ref().unwrap().public_key().as_ref()),
            Signing::None => Vec::new(),
        }
    }
}

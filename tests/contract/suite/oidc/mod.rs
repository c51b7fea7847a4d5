//! Signing in at an OpenID Connect provider: users and developers, and all that must not sign
//! anybody in.

mod developers;
mod provider;
mod state;
mod team;
mod tokens;
mod users;

use serde_json::{Value, json};

use crate::suite::support::{OidcProvider, RawResponse, Server, Setup, Text as _, user};

const USER: &str = "/sign-in/oidc";
const DEVELOPER: &str = "/dashboard/sign-in/oidc";

/// The provider's claims about Ada.
fn ada() -> Value {
    json!({"sub": "ada", "email": "Ada@Example.com", "email_verified": true})
}

/// A provider that knows Ada, and a server that sends people there.
async fn both() -> (OidcProvider, Server) {
    let provider = OidcProvider::start(ada()).await;
    let server = Setup::new().oidc(&provider).start().await;
    (provider, server)
}

/// Checks that nobody was signed in, that a page says so, and that it repeats none of these.
#[track_caller]
fn assert_refused(answer: &RawResponse, status: u16, unsaid: &[&str]) {
    assert_eq!(answer.status, status, "{}", answer.body);
    answer.assert_html();
    assert_eq!(answer.cookie("ctxmem_session"), None);
    assert_eq!(answer.cookie("ctxmem_developer"), None);
    answer.body.assert_has(r#"role="alert""#);
    answer.body.assert_lacks_all(unsaid);
}

/// Checks that neither Ada nor anybody else was signed in, by what is stored.
async fn assert_nobody(server: &Server) {
    assert_eq!(server.sessions(&user("ada")).await, 0);
    assert_eq!(server.store.sessions_of("ada@example.com").await, 0);
}

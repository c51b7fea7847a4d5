//! What a user sees who is not signed in.

use askama::Template;

use crate::http::sign_in::OidcLink;
use crate::http::words::filters;

#[derive(Template)]
#[template(path = "signed_out.html")]
pub(in crate::http) struct SignedOutPage<'a> {
    pub(in crate::http) oidc: Option<OidcLink<'a>>,
    pub(in crate::http) operator: Option<&'a str>,
    /// The name of the agent about which a user is asked to decide.
    pub(in crate::http) asking: Option<String>,
}

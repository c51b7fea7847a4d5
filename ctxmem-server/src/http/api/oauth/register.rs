//! `POST /oauth/register`: a client says what it is called and where its users are sent back to, and
//! gets an id (RFC 7591). Nothing is stored, so anybody may do it.

use http::StatusCode;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::json;

use super::{offered, refused};
use crate::core::{OAuthClient, OAuthRefusal};
use crate::http::engine::{HandlerContext, HandlerResult, reply};

/// The largest registration, in bytes.
const MAX_REGISTRATION: usize = 16 << 10;

/// What of a registration counts here. The rest is ignored, as the standard demands.
#[derive(Deserialize)]
struct Registration {
    client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
}

pub(crate) async fn register(ctx: HandlerContext) -> HandlerResult {
    offered(&ctx)?;
    let sent = ctx.json_text_within(MAX_REGISTRATION).await?;
    let Ok(sent) = serde_json::from_slice::<Registration>(&sent) else {
        return Ok(refused(NO_REGISTRATION));
    };
    let client = match OAuthClient::register(sent.client_name.as_deref(), &sent.redirect_uris) {
        Ok(client) => client,
        Err(refusal) => return Ok(refused(refusal)),
    };
    let client_id = ctx.core().oauth.client_id(&client)?;
    let registered = json!({
        "client_id": client_id.expose_secret(),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
    });
    Ok(reply::json(StatusCode::CREATED, &registered))
}

const NO_REGISTRATION: OAuthRefusal = OAuthRefusal::new(
    "invalid_client_metadata",
    "expected a JSON object with redirect_uris and, if you like, client_name",
);

//! `POST /oauth/token`: a client exchanges a code, or a refresh token, for tokens. `POST /oauth/revoke`: it
//! gives up those that it has (RFC 7009).

use ctxmem_types::Scope;
use http::StatusCode;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use warp::reply::Response;

use super::{offered, refused};
use crate::core::{OAuthRefusal, OAuthTokens};
use crate::http::engine::site::Site;
use crate::http::engine::state::is_of_mcp;
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, reply};

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenForm {
    grant_type: String,
    client_id: String,
    code: String,
    code_verifier: String,
    redirect_uri: String,
    refresh_token: String,
    resource: Option<String>,
}

#[derive(Serialize)]
struct Issued<'a> {
    access_token: &'a str,
    token_type: &'static str,
    expires_in: i64,
    refresh_token: &'a str,
    /// Left out where the user allows nothing now: it must not be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    scope: String,
}

pub(crate) async fn issue(ctx: HandlerContext) -> HandlerResult {
    offered(&ctx)?;
    let form = match ctx.strangers_form::<TokenForm>().await {
        Ok(form) => form,
        Err(error) if is_of_the_form(&error) => return Ok(refused(NO_FORM)),
        Err(error) => return Err(error),
    };
    let oauth = &ctx.core().oauth;
    if !is_resource(&ctx.state.site, form.resource.as_deref()) {
        return Ok(refused(OTHER_RESOURCE));
    }
    // Clients then register anew.
    if oauth.client(&form.client_id).is_none() {
        let mut response = refused(NO_CLIENT);
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        return Ok(response);
    }
    let tokens = match &*form.grant_type {
        "authorization_code" => {
            let exchange = oauth.redeem(
                &form.code,
                &form.client_id,
                &form.redirect_uri,
                &form.code_verifier,
            );
            exchange.await?.ok_or(BAD_CODE)
        }
        "refresh_token" => {
            let exchange = oauth.renew(&form.refresh_token, &form.client_id);
            exchange.await?.ok_or(BAD_REFRESH_TOKEN)
        }
        "" => Err(NO_FORM),
        _ => Err(OTHER_GRANT),
    };
    Ok(tokens.map_or_else(refused, |tokens| issued(&tokens)))
}

/// Whether what was sent is no form that can be read. A server that has too much to do says so otherwise.
fn is_of_the_form(error: &HttpError) -> bool {
    let (status, _) = error.kind();
    matches!(
        status,
        StatusCode::BAD_REQUEST | StatusCode::UNSUPPORTED_MEDIA_TYPE
    )
}

fn issued(tokens: &OAuthTokens) -> Response {
    let scopes: Vec<&str> = tokens.scopes.iter().map(Scope::name).collect();
    let issued = Issued {
        access_token: tokens.access.expose_secret(),
        token_type: "Bearer",
        expires_in: tokens.expires_in,
        refresh_token: tokens.refresh.expose_secret(),
        scope: scopes.join(" "),
    };
    reply::json(StatusCode::OK, &issued)
}

#[derive(Deserialize)]
struct RevocationForm {
    #[serde(default)]
    token: String,
}

/// Ends the connection of a token. A token that is unknown is as good as revoked.
pub(crate) async fn revoke(ctx: HandlerContext) -> HandlerResult {
    offered(&ctx)?;
    let form: RevocationForm = ctx.strangers_form().await?;
    ctx.core().oauth.end(&form.token).await?;
    Ok(reply::with_type(StatusCode::OK, "text/plain", ""))
}

/// Whether the resource that a client names (RFC 8707), if it does, is `/mcp` here, what is below it, or the
/// server as a whole.
pub(crate) fn is_resource(site: &Site, named: Option<&str>) -> bool {
    named.is_none_or(|named| {
        let path = site.path_of(named);
        path.is_some_and(|path| path == "/" || is_of_mcp(&path))
    })
}

pub(crate) const OTHER_RESOURCE: OAuthRefusal = OAuthRefusal::new(
    "invalid_target",
    "resource: expected the address of this server's /mcp",
);

const NO_FORM: OAuthRefusal = OAuthRefusal::new(
    "invalid_request",
    "expected a form with grant_type and the fields that it needs, each once",
);

const NO_CLIENT: OAuthRefusal = OAuthRefusal::new(
    "invalid_client",
    "client_id: expected one that was registered here",
);

const OTHER_GRANT: OAuthRefusal = OAuthRefusal::new(
    "unsupported_grant_type",
    "grant_type: expected authorization_code or refresh_token",
);

const BAD_CODE: OAuthRefusal = OAuthRefusal::new(
    "invalid_grant",
    "code: expected one that this client got a minute ago at most and has not used, with the redirect_uri that it was \
     sent to and the code_verifier of its challenge",
);

const BAD_REFRESH_TOKEN: OAuthRefusal = OAuthRefusal::new(
    "invalid_grant",
    "refresh_token: expected the newest one of this client, for a user who still lets it in",
);

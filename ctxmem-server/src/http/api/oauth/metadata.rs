//! Where everything is: the metadata of the protected resource (RFC 9728), which is `/mcp`, and of the
//! authorization server (RFC 8414), which is this server as well.

use ctxmem_types::ScopeSet;
use http::StatusCode;
use serde::Serialize;

use super::offered;
use crate::http::engine::{HandlerContext, HandlerResult, reply};

#[derive(Serialize)]
struct ProtectedResource {
    resource: String,
    resource_name: &'static str,
    authorization_servers: [String; 1],
    bearer_methods_supported: [&'static str; 1],
    scopes_supported: Vec<String>,
}

#[derive(Serialize)]
struct AuthorizationServer {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    registration_endpoint: String,
    revocation_endpoint: String,
    response_types_supported: [&'static str; 1],
    grant_types_supported: [&'static str; 2],
    code_challenge_methods_supported: [&'static str; 1],
    token_endpoint_auth_methods_supported: [&'static str; 1],
    revocation_endpoint_auth_methods_supported: [&'static str; 1],
    scopes_supported: Vec<String>,
    authorization_response_iss_parameter_supported: bool,
}

/// What `/mcp` is, and who gives out tokens for it.
pub(crate) async fn protected_resource(ctx: HandlerContext) -> HandlerResult {
    offered(&ctx)?;
    let site = &ctx.state.site;
    let resource = ProtectedResource {
        resource: site.page("/mcp"),
        resource_name: "ctxmem",
        authorization_servers: [site.page("")],
        bearer_methods_supported: ["header"],
        scopes_supported: scopes(),
    };
    Ok(reply::json(StatusCode::OK, &resource))
}

/// Where clients register, ask and get tokens.
pub(crate) async fn server(ctx: HandlerContext) -> HandlerResult {
    offered(&ctx)?;
    let site = &ctx.state.site;
    let server = AuthorizationServer {
        issuer: site.page(""),
        authorization_endpoint: site.page("/oauth/authorize"),
        token_endpoint: site.page("/oauth/token"),
        registration_endpoint: site.page("/oauth/register"),
        revocation_endpoint: site.page("/oauth/revoke"),
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        // Clients have no secrets: what one is sent back to is what it is known by.
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        scopes_supported: scopes(),
        authorization_response_iss_parameter_supported: true,
    };
    Ok(reply::json(StatusCode::OK, &server))
}

fn scopes() -> Vec<String> {
    let scopes = ScopeSet::ALL.iter();
    scopes.map(|scope| scope.name().to_owned()).collect()
}

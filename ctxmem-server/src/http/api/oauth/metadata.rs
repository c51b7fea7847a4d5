//! Where everything is: the metadata of the protected resource (RFC 9728), which is `/mcp`, and of the
//! authorization server (RFC 8414), which is this server as well.

use ctxmem_types::{Scope, ScopeSet};
use http::StatusCode;
use serde_json::json;

use super::offered;
use crate::http::engine::{HandlerContext, HandlerResult, reply};

/// What `/mcp` is, and who gives out tokens for it.
pub(crate) async fn protected_resource(ctx: HandlerContext) -> HandlerResult {
    offered(&ctx)?;
    let site = &ctx.state.site;
    let resource = json!({
        "resource": site.page("/mcp"),
        "resource_name": "ctxmem",
        "authorization_servers": [site.page("")],
        "bearer_methods_supported": ["header"],
        "scopes_supported": scopes(),
    });
    Ok(reply::json(StatusCode::OK, &resource))
}

/// Where clients register, ask and get tokens.
pub(crate) async fn server(ctx: HandlerContext) -> HandlerResult {
    offered(&ctx)?;
    let site = &ctx.state.site;
    let server = json!({
        "issuer": site.page(""),
        "authorization_endpoint": site.page("/oauth/authorize"),
        "token_endpoint": site.page("/oauth/token"),
        "registration_endpoint": site.page("/oauth/register"),
        "revocation_endpoint": site.page("/oauth/revoke"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        // Clients have no secrets: what one is sent back to is what it is known by.
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "scopes_supported": scopes(),
        "authorization_response_iss_parameter_supported": true,
    });
    Ok(reply::json(StatusCode::OK, &server))
}

fn scopes() -> Vec<&'static str> {
    ScopeSet::ALL.iter().map(Scope::name).collect()
}

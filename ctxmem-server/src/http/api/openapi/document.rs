//! The document as a whole.

use std::sync::LazyLock;

use bytes::Bytes;
use http::StatusCode;
use serde_json::Value;
use utoipa::openapi::OpenApi as Document;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi as _};

use super::finish;
use crate::http::api::{context, facts, grants, health, inject, sign_in_links, update};
use crate::http::engine::{HandlerContext, HandlerResult, cookie, reply};

static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| document().unwrap_or_default().into());

/// `GET /api/openapi.json`.
pub(crate) async fn show(_ctx: HandlerContext) -> HandlerResult {
    Ok(reply::with_type(
        StatusCode::OK,
        "application/json",
        DOCUMENT.clone(),
    ))
}

/// The document of this version, in JSON. The same bytes on every machine.
///
/// # Errors
///
/// Never for the document of this crate; what writes JSON can fail.
pub fn document() -> Result<String, serde_json::Error> {
    let mut document: Value = serde_json::to_value(Interface::openapi())?;
    finish::finish(&mut document);
    document.sort_all_objects();
    serde_json::to_string_pretty(&document).map(|text| text + "\n")
}

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "ctxmem",
        description = "Long-term memory for AI agents that belongs to the people it is about. An \
            agent makes two calls around its model call: `inject` turns its base prompt into a \
            system prompt enriched with what is known of the user, and `update` sends one \
            interaction, of which facts are extracted and stored in the scopes that the user \
            granted. What is marked `x-addition` is ours: other deployments of the interface don't \
            have it. Clients should ignore fields that they don't know.",
    ),
    paths(
        inject::inject,
        update::update,
        context::read,
        context::delete,
        facts::list,
        facts::search,
        facts::delete,
        grants::create,
        grants::revoke,
        sign_in_links::mint,
        health::health,
        health::live,
        health::ready,
    ),
    components(schemas(ctxmem_types::ErrorBody)),
    modifiers(&Credentials),
    tags(
        (name = "context", description = "What agents do around a model call, and what is stored."),
        (name = "facts", description = "Single facts."),
        (name = "grants", description = "Which scopes of a user an agent may read and write."),
        (name = "sign-in", description = "For the operator's application."),
        (name = "health", description = "For monitors and orchestrators."),
    ),
)]
struct Interface;

/// By what callers show who they are.
struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut Document) {
        let components = document.components.get_or_insert_default();
        let bearer = |description: &str| {
            let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
            SecurityScheme::Http(scheme.description(Some(description)).build())
        };
        components.add_security_scheme("agentKey", bearer("An agent's API key."));
        components.add_security_scheme(
            "signInSecret",
            bearer("The secret that the operator's application and the server share."),
        );
        components.add_security_scheme(
            "userSession",
            SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
                cookie::SESSION.name(false),
                format!(
                    "The session of an end user who signed in. On https the cookie is called `{}`.",
                    cookie::SESSION.name(true)
                ),
            ))),
        );
    }
}

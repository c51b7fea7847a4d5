//! The refusals and failures that several operations share.

use std::collections::BTreeMap;

use ctxmem_types::ErrorBody;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema as _};

/// Defines a set of responses that all have an error in their body.
macro_rules! errors {
    ($($(#[$meta:meta])* $name:ident { $($status:literal $description:literal,)+ })+) => {$(
        $(#[$meta])*
        pub(crate) struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                [$(($status.to_owned(), error($description)),)+].into()
            }
        }
    )+};
}

errors! {
    /// Of every call with a key.
    KeyErrors {
        "401" "The API key is missing, malformed, unknown, expired or revoked.",
        "429" "Too many requests with this key.",
        "500" "The database failed, or something unexpected.",
        "503" "The server has too much to do, or is going down.",
    }
    /// Of a call with a user in its path.
    IdErrors {
        "400" "The user id, or the idempotency key, is not one.",
        "403" "No active grant between this agent and this user.",
    }
    /// Of a call with a body.
    BodyErrors {
        "400" "The body, or a field in it, is not what was expected; the text names it.",
        "403" "The agent in the body is not the key's, or the user has to be asked first.",
        "408" "The body did not arrive in time.",
        "411" "The length of the body is missing.",
        "413" "The body is too large.",
        "415" "The body is not JSON.",
    }
    /// Of an update.
    UpdateErrors {
        "502" "The language model failed. Nothing was stored.",
    }
    /// Of the deletion of a fact.
    FactErrors {
        "404" "There is no such fact, or it has changed since it was listed.",
    }
    /// Of a request for a grant.
    GrantErrors {
        "404" "There is no such agent.",
    }
    /// Of a call by a signed-in user.
    SessionErrors {
        "401" "Nobody is signed in.",
        "403" "Another site made the browser send this request.",
        "404" "There is no such grant of this user.",
        "500" "The database failed, or something unexpected.",
        "503" "The server has too much to do, or is going down.",
    }
    /// Of a call by the operator's application.
    SecretErrors {
        "400" "The body, or a field in it, is not what was expected; the text names it.",
        "401" "The secret is not the server's, or the server has none.",
        "408" "The body did not arrive in time.",
        "411" "The length of the body is missing.",
        "413" "The body is too large.",
        "415" "The body is not JSON.",
        "500" "The database failed, or something unexpected.",
        "503" "The server has too much to do, or is going down.",
    }
}

fn error(description: &str) -> RefOr<Response> {
    let schema = Ref::from_schema_name(ErrorBody::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let response = ResponseBuilder::new().description(description);
    response.content("application/json", content).build().into()
}

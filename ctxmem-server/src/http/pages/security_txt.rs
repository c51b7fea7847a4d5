//! `/.well-known/security.txt` (RFC 9116): where to report a weakness, if the operator has named a
//! contact.

use chrono::Duration;
use ctxmem_types::Timestamp;
use http::StatusCode;

use crate::http::engine::{HandlerContext, HandlerResult, HttpError, reply};

/// For how long the file says that it is right. It is written anew for each request.
const DAYS: i64 = 90;

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let contact = ctx.state.operator.contact_address();
    let contact = contact.ok_or(HttpError::NOT_FOUND)?;
    let expires = Timestamp::from(ctx.core().sign_in.time() + Duration::days(DAYS));
    let canonical = ctx.state.site.page("/.well-known/security.txt");
    let text = format!(
        "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en\nCanonical: {canonical}\n"
    );
    let text = text.into_bytes();
    Ok(reply::with_type(
        StatusCode::OK,
        "text/plain; charset=utf-8",
        text,
    ))
}

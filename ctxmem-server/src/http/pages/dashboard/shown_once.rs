//! Takes a secret over the redirect from the form that made it to the page that shows it once.

use secrecy::{ExposeSecret as _, SecretString};
use warp::reply::Response;

use crate::http::engine::{HandlerContext, HandlerResult, cookie, reply};

/// A redirect to the page that shows the secret to whoever is signed in.
pub(super) fn see_once(ctx: &HandlerContext, page: &str, secret: &SecretString) -> HandlerResult {
    let session = ctx.cookie(&cookie::DEVELOPER).unwrap_or_default();
    let console = &ctx.core().console;
    let sealed = console.seal_for_next_page(session, page, secret)?;
    let response = reply::see_other(page);
    Ok(ctx.with_cookie(response, &cookie::SHOWN_ONCE, sealed.expose_secret()))
}

/// The secret that came to this page, if it did.
pub(super) fn arrived(ctx: &HandlerContext) -> Option<SecretString> {
    let sealed = ctx.cookie(&cookie::SHOWN_ONCE)?;
    let session = ctx.cookie(&cookie::DEVELOPER)?;
    let console = &ctx.core().console;
    console.open_on_next_page(session, ctx.request.path(), sealed)
}

/// The answer with a page. If that shows the secret, the browser forgets it.
pub(super) fn shown(ctx: &HandlerContext, response: Response, is_shown: bool) -> Response {
    if is_shown {
        ctx.without_cookie(response, &cookie::SHOWN_ONCE)
    } else {
        response
    }
}

//! Takes a secret over the redirect from the form that made it to the page that shows it once.

use secrecy::{ExposeSecret as _, SecretString};
use warp::reply::Response;

use crate::http::engine::{HandlerContext, HandlerResult, cookie, reply};

/// A redirect to the page that shows the secret to whoever is signed in.
pub(super) fn see_once(ctx: &HandlerContext, page: &str, secret: &SecretString) -> HandlerResult {
    let session = ctx.cookie(&cookie::DEVELOPER).unwrap_or_default();
    let console = &ctx.core().console;
    let sealed = console.seal_for_next_page(session, page, secret)?;
    let mut response = reply::see_other(page);
    let (site, sealed) = (&ctx.state.site, sealed.expose_secret());
    site.set_cookie(&mut response, &cookie::SHOWN_ONCE, sealed);
    Ok(response)
}

/// The secret that came to this page, if it did.
pub(super) fn arrived(ctx: &HandlerContext) -> Option<SecretString> {
    let sealed = ctx.cookie(&cookie::SHOWN_ONCE)?;
    let session = ctx.cookie(&cookie::DEVELOPER)?;
    let console = &ctx.core().console;
    console.open_on_next_page(session, ctx.request.path(), sealed)
}

/// Has the browser forget the secret of a page that has shown it.
pub(super) fn forget(ctx: &HandlerContext, mut response: Response) -> Response {
    let site = &ctx.state.site;
    site.remove_cookie(&mut response, &cookie::SHOWN_ONCE);
    response
}

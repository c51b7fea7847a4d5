//! Takes a secret over the redirect from the form that made it to the page that shows it once.

use secrecy::SecretString;
use warp::reply::Response;

use crate::http::engine::cookie::{self, add_cookie};
use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;
use crate::http::engine::state::ServerState;
use secrecy::ExposeSecret as _;

/// The session of a form's sender, while the form is being read.
pub(super) struct Sender(String);

impl Sender {
    /// The developer's session cookie, which was found to be good.
    pub(super) fn of(ctx: &HandlerContext) -> Self {
        Self(ctx.developer_cookie().unwrap_or_default().to_owned())
    }

    /// A redirect to the page that shows the secret.
    pub(super) fn see_once(
        &self,
        state: &ServerState,
        page: &str,
        secret: &SecretString,
    ) -> Result<Response, HttpError> {
        let sealed = state
            .core
            .console
            .seal_for_next_page(&self.0, page, secret)?;
        let mut response = reply::see_other(page);
        add_cookie(
            &mut response,
            &state
                .site
                .set_cookie(&cookie::SHOWN_ONCE, sealed.expose_secret()),
        );
        Ok(response)
    }
}

/// The secret that came to this page, if it did.
pub(super) fn arrived(ctx: &HandlerContext) -> Option<SecretString> {
    let sealed = ctx
        .request
        .cookie(&ctx.state.site.cookie_name(&cookie::SHOWN_ONCE))?;
    let session = ctx.developer_cookie()?;
    ctx.core()
        .console
        .open_on_next_page(session, ctx.request.path(), sealed)
}

/// Has the browser forget the secret of a page that has shown it.
pub(super) fn forget(state: &ServerState, mut response: Response) -> Response {
    add_cookie(
        &mut response,
        &state.site.remove_cookie(&cookie::SHOWN_ONCE),
    );
    response
}

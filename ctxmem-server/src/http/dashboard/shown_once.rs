//! Takes a secret over the redirect from the form that made it to the page that shows it once.

use secrecy::SecretString;
use warp::reply::Response;

use crate::http::api::Api;
use crate::http::cookie::{self, add_cookie};
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::reply;
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
        api: &Api,
        page: &str,
        secret: &SecretString,
    ) -> Result<Response, HttpError> {
        let sealed = api.core.seal_for_next_page(&self.0, page, secret)?;
        let mut response = reply::see_other(page);
        add_cookie(
            &mut response,
            &api.site
                .set_cookie(&cookie::SHOWN_ONCE, sealed.expose_secret()),
        );
        Ok(response)
    }
}

/// The secret that came to this page, if it did.
pub(super) fn arrived(ctx: &HandlerContext) -> Option<SecretString> {
    let sealed = ctx
        .request
        .cookie(&ctx.api.site.cookie_name(&cookie::SHOWN_ONCE))?;
    let session = ctx.developer_cookie()?;
    ctx.core()
        .open_on_next_page(session, ctx.request.path(), sealed)
}

/// Has the browser forget the secret of a page that has shown it.
pub(super) fn forget(api: &Api, mut response: Response) -> Response {
    add_cookie(&mut response, &api.site.remove_cookie(&cookie::SHOWN_ONCE));
    response
}

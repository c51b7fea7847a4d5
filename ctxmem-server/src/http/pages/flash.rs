//! Tells on the next page what a form has just done, once. It stands in a cookie, sealed for whoever
//! was signed in: no link can claim what never happened, and nobody reads it who signs in later.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use warp::reply::Response;

use crate::http::engine::cookie::{self, add_cookie};
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;

/// The code of what was done, on its way from the handler to the cookie.
#[derive(Clone, Copy)]
struct Done(&'static str);

/// Has the next page tell this. Codes are lower-case words with hyphens.
pub(crate) fn tell(mut response: Response, code: &'static str) -> Response {
    response.extensions_mut().insert(Done(code));
    response
}

impl HandlerContext {
    /// The code of what was done by the form that led to this page. Ask who is signed in before.
    pub(crate) fn done(&self) -> Option<&str> {
        let cookie = self
            .request
            .cookie(&self.state.site.cookie_name(&cookie::DONE))?;
        let (code, seal) = cookie.split_once('.')?;
        let expected = self
            .core()
            .sign_in
            .notice_seal(self.request.form_mark.get()?, code);
        verify_slices_are_equal(seal.as_bytes(), expected.as_bytes()).ok()?;
        Some(code)
    }
}

/// Sets the cookie after a form, and removes it with the page that told it.
pub(crate) fn finish(
    state: &ServerState,
    request: &RequestContext,
    response: &mut Response,
    is_page: bool,
) {
    if let Some(Done(code)) = response.extensions_mut().remove::<Done>() {
        if let Some(mark) = request.form_mark.get() {
            let seal = state.core.sign_in.notice_seal(mark, code);
            add_cookie(
                response,
                &state
                    .site
                    .set_cookie(&cookie::DONE, &format!("{code}.{seal}")),
            );
        }
    } else if is_page
        && request
            .cookie(&state.site.cookie_name(&cookie::DONE))
            .is_some()
    {
        add_cookie(response, &state.site.remove_cookie(&cookie::DONE));
    }
}

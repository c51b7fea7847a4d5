//! Tells on the next page what a form has just done, once. It stands in a cookie, sealed for whoever
//! was signed in: no link can claim what never happened, and nobody reads it who signs in later.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use warp::reply::Response;

use crate::http::engine::cookie;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::request_context::RequestContext;
use crate::http::engine::state::ServerState;

/// The code of what was done, and what would undo it, on their way from the handler to the cookie.
#[derive(Clone)]
struct Done {
    code: &'static str,
    undo: Option<String>,
}

/// Has the next page tell this. Codes are lower-case words with hyphens.
pub(crate) fn tell(response: Response, code: &'static str) -> Response {
    tell_with_undo(response, code, None)
}

/// The same with a sealed text that undoes it, of characters that a cookie may hold.
pub(crate) fn tell_with_undo(
    mut response: Response,
    code: &'static str,
    undo: Option<String>,
) -> Response {
    response.extensions_mut().insert(Done { code, undo });
    response
}

impl HandlerContext {
    /// The code of what was done by the form that led to this page. Ask who is signed in before.
    pub(crate) fn done(&self) -> Option<&str> {
        let told = self.told()?;
        Some(told.split_once('.').map_or(told, |(code, _)| code))
    }

    /// What undoes it. Ask who is signed in before.
    pub(crate) fn undo(&self) -> Option<&str> {
        Some(self.told()?.split_once('.')?.1)
    }

    fn told(&self) -> Option<&str> {
        let (seal, told) = self.cookie(&cookie::DONE)?.split_once('.')?;
        let sign_in = &self.core().sign_in;
        let expected = sign_in.notice_seal(self.request.form_mark.get()?, told);
        verify_slices_are_equal(seal.as_bytes(), expected.as_bytes()).ok()?;
        Some(told)
    }
}

/// Sets the cookie after a form, and removes it with the page that told it.
pub(crate) fn finish(
    state: &ServerState,
    request: &RequestContext,
    response: &mut Response,
    is_page: bool,
) {
    let site = &state.site;
    if let Some(Done { code, undo }) = response.extensions_mut().remove::<Done>() {
        if let Some(mark) = request.form_mark.get() {
            let told = match undo {
                Some(undo) => format!("{code}.{undo}"),
                None => code.to_owned(),
            };
            let seal = state.core.sign_in.notice_seal(mark, &told);
            site.set_cookie(response, &cookie::DONE, &format!("{seal}.{told}"));
        }
    } else if is_page
        && request
            .cookie(&cookie::DONE.name(site.is_https()))
            .is_some()
    {
        site.remove_cookie(response, &cookie::DONE);
    }
}

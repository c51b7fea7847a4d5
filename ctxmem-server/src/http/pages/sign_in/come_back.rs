//! The return to the page for which somebody had to sign in.
//!
//! A cookie holds its path, so every way of signing in leads back, and no address of a sign-in page
//! can send anybody elsewhere. Only pages of consent are returned to: of an agent, or of a
//! client that asks over OAuth.

use uuid::Uuid;
use warp::reply::Response;

use crate::http::engine::{HandlerContext, cookie};

/// Where people go who came for nothing in particular.
const HOME: &str = "/account";

/// Remembers the path of this page until somebody has signed in.
pub(crate) fn come_back(ctx: &HandlerContext, response: Response, path: &str) -> Response {
    if is_known(path) {
        ctx.with_cookie(response, &cookie::BACK, path)
    } else {
        response
    }
}

/// Where to go after signing in, by the cookie.
pub(super) fn target(back: Option<&str>) -> &str {
    back.filter(|path| is_known(path)).unwrap_or(HOME)
}

/// A browser sends what it likes: nothing but the address of a page of consent leads anywhere.
fn is_known(path: &str) -> bool {
    let is_query = |query: &str| {
        query
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b';')
    };
    if let Some(query) = path.strip_prefix("/oauth/authorize?") {
        return is_query(query);
    }
    path.strip_prefix("/consent/")
        .is_some_and(|id| id.len() == 36 && Uuid::parse_str(id).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_page_of_consent_is_come_back_to() {
        let page = "/consent/8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";
        assert_eq!(target(Some(page)), page);
        for other in [
            "https://example.com",
            "//example.com",
            "/consent/",
            "/consent/..",
            "/consent/8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c/../../x",
            "/consent/8d7f5a0e52a34c4e8a559f6a3f0a4b1c",
            "/dashboard",
            "",
        ] {
            assert_eq!(target(Some(other)), HOME, "{other}");
        }
        assert_eq!(target(None), HOME);
    }
}

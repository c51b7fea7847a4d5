//! The switch of the language, at the end of every page: what is chosen there wins over what the
//! browser prefers, and the person stays on the page.

use http::header;
use serde::Deserialize;

use crate::core::Error;
use crate::http::engine::route::{self, Route};
use crate::http::engine::{HandlerContext, HandlerResult, cookie, reply};
use crate::http::words::Language;
use crate::http::words::filters::overview_path;

#[derive(Deserialize)]
struct LanguageForm {
    language: String,
    /// Where to go if the browser does not say on which page the form stood.
    #[serde(default)]
    page: String,
}

/// The form behind the switch. Anybody may choose, signed in or not.
pub(crate) async fn choose(ctx: HandlerContext) -> HandlerResult {
    ctx.same_site()?;
    let form: LanguageForm = ctx.strangers_form().await?;
    let Some(language) = Language::from_code(&form.language) else {
        return Err(Error::BadRequest("language: expected en, de, fr or es".to_owned()).into());
    };
    let came_from = ctx.request.header(&header::REFERER).and_then(path_of);
    let mut pages = [came_from, Some(&*form.page)].into_iter().flatten();
    let page = pages.find(|page| is_own_page(ctx.state.routes, page));
    let page = page.unwrap_or_else(|| overview_path(&form.page));
    Ok(ctx.with_cookie(reply::see_other(page), &cookie::LANGUAGE, language.code()))
}

/// The path and query of an address. Our pages have browsers send it in full with our own forms. No page
/// repeats its own address, which may hold the token of a sign-in link.
fn path_of(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    Some(&rest[rest.find('/')?..])
}

/// Whether an address is that of a page of ours. A browser sends what it likes.
fn is_own_page(routes: &'static [Route], address: &str) -> bool {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    route::is_page(routes, path) && query.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::is_own_page;
    use crate::http::ROUTES;

    #[test]
    fn only_a_page_of_ours_is_come_back_to() {
        for page in [
            "/account",
            "/about",
            "/account/facts?sort=newest&page=2",
            "/consent/8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c",
            "/dashboard/agents/1",
            "/sign-in?token=abc",
        ] {
            assert!(is_own_page(ROUTES, page), "{page}");
        }
        for other in [
            "",
            "account",
            "//example.com",
            "/\\example.com",
            "/account/../../x",
            "https://example.com/account",
            "javascript:alert(1)",
            "/account?a\r\nSet-Cookie: x=y",
            "/account\r\nx: y",
            "/language",
            "/account/export.json",
            "/account/history.csv",
            "/sign-in/oidc",
            "/sign-in/oidc/callback?code=1",
            "/dashboard/keys/rotate/x",
            "/style.css",
            "/api/health",
        ] {
            assert!(!is_own_page(ROUTES, other), "{other}");
        }
    }
}

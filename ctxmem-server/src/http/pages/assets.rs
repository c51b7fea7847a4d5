//! The stylesheet, the script and the icon of the pages, compiled in. Pages name each by an address that
//! carries a hash of its text: browsers keep it permanently, and a new text has a new address.

use std::sync::LazyLock;

use http::{HeaderValue, StatusCode, header};
use sha2::{Digest as _, Sha256};
use warp::reply::Response;

use crate::http::engine::{HandlerContext, HandlerResult, reply};

pub(crate) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../../../templates/style.css");
    Asset::new("/style.css", "text/css; charset=utf-8", text)
});
/// Small conveniences; every page works without it.
pub(crate) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../../../templates/script.js");
    Asset::new("/script.js", "text/javascript; charset=utf-8", text)
});

pub(crate) static FAVICON: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../../../templates/favicon.svg");
    Asset::new("/favicon.svg", "image/svg+xml", text)
});

/// A file that pages load.
pub(crate) struct Asset {
    content_type: &'static str,
    text: &'static str,
    /// The query of the address that stands for this text and no other.
    query: String,
    /// That address.
    pub(crate) address: String,
}

impl Asset {
    fn new(path: &str, content_type: &'static str, text: &'static str) -> Self {
        let hash = hex::encode(&Sha256::digest(text)[..8]);
        let query = format!("v={hash}");
        Self {
            content_type,
            text,
            address: format!("{path}?{query}"),
            query,
        }
    }

    /// The text, to somebody who names no version of it.
    pub(crate) fn alone(&self) -> Response {
        reply::with_type(StatusCode::OK, self.content_type, self.text)
    }

    /// During an upgrade a page of another process may ask for another text than this one. It gets
    /// this one, and does not keep it.
    fn answer(&self, ctx: &HandlerContext) -> Response {
        let mut response = self.alone();
        if ctx.request.query() == self.query {
            response.headers_mut().insert(
                header::CACHE_CONTROL,
                HeaderValue::from_static("public, max-age=31536000, immutable"),
            );
        }
        response
    }
}

pub(crate) async fn style(ctx: HandlerContext) -> HandlerResult {
    Ok(STYLE.answer(&ctx))
}

pub(crate) async fn favicon(ctx: HandlerContext) -> HandlerResult {
    Ok(FAVICON.answer(&ctx))
}

pub(crate) async fn script(ctx: HandlerContext) -> HandlerResult {
    Ok(SCRIPT.answer(&ctx))
}

//! The stylesheet and the script of the pages, compiled in.

use http::StatusCode;
use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;

/// The stylesheet of all pages.
const STYLE: &str = include_str!("../../templates/style.css");
/// Small conveniences; every page works without it.
const SCRIPT: &str = include_str!("../../templates/script.js");

pub(super) async fn style(_call: HandlerContext) -> Result<Response, HttpError> {
    let style = STYLE.as_bytes().to_vec();
    Ok(reply::with_type(
        StatusCode::OK,
        "text/css; charset=utf-8",
        style,
    ))
}

pub(super) async fn script(_call: HandlerContext) -> Result<Response, HttpError> {
    let script = SCRIPT.as_bytes().to_vec();
    Ok(reply::with_type(
        StatusCode::OK,
        "text/javascript; charset=utf-8",
        script,
    ))
}

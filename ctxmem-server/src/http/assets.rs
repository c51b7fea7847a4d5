//! What pages load: one stylesheet and one script, both compiled in.

use http::StatusCode;
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;

/// How all pages look.
const STYLE: &str = include_str!("../../templates/style.css");
/// What pages can do a little better with a script than without.
const SCRIPT: &str = include_str!("../../templates/script.js");

pub(super) async fn style(_call: Call) -> Result<Response, HttpError> {
    let style = STYLE.as_bytes().to_vec();
    Ok(reply::with_type(
        StatusCode::OK,
        "text/css; charset=utf-8",
        style,
    ))
}

pub(super) async fn script(_call: Call) -> Result<Response, HttpError> {
    let script = SCRIPT.as_bytes().to_vec();
    Ok(reply::with_type(
        StatusCode::OK,
        "text/javascript; charset=utf-8",
        script,
    ))
}

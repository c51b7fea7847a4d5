//! Addresses that people type, which lead to the pages that they mean.

use warp::reply::Response;

use crate::http::engine::error::HttpError;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::engine::reply;

pub(crate) async fn account(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(reply::see_other("/account"))
}

pub(crate) async fn dashboard(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(reply::see_other("/dashboard"))
}

//! Addresses that people type, which lead to the pages that they mean.

use warp::reply::Response;

use super::error::HttpError;
use super::handler_context::HandlerContext;
use super::reply;

pub(super) async fn account(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(reply::see_other("/account"))
}

pub(super) async fn dashboard(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(reply::see_other("/dashboard"))
}

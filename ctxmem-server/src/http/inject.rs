//! `POST /api/context/inject`.

use ctxmem_types::InjectRequest;
use warp::reply::Response;

use super::call::Call;
use super::error::HttpError;
use super::reply;

pub(super) async fn inject(call: Call) -> Result<Response, HttpError> {
    let core = call.core().clone();
    let (key, request) = call.presumed(Call::json::<InjectRequest>).await?;
    Ok(reply::injected(&core.inject(&key, request).await?))
}

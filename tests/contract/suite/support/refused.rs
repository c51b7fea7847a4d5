//! Refusals, as the client reports them.

use std::fmt::Debug;

use ctxmem_client::{Error, ErrorCode};

/// The code that belongs to a status.
pub(super) fn code_of(status: u16) -> ErrorCode {
    match status {
        400 | 405 | 408 | 409 | 413 | 415 => ErrorCode::BadRequest,
        401 => ErrorCode::Unauthorized,
        403 => ErrorCode::Forbidden,
        404 => ErrorCode::NotFound,
        429 => ErrorCode::RateLimited,
        502 => ErrorCode::ModelError,
        _ => ErrorCode::InternalError,
    }
}

/// Checks that a call was refused with this status and its code, and returns the text.
#[track_caller]
pub(crate) fn refused<T: Debug>(answer: Result<T, Error>, status: u16) -> String {
    let error = answer.unwrap_err();
    assert_eq!(
        error.status(),
        Some(status),
        "{error} {:?}",
        error.message()
    );
    assert_eq!(error.code(), Some(&code_of(status)));
    error.message().unwrap().to_owned()
}

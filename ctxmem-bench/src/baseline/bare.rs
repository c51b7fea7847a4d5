//! A warp handler that parses the body and answers as many bytes as ctxmem does.

use warp::Filter;

use super::{Inject, Routes, answer, body, json_reply};

pub(super) fn routes(bytes: usize) -> Routes {
    let answer = answer(bytes);
    warp::path!("api" / "context" / "inject")
        .and(body())
        .map(move |request: Inject| {
            std::hint::black_box((request.user_id, request.base_prompt));
            json_reply(answer.clone())
        })
        .boxed()
}

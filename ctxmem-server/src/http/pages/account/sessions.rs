//! A user's sessions, and the form that ends all of them.

use crate::core::ListedSession;
use crate::http::engine::{HandlerContext, HandlerResult, cookie, reply};
use crate::http::words::PageTime;

/// A session of the user.
pub(super) struct SessionView {
    pub(super) is_this_one: bool,
    pub(super) created: PageTime,
    pub(super) seen: PageTime,
}

impl SessionView {
    pub(super) fn new(session: &ListedSession) -> Self {
        Self {
            is_this_one: session.is_this_one,
            created: PageTime::new(session.created_at),
            seen: PageTime::new(session.seen_at),
        }
    }
}

/// The form behind "Sign out everywhere".
pub(crate) async fn sign_out_everywhere(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    ctx.core().sign_in.sign_out_everywhere(&user_id).await?;
    let mut response = reply::see_other("/account");
    let site = &ctx.state.site;
    site.remove_cookie(&mut response, &cookie::SESSION);
    Ok(response)
}

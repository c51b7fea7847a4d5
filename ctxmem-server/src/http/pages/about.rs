//! `/about`: who runs this memory, what it is for, how long things are kept, and what people can do.
//! Everybody may read it.

use askama::Template;

use crate::core::FirstGrant;
use crate::http::engine::operator::OperatorConfig;
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::words::{Phrase, filters};

#[derive(Template)]
#[template(path = "about.html")]
struct AboutPage<'a> {
    operator: &'a OperatorConfig,
    /// Which agents get access without asking.
    mode: Phrase,
    /// For how many days the audit log is kept, if it ends.
    audit_days: Option<u32>,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let page = AboutPage {
        operator: &ctx.state.operator,
        mode: Phrase::new(match ctx.core().grants.first_grant() {
            FirstGrant::Auto => "about-mode-auto",
            FirstGrant::Own => "about-mode-own",
            FirstGrant::Ask => "about-mode-ask",
        }),
        audit_days: ctx.core().memory.audit_days(),
    };
    ctx.page(&page)
}

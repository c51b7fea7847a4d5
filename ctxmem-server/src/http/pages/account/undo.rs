//! Undo: what the page that says what was deleted offers, and the forms behind it.

use ctxmem_types::UserId;

use super::MEMORY;
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::notice::{self, Notice};
use crate::http::words::Phrase;

/// What the page that says what was deleted offers.
pub(super) struct Undo {
    /// What was deleted, sealed.
    pub(super) deleted: String,
    /// The choice to keep it out; `None` where it is made.
    pub(super) keep_out: Option<Phrase>,
}

impl Undo {
    /// Of the form that led to this page.
    pub(super) fn of(ctx: &HandlerContext, user_id: &UserId) -> Option<Self> {
        let deleted = notice::undo(ctx)?;
        let memory = &ctx.core().memory;
        let names = memory.deleted_names(user_id, ctx.session(), deleted);
        let (count, names) = names.ok()?;
        let names: Vec<String> = names.iter().map(|name| name.replace('_', " ")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Some(Self {
            deleted: deleted.to_owned(),
            keep_out: (!Notice::of(ctx).is_some_and(Notice::keeps_out))
                .then(|| keep_out(count, &names)),
        })
    }
}

/// The form behind "Don't let apps save it again" on the page that says what was deleted.
pub(crate) async fn keep_deleted_out(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let sealed = ctx.field("deleted").await?;
    let (memory, session) = (&ctx.core().memory, ctx.session());
    let (count, names) = memory.deleted_names(&user_id, session, &sealed)?;
    let keeping = memory.keep_deleted_out(user_id, session, &sealed);
    keeping.await?;
    Ok(deleted(count, true, !names.is_empty()).redirect_to(MEMORY))
}

/// What is said when so many facts were deleted.
pub(super) fn deleted(count: usize, keeps_out: bool, has_name: bool) -> Notice {
    match (count, keeps_out, has_name) {
        (1, false, _) => Notice::FactDeleted,
        (1, true, false) => Notice::FactKeptOut,
        (1, true, true) => Notice::NameKeptOut,
        (_, false, _) => Notice::FactsDeleted,
        (_, true, false) => Notice::FactsKeptOut,
        (_, true, true) => Notice::NamesKeptOut,
    }
}

/// The form behind "Undo".
pub(crate) async fn restore(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let deleted = ctx.field("deleted").await?;
    let memory = &ctx.core().memory;
    memory
        .restore_facts(user_id, ctx.session(), &deleted)
        .await?;
    Ok(Notice::FactsRestored.redirect_to(MEMORY))
}

/// The choice to keep so many facts out, of whose names these have one value.
pub(super) fn keep_out(count: usize, names: &[&str]) -> Phrase {
    match (count, names) {
        (1, []) => Phrase::new("memory-keep-out"),
        (1, [name, ..]) => Phrase::new("memory-keep-out-name").arg("name", *name),
        (_, []) => Phrase::new("memory-keep-out-several"),
        (_, names) => {
            let names: Vec<Phrase> = names.iter().copied().map(Phrase::named).collect();
            Phrase::new("memory-keep-out-several-names").arg("names", names)
        }
    }
}

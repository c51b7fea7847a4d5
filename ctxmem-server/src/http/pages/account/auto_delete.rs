//! Auto-delete: the user chooses for each kind after how long facts are deleted by themselves.

use std::collections::HashMap;

use askama::Template;
use ctxmem_types::Scope;
use serde::Deserialize;

use super::DATA;
use super::frame::AccountFrame;
use crate::core::{AutoDelete, Error};
use crate::http::engine::{HandlerContext, HandlerResult};
use crate::http::pages::choice::Choice;
use crate::http::pages::{Notice, scopes};
use crate::http::words::{Phrase, filters};

/// What may be chosen, in months.
const MONTHS: [u32; 3] = [3, 18, 36];

/// A kind of facts, and after how long its facts are deleted.
pub(super) struct KindChoice {
    /// The name of the field.
    pub(super) name: &'static str,
    pub(super) title: Phrase,
    pub(super) months: Vec<Choice>,
}

impl KindChoice {
    /// All kinds, as they were chosen.
    pub(super) fn all(chosen: &AutoDelete) -> [Self; 7] {
        Scope::ALL.map(|scope| {
            let now = chosen.months(scope);
            // Another length may come from a database that was imported.
            let other = now.filter(|months| !MONTHS.contains(months));
            let choice = |months: u32| {
                let title = Phrase::new("auto-delete-months").arg("months", months);
                Choice::new(months.to_string(), title, now == Some(months))
            };
            Self {
                name: scope.name(),
                title: scopes::title(scope),
                months: MONTHS.into_iter().chain(other).map(choice).collect(),
            }
        })
    }
}

#[derive(Template)]
#[template(path = "account/auto_delete.html")]
struct AskPage {
    frame: AccountFrame,
    /// How many facts are deleted at once.
    count: usize,
    /// The fields of the form, to be sent again.
    fields: Vec<(&'static str, u32)>,
}

#[derive(Deserialize)]
struct AutoDeleteForm {
    /// How many facts the user agreed to have deleted at once.
    confirm: Option<usize>,
    /// The months of each kind; an empty field where its facts stay.
    #[serde(flatten)]
    kinds: HashMap<String, String>,
}

impl AutoDeleteForm {
    /// What is chosen. A length that is in force may be another than those that are offered.
    fn chosen(&self, in_force: &AutoDelete) -> Result<AutoDelete, Error> {
        let mut chosen = AutoDelete::default();
        for scope in Scope::ALL {
            let field = self.kinds.get(scope.name()).map_or("", String::as_str);
            if field.is_empty() {
                continue;
            }
            let months = field.parse().ok();
            let months = months.filter(|months| {
                MONTHS.contains(months) || in_force.months(scope) == Some(*months)
            });
            let months = months.ok_or_else(|| {
                let name = scope.name();
                Error::BadRequest(format!("{name}: expected 3, 18 or 36 months, or nothing"))
            })?;
            chosen.set(scope, months);
        }
        Ok(chosen)
    }
}

/// The form behind "Save". Where facts are old enough already, it asks first.
pub(crate) async fn set(ctx: HandlerContext) -> HandlerResult {
    let user_id = ctx.user().await?;
    let core = ctx.core();
    let form: AutoDeleteForm = ctx.form().await?;
    let choices = core.grants.choices(&user_id).await?;
    let chosen = form.chosen(&choices.auto_delete)?;
    let count = core.memory.count_old_facts(&user_id, &chosen).await?;
    if count > 0 && form.confirm != Some(count) {
        let fields = Scope::ALL.into_iter();
        let page = AskPage {
            frame: AccountFrame::with(&user_id, &choices),
            count,
            fields: fields
                .filter_map(|scope| Some((scope.name(), chosen.months(scope)?)))
                .collect(),
        };
        return ctx.page(&page);
    }
    core.memory.set_auto_delete(&user_id, &chosen).await?;
    Ok(Notice::AutoDelete.redirect_to(DATA))
}

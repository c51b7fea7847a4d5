//! The facts about a user by scope, as the page shows them.

use ctxmem_types::Scope;

use crate::core::{Author, FactWithProvenance};
use crate::http::page_time::PageTime;
use crate::http::scopes;

/// Everything that is remembered about a user.
pub(super) struct MemoryView {
    /// The scopes with facts.
    pub(super) slices: Vec<SliceView>,
    /// The titles of the others.
    pub(super) empty: Vec<&'static str>,
    /// How many facts there are.
    pub(super) count: usize,
}

/// The facts of a scope.
pub(super) struct SliceView {
    pub(super) scope: &'static str,
    pub(super) title: &'static str,
    pub(super) meaning: &'static str,
    /// When the newest of these facts was first stored.
    pub(super) seen: i64,
    pub(super) facts: Vec<FactView>,
}

/// One fact.
pub(super) struct FactView {
    pub(super) scope: &'static str,
    pub(super) scope_title: &'static str,
    pub(super) slot: String,
    pub(super) seen: i64,
    pub(super) name: Option<String>,
    pub(super) value: String,
    pub(super) author: AuthorView,
    pub(super) first_stored: PageTime,
    /// When it was last confirmed, if ever.
    pub(super) confirmed: Option<PageTime>,
    /// The address of the form that corrects it.
    pub(super) edit: String,
}

/// Who wrote a fact.
pub(super) struct AuthorView {
    pub(super) name: String,
    pub(super) deleted: bool,
}

impl MemoryView {
    /// From facts in prompt order.
    pub(super) fn of(facts: Vec<FactWithProvenance>) -> Self {
        let count = facts.len();
        let mut views: Vec<(Scope, FactView)> = facts
            .into_iter()
            .map(|kept| (kept.fact.scope, FactView::new(kept)))
            .collect();
        let mut memory = Self {
            slices: Vec::new(),
            empty: Vec::new(),
            count,
        };
        for scope in Scope::ALL {
            let rest = views.split_off(views.partition_point(|(found, _)| *found <= scope));
            let facts: Vec<FactView> = std::mem::replace(&mut views, rest)
                .into_iter()
                .map(|(_, view)| view)
                .collect();
            match facts.iter().map(|fact| fact.seen).max() {
                Some(seen) => memory.slices.push(SliceView {
                    scope: scope.name(),
                    title: scopes::title(scope),
                    meaning: scopes::meaning(scope),
                    seen,
                    facts,
                }),
                None => memory.empty.push(scopes::title(scope)),
            }
        }
        memory
    }
}

impl FactView {
    pub(super) fn new(kept: FactWithProvenance) -> Self {
        let FactWithProvenance { fact, author } = kept;
        let first_stored_at = fact.first_stored_at;
        let page = "/account/facts/edit?".to_owned();
        let start = page.len();
        let edit = form_urlencoded::Serializer::for_suffix(page, start)
            .append_pair("scope", fact.scope.name())
            .append_pair("slot", &fact.slot)
            .finish();
        Self {
            scope: fact.scope.name(),
            scope_title: scopes::title(fact.scope),
            edit,
            slot: fact.slot,
            seen: first_stored_at,
            // Names are stored with underscores; people prefer spaces.
            name: fact.name.map(|name| name.replace('_', " ")),
            value: fact.value,
            author: AuthorView::new(author),
            first_stored: PageTime::new(first_stored_at),
            confirmed: (fact.confirmed_at > first_stored_at)
                .then(|| PageTime::new(fact.confirmed_at)),
        }
    }
}

impl AuthorView {
    fn new(author: Author) -> Self {
        match author {
            Author::User => Self {
                name: "you".to_owned(),
                deleted: false,
            },
            Author::Agent { name, deleted, .. } => Self { name, deleted },
        }
    }
}

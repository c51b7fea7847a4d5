//! The facts about a user, as pages show them.

use ctxmem_types::Scope;

use super::fact_view::{self, FactFilter, PAGE, Sort};
use super::facts::ScopeOption;
use crate::core::{Author, ExtractedBy, FactWithProvenance};
use crate::http::page_time::PageTime;
use crate::http::scopes;

/// A page of the facts about a user.
pub(super) struct MemoryView {
    /// The groups of facts on this page: kinds, or one for all.
    pub(super) slices: Vec<SliceView>,
    /// The titles of the kinds without facts.
    pub(super) empty: Vec<&'static str>,
    /// How many facts there are.
    pub(super) count: usize,
    /// How many of them are shown on this page and the others.
    pub(super) found: usize,
    /// Whether there are more than one page holds, or some are left out.
    pub(super) has_search: bool,
    pub(super) is_narrow: bool,
    /// What was searched for.
    pub(super) words: String,
    pub(super) kinds: Vec<ScopeOption>,
    pub(super) agents: Vec<ChoiceView>,
    pub(super) sorts: Vec<ChoiceView>,
    /// What brings forms back to this page; `None` on the overview.
    pub(super) view: Option<String>,
    pub(super) page: usize,
    pub(super) last_page: usize,
    /// The addresses of the first, previous, next and last page, where they are other pages.
    pub(super) pages: Vec<PageLink>,
    /// How many facts agents must not save again.
    pub(super) kept_out: usize,
    /// What is wrong with the form that deletes several.
    pub(super) problem: Option<&'static str>,
}

/// An option of a list to choose from.
pub(super) struct ChoiceView {
    pub(super) value: String,
    pub(super) title: String,
    pub(super) chosen: bool,
}

/// A link to another page of the list.
pub(super) struct PageLink {
    pub(super) address: String,
    pub(super) title: &'static str,
}

/// A group of facts.
pub(super) struct SliceView {
    /// The name of the kind; empty for a group of several.
    pub(super) scope: &'static str,
    pub(super) title: &'static str,
    pub(super) meaning: &'static str,
    /// When the newest fact of this kind was first stored.
    pub(super) seen: i64,
    /// How many facts of this kind there are, on this page and others.
    pub(super) count: usize,
    pub(super) facts: Vec<FactView>,
}

/// One fact.
pub(super) struct FactView {
    pub(super) id: String,
    /// The fact and which version of it the page shows.
    pub(super) version: String,
    pub(super) scope_title: &'static str,
    pub(super) name: Option<String>,
    /// Whether its name holds one value.
    pub(super) is_alone: bool,
    pub(super) value: String,
    pub(super) author: AuthorView,
    pub(super) first_stored: PageTime,
    /// When it was last confirmed, if ever.
    pub(super) confirmed: Option<PageTime>,
    /// Whether the user asked for it to be remembered.
    pub(super) requested: bool,
    pub(super) origin: Option<OriginView>,
}

/// Where a value came from.
pub(super) struct OriginView {
    /// What extracted it, as the end of a sentence.
    pub(super) by: &'static str,
    pub(super) request: String,
}

/// Who wrote a fact.
pub(super) struct AuthorView {
    pub(super) name: String,
    pub(super) is_you: bool,
    pub(super) deleted: bool,
}

impl MemoryView {
    /// The page that a filter asks for, from all facts in prompt order.
    pub(super) fn of(all: Vec<FactWithProvenance>, filter: &FactFilter, kept_out: usize) -> Self {
        let count = all.len();
        let wholes = Scope::ALL.map(|scope| Whole::of(&all, scope));
        let agents = authors(&all, &filter.agent);
        let found = filter.select(all);
        let last_page = fact_view::last_page(found.len());
        let page = filter.page.clamp(1, last_page);
        let number = found.len();
        let shown = found.into_iter().skip((page - 1) * PAGE).take(PAGE);
        let mut slices: Vec<SliceView> = Vec::new();
        for kept in shown {
            let scope = kept.fact.scope;
            let name = scope.name();
            let by_kind = filter.sort == Sort::Kind;
            if slices
                .last()
                .is_none_or(|last| by_kind && last.scope != name)
            {
                let whole = wholes.iter().find(|whole| by_kind && whole.scope == scope);
                slices.push(SliceView::new(whole));
            }
            if let Some(slice) = slices.last_mut() {
                slice.facts.push(FactView::new(kept));
            }
        }
        let link = |to: usize, title| PageLink {
            address: filter.address(to),
            title,
        };
        let mut pages = Vec::new();
        if page > 1 {
            pages.push(link(1, "First page"));
            pages.push(link(page - 1, "Previous page"));
        }
        if page < last_page {
            pages.push(link(page + 1, "Next page"));
            pages.push(link(last_page, "Last page"));
        }
        Self {
            slices,
            empty: wholes
                .iter()
                .filter(|whole| whole.count == 0)
                .map(|whole| scopes::title(whole.scope))
                .collect(),
            count,
            found: number,
            has_search: count > 10 || filter.is_narrow(),
            is_narrow: filter.is_narrow(),
            words: filter.words.clone(),
            kinds: ScopeOption::all(filter.kind),
            agents,
            sorts: Sort::ALL
                .map(|sort| ChoiceView {
                    value: sort.name().to_owned(),
                    title: sort.title().to_owned(),
                    chosen: sort == filter.sort,
                })
                .into(),
            view: Some(filter.query(page)),
            page,
            last_page,
            pages,
            kept_out,
            problem: None,
        }
    }
}

/// What is to be known of all facts of a kind.
struct Whole {
    scope: Scope,
    count: usize,
    newest: i64,
}

impl Whole {
    fn of(all: &[FactWithProvenance], scope: Scope) -> Self {
        let facts = || all.iter().filter(|kept| kept.fact.scope == scope);
        Self {
            scope,
            count: facts().count(),
            newest: facts()
                .map(|kept| kept.fact.first_stored_at)
                .max()
                .unwrap_or(0),
        }
    }
}

/// Who wrote facts, each once.
fn authors(all: &[FactWithProvenance], chosen: &str) -> Vec<ChoiceView> {
    let mut authors: Vec<ChoiceView> = Vec::new();
    for kept in all {
        let id = fact_view::author_id(&kept.author);
        if authors.iter().all(|author| author.value != id) {
            let author = AuthorView::new(&kept.author);
            authors.push(ChoiceView {
                value: id.to_owned(),
                title: author.name,
                chosen: id == chosen,
            });
        }
    }
    authors.sort_by(|one, two| one.title.cmp(&two.title));
    authors
}

impl SliceView {
    fn new(whole: Option<&Whole>) -> Self {
        Self {
            scope: whole.map_or("", |whole| whole.scope.name()),
            title: whole.map_or("Facts", |whole| scopes::title(whole.scope)),
            meaning: whole.map_or("", |whole| scopes::meaning(whole.scope)),
            seen: whole.map_or(0, |whole| whole.newest),
            count: whole.map_or(0, |whole| whole.count),
            facts: Vec::new(),
        }
    }
}

impl FactView {
    pub(super) fn new(kept: FactWithProvenance) -> Self {
        let FactWithProvenance { id, fact, author } = kept;
        let first_stored_at = fact.first_stored_at;
        Self {
            version: format!("{}.{first_stored_at}", id.as_str()),
            id: id.as_str().to_owned(),
            scope_title: scopes::title(fact.scope),
            is_alone: fact.name.as_ref() == Some(&fact.slot),
            // Names are stored with underscores; people prefer spaces.
            name: fact.name.map(|name| name.replace('_', " ")),
            value: fact.value,
            author: AuthorView::new(&author),
            first_stored: PageTime::new(first_stored_at),
            confirmed: (fact.confirmed_at > first_stored_at)
                .then(|| PageTime::new(fact.confirmed_at)),
            requested: fact.requested,
            origin: fact.origin.map(|origin| OriginView {
                by: match origin.by {
                    ExtractedBy::Rules => "by the built-in rules of this service",
                    ExtractedBy::Model => "by a language model that this service asked",
                },
                request: origin.request,
            }),
        }
    }
}

impl AuthorView {
    fn new(author: &Author) -> Self {
        match author {
            Author::User => Self {
                name: "you".to_owned(),
                is_you: true,
                deleted: false,
            },
            Author::Agent { name, deleted, .. } => Self {
                name: name.clone(),
                is_you: false,
                deleted: *deleted,
            },
        }
    }
}

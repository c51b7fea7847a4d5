//! The facts about a user, as pages show them.

use ctxmem_types::{Scope, ScopeSet};

use super::add_form::ScopeOption;
use super::fact_view::{self, FactFilter, PAGE, Sort};
use crate::core::{Author, ExtractedBy, FactWithProvenance, ScopeVersion, quotation};
use crate::http::pages::scopes;
use crate::http::words::{PageTime, Phrase};

/// A page of the facts about a user.
pub(super) struct MemoryView {
    /// The groups of facts on this page: kinds, or one for all.
    pub(super) slices: Vec<SliceView>,
    /// The titles of the kinds without facts.
    pub(super) empty: Vec<Phrase>,
    /// How many facts there are.
    pub(super) count: usize,
    /// How many of each kind.
    counts: [(Scope, usize); 7],
    /// How many of them are shown on this page and the others.
    pub(super) found: usize,
    /// Whether there are more than one page holds, or some are left out.
    pub(super) has_search: bool,
    /// Whether the filters beside the search are used.
    pub(super) is_filtered: bool,
    /// Which of them are shown.
    pub(super) filter: FactFilter,
    pub(super) kinds: Vec<ScopeOption>,
    pub(super) agents: Vec<AuthorChoice>,
    pub(super) sorts: Vec<ChoiceView>,
    /// What brings forms back to this page; `None` on the overview.
    pub(super) view: Option<String>,
    /// Which facts are found on all pages, for the form that deletes them all.
    pub(super) everything: String,
    /// The numbers of the first and the last fact on this page, where there are several pages.
    pub(super) range: Option<(usize, usize)>,
    /// The addresses of the first, previous, next and last page, where they are other pages.
    pub(super) pages: Vec<PageLink>,
    /// How many facts agents must not save again.
    pub(super) blocked_facts: usize,
    /// What is wrong with the form that deletes several.
    pub(super) problem: Option<Phrase>,
}

/// An option of a list to choose from.
pub(super) struct ChoiceView {
    pub(super) value: &'static str,
    pub(super) title: Phrase,
    pub(super) chosen: bool,
}

/// An author to choose from.
pub(super) struct AuthorChoice {
    pub(super) value: String,
    /// The agent's name.
    pub(super) title: String,
    pub(super) is_you: bool,
    pub(super) chosen: bool,
}

/// A link to another page of the list.
pub(super) struct PageLink {
    pub(super) address: String,
    pub(super) title: Phrase,
}

/// A group of facts.
pub(super) struct SliceView {
    /// The name of the kind; empty for a group of several.
    pub(super) scope: &'static str,
    pub(super) title: Phrase,
    /// None for a group of several.
    pub(super) meaning: Option<Phrase>,
    /// Which facts of this kind there are, for the form that deletes them all.
    pub(super) seen: String,
    /// How many facts of this kind there are, on this page and others.
    pub(super) count: usize,
    /// Whether it can be undone that they are all deleted.
    pub(super) can_undo: bool,
    pub(super) facts: Vec<FactView>,
}

/// One fact.
pub(super) struct FactView {
    pub(super) id: String,
    /// The fact and which version of it the page shows.
    pub(super) version: String,
    pub(super) scope_title: Phrase,
    pub(super) name: Option<String>,
    /// Whether its name has one value: then what keeps it out keeps out every value of its name.
    pub(super) is_alone: bool,
    pub(super) value: String,
    /// What it quotes of the user, and the day, if it is a quotation.
    pub(super) said: Option<(String, String)>,
    pub(super) author: AuthorView,
    pub(super) first_stored: PageTime,
    /// When it was last confirmed, if ever.
    pub(super) confirmed: Option<PageTime>,
    /// Whether the user asked for it to be remembered.
    requested: bool,
    pub(super) origin: Option<OriginView>,
}

/// Where a value came from.
pub(super) struct OriginView {
    by: ExtractedBy,
    pub(super) request: String,
}

/// Who wrote a fact.
pub(super) struct AuthorView {
    /// The agent's name; empty for the user.
    name: String,
    pub(super) is_you: bool,
    deleted: bool,
}

impl MemoryView {
    /// The page that a filter asks for, from all facts by scope and in the order of
    /// storing. All facts of some kinds can be deleted so that it can be undone.
    pub(super) fn of(
        all: Vec<FactWithProvenance>,
        filter: &FactFilter,
        blocked_facts: usize,
        can_undo: ScopeSet,
    ) -> Self {
        let count = all.len();
        let wholes = Scope::ALL.map(|scope| Whole::of(&all, scope, can_undo));
        let agents = authors(&all, &filter.agent);
        let found = filter.select(all);
        let last_page = fact_view::last_page(found.len());
        let page = filter.page.clamp(1, last_page);
        let number = found.len();
        let everything = ScopeVersion::of(found.iter()).to_text();
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
            title: Phrase::new(title),
        };
        let mut pages = Vec::new();
        if page > 1 {
            pages.push(link(1, "memory-first"));
            pages.push(link(page - 1, "memory-previous"));
        }
        if page < last_page {
            pages.push(link(page + 1, "memory-next"));
            pages.push(link(last_page, "memory-last"));
        }
        Self {
            slices,
            empty: wholes
                .iter()
                .filter(|whole| whole.count == 0)
                .map(|whole| scopes::title(whole.scope))
                .collect(),
            count,
            counts: wholes.each_ref().map(|whole| (whole.scope, whole.count)),
            found: number,
            has_search: count > 10 || filter.is_narrow(),
            is_filtered: filter.is_filtered() || filter.sort != Sort::default(),
            everything,
            filter: filter.clone(),
            kinds: ScopeOption::all(filter.kind),
            agents,
            sorts: Sort::ALL
                .map(|sort| ChoiceView {
                    value: sort.name(),
                    title: sort.title(),
                    chosen: sort == filter.sort,
                })
                .into(),
            view: Some(filter.query(page)),
            range: (last_page > 1).then(|| ((page - 1) * PAGE + 1, number.min(page * PAGE))),
            pages,
            blocked_facts,
            problem: None,
        }
    }

    /// The address of the page about a fact, which leads back to this one.
    pub(super) fn edit_address(&self, fact: &FactView) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("fact", &fact.id);
        if let Some(view) = &self.view {
            query.append_pair("view", view);
        }
        format!("/account/facts/edit?{}", query.finish())
    }

    /// How many facts of these kinds there are.
    pub(super) fn counted(&self, scopes: ScopeSet) -> usize {
        let counts = self.counts.iter();
        counts
            .filter(|(scope, _)| scopes.contains(*scope))
            .map(|(_, count)| count)
            .sum()
    }
}

/// What is to be known of all facts of a kind.
struct Whole {
    scope: Scope,
    count: usize,
    seen: ScopeVersion,
    /// Whether their deletion can be undone.
    can_undo: bool,
}

impl Whole {
    fn of(all: &[FactWithProvenance], scope: Scope, can_undo: ScopeSet) -> Self {
        let facts = || all.iter().filter(|kept| kept.fact.scope == scope);
        Self {
            can_undo: can_undo.contains(scope),
            scope,
            count: facts().count(),
            seen: ScopeVersion::of(facts()),
        }
    }
}

/// Who wrote facts, each once.
fn authors(all: &[FactWithProvenance], chosen: &str) -> Vec<AuthorChoice> {
    let mut authors: Vec<AuthorChoice> = Vec::new();
    for kept in all {
        let id = fact_view::author_id(&kept.author);
        if authors.iter().all(|author| author.value != id) {
            let author = AuthorView::new(&kept.author);
            authors.push(AuthorChoice {
                value: id.to_owned(),
                is_you: author.is_you,
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
            title: whole.map_or_else(
                || Phrase::new("memory-group"),
                |whole| scopes::title(whole.scope),
            ),
            meaning: whole.map(|whole| scopes::meaning(whole.scope)),
            seen: whole.map_or_else(String::new, |whole| whole.seen.to_text()),
            count: whole.map_or(0, |whole| whole.count),
            can_undo: whole.is_some_and(|whole| whole.can_undo),
            facts: Vec::new(),
        }
    }
}

impl FactView {
    pub(super) fn new(kept: FactWithProvenance) -> Self {
        let version = kept.version().to_text();
        let FactWithProvenance {
            id, fact, author, ..
        } = kept;
        let first_stored_at = fact.first_stored_at;
        let said = quotation(&fact.value).map(|(said, day)| (said.to_owned(), day.to_owned()));
        Self {
            version,
            said,
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
                by: origin.by,
                request: origin.request,
            }),
        }
    }

    /// Who saved it, and when.
    pub(super) fn source(&self) -> Phrase {
        let id = if self.author.deleted {
            "memory-from-deleted"
        } else {
            "memory-from"
        };
        let source = Phrase::new(id).arg("when", &self.first_stored);
        if self.author.is_you {
            source.arg("author", Phrase::new("memory-you"))
        } else {
            source.name("author", &self.author.name)
        }
    }

    /// In what it was found, if an agent saved it.
    pub(super) fn found(&self) -> Option<Phrase> {
        let by = self.origin.as_ref().map(|origin| origin.by);
        let id = match (by, self.requested) {
            (Some(ExtractedBy::BuiltIn), false) => "memory-found-by-rules",
            (Some(ExtractedBy::BuiltIn), true) => "memory-found-by-rules-asked",
            (Some(ExtractedBy::Model), false) => "memory-found-by-model",
            (Some(ExtractedBy::Model), true) => "memory-found-by-model-asked",
            (None, _) if self.author.is_you => return None,
            (None, false) => return Some(Phrase::new("memory-found-unknown")),
            (None, true) => return Some(Phrase::new("memory-found-unknown-asked")),
        };
        Some(Phrase::new(id).name("author", &self.author.name))
    }

    /// What there is to edit: of a quotation the words.
    pub(super) fn words(&self) -> &str {
        self.said.as_ref().map_or(&self.value, |(said, _)| said)
    }
}

impl AuthorView {
    fn new(author: &Author) -> Self {
        match author {
            Author::User => Self {
                name: String::new(),
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

//! The facts about a user, as pages show them.

use ctxmem_types::{Scope, ScopeSet};

use super::fact_view::{self, BY_YOU, FactFilter, PAGE, Sort};
use crate::core::{Author, ExtractedBy, FactWithProvenance, ScopeVersion, quotation};
use crate::http::pages::choice::{Choice, ScopeChoice};
use crate::http::pages::scopes;
use crate::http::words::{PageTime, Phrase};

/// A page of the facts about a user.
pub(super) struct MemoryView {
    /// The groups of facts on this page: kinds, or one for all.
    pub(super) slices: Vec<SliceView>,
    /// How many facts there are.
    pub(super) count: usize,
    wholes: [Whole; 7],
    /// How many of them are shown on this page and the others.
    pub(super) found: usize,
    /// Whether there are more than one page holds, or some are left out.
    pub(super) has_search: bool,
    /// Whether the filters beside the search are used.
    pub(super) is_filtered: bool,
    /// Which of them are shown.
    pub(super) filter: FactFilter,
    pub(super) kinds: Vec<ScopeChoice>,
    pub(super) agents: Vec<Choice>,
    pub(super) sorts: Vec<Choice>,
    /// What brings forms back to this page.
    pub(super) view: String,
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

pub(super) struct PageLink {
    pub(super) address: String,
    pub(super) title: Phrase,
}

/// A group of facts.
pub(super) struct SliceView {
    /// None for a group of several kinds.
    pub(super) kind: Option<Whole>,
    pub(super) facts: Vec<FactView>,
}

/// What is to be known of all facts of a kind, on this page and others.
#[derive(Clone)]
pub(super) struct Whole {
    scope: Scope,
    pub(super) count: usize,
    /// Which facts there are, for the form that deletes them all.
    pub(super) seen: String,
    /// Whether it can be undone that they are all deleted.
    pub(super) can_undo: bool,
}

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
    pub(super) author: Author,
    pub(super) first_stored_at: i64,
    /// When it was last confirmed, if ever.
    pub(super) confirmed_at: Option<i64>,
    /// Whether the user asked for it to be remembered.
    requested: bool,
    /// What extracted its value, and from which request.
    pub(super) origin: Option<(ExtractedBy, String)>,
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
        let agents = authors(&all, &filter.query.agent);
        let found = filter.select(all);
        let last_page = found.len().div_ceil(PAGE).max(1);
        let page = filter.query.page.clamp(1, last_page);
        let number = found.len();
        let everything = ScopeVersion::of(found.iter()).to_text();
        let shown = found.into_iter().skip((page - 1) * PAGE).take(PAGE);
        let shown: Vec<FactWithProvenance> = shown.collect();
        let by_kind = filter.query.sort == Sort::Kind;
        let slices = shown.chunk_by(|one, next| !by_kind || one.fact.scope == next.fact.scope);
        let slices = slices.map(|facts| {
            let scope = facts.first().map(|kept| kept.fact.scope);
            let mut wholes = wholes.iter().filter(|_| by_kind);
            SliceView {
                kind: wholes.find(|whole| Some(whole.scope) == scope).cloned(),
                facts: facts.iter().cloned().map(FactView::new).collect(),
            }
        });
        let slices = slices.collect();
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
            count,
            wholes,
            found: number,
            has_search: count > 10 || filter.is_narrow(),
            is_filtered: filter.is_filtered() || filter.query.sort != Sort::default(),
            everything,
            filter: filter.clone(),
            kinds: ScopeChoice::all(filter.query.kind),
            agents,
            sorts: Sort::ALL
                .map(|sort| Choice::new(sort.name(), sort.title(), sort == filter.query.sort))
                .into(),
            view: filter.query(page),
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
        query.append_pair("view", &self.view);
        format!("/account/facts/edit?{}", query.finish())
    }

    /// How many facts of these kinds there are.
    pub(super) fn counted(&self, scopes: ScopeSet) -> usize {
        let wholes = self.wholes.iter();
        let of_these = wholes.filter(|whole| scopes.contains(whole.scope));
        of_these.map(|whole| whole.count).sum()
    }

    /// The titles of the kinds without facts.
    pub(super) fn empty(&self) -> Vec<Phrase> {
        let empty = self.wholes.iter().filter(|whole| whole.count == 0);
        empty.map(Whole::title).collect()
    }
}

impl Whole {
    fn of(all: &[FactWithProvenance], scope: Scope, can_undo: ScopeSet) -> Self {
        let facts = || all.iter().filter(|kept| kept.fact.scope == scope);
        Self {
            can_undo: can_undo.contains(scope),
            scope,
            count: facts().count(),
            seen: ScopeVersion::of(facts()).to_text(),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        self.scope.name()
    }

    pub(super) fn title(&self) -> Phrase {
        scopes::title(self.scope)
    }

    pub(super) fn meaning(&self) -> Phrase {
        scopes::meaning(self.scope)
    }
}

impl SliceView {
    /// The name of the kind; empty for a group of several.
    pub(super) fn name(&self) -> &'static str {
        self.kind.as_ref().map_or("", Whole::name)
    }
}

/// Who wrote facts, each once.
fn authors(all: &[FactWithProvenance], chosen: &str) -> Vec<Choice> {
    let mut authors: Vec<(&str, &str)> = Vec::new();
    for kept in all {
        let id = fact_view::author_id(&kept.author);
        if authors.iter().all(|(_, author)| *author != id) {
            authors.push((author_name(&kept.author), id));
        }
    }
    authors.sort_by_key(|(name, _)| *name);
    let choices = authors.into_iter().map(|(name, id)| {
        let title = match id {
            BY_YOU => Phrase::new("memory-you"),
            _ => Phrase::verbatim(name),
        };
        Choice::new(id, title, id == chosen)
    });
    choices.collect()
}

/// The agent's name; empty for the user.
fn author_name(author: &Author) -> &str {
    match author {
        Author::User => "",
        Author::Agent { name, .. } => name,
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
            author,
            first_stored_at,
            confirmed_at: Some(fact.confirmed_at).filter(|at| *at > first_stored_at),
            requested: fact.requested,
            origin: fact.origin.map(|origin| (origin.by, origin.request)),
        }
    }

    pub(super) fn is_yours(&self) -> bool {
        self.author == Author::User
    }

    /// Who saved it, and when.
    pub(super) fn source(&self) -> Phrase {
        let when = PageTime::new(self.first_stored_at);
        match &self.author {
            Author::User => {
                let source = Phrase::new("memory-from").arg("when", when);
                source.arg("author", Phrase::new("memory-you"))
            }
            Author::Agent { name, deleted, .. } => Phrase::new(if *deleted {
                "memory-from-deleted"
            } else {
                "memory-from"
            })
            .arg("when", when)
            .name("author", name),
        }
    }

    /// In what it was found, if an agent saved it.
    pub(super) fn found(&self) -> Option<Phrase> {
        let by = self.origin.as_ref().map(|(by, _)| *by);
        let id = match (by, self.requested) {
            (Some(ExtractedBy::BuiltIn), false) => "memory-found-by-rules",
            (Some(ExtractedBy::BuiltIn), true) => "memory-found-by-rules-asked",
            (Some(ExtractedBy::Model), false) => "memory-found-by-model",
            (Some(ExtractedBy::Model), true) => "memory-found-by-model-asked",
            (None, _) if self.is_yours() => return None,
            (None, false) => return Some(Phrase::new("memory-found-unknown")),
            (None, true) => return Some(Phrase::new("memory-found-unknown-asked")),
        };
        Some(Phrase::new(id).name("author", author_name(&self.author)))
    }

    /// What there is to edit: of a quotation the words.
    pub(super) fn words(&self) -> &str {
        self.said.as_ref().map_or(&self.value, |(said, _)| said)
    }
}

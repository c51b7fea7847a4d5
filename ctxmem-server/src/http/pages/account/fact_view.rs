//! The view of the list of facts: search terms, filters, order and page. All of it stands in the address, the search
//! terms only as they were sealed for the session.

use std::cmp::Reverse;

use ctxmem_types::Scope;
use serde::Deserialize;

use super::day::Zone;
use crate::core::{Author, Core, Error, FactWithProvenance, searchable};
use crate::http::engine::form;
use crate::http::words::Phrase;

/// How many facts a page shows.
pub(super) const PAGE: usize = 50;

/// What stands for the user among the authors.
pub(super) const BY_YOU: &str = "you";

/// The fields of the address.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ViewQuery {
    /// What is searched for, in the form that searches.
    pub(super) words: String,
    /// The same in addresses, sealed for the session.
    find: String,
    kind: String,
    agent: String,
    /// The first and the last day, and in which time zone.
    from: String,
    to: String,
    zone: String,
    sort: String,
    page: String,
}

/// In what order facts are shown.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Sort {
    /// By kind, as in a prompt.
    #[default]
    Kind,
    /// Those that were saved last first.
    Newest,
    /// Those that were saved first first.
    Oldest,
}

impl Sort {
    pub(super) const ALL: [Self; 3] = [Self::Kind, Self::Newest, Self::Oldest];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Newest => "newest",
            Self::Oldest => "oldest",
        }
    }

    pub(super) fn title(self) -> Phrase {
        Phrase::new(match self {
            Self::Kind => "memory-by-kind",
            Self::Newest => "memory-newest",
            Self::Oldest => "memory-oldest",
        })
    }
}

/// Which facts a page shows.
#[derive(Clone, Default)]
pub(super) struct FactFilter {
    /// What was searched for, as the user wrote it.
    pub(super) words: String,
    /// The same, sealed for the session.
    sealed: String,
    pub(super) kind: Option<Scope>,
    /// The author: an agent's id, or [`BY_YOU`]; empty for any.
    pub(super) agent: String,
    /// The first and the last day on which they were saved; empty for any.
    pub(super) from: String,
    pub(super) to: String,
    zone: String,
    /// From which instant on, and up to which.
    between: Option<(i64, i64)>,
    pub(super) sort: Sort,
    /// From 1 on.
    pub(super) page: usize,
}

impl FactFilter {
    /// All facts, those that were saved last first.
    pub(super) fn newest() -> Self {
        Self {
            sort: Sort::Newest,
            ..Self::default()
        }
    }

    /// Reads the fields of an address. Words that were sealed for another session are left out.
    pub(super) fn of(core: &Core, session: &str, query: ViewQuery) -> Result<Self, Error> {
        let kind = Some(&*query.kind).filter(|kind| !kind.is_empty());
        let kind = kind.map(|kind| {
            Scope::from_name(kind).ok_or_else(|| wrong("kind", "expected one of the seven scopes"))
        });
        let sort = match &*query.sort {
            "" => Sort::default(),
            name => Sort::ALL
                .into_iter()
                .find(|sort| sort.name() == name)
                .ok_or_else(|| wrong("sort", "expected kind, newest or oldest"))?,
        };
        let page = match &*query.page {
            "" => 1,
            page => page
                .parse()
                .ok()
                .filter(|page| *page > 0)
                .ok_or_else(|| wrong("page", "expected a number from 1 on"))?,
        };
        let words = match &*query.find {
            "" => String::new(),
            sealed => core.sign_in.open_words(session, sealed).unwrap_or_default(),
        };
        let zone = Zone::of(&query.zone)?;
        Ok(Self {
            sealed: if words.is_empty() {
                String::new()
            } else {
                query.find
            },
            words,
            kind: kind.transpose()?,
            agent: query.agent,
            between: zone.period(&query.from, &query.to)?,
            from: query.from,
            to: query.to,
            zone: query.zone,
            sort,
            page,
        })
    }

    /// Reads what [`FactFilter::query`] wrote into a form.
    pub(super) fn of_field(core: &Core, session: &str, field: &str) -> Result<Self, Error> {
        Self::of(core, session, form::parse(field.as_bytes())?)
    }

    /// Whether some facts are left out.
    pub(super) fn is_narrow(&self) -> bool {
        !self.words.is_empty() || self.is_filtered()
    }

    /// Whether some are left out for another reason than what was searched for.
    pub(super) fn is_filtered(&self) -> bool {
        self.kind.is_some()
            || [&self.agent, &self.from, &self.to]
                .iter()
                .any(|field| !field.is_empty())
    }

    /// The same for other words, which are sealed already.
    pub(super) fn with_words(self, words: String, sealed: String) -> Self {
        Self {
            words,
            sealed,
            ..self
        }
    }

    /// As the query of an address, with this page.
    pub(super) fn query(&self, page: usize) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let kind = self.kind.map_or("", Scope::name);
        let sort = Some(self.sort.name()).filter(|_| self.sort != Sort::default());
        // It says nothing without a day.
        let has_day = !self.from.is_empty() || !self.to.is_empty();
        let zone = Some(&*self.zone).filter(|_| has_day);
        let page = Some(page.to_string()).filter(|_| page > 1);
        for (name, value) in [
            ("find", &*self.sealed),
            ("kind", kind),
            ("agent", &self.agent),
            ("from", &self.from),
            ("to", &self.to),
            ("zone", zone.unwrap_or_default()),
            ("sort", sort.unwrap_or_default()),
            ("page", page.as_deref().unwrap_or_default()),
        ] {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        query.finish()
    }

    /// The address of the list with this page.
    pub(super) fn address(&self, page: usize) -> String {
        let query = self.query(page);
        let mark = if query.is_empty() { "" } else { "?" };
        format!("/account/facts{mark}{query}")
    }

    /// The facts that it is about, in its order. They come in the order of storing.
    pub(super) fn select(&self, facts: Vec<FactWithProvenance>) -> Vec<FactWithProvenance> {
        let words = searchable(&self.words);
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut found: Vec<FactWithProvenance> = facts
            .into_iter()
            .filter(|kept| self.kind.is_none_or(|kind| kept.fact.scope == kind))
            .filter(|kept| self.agent.is_empty() || author_id(&kept.author) == self.agent)
            .filter(|kept| self.is_of_these_days(kept.fact.first_stored_at))
            .filter(|kept| has_words(kept, &words))
            .collect();
        match self.sort {
            Sort::Kind => {}
            Sort::Newest => found.sort_by_key(|kept| Reverse(saved(kept))),
            Sort::Oldest => found.sort_by_key(saved),
        }
        found
    }

    fn is_of_these_days(&self, at: i64) -> bool {
        self.between
            .is_none_or(|(from, to)| (from..to).contains(&at))
    }
}

/// The id of an author, as a filter has it.
pub(super) fn author_id(author: &Author) -> &str {
    match author {
        Author::User => BY_YOU,
        Author::Agent { id, .. } => id,
    }
}

/// The last page, where there are so many facts.
pub(super) fn last_page(count: usize) -> usize {
    count.div_ceil(PAGE).max(1)
}

fn saved(kept: &FactWithProvenance) -> (i64, i64) {
    (kept.fact.first_stored_at, kept.fact.position)
}

fn has_words(kept: &FactWithProvenance, words: &[&str]) -> bool {
    if words.is_empty() {
        return true;
    }
    let name = kept.fact.name.as_deref().unwrap_or_default();
    let text = searchable(&format!("{name} {}", kept.fact.value));
    words
        .iter()
        .all(|word| text.contains(word) || text.split(' ').any(|other| is_akin(word, other)))
}

/// How many letters words that are akin have in common at least.
const AKIN: usize = 6;

/// Whether two words differ by their endings only, as "allergic" and "allergy" do.
fn is_akin(one: &str, other: &str) -> bool {
    let common = one.chars().zip(other.chars());
    let common = common.take_while(|(one, other)| one == other).count();
    let shorter = one.chars().count().min(other.chars().count());
    common >= AKIN && common + 2 >= shorter
}

fn wrong(field: &str, problem: &str) -> Error {
    Error::BadRequest(format!("{field}: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_by_their_endings_are_akin() {
        for (one, other) in [
            ("allergic", "allergy"),
            ("photographer", "photography"),
            ("photographs", "photography"),
        ] {
            assert!(is_akin(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("plan", "plant"),
            ("planning", "plants"),
            ("nut", "knuth"),
            ("internet", "interview"),
            ("austria", "australia"),
        ] {
            assert!(!is_akin(one, other), "{one} {other}");
        }
    }
}

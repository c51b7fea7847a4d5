//! The view of the list of facts: search terms, filters, order and page. All of it stands in the address, the search
//! terms only as they were sealed for the session.

use std::cmp::Reverse;

use ctxmem_types::Scope;
use serde::{Deserialize, Deserializer};

use super::day::Zone;
use crate::core::{Author, Core, Error, FactWithProvenance, searchable};
use crate::http::engine::form;
use crate::http::words::Phrase;

/// How many facts a page shows.
pub(super) const PAGE: usize = 50;

/// What stands for the user among the authors.
pub(super) const BY_YOU: &str = "you";

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ViewQuery {
    /// What is searched for, in the form that searches.
    pub(super) words: String,
    /// The same in addresses, sealed for the session.
    pub(super) find: String,
    #[serde(deserialize_with = "form::scope_or_none")]
    pub(super) kind: Option<Scope>,
    /// The author: an agent's id, or [`BY_YOU`]; empty for any.
    pub(super) agent: String,
    /// The first and the last day on which they were saved, empty for any, and in which time zone.
    pub(super) from: String,
    pub(super) to: String,
    zone: String,
    #[serde(deserialize_with = "sort")]
    pub(super) sort: Sort,
    /// From 1 on; 0 where the address names none.
    #[serde(deserialize_with = "page")]
    pub(super) page: usize,
}

fn sort<'de, D: Deserializer<'de>>(field: D) -> Result<Sort, D::Error> {
    let read = |name: &str| Sort::ALL.into_iter().find(|sort| sort.name() == name);
    let sort = form::or_none(field, read, "expected kind, newest or oldest")?;
    Ok(sort.unwrap_or_default())
}

fn page<'de, D: Deserializer<'de>>(field: D) -> Result<usize, D::Error> {
    let read = |page: &str| page.parse().ok().filter(|page| *page > 0);
    let page = form::or_none(field, read, "expected a number from 1 on")?;
    Ok(page.unwrap_or(1))
}

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
    /// The fields of the address. It holds no words but sealed ones.
    pub(super) query: ViewQuery,
    /// From which instant on, and up to which.
    between: Option<(i64, i64)>,
}

impl FactFilter {
    /// All facts, those that were saved last first.
    pub(super) fn newest() -> Self {
        let mut newest = Self::default();
        newest.query.sort = Sort::Newest;
        newest
    }

    /// Reads the fields of an address. Words that were sealed for another session are left out.
    pub(super) fn of(core: &Core, session: &str, mut query: ViewQuery) -> Result<Self, Error> {
        let words = match &*query.find {
            "" => String::new(),
            sealed => core.sign_in.open_words(session, sealed).unwrap_or_default(),
        };
        if words.is_empty() {
            query.find.clear();
        }
        query.words.clear();
        let zone = Zone::of(&query.zone)?;
        Ok(Self {
            words,
            between: zone.period(&query.from, &query.to)?,
            query,
        })
    }

    /// Whether some facts are left out.
    pub(super) fn is_narrow(&self) -> bool {
        !self.words.is_empty() || self.is_filtered()
    }

    /// Whether some are left out for another reason than what was searched for.
    pub(super) fn is_filtered(&self) -> bool {
        let query = &self.query;
        let mut fields = [&query.agent, &query.from, &query.to].into_iter();
        query.kind.is_some() || fields.any(|field| !field.is_empty())
    }

    /// As the query of an address, with this page.
    pub(super) fn query(&self, page: usize) -> String {
        let asked = &self.query;
        let sort = Some(asked.sort.name()).filter(|_| asked.sort != Sort::default());
        // It says nothing without a day.
        let has_day = !asked.from.is_empty() || !asked.to.is_empty();
        let zone = Some(&*asked.zone).filter(|_| has_day);
        let page = Some(page.to_string()).filter(|_| page > 1);
        form::query(&[
            ("find", &*asked.find),
            ("kind", asked.kind.map_or("", Scope::name)),
            ("agent", &asked.agent),
            ("from", &asked.from),
            ("to", &asked.to),
            ("zone", zone.unwrap_or_default()),
            ("sort", sort.unwrap_or_default()),
            ("page", page.as_deref().unwrap_or_default()),
        ])
    }

    /// The address of the list with this page.
    pub(super) fn address(&self, page: usize) -> String {
        form::address("/account/facts", &self.query(page))
    }

    /// The facts that it is about, in its order. They come in the order of storing.
    pub(super) fn select(&self, facts: Vec<FactWithProvenance>) -> Vec<FactWithProvenance> {
        let (query, days) = (&self.query, self.between);
        let words = searchable(&self.words);
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut found: Vec<FactWithProvenance> = facts
            .into_iter()
            .filter(|kept| query.kind.is_none_or(|kind| kept.fact.scope == kind))
            .filter(|kept| query.agent.is_empty() || author_id(&kept.author) == query.agent)
            .filter(|kept| days.is_none_or(|(from, to)| (from..to).contains(&saved(kept).0)))
            .filter(|kept| has_words(kept, &words))
            .collect();
        match query.sort {
            Sort::Kind => {}
            Sort::Newest => found.sort_by_key(|kept| Reverse(saved(kept))),
            Sort::Oldest => found.sort_by_key(saved),
        }
        found
    }
}

/// The id of an author, as a filter has it.
pub(super) fn author_id(author: &Author) -> &str {
    match author {
        Author::User => BY_YOU,
        Author::Agent { id, .. } => id,
    }
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

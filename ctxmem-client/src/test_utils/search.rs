//! Finds facts by words, as the service does, but for endings and weights of words. Pure.

use ctxmem_types::FactRecord;

use super::ServiceError;
use crate::Error;

/// The facts that have words of the query in their name or value: those with most of them first,
/// otherwise in their order.
pub(super) fn search(
    facts: Vec<FactRecord>,
    query: &str,
    limit: Option<u32>,
) -> Result<Vec<FactRecord>, Error> {
    if !(1..=1_000).contains(&query.trim().chars().count()) {
        return Err(bad_request("query: expected 1 to 1000 characters"));
    }
    let limit = limit.unwrap_or(10);
    if !(1..=100).contains(&limit) {
        return Err(bad_request("limit: expected a number from 1 to 100"));
    }
    let asked = words(query);
    let mut found: Vec<(usize, FactRecord)> = facts
        .into_iter()
        .map(|fact| {
            let name = fact.name.as_deref().unwrap_or_default();
            let own = words(&format!("{name} {}", fact.value));
            let shared = asked.iter().filter(|word| own.contains(word)).count();
            (shared, fact)
        })
        .filter(|(shared, _)| *shared > 0)
        .collect();
    found.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(found
        .into_iter()
        .map(|(_, fact)| fact)
        .take(limit)
        .collect())
}

/// Short words say nothing of what a text is about.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3)
        .map(str::to_lowercase)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn bad_request(why: &str) -> Error {
    ServiceError::BadRequest.with_message(why).into()
}

//! Slots: what has a name of its own (the user's name, where they live, allergies, tools) and is filled by
//! patterns, `data/slots.txt`. Everything else that people say of themselves is a statement.

mod allergies;
mod lists;
mod names;
mod several;
mod tools;

use std::ops::Range;

use ctxmem_types::Scope;

pub use several::{ALLERGY, holds_several};

use crate::Candidate;
use crate::requests::may_open;
use crate::taking_back::tells_of_move;
use crate::text::Sentence;
use crate::text::words::{Word, Words};
use lists::listed_at;
pub(crate) use lists::{Found, found_in};

/// The tool that is named from a word on: of how many words, and all its names as [`Words::folded`] has them.
pub(crate) fn tool_named_at(words: &Words<'_>, at: usize) -> Option<(usize, Vec<&'static str>)> {
    tools::named_at(words, at)
}

/// Whether a known person, place or tool is named from a word on.
pub(crate) fn is_known_name(words: &Words<'_>, at: usize) -> bool {
    lists::is_in("first names", words.low(at))
        || listed_at(words, at, "places").is_some()
        || tools::named_at(words, at).is_some()
}

/// How likely a sentence has to say something durable for its slots to count. What harms if it is forgotten, and
/// what nothing else is called, counts sooner.
const LIKELY: f32 = 0.06;
const LIKELY_PLAIN: f32 = 0.0005;

/// What says where people work, and so most likely where they live.
const WORKPLACE: &str = "workplace";

/// What a sentence fills, and which of its words that takes.
#[derive(Default)]
pub(crate) struct Filled {
    pub(crate) facts: Vec<Candidate>,
    pub(crate) words: Vec<Range<usize>>,
    /// Whether it says who somebody is in a play.
    pub(crate) is_part: bool,
}

/// The slots that a sentence fills. Who somebody is counts only with `identity`: in a play it is a part. What people
/// ask to remember (`is_asked`) counts however unlikely it is to be durable. Where they work is taken for where they live
/// if neither the message so far (`has_home`) nor the store says that.
pub(crate) fn fill(
    sentence: &Sentence<'_>,
    identity: bool,
    is_asked: bool,
    has_home: bool,
) -> Filled {
    let mut filled = Filled::default();
    let words = &sentence.words;
    for found in sentence.slots() {
        let is_move = found.slot == "location" && tells_of_move(words);
        let likely = if is_move || matches!(found.slot, "allergy" | "name" | "known name" | "style")
        {
            LIKELY_PLAIN
        } else {
            LIKELY
        };
        let is_identity = matches!(
            found.slot,
            "name" | "known name" | "location" | "known place" | WORKPLACE | "near" | "zone"
        );
        let is_workplace = found.slot == WORKPLACE;
        filled.is_part |= is_identity && !identity;
        if (sentence.judgement.durable < likely && !is_asked)
            || filled.is_part
            || (found.slot == "known place" && is_for_now(found, words))
            || (is_workplace
                && (has_home
                    || filled.facts.iter().any(Candidate::is_home)
                    || is_passing(found, words)))
        {
            continue;
        }
        let before = filled.facts.len();
        let end = take(found, words, &mut filled.facts);
        if filled.facts.len() > before {
            // A sentence about a workplace also says what somebody does there.
            let start = if is_workplace {
                found.taken.start
            } else {
                found.start
            };
            filled.words.push(start..end);
        }
    }
    filled
}

/// Whether somebody is at a place only for now, or merely speaks of it.
fn is_passing(found: &Found, words: &Words<'_>) -> bool {
    (found.start..found.taken.start).any(|n| lists::is_in("no workplace", words.low(n)))
}

/// Whether somebody is at a place for some days: "this week I'm in Paris". "Here in Paris" they are at home.
fn is_for_now(found: &Found, words: &Words<'_>) -> bool {
    let is_of_clause = |n: &usize| {
        words.each.get(*n).is_some_and(|word| !word.is_mark())
            && !matches!(words.low(*n), "so" | "but" | "because" | "when" | "and")
    };
    let behind = (found.taken.start..found.taken.start + 7).take_while(is_of_clause);
    let mut near = behind.chain(found.start.saturating_sub(2)..found.start);
    words.low(found.start) != "here" && near.any(|n| lists::is_in("for now", words.low(n)))
}

/// Whether somebody says that they have no allergy: "I'm not allergic to nuts".
fn is_denied(found: &Found, words: &Words<'_>) -> bool {
    (found.start..found.taken.start).any(|n| {
        let is_opposite = n > 0 && words.low(n - 1) == "vertrage";
        lists::is_in("denied", words.low(n)) && !is_opposite
    })
}

/// Whether a condition is that of others: "I have diabetes in my family".
fn is_of_family(words: &Words<'_>, behind: usize) -> bool {
    words.low(behind) == "in" && words.low(behind + 2) == "family"
}

/// Adds the facts of what was found, and answers behind which word they end.
fn take(found: &Found, words: &Words<'_>, facts: &mut Vec<Candidate>) -> usize {
    let taken = found.taken.clone();
    let mut set = |scope, name: &str, value: String, end| {
        let fact = Candidate {
            tentative: found.slot == WORKPLACE,
            ..Candidate::slot(scope, name, value)
        };
        if !facts.contains(&fact) {
            facts.push(fact);
        }
        end
    };
    let nothing = taken.start;
    match found.slot {
        "name" => names::person(words, &taken).map_or(nothing, |name| {
            set(
                Scope::General,
                "name",
                names::written(words, &name),
                name.end,
            )
        }),
        "known name" => names::known_person(words, &taken).map_or(nothing, |name| {
            set(
                Scope::General,
                "name",
                words.text(name.clone()).to_owned(),
                name.end,
            )
        }),
        slot @ ("location" | "known place" | WORKPLACE | "near") => {
            let place = match slot {
                "known place" | WORKPLACE => names::known_place(words, &taken),
                _ => names::place(words, &taken),
            };
            place.map_or(nothing, |place| {
                let near = if slot == "near" { "Near " } else { "" };
                let value = near.to_owned() + &names::written(words, &place);
                set(Scope::General, "location", value, place.end)
            })
        }
        "zone" => names::zone(words, &taken).map_or(nothing, |(zone, end)| {
            set(Scope::General, "timezone", zone, end)
        }),
        "diet" => known(words, &taken, "diets", "behind diets").map_or(nothing, |diet| {
            let value = names::capitalised(words.text(diet.clone()));
            set(Scope::Preferences, "diet", value, diet.end)
        }),
        "health" => {
            let (mut at, mut end) = (taken.start, nothing);
            while let Some(condition) = known(words, &(at..taken.end), "conditions", "")
                && !is_of_family(words, condition.end)
            {
                let value = names::capitalised(words.text(condition.clone()));
                end = set(Scope::Preferences, "health", value, condition.end);
                at = end + 1;
                if !allergies::is_between(words, end) {
                    break;
                }
            }
            end
        }
        "allergy" if is_denied(found, words) => nothing,
        "allergy" => allergies::take(words, &taken, facts),
        "tools" => match tools::take(words, &taken, facts) {
            end if end > nothing => behind_role(words, end),
            end => end,
        },
        "style" => style(found, words, facts),
        "units" => match words.low(taken.start) {
            system @ ("metric" | "imperial") => {
                let value = names::capitalised(system) + " units";
                set(Scope::Preferences, "units", value, taken.start + 1)
            }
            _ => nothing,
        },
        _ => nothing,
    }
}

/// Behind "as my main editor", which says nothing more than the slot does.
fn behind_role(words: &Words<'_>, end: usize) -> usize {
    let is_role = matches!(words.low(end), "as" | "for" | "als" | "comme" | "como");
    let own = matches!(
        words.low(end + 1),
        "my" | "our" | "the" | "a" | "an" | "mein" | "meinen" | "mon" | "mi"
    );
    if !is_role || !own {
        return end;
    }
    let last = (end + 2..(end + 5).min(words.each.len()))
        .find(|n| words.each.get(*n).is_some_and(Word::is_mark) || words.low(*n) == "and");
    last.unwrap_or((end + 5).min(words.each.len()))
}

/// How somebody wants to be answered, as they say it: the clause, unless it is about one answer.
fn style(found: &Found, words: &Words<'_>, facts: &mut Vec<Candidate>) -> usize {
    let end = (found.taken.start..words.each.len())
        .find(|n| words.each.get(*n).is_some_and(Word::is_mark));
    let end = end.unwrap_or(words.each.len());
    let for_once = (found.start + 2..end).any(|n| lists::is_in("for once", words.low(n)));
    if for_once || words.sentence.ends_with('?') || !may_open(words, found.start) {
        return found.taken.start;
    }
    facts.push(Candidate::item(
        Scope::CommunicationStyle,
        names::capitalised(words.text(found.start..end)),
    ));
    end
}

/// The phrase of a list with which what was taken begins, if nothing makes it something else: where
/// there is a list of what may follow, only that does, or a mark.
fn known(
    words: &Words<'_>,
    taken: &Range<usize>,
    list: &'static str,
    behind: &'static str,
) -> Option<Range<usize>> {
    let end = listed_at(words, taken.start, list)?;
    let next = words.each.get(end);
    let fits =
        behind.is_empty() || next.is_none_or(Word::is_mark) || lists::is_in(behind, words.low(end));
    fits.then_some(taken.start..end)
}

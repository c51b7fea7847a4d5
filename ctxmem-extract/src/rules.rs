//! Extraction without a model: slots by patterns, statements by the classifier, and what people ask for
//! literally.

use chrono::NaiveDate;
use ctxmem_types::Scope;

use crate::orders::{addresses_memory, gives_orders};
use crate::requests::{Request, is_in, requests};
use crate::slots::{Filled, fill};
use crate::statements::classifier::judge;
use crate::statements::features::Context;
use crate::statements::{KEPT, noted, requested, statement};
use crate::taking_back::take_back;
use crate::text::words::Words;
use crate::text::{QUOTE, Reading, Sentence};
use crate::{Candidate, Interaction, Op};

/// Most facts of one message.
const MAX_FACTS: usize = 64;

/// How many words a sentence may have besides those that fill slots, if it is to say nothing more.
const LITTLE_MORE: usize = 2;

/// How likely what is to be remembered has to be durable for its kind to be told.
const KNOWN_KIND: f32 = 0.2;

/// The facts of one message.
pub fn extract(reading: &Reading<'_>, interaction: &Interaction<'_>) -> Vec<Candidate> {
    let mut asked = requests(reading);
    let is_ordered = addresses_memory(reading.prose.part);
    if is_ordered {
        asked.clear();
    }
    let identity = !gives_a_role_with_a_name(reading);
    let mut facts: Vec<Candidate> = Vec::new();
    for sentence in &reading.sentences {
        if facts.len() >= MAX_FACTS {
            break;
        }
        if gives_orders(sentence.text()) {
            continue;
        }
        if take_back(sentence, &mut facts) {
            continue;
        }
        // Who gives orders to the memory in one sentence may do so in the next.
        if is_ordered
            && !sentence.words.folded.contains(" i ")
            && !sentence.words.folded.contains(" my ")
        {
            continue;
        }
        let of = asked.iter().position(|request| {
            request
                .content
                .contains(sentence.text().trim_end_matches('.'))
                || sentence.text().contains(&request.content)
        });
        let mut filled = fill(sentence, identity, of.is_some());
        let says_more = says_more(&sentence.words, &filled);
        if let Some(of) = of {
            filled
                .facts
                .iter_mut()
                .for_each(|fact| fact.requested = true);
            if !says_more && filled.facts.iter().any(|fact| fact.op == Op::Set) {
                asked.remove(of);
            }
        } else if says_more && !is_ordered && !filled.is_part && is_kept(sentence) {
            filled.facts.push(statement(
                &sentence.words,
                sentence.judgement,
                interaction.today,
            ));
        }
        for fact in filled.facts {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }
    facts.extend(
        asked
            .iter()
            .map(|request| as_request(request, interaction.today)),
    );
    facts
}

/// What somebody else wrote down about the user, as it is: no words of the user's, so it has no quotation marks.
pub fn written_down(text: &str) -> Candidate {
    noted(text, scope_of(text))
}

/// The scope of what is to be remembered, whatever it says.
fn scope_of(content: &str) -> Scope {
    let judgement = judge(&Context {
        sentence: content,
        before: None,
        behind: None,
        of: 1,
    });
    match judgement.scope {
        _ if judgement.durable < KNOWN_KIND => Scope::History,
        Scope::General => Scope::History,
        scope => scope,
    }
}

fn as_request(request: &Request, today: NaiveDate) -> Candidate {
    let scope = if request.is_standing {
        Scope::CommunicationStyle
    } else {
        scope_of(&request.content)
    };
    requested(&request.content, scope, today)
}

/// Whether a sentence is kept as a statement.
fn is_kept(sentence: &Sentence<'_>) -> bool {
    let text = sentence.text();
    let is_long_enough = sentence
        .words
        .words
        .iter()
        .filter(|word| !word.is_mark())
        .count()
        >= 3;
    sentence.judgement.durable >= KEPT
        && is_long_enough
        && !text.starts_with(QUOTE)
        && !is_supposed(&sentence.words)
        && !names_a_login(&sentence.words)
}

/// "Imagine my wife is a spy", "what if I quit tomorrow".
fn is_supposed(words: &Words<'_>) -> bool {
    is_in("supposing", words.low(0)) || (words.low(0) == "what" && words.low(1) == "if")
}

/// Whether a sentence names something to sign in with, and something that might be it: no statement of a
/// person is worth the risk.
fn names_a_login(words: &Words<'_>) -> bool {
    let names = words.folded.contains(" log in ")
        || words.folded.split(' ').any(|word| is_in("logins", word));
    names && words.folded.bytes().any(|c| c.is_ascii_digit())
}

/// Whether a sentence says more than what its slots hold.
fn says_more(words: &Words<'_>, filled: &Filled) -> bool {
    let is_filled = |n: usize| filled.words.iter().any(|range| range.contains(&n));
    let more =
        words.each.iter().enumerate().filter(|(n, word)| {
            !word.is_mark() && !is_filled(*n) && !is_in("openers", words.low(*n))
        });
    more.count() > LITTLE_MORE
}

/// "You are Max": what the assistant is called then is no name of the user's.
fn gives_a_role_with_a_name(reading: &Reading<'_>) -> bool {
    reading.sentences.iter().take(2).any(|sentence| {
        let words = &sentence.words;
        let at = (0..words.each.len()).find(|n| {
            matches!(
                (words.low(*n), words.low(n + 1)),
                ("you", "are") | ("act", "as") | ("pretend", "to")
            )
        });
        let at = at.or_else(|| (words.low(0) == "you are").then_some(0).map(|_| usize::MAX));
        let named = match at {
            None => return false,
            Some(usize::MAX) => 1,
            Some(at) => at + 2,
        };
        words
            .words
            .get(named)
            .is_some_and(super::text::words::Word::is_capitalised)
    })
}

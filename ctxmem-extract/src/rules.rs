//! Extraction without a model: slots by patterns, statements by the classifier, and what people ask for
//! literally.

use chrono::NaiveDate;
use ctxmem_types::Scope;

use crate::endings::{PERSONS, WHOSE, note_change};
use crate::requests::{Request, back, is_in, is_supposed, orders_memory, requests};
use crate::slots::{Filled, fill};
use crate::statements::author::{self, asks_for_fiction, is_no_prose, is_task, speaks_of_itself};
use crate::statements::classifier::judge;
use crate::statements::features::{Context, Tokens};
use crate::statements::{KEPT, noted, requested, statement, worded_attitude};
use crate::taking_back::{
    forgotten, gives_other_orders, take_back, take_back_home, takes_back_what_was_said,
    tells_of_move,
};
use crate::text::words::{Word, Words};
use crate::text::{QUOTE, Reading, Sentence};
use crate::{Candidate, Interaction, Op};

/// Most facts of one message.
const MAX_FACTS: usize = 64;

/// Most sentences of one message that take back, end or change something: each is compared with all that is stored.
const MAX_CHANGES: usize = 16;

/// How many words a sentence may have besides those that fill slots, if it is to say nothing more.
const LITTLE_MORE: usize = 2;

/// How likely a taste has to be durable that no word names.
const UNWORDED: f32 = 0.34;

/// How likely what is to be remembered has to be durable for its kind to be told.
const KNOWN_KIND: f32 = 0.15;

/// How many sentences at the beginning say what a message asks for.
const OPENING: usize = 3;

/// The facts of one message.
pub fn extract(reading: &Reading<'_>, interaction: &Interaction<'_>) -> Vec<Candidate> {
    let mut asked = requests(reading);
    let is_ordered = orders_memory(reading.prose.part);
    if is_ordered {
        asked.clear();
    }
    let whole = Whole::of(reading);
    // Somebody who asks for a story is talking about its characters. Only what they ask to remember is kept.
    let mut opening = reading.sentences.iter().take(OPENING);
    if opening.any(|sentence| asks_for_fiction(&sentence.words)) {
        asked.retain(|request| !request.is_standing);
        return as_requests(&asked, interaction.today).collect();
    }
    let identity = !gives_a_role_with_a_name(reading);
    let mut facts: Vec<Candidate> = Vec::new();
    let mut before: Option<&Words<'_>> = None;
    let mut found_before = 0;
    let mut changes = 0;
    for sentence in &reading.sentences {
        let previous = before.replace(&sentence.words);
        let of_previous = std::mem::replace(&mut found_before, facts.len());
        if takes_back_what_was_said(&sentence.words) {
            facts.truncate(of_previous);
        }
        if facts.iter().filter(|fact| fact.op == Op::Set).count() >= MAX_FACTS {
            break;
        }
        if gives_other_orders(sentence) {
            continue;
        }
        let found = facts.len();
        let says_only_that = if changes < MAX_CHANGES {
            take_back(sentence, previous, &mut facts)
        } else {
            forgotten(&sentence.words).is_some()
        };
        // What is to be forgotten is not kept for the way in which that was said.
        let is_asked = facts.iter().skip(found).any(|fact| fact.requested);
        let takes_back = facts.len() > found && !is_asked;
        let mut denied = None;
        if !is_asked && may_state(sentence) && changes < MAX_CHANGES {
            let said = || statement(&sentence.words, sentence.judgement, interaction.today);
            denied = note_change(sentence, previous, said, &mut facts);
        }
        changes += usize::from(facts.len() > found);
        if says_only_that {
            continue;
        }
        // A message that gives orders to the memory in one sentence may do so in the next.
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
        let has_home = facts.iter().any(Candidate::is_home);
        let mut filled = fill(sentence, identity, of.is_some(), has_home);
        // "I'm not vegan any more" fills no slot; a move is over and names the new home.
        if let Some(denied) = denied
            && filled.words.iter().all(|of| denied.contains(&of.start))
        {
            let is_move = tells_of_move(&sentence.words);
            filled.facts.retain(|fact| is_move && fact.is_home());
        }
        let says_more = says_more(&sentence.words, &filled);
        if let Some(of) = of {
            filled
                .facts
                .iter_mut()
                .for_each(|fact| fact.requested = true);
            if !says_more && filled.facts.iter().any(|fact| fact.op == Op::Set) {
                asked.remove(of);
            }
        } else if says_more && !is_ordered && !filled.is_part && is_kept(sentence, &whole) {
            filled.facts.push(statement(
                &sentence.words,
                sentence.judgement,
                interaction.today,
            ));
        }
        let stores = filled.facts.iter().any(|fact| fact.op == Op::Set);
        if takes_back && !stores && of.is_none() && may_state(sentence) {
            add_instead(sentence, interaction.today, &mut facts);
        }
        take_back_home(&sentence.words, &mut filled.facts);
        for fact in filled.facts {
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }
    facts.extend(as_requests(&asked, interaction.today));
    facts
}

/// "Switched from Excel to YNAB" takes the place of what it takes back.
fn add_instead(sentence: &Sentence<'_>, today: NaiveDate, facts: &mut Vec<Candidate>) {
    let instead = Candidate {
        op: Op::SetInstead,
        ..statement(&sentence.words, sentence.judgement, today)
    };
    if !facts.contains(&instead) {
        facts.push(instead);
    }
}

/// What somebody else wrote down about the user, as it is: no words of the user's, so it has no quotation marks.
pub fn written_down(text: &str) -> Candidate {
    noted(text, scope_of(text))
}

/// The scope of what is to be remembered, whatever it says.
fn scope_of(content: &str) -> Scope {
    let judgement = judge(&Context {
        sentence: &Tokens::of(content),
        before: None,
        behind: None,
        of: 1,
    });
    match judgement.scope {
        _ if judgement.at_length < KNOWN_KIND => Scope::History,
        Scope::General => Scope::History,
        scope => scope,
    }
}

fn as_requests(asked: &[Request], today: NaiveDate) -> impl Iterator<Item = Candidate> + '_ {
    asked.iter().map(move |request| {
        let scope = if request.is_standing {
            Scope::CommunicationStyle
        } else {
            scope_of(&request.content)
        };
        requested(&request.content, scope, today)
    })
}

/// Whether a sentence is kept as a statement.
fn is_kept(sentence: &Sentence<'_>, of: &Whole) -> bool {
    let words = sentence
        .words
        .each
        .iter()
        .filter(|word| !word.is_mark())
        .count();
    says_something(&sentence.words)
        && sentence.judgement.durable >= needed(sentence, words, of)
        && may_state(sentence)
}

/// Whether a sentence has two different words, or characters of scripts without spaces, that are neither handles
/// nor in brackets: "wb User30" and "uh-huh, uh-huh" say nothing.
fn says_something(words: &Words<'_>) -> bool {
    let is_plain = |n: &usize| {
        let low = words.low(*n);
        low.contains(char::is_alphanumeric)
            && (low.chars().all(|c| c.is_ascii_digit()) || !low.chars().any(|c| c.is_ascii_digit()))
    };
    let mut plain = (0..words.each.len()).filter(is_plain).map(|n| words.low(n));
    let first = plain.next();
    let is_bracketed = words.sentence.starts_with(['[', '【'])
        && words.sentence.trim_end_matches('.').ends_with([']', '】']);
    // Short forms are two words: "I'm".
    let is_two = |low: &str| low.contains(' ');
    !is_bracketed && (first.is_some_and(is_two) || plain.any(|low| Some(low) != first))
}

/// Whether a sentence may state something of its author, whatever it is.
fn may_state(sentence: &Sentence<'_>) -> bool {
    !sentence.text().starts_with(QUOTE)
        && !is_supposed(&sentence.words)
        && !names_a_login(&sentence.words)
        && !is_task(&sentence.words)
        && !is_no_prose(&sentence.words)
}

/// What a message is as a whole.
struct Whole {
    /// How many sentences it has; one that is a long list counts as long.
    size: usize,
    /// Whether a sentence of it speaks of its author.
    speaks: bool,
}

impl Whole {
    fn of(reading: &Reading<'_>) -> Self {
        let is_item = |line: &&str| line.trim_start().starts_with(['-', '*', '•', '#', '|']);
        let items = reading.prose.text.lines().filter(is_item).count();
        let mut sentences = reading.sentences.iter();
        Self {
            size: reading.sentences.len().max(4 * items),
            speaks: sentences.any(|sentence| speaks_of_itself(&sentence.words)),
        }
    }
}

/// How likely a sentence has to be durable. Long messages are pasted more often than said, a question states
/// little, a few words mean little alone, and so do a wish that may be meant once and a taste that no word names.
fn needed(sentence: &Sentence<'_>, words: usize, of: &Whole) -> f32 {
    let by_length = match of.size {
        0..=6 => KEPT,
        7..=15 => 0.55,
        _ => 0.75,
    };
    let by_form = match (sentence.asks(), words) {
        (true, _) => 0.7,
        // Much of what leads to a question matters to that only, above all what is told of others.
        (false, _) if sentence.is_before_question && author::is_named(&sentence.words) => 0.55,
        (false, _) if sentence.is_before_question => 0.9,
        (false, 0..=4) if !says_who_is(&sentence.words) => 0.6,
        _ => KEPT,
    };
    let by_kind = match sentence.judgement.scope {
        Scope::CommunicationStyle => 0.6,
        Scope::Preferences if worded_attitude(&sentence.words).is_none() => UNWORDED,
        _ => KEPT,
    };
    let is_wish = sentence.judgement.scope == Scope::CommunicationStyle;
    let by_author = author::needed(&sentence.words, of.speaks, is_wish);
    by_length.max(by_form).max(by_kind).max(by_author)
}

/// "My boss is Tom."
fn says_who_is(words: &Words<'_>) -> bool {
    let name = words.each.get(3);
    WHOSE.contains(words.low(0))
        && PERSONS.contains(words.low(1))
        && matches!(words.low(2), "is" | "ist" | "est" | "es")
        && name.is_some_and(Word::is_capitalised)
}

/// Whether a sentence names something to sign in with, and something that might be it: no statement of a
/// person is worth the risk.
fn names_a_login(words: &Words<'_>) -> bool {
    let names = || {
        words.folded.contains(" log in ")
            || words.folded.split(' ').any(|word| is_in("logins", word))
    };
    words.folded.bytes().any(|c| c.is_ascii_digit()) && names()
}

/// Whether a sentence says more than what its slots hold.
fn says_more(words: &Words<'_>, filled: &Filled) -> bool {
    let request = back(words).unwrap_or(words.each.len());
    let is_filled = |n: usize| n >= request || filled.words.iter().any(|range| range.contains(&n));
    let more =
        words.each.iter().enumerate().filter(|(n, word)| {
            !word.is_mark() && !is_filled(*n) && !is_in("openers", words.low(*n))
        });
    filled.words.is_empty() || more.count() > LITTLE_MORE
}

/// "You are Max": what the assistant is called then is no name of the user's.
fn gives_a_role_with_a_name(reading: &Reading<'_>) -> bool {
    reading.sentences.iter().take(2).any(|sentence| {
        let words = &sentence.words;
        let opening = (0..words.each.len()).find(|n| {
            matches!(
                (words.low(*n), words.low(n + 1)),
                ("you", "are") | ("act", "as") | ("pretend", "to")
            )
        });
        // "You're" is one word.
        let short = (words.low(0) == "you are").then_some(1);
        let named = opening.map(|at| at + 2).or(short);
        let named = named.and_then(|at| words.each.get(at));
        named.is_some_and(Word::is_capitalised)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Prose;

    #[test]
    fn many_orders_to_forget_are_bounded_and_never_kept() {
        let orders = (0..40).map(|n| format!("Forget that my friend number{n} lives in Porto."));
        let message: String = orders.collect::<Vec<_>>().join(" ");
        let prose = Prose::of(&message);
        let interaction = Interaction {
            user_message: &message,
            agent_response: "",
            known: &[],
            today: NaiveDate::default(),
        };
        let found = extract(&Reading::of(&prose), &interaction);
        assert!(found.iter().all(|fact| fact.op == Op::TakeBack));
        assert_eq!(found.len(), 7 * MAX_CHANGES);
    }
}

//! Suggestions that the user takes up: "yes, let's go with pnpm then".
//!
//! Only what the user's own words take up counts. That the agent spoke of it, or that the
//! user agrees first, is what tells a decision from an order to write code.

use std::cell::LazyCell;
use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::pattern::{Table, is_negation};
use super::phrase::{fact, points_at_the_conversation, shortened};
use super::tools::uses;
use crate::Candidate;
use crate::text::{Clause, Mood, PhraseList, Word, first_words, join, words};

static CHOICES: LazyLock<Table<()>> = LazyLock::new(|| {
    Table::new(&[
        ("let us|me go|do|stick|start with? <rest>", ()),
        ("let us|me take|use|pick|choose|keep|adopt|try <rest>", ()),
        ("let|lets go|do|stick|start with? <rest>", ()),
        ("let|lets take|use|pick|choose|keep|adopt <rest>", ()),
        ("i|we will go|do|stick|start with? <rest>", ()),
        (
            "i|we will take|use|pick|choose|keep|adopt|buy|order <rest>",
            (),
        ),
        ("^ , go|going with <rest>", ()),
    ])
});

/// Words and phrases by which one agrees.
static AGREEMENT: PhraseList = PhraseList::new(&[
    &["yes"],
    &["yeah"],
    &["yep"],
    &["ok"],
    &["okay"],
    &["sure"],
    &["agreed"],
    &["deal"],
    &["good", "idea"],
    &["great", "idea"],
    &["nice", "idea"],
    &["convinced"],
    &["sounds", "good"],
    &["sounds", "great"],
    &["you", "are", "right"],
    &["makes", "sense"],
    &["fair", "enough"],
    &["good", "point"],
    &["good", "call"],
    &["sold"],
    &["alright"],
    &["perfect"],
    &["fine"],
]);

/// What the user takes up.
pub(super) fn find(text: &str, clauses: &[Clause], answer: &str, found: &mut Vec<Candidate>) {
    // What is agreed to: few messages choose anything, so most are never asked.
    let agreed = LazyCell::new(|| {
        let agrees = AGREEMENT.is_in(&first_words(text, 8));
        agrees.then(|| answer.to_lowercase())
    });
    for clause in clauses.iter().take(6) {
        if !matches!(clause.mood, Mood::Statement | Mood::Request)
            || clause.words.iter().any(is_negation)
        {
            continue;
        }
        for (at, ()) in CHOICES.find(clause) {
            let Some(answer) = &*agreed else { return };
            take(at.text(0), answer, found);
        }
        // "Fly.io it is"
        if let [what @ .., it, is] = clause.words.as_slice()
            && it.low() == "it"
            && is.low() == "is"
            && (1..=4).contains(&what.len())
        {
            let Some(answer) = &*agreed else { return };
            take(&join(what), answer, found);
        }
    }
}

fn take(what: &str, answer: &str, found: &mut Vec<Candidate>) {
    let chosen = words(what);
    if points_at_the_conversation(what) || !is_a_choice(&chosen, answer) {
        return;
    }
    let tool = super::lexicon::tool_at(&chosen, 0);
    if let Some((_, tool)) = &tool {
        uses(tool, found);
        return;
    }
    let told = found
        .iter()
        .any(|fact| fact.scope == Scope::History && fact.value.contains(what));
    if !told {
        let value = shortened(&fact(&format!("decided on {what}")));
        found.push(Candidate::item(Scope::History, value));
    }
}

/// Something named, not the next step of the conversation: the agent speaks of it too.
fn is_a_choice(chosen: &[Word], answer: &str) -> bool {
    let first = chosen.first();
    let step = first.is_some_and(|word| {
        word.is_any(&[
            "to", "from", "on", "ahead", "back", "step", "over", "through", "with",
        ])
    });
    let named = super::lexicon::tool_at(chosen, 0).is_some()
        || chosen
            .iter()
            .any(|word| word.low().len() > 3 && answer.contains(word.low()))
        || first.is_some_and(|word| word.is_any(&["option", "plan", "variant"]));
    !step && named
}

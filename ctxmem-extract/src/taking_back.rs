//! What people take back: "forget …", "I no longer …", "X instead of Y". Only the words are found here; which of the
//! stored facts they mean is for whoever has the facts.

use std::ops::Range;

use ctxmem_types::Scope;

use crate::requests::{fit, is_in, may_open};
use crate::text::Sentence;
use crate::text::words::Words;
use crate::{Candidate, Op};

/// Adds what a sentence takes back. Whether it says nothing more than that.
pub(crate) fn take_back(sentence: &Sentence<'_>, facts: &mut Vec<Candidate>) -> bool {
    let words = &sentence.words;
    if sentence.asks() && !words.folded.contains(" forget ") {
        return false;
    }
    if let Some(meant) =
        fit("forget", words, |start| may_open(words, start)).and_then(|fit| fit.meant)
        && !is_in("not forgotten", words.low(meant.start))
    {
        add(words, &meant, true, facts);
        return true;
    }
    if let Some(fit) = fit("no longer", words, |_| true)
        && let Some(old) = fit.old.clone().or(fit.meant.clone())
    {
        add(words, &old, false, facts);
        // What somebody no longer eats is worth keeping; what tool they no longer use is not.
        let is_short = words.each.len() <= 9 && fit.old.is_none();
        return is_short
            && !words
                .folded
                .split(' ')
                .any(|word| is_in("kept when given up", word));
    } else if (0..words.each.len()).any(|n| is_in("instead", words.low(n)))
        && sentence.judgement.durable >= 0.08
    {
        add(words, &(0..words.each.len()), false, facts);
    }
    // A goal that was reached is none any more.
    if let Some(meant) = fit("finished", words, |_| true).and_then(|fit| fit.meant) {
        let before = facts.len();
        add(words, &meant, false, facts);
        let mut number = 0..;
        facts
            .retain(|fact| number.next().is_some_and(|n| n < before) || fact.scope == Scope::Goals);
    }
    false
}

/// In every scope, since it isn't known where the fact stands.
fn add(words: &Words<'_>, meant: &Range<usize>, is_asked: bool, facts: &mut Vec<Candidate>) {
    let value = words
        .text(meant.clone())
        .trim_end_matches(['.', '!', '?', ' ']);
    if value.contains(char::is_alphanumeric) {
        facts.extend(Scope::ALL.map(|scope| Candidate {
            op: Op::TakeBack,
            requested: is_asked,
            ..Candidate::item(scope, value)
        }));
    }
}

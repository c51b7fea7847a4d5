//! What people take back: "forget …", "I no longer …", "X instead of Y". Only the words are found here; which of the
//! stored facts they mean is for whoever has the facts.

use std::ops::Range;

use ctxmem_types::Scope;

use crate::requests::{fit, is_in, may_open};
use crate::text::Sentence;
use crate::text::words::Words;
use crate::{Candidate, Op};

/// Adds what a sentence takes back. Whether it only does that, as an order to forget.
pub(crate) fn take_back(sentence: &Sentence<'_>, facts: &mut Vec<Candidate>) -> bool {
    let words = &sentence.words;
    if sentence.asks() && !words.folded.contains(" forget ") {
        return false;
    }
    if let Some(meant) = fit("forget", words, |start| may_open(words, start)).and_then(|fit| fit.meant)
        && !is_in("not forgotten", words.low(meant.start))
    {
        add(words, &meant, true, facts);
        return true;
    }
    if let Some(fit) = fit("no longer", words, |_| true)
        && let Some(old) = fit.old.or(fit.meant)
    {
        add(words, &old, false, facts);
    } else if (0..words.words.len()).any(|n| is_in("instead", words.low(n))) && sentence.judgement.durable >= 0.2 {
        add(words, &(0..words.words.len()), false, facts);
    }
    false
}

/// In every scope, since it isn't known where the fact stands.
fn add(words: &Words<'_>, meant: &Range<usize>, is_asked: bool, facts: &mut Vec<Candidate>) {
    let value = words.text(meant.clone()).trim_end_matches(['.', '!', '?', ' ']);
    if value.contains(char::is_alphanumeric) {
        facts.extend(Scope::ALL.map(|scope| Candidate {
            op: Op::TakeBack,
            requested: is_asked,
            ..Candidate::item(scope, value)
        }));
    }
}

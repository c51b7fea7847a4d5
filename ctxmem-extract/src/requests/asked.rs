//! Requests in a sentence: the words by which it asks for something to be remembered, and where what is meant begins.

use super::wordings::{fit, is_in, may_open};
use crate::address::{Meant, address};
use crate::patterns::each_fit;
use crate::text::words::{Word, Words};

/// A request in a sentence.
pub(super) struct Asked {
    /// The words by which it asks.
    pub(super) opening: std::ops::Range<usize>,
    /// Where what is meant begins in the sentence.
    pub(super) begins: usize,
    pub(super) is_standing: bool,
    pub(super) is_weak: bool,
    /// Whether it begins as a wish does: "never call me …", but not "never mind".
    pub(super) is_wish: bool,
}

impl Asked {
    /// What is meant, of the sentence that asks.
    pub(super) fn content<'t>(&self, sentence: &'t str) -> &'t str {
        sentence.get(self.begins..).unwrap_or_default()
    }

    /// The sentence without the "your" of the words that ask: "add to your memory" is an order like others, but not if
    /// somebody asks for what follows.
    pub(super) fn without_address(&self, sentence: &str) -> String {
        let asks = sentence.get(..self.begins).unwrap_or_default();
        without_your(asks) + self.content(sentence)
    }

    /// Whether a weak one counts, which means little in what was pasted: in a short message where it is clear, and where
    /// the sentence is likely durable. What "always" and "never" tell of somebody is a statement.
    pub(super) fn counts(&self, is_clear: bool, is_likely: impl FnOnce() -> bool) -> bool {
        !self.is_weak || is_clear || (!self.is_standing || self.is_wish) && is_likely()
    }

    /// Whether nothing else can be meant than a wish for the future, which is refused where it gives orders.
    pub(super) fn is_strong(&self) -> bool {
        self.is_standing && !self.is_weak
    }
}

/// What a sentence asks to remember, or how it wants things to be done from now on.
pub(super) fn asks(words: &Words<'_>) -> Option<Asked> {
    if is_question_by_its_end(words.sentence) {
        return None;
    }
    by_address(words)
        .or_else(|| by_pattern(words, "remember"))
        .or_else(|| by_pattern(words, "weak"))
        .or_else(|| standing(words, "standing"))
        .or_else(|| standing(words, "standing weak"))
}

fn by_pattern(words: &Words<'_>, kind: &'static str) -> Option<Asked> {
    let is_weak = kind == "weak";
    let fit = fit(kind, words, |start| may_open(words, start))?;
    let (start, meant) = (fit.start, fit.meant?);
    let first = words.low(meant.start);
    // "What's" is one word.
    let first = first.split(' ').next().unwrap_or_default();
    // "And remember, I'm here for you" is talk.
    let is_told = first == "?" || first == "," && start > 0;
    let is_talk = is_in("no request", first)
        || (is_weak && is_told)
        || gives_role(words, meant.start)
        || only_asks(words, start, meant.start);
    if is_talk || !words.text(meant.clone()).contains(char::is_alphanumeric) {
        return None;
    }
    // "Remember, the demo is static."
    let second = words.low(meant.start + 1).split(' ').next();
    let reminds = first == "," && start == 0 && is_in("reminds", second.unwrap_or_default());
    // Where what is meant stands first, the request follows.
    let begins = if meant.start == start { 0 } else { meant.start };
    Some(Asked {
        opening: start..meant.start.max(start + 1),
        begins: place(words, begins),
        is_standing: false,
        is_weak: is_weak && !reminds,
        is_wish: false,
    })
}

fn by_address(words: &Words<'_>) -> Option<Asked> {
    let address = address(words)?;
    let begins = match address.meant {
        Meant::Before => return None,
        Meant::From(word) => word,
        Meant::Following => words.each.len(),
    };
    (!only_asks(words, address.words.start, begins)).then(|| Asked {
        opening: address.words.start..begins,
        begins: place(words, begins),
        is_standing: false,
        is_weak: false,
        is_wish: false,
    })
}

/// Where a word stands in its sentence.
fn place(words: &Words<'_>, n: usize) -> usize {
    let word = words.each.get(n);
    word.map_or(words.sentence.len(), |word| word.place.start)
}

/// "Remember that photo?", however it is spelled, asks for nothing, "can you remember that …?" does. Other verbs are no
/// questions: there the question mark ends what follows the request.
fn only_asks(words: &Words<'_>, start: usize, meant: usize) -> bool {
    words.sentence.ends_with('?')
        && ["rem", "lembra"]
            .iter()
            .any(|verb| words.low(start).starts_with(verb))
        && !asks_for_leave(words)
        && !(0..meant).any(|n| is_in("asking", words.low(n)))
}

fn standing(words: &Words<'_>, kind: &'static str) -> Option<Asked> {
    let is_weak = kind == "standing weak";
    let ends = |word: char| words.sentence.ends_with(word);
    // "You must always …", "let us never …", but not "I always …".
    let led = |start: usize| {
        let mut before = (0..start).map(|n| words.low(n));
        start > 0
            && is_in("leads", words.low(start - 1))
            && !before.any(|low| matches!(low, "how" | "why" | "whether" | "what" | "who"))
    };
    let opens = |start| may_open(words, start) && !(is_weak && follows_a_subject(words, start));
    let fit = fit(kind, words, |start| opens(start) || (is_weak && led(start)))?;
    let may_ask = || asks_for_leave(words) || (!is_weak && asks_for_it(words));
    let meant = fit.meant.as_ref().map(|meant| meant.start);
    if ends('?') && !may_ask()
        || is_open(words.sentence)
        || is_weak && tells(words, fit.start)
        || meant.is_some_and(|meant| announces(words, fit.start, meant))
    {
        return None;
    }
    let before = |n: usize| fit.start.checked_sub(n).map_or("", |n| words.low(n));
    // "We always use pnpm" is a rule or a habit, and "we never give up" talk.
    let is_ours = is_weak && before(1) == "we";
    // "We should never be in mock mode."
    let is_rule = matches!((before(2), before(1)), ("we" | "you", "must" | "should"));
    let is_wish = (is_rule || !is_in("no wish", words.low(fit.start + 1))) && words.each.len() > 3;
    Some(Asked {
        opening: fit.start..fit.start + 1,
        begins: 0,
        is_standing: !is_ours,
        is_weak,
        is_wish: is_wish && !is_ours,
    })
}

/// "Remember, you are an old sailor" is part of a game.
fn gives_role(words: &Words<'_>, at: usize) -> bool {
    let at = at + usize::from(words.low(at) == ",");
    let behind = match (words.low(at), words.low(at + 1)) {
        ("you are", _) => at + 1,
        ("you", "are") => at + 2,
        _ => return false,
    };
    matches!(words.low(behind), "a" | "an")
        || words.each.get(behind).is_some_and(Word::is_capitalised)
}

/// Whether a sentence asks by its last character, as Japanese and Chinese ones do without a question mark.
pub(super) fn is_question_by_its_end(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(['。', '？', '?', ' ']);
    // "Would you …?" asks for something to be done.
    let polite = ["いただけますか", "くれますか", "もらえますか"];
    end.ends_with(['か', '吗', '嗎']) && !polite.iter().any(|request| end.ends_with(request))
}

/// "以后放哪里" asks where something goes in future, and "以后可能…" guesses.
fn is_open(sentence: &str) -> bool {
    sentence.contains("以后可能")
        || sentence.starts_with("以后")
            && ["哪里", "哪儿"].iter().any(|asks| sentence.contains(asks))
}

/// Whether "always" or "never" goes on with what is told of somebody: "I've been to Canada, but never to Oslo". With a
/// verb of replies it is a wish even so: "I like it short, never write more than a line".
fn follows_a_subject(words: &Words<'_>, start: usize) -> bool {
    let has_subject = (0..start).any(|n| {
        let subject = words.low(n).split(' ').next();
        matches!(subject, Some("i" | "we" | "he" | "she" | "they" | "it"))
    });
    has_subject && !is_in("replies", words.low(start + 1))
}

/// Whether "always" or "never" tells of somebody: "never been to Oslo", "but always asks first".
fn tells(words: &Words<'_>, start: usize) -> bool {
    let next = words.low(start + 1);
    let is_of_others = next.ends_with('s')
        && !next.ends_with("ss")
        && !matches!(
            next,
            "as" | "focus" | "pls" | "plus" | "this" | "thanks" | "us"
        );
    is_in("tells", next) || (is_of_others && matches!(words.low(start), "always" | "never"))
}

/// "From now on I'll …" says what the user is going to do, "every time I …, it …" what happens.
fn announces(words: &Words<'_>, start: usize, meant: usize) -> bool {
    let at = words.at(meant).saturating_sub(1);
    let says = |kind| {
        each_fit(words, |other| other == kind).any(|(_, regex)| {
            regex
                .find_at(&words.folded, at)
                .is_some_and(|fit| fit.start() == at)
        })
    };
    match words.low(start) {
        // "Whenever I paste an error, don't explain it", "whenever you answer, …".
        "whenever" | "every" | "each" | "any" | "anytime" if meant > start => {
            words.low(meant - 1) != "," && !says("each time")
        }
        first if first == "chaque" || words.low(start + 1) == "chaque" => says("happens"),
        _ => {
            // "From now on I will post code and you will review it."
            let told = words.folded_part(&(meant..words.each.len()));
            let asks = [" you will ", " you should ", " you must ", " refer "];
            !asks.iter().any(|phrase| told.contains(phrase)) && says("announced")
        }
    }
}

/// "From now on, could you …?", but not "In the future, we could …?"
fn asks_for_it(words: &Words<'_>) -> bool {
    let asks = |n: usize| {
        let before = n.checked_sub(1).map_or("", |before| words.low(before));
        is_in("asking", words.low(n)) && !matches!(before, "i" | "it" | "that" | "they" | "we")
    };
    (0..words.each.len()).any(asks)
}

/// "Always use Celsius, ok?"
fn asks_for_leave(words: &Words<'_>) -> bool {
    let last = words.each.len().saturating_sub(2);
    matches!(
        words.low(last),
        "ok" | "okay" | "please" | "alright" | "ta" | "va" | "vale"
    )
}

/// The word with which a request begins that refers to what was said before.
pub(crate) fn back(words: &Words<'_>) -> Option<usize> {
    let begins = |start| {
        let is_capital = words.each.get(start).is_some_and(Word::is_capitalised);
        is_capital || may_open(words, start)
    };
    let fit = fit("back", words, begins).map(|fit| fit.start);
    fit.or_else(|| {
        let address = address(words).filter(|address| address.meant == Meant::Before)?;
        Some(address.words.start)
    })
}

pub(super) fn without_your(text: &str) -> String {
    text.to_lowercase().replace(" your ", " ")
}

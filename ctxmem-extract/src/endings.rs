//! Sentences that tell of a change without naming what they change as it was said: "not a nurse any more, a paramedic
//! now", "therapy is on Fridays now". Only the words are found here that may name a stored fact; whether they do is
//! decided where the facts are known.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use ctxmem_types::Scope;

use crate::folded_words::FoldedWords;
use crate::hash::WordSet;
use crate::requests::is_in;
use crate::sections::{section, section_words};
use crate::text::Sentence;
use crate::text::words::{Word, Words};
use crate::{Candidate, Op};

const LISTS: &str = include_str!("../data/endings.txt");

const SUBJECTS: &str = include_str!("../data/subjects.txt");

/// Up to so many words behind what ends them are ended.
const REACH: usize = 5;

/// Longest sentence, in words and marks, that is looked at: in longer ones much is told besides.
const LONGEST: usize = 80;

/// Something without which a sentence tells of no change: to look at all sentences closely would cost fifty times as
/// much.
static ANY: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let favourites = FAVOURITES.iter().map(|word| format!(" {word}"));
    any_of(cues().chain(DIFFERENT.iter().cloned()).chain(favourites))
});
/// The same for a clause that ends something.
static CUE: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(cues().chain(phrases("not that"))));
/// What says by itself that something is over.
static ENDS: LazyLock<AhoCorasick> =
    LazyLock::new(|| any_of(OVER.iter().chain(&*TO_AUTHOR).cloned()));
static IS_DIFFERENT: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(DIFFERENT.iter().cloned()));
static OVER: LazyLock<Vec<String>> = LazyLock::new(|| phrases("over"));
static TO_AUTHOR: LazyLock<Vec<String>> = LazyLock::new(|| phrases("to the author"));
static OF_WHAT_FOLLOWS: LazyLock<Vec<String>> = LazyLock::new(|| phrases("of what follows"));
static OF_AUTHOR: LazyLock<Vec<String>> = LazyLock::new(|| phrases("of the author"));

fn cues() -> impl Iterator<Item = String> {
    let lists = [&*OVER, &*TO_AUTHOR, &*OF_AUTHOR, &*OF_WHAT_FOLLOWS];
    let pairs = PAIRS.iter().map(|(first, _)| format!(" {first} "));
    lists.into_iter().flatten().cloned().chain(pairs)
}

#[expect(clippy::expect_used, reason = "they are compiled in")]
fn any_of(phrases: impl Iterator<Item = String>) -> AhoCorasick {
    AhoCorasick::new(phrases).expect("few phrases")
}

/// Who tells it.
pub(crate) static AUTHOR: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("author"));
static SAYS_LITTLE: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("says little"));
static ADVERBS: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("adverbs"));
static FAVOURITES: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("favourites"));
static FOR_A_WHILE: LazyLock<AhoCorasick> =
    LazyLock::new(|| any_of(phrases("for a while").into_iter()));
static DIFFERENT: LazyLock<Vec<String>> = LazyLock::new(|| phrases("different"));
static NOT_THAT: LazyLock<Vec<String>> = LazyLock::new(|| phrases("not that"));
static PAIRS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    section(LISTS, "pairs")
        .filter_map(|line| line.split_once(' '))
        .collect()
});
static GOES_ON: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("goes on"));
static ORDERS: LazyLock<Vec<String>> = LazyLock::new(|| phrases("orders"));
static DENIES: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("denies"));
static VERBS: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("verbs"));
static PRESUPPOSED: LazyLock<Vec<String>> = LazyLock::new(|| phrases("presupposed"));
static UNSURE: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("unsure"));
static OF_OTHERS: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("of others"));
/// Of whom else it may be told.
pub(crate) static OTHERS: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("others"));
static DAYS: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("days"));
static PLACES: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("places"));

/// Whom facts are about besides their user: kin, colleagues, pets.
pub(crate) static PERSONS: LazyLock<WordSet<&str>> =
    LazyLock::new(|| subject_phrases("persons").collect());

/// Whose they are: "my", "our".
pub(crate) static WHOSE: LazyLock<WordSet<&str>> =
    LazyLock::new(|| subject_phrases("possessives").collect());

/// What stands in a section of `data/subjects.txt`: words by which a change is held against what is stored.
pub fn subject_phrases(section_name: &'static str) -> impl Iterator<Item = &'static str> {
    section(SUBJECTS, section_name).flat_map(|line| line.split(", "))
}

/// The lines of a section of that file: words for one thing each.
pub fn subject_groups(section_name: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    section(SUBJECTS, section_name).map(|line| line.split(", ").collect())
}

/// The same, to compare word by word.
pub(crate) fn folded_groups(section_name: &'static str) -> Vec<Vec<FoldedWords>> {
    subject_groups(section_name)
        .map(|group| group.into_iter().map(FoldedWords::of).collect())
        .collect()
}

fn phrases(name: &'static str) -> Vec<String> {
    section(LISTS, name)
        .map(|line| format!(" {line} "))
        .collect()
}

fn words_of(name: &'static str) -> WordSet<&'static str> {
    section_words(LISTS, name).collect()
}

/// Whether a text says that something is over: "lost my job", "broke up".
pub fn tells_an_end(text: &str) -> bool {
    ENDS.is_match(&Words::of(text).folded)
}

/// Whether a sentence tells of a change that may be one of a stored fact.
pub(crate) fn tells_of_a_change(sentence: &Sentence<'_>, before: Option<&Words<'_>>) -> bool {
    change(sentence, before).is_some()
}

/// Adds what a sentence may end or change, and answers the clause whose words no longer hold. `said` is the sentence as
/// a fact, which is stored only where it takes the place of another or speaks of one.
pub(crate) fn note_change(
    sentence: &Sentence<'_>,
    before: Option<&Words<'_>>,
    said: impl FnOnce() -> Candidate,
    facts: &mut Vec<Candidate>,
) -> Option<Range<usize>> {
    let Told { op, named, denied } = change(sentence, before)?;
    let words = &sentence.words;
    // "Don't check it anymore" ends nothing but a wish.
    let is_order = ORDERS
        .iter()
        .any(|start| words.folded.starts_with(&**start));
    let may_end = |scope: &Scope| !is_order || *scope == Scope::CommunicationStyle;
    let scopes = Scope::ALL.into_iter().filter(may_end);
    facts.extend(scopes.map(|scope| Candidate {
        op,
        ..Candidate::item(scope, &named)
    }));
    if clauses(words).count() > 1 || is_different(&words.folded) {
        facts.push(Candidate {
            op: Op::SetInstead,
            ..said()
        });
    }
    denied
}

/// What a sentence does to a fact.
struct Told {
    op: Op,
    /// The words that may name it.
    named: String,
    /// The clause that says that its words no longer hold.
    denied: Option<Range<usize>>,
}

fn change(sentence: &Sentence<'_>, before: Option<&Words<'_>>) -> Option<Told> {
    let words = &sentence.words;
    if words.each.len() > LONGEST {
        return None;
    }
    if sentence.asks() {
        return presupposed(words);
    }
    let may_tell = ANY.is_match(&words.folded);
    let follows = before.is_some_and(|before| is_different(&before.folded));
    if !may_tell && !follows {
        return None;
    }
    let mut is_of_author = true;
    for clause in clauses(words) {
        let folded = words.folded_part(&clause);
        let ended = ended(words, clause, folded, is_of_author);
        if ended.is_some() {
            return ended;
        }
        // Who is spoken of goes without saying in the next.
        let names_author = folded.split_whitespace().any(|word| AUTHOR.contains(word));
        if names_author || folded.split_whitespace().nth(2).is_some() {
            is_of_author = names_author;
        }
    }
    let mut low = (0..words.each.len()).map(|n| words.low(n));
    let has_number = low.any(|low| low.bytes().any(|c| c.is_ascii_digit()) || DAYS.contains(low));
    // "I was wrong. I was born in 1998."
    let is_different = is_different(&words.folded) || follows;
    let is_favourite = (0..words.each.len()).any(|n| is_favourite(words.low(n)));
    let changes = (is_favourite || has_number && is_different) && is_sure(&words.folded);
    changes.then(|| Told {
        op: Op::Change,
        named: words.sentence.to_owned(),
        denied: None,
    })
}

/// "Since I sold the boat, what do I do with its trailer?" says that it is sold.
fn presupposed(words: &Words<'_>) -> Option<Told> {
    let folded = &*words.folded;
    let starts = PRESUPPOSED
        .iter()
        .filter_map(|phrase| Some(folded.find(&**phrase)? + phrase.len()));
    let start = words.number(starts.max()?);
    let all = start..words.each.len();
    let end = all
        .clone()
        .find(|n| words.each.get(*n).is_some_and(Word::is_mark));
    let clause = start..end.unwrap_or(all.end);
    let told = words.folded_part(&clause);
    ANY.is_match(told)
        .then(|| ended(words, clause, told, false))?
}

/// What a clause ends. `is_of_author` says whether its author was the last to be spoken of.
fn ended(
    words: &Words<'_>,
    clause: Range<usize>,
    folded: &str,
    is_of_author: bool,
) -> Option<Told> {
    if !CUE.is_match(folded) {
        return None;
    }
    let low = || folded.split_whitespace();
    let speaks_of_others = !TO_AUTHOR.iter().any(|phrase| folded.contains(&**phrase))
        && (low().take(2).any(|word| OTHERS.contains(word))
            || low().any(|word| OF_OTHERS.contains(word)));
    if !is_sure(folded) || speaks_of_others || low().any(|word| GOES_ON.contains(word)) {
        return None;
    }
    is_over(words, &clause, folded, is_of_author)
        .or_else(|| is_ended_by_what_precedes(words, clause, folded, is_of_author))
}

/// "Not a nurse any more": the clause says that it is over.
fn is_over(
    words: &Words<'_>,
    clause: &Range<usize>,
    folded: &str,
    is_of_author: bool,
) -> Option<Told> {
    let mut over = OVER.iter().chain(&*TO_AUTHOR);
    let over = over.find(|phrase| folded.contains(&***phrase));
    let by_author = OF_AUTHOR.iter().find(|phrase| {
        let at = folded.find(&***phrase);
        at.is_some_and(|at| is_own(folded.get(..at).unwrap_or_default(), is_of_author))
    });
    let is_pair = |(first, second): &(&str, &str)| {
        let second = format!(" {second} ");
        folded
            .split_once(&format!(" {first} "))
            .is_some_and(|(_, rest)| format!(" {rest}").contains(&second))
    };
    let cue = over.or(by_author).map(|phrase| phrase.trim());
    if cue.is_none() && !PAIRS.iter().any(is_pair) {
        return None;
    }
    let cue = cue.unwrap_or_default();
    let of_cue: WordSet<&str> = cue.split(' ').collect();
    // "C'est" is one word.
    let is_of =
        |list: &WordSet<&str>, n: usize| words.low(n).split(' ').all(|low| list.contains(low));
    let mut rest = clause.clone().filter(|n| !is_of(&of_cue, *n));
    // "That's not true any more, the lactose thing": it may be named elsewhere. Some say what is over by themselves:
    // "broke up".
    let named = if rest.all(|n| is_of(&SAYS_LITTLE, n)) {
        words.sentence.to_owned()
    } else {
        words.joined(clause.clone())
    };
    Some(Told {
        op: Op::End,
        named,
        denied: (over.is_some() || by_author.is_none()).then(|| clause.clone()),
    })
}

/// "Quit tennis": what precedes it says that it is over.
fn is_ended_by_what_precedes(
    words: &Words<'_>,
    clause: Range<usize>,
    folded: &str,
    is_of_author: bool,
) -> Option<Told> {
    // "Correction: I'm a fan of St. Pauli, not HSV".
    let not_that = is_different(&words.folded).then_some(&*NOT_THAT);
    let phrase = OF_WHAT_FOLLOWS
        .iter()
        .chain(not_that.into_iter().flatten())
        .filter_map(|phrase| Some((folded.find(phrase.as_str())?, phrase)))
        .min_by_key(|(at, phrase)| (*at, usize::MAX - phrase.len()))?;
    let before = folded.get(..phrase.0).unwrap_or_default();
    // "I won't quit", "I haven't decided".
    let mut low = before.split(' ');
    let is_denied = low.clone().any(|low| DENIES.contains(low))
        || NOT_THAT.contains(phrase.1) && low.next_back().is_some_and(|low| VERBS.contains(low));
    if is_denied || !is_own(before, is_of_author) {
        return None;
    }
    // In the text that is compared "I'm" is two words.
    let begin = words.at(clause.start).saturating_sub(1);
    let start = words.number(begin + phrase.0 + phrase.1.len());
    let meant = (start..clause.end)
        .take(REACH)
        .take_while(|n| !PLACES.contains(words.low(*n)));
    let named = words.joined(meant);
    (!named.is_empty()).then(|| Told {
        op: Op::End,
        named,
        denied: NOT_THAT.contains(phrase.1).then_some(clause),
    })
}

/// Whether what stands before a verb leaves its author as the one who does it.
fn is_own(before: &str, is_of_author: bool) -> bool {
    if before.split_whitespace().any(|word| OTHERS.contains(word)) {
        return false;
    }
    let mut words = before
        .split_whitespace()
        .filter(|word| !is_in("openers", word) && !ADVERBS.contains(word))
        .peekable();
    if words.peek().is_none() {
        return is_of_author;
    }
    words.any(|word| AUTHOR.contains(word))
}

fn is_different(folded: &str) -> bool {
    IS_DIFFERENT.is_match(folded)
}

fn is_favourite(low: &str) -> bool {
    FAVOURITES.contains(low) || low.starts_with("lieblings")
}

/// Whether what a clause says is so, and not only for a while.
fn is_sure(folded: &str) -> bool {
    !folded.split(' ').any(|word| UNSURE.contains(word)) && !FOR_A_WHILE.is_match(folded)
}

/// The clauses of a sentence.
fn clauses(words: &Words<'_>) -> impl Iterator<Item = Range<usize>> {
    let ends = |n: &usize| {
        words.each.get(*n).is_some_and(Word::is_mark)
            || matches!(
                words.low(*n),
                "and"
                    | "but"
                    | "so"
                    | "because"
                    | "und"
                    | "aber"
                    | "weil"
                    | "et"
                    | "mais"
                    | "y"
                    | "pero"
            )
    };
    let mut start = 0;
    let all = words.each.len();
    let cuts: Vec<usize> = (0..all).filter(ends).chain([all]).collect();
    cuts.into_iter().filter_map(move |end| {
        let clause = start..end;
        start = end + 1;
        (!clause.is_empty()).then_some(clause)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Prose, Reading};

    /// What the sentences of a message end (-) or say anew (~).
    fn told(message: &str) -> String {
        let prose = Prose::of(message);
        let reading = Reading::of(&prose);
        let mut before = None;
        let told = reading.sentences.iter().filter_map(|sentence| {
            let told = change(sentence, before.replace(&sentence.words))?;
            let mark = if told.op == Op::End { '-' } else { '~' };
            Some(format!("{mark} {}", told.named))
        });
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn changes_are_found_in_what_people_say_of_themselves() {
        for (message, expected) in [
            (
                "not a nurse any more, a paramedic now",
                "- not a nurse any more",
            ),
            ("swapped tennis for padel", "- tennis"),
            ("I'm off lisinopril", "- lisinopril"),
            ("I've quit tennis", "- tennis"),
            ("We finally ditched Jenkins", "- Jenkins"),
            ("ich ess wieder fleisch", "- ich ess wieder fleisch"),
            ("Der Golf ist verkauft, endlich.", "- Der Golf ist verkauft"),
            (
                "hab übrigens gekündigt und bin seit montag in einem Hospiz",
                "- hab übrigens gekündigt",
            ),
            (
                "they let me go yesterday, whole team",
                "- they let me go yesterday",
            ),
            (
                "since I sold the boat, what do I do with its trailer?",
                "- the boat",
            ),
            ("can I park there now that I sold the van?", "- the van"),
            ("Korrektur: ich bin St.-Pauli-Fan, nicht HSV", "- HSV"),
            ("thomas et moi c'est fini", "- thomas et moi c'est fini"),
            ("therapy is on fridays now", "~ therapy is on fridays now"),
            ("I was wrong. I was born in 1998", "~ I was born in 1998"),
            (
                "My favourite colour is blue",
                "~ My favourite colour is blue",
            ),
        ] {
            let said = told(message);
            let words = |text: &str| {
                let mut words: Vec<String> = text
                    .to_lowercase()
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect();
                words.sort();
                words
            };
            assert_eq!(words(&said), words(expected), "{message}");
        }
    }

    #[test]
    fn what_others_do_what_is_thought_of_and_what_is_for_a_while_ends_nothing() {
        for message in [
            "my brother left Google yesterday",
            "A patient told me he's quit diet coke",
            "Should I quit Acme?",
            "what if I sold the boat?",
            "since when do people say they sold the boat?",
            "I might quit Acme",
            "if I quit Acme, I'd move",
            "No more coffee for now",
            "I joined a new team, but I haven't decided yet",
            "I stopped at the bakery",
            "After that, I'm off to explore",
            "I won't quit my studies",
            "my mother, who died, kept bees",
            "I still use Vim, not Emacs",
            "Horst hat sein Haus verkauft",
        ] {
            assert_eq!(told(message), "", "{message}");
        }
    }
}

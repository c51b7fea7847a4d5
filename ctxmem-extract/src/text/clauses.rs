//! Sentences and clauses. A clause has one mood; a sentence may have several.

use crate::lists::WordList;
use std::ops::Range;

use super::mood::{Mood, sentence_mood};
use super::words::{Gap, Word, words};

/// A piece of a sentence that says, asks, supposes or orders one thing.
pub(crate) struct Clause {
    /// Its words, without what only leads in ("hi", "well", "btw").
    pub(crate) words: Vec<Word>,
    /// What it does.
    pub(crate) mood: Mood,
}

/// Most words of a clause. Nobody speaks longer ones, and what is spent on one stays bounded.
const LONGEST: usize = 120;

/// The clauses of a text, in order.
pub(crate) fn clauses(text: &str) -> Vec<Clause> {
    let mut out = Vec::new();
    for (body, question) in sentences(text) {
        let mut all = words(body);
        let parts = split(&mut all);
        let moods = sentence_mood(&all, &parts, question);
        let mut all = all.into_iter();
        for (part, mood) in parts.into_iter().zip(moods) {
            let part = all.by_ref().take(part.len()).collect();
            let mut words = without_lead_in(part);
            while words.len() > LONGEST {
                let rest = words.split_off(LONGEST);
                out.push(Clause { words, mood });
                words = rest;
            }
            out.push(Clause { words, mood });
        }
    }
    out
}

/// Abbreviations whose full stop ends no sentence.
static ABBREVIATIONS: WordList = WordList::new(&[
    "dr", "mr", "mrs", "ms", "prof", "st", "fr", "vs", "e.g", "i.e", "eg", "ie", "approx", "no",
    "nr", "z.b", "sr", "sra", "jr", "dept", "inc", "ltd",
]);

/// The sentences of a text, each with whether it ends as a question.
fn sentences(text: &str) -> Vec<(&str, bool)> {
    let mut out = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let next = || text.get(at + 1..).and_then(|rest| rest.chars().next());
        let ends = match c {
            '\n' => !goes_on(text, start, at),
            '!' | '?' => next().is_none_or(|next| !next.is_alphanumeric() && next != '_'),
            '。' | '？' | '！' | '\u{2026}' => true,
            '.' => {
                next().is_none_or(|next| next.is_whitespace() || matches!(next, ')' | '"'))
                    && !is_abbreviation(text.get(start..at).unwrap_or_default())
                    && !is_german_date(
                        text.get(..at).unwrap_or_default(),
                        text.get(at + 1..).unwrap_or_default(),
                    )
            }
            _ => false,
        };
        if ends {
            let end = at + c.len_utf8();
            push_sentence(&mut out, text, start, end, matches!(c, '?' | '？'));
            start = end;
        }
    }
    push_sentence(&mut out, text, start, text.len(), false);
    out
}

fn push_sentence<'t>(
    out: &mut Vec<(&'t str, bool)>,
    text: &'t str,
    start: usize,
    end: usize,
    question: bool,
) {
    let sentence = text.get(start..end).unwrap_or_default().trim();
    if sentence
        .chars()
        .any(|c| c.is_alphanumeric() || c == super::QUOTE)
    {
        out.push((sentence, question || sentence.starts_with('¿')));
    } else if question && let Some(last) = out.last_mut() {
        // "why??"
        last.1 = true;
    }
}

/// A line that was broken in the middle of a sentence.
fn goes_on(text: &str, start: usize, at: usize) -> bool {
    let line = text.get(start..at).unwrap_or_default();
    let last_line = line.rsplit('\n').next().unwrap_or_default();
    let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
    last_line.chars().count() >= 50 && next.is_some_and(char::is_lowercase)
}

fn is_abbreviation(before: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let last = last
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    // A single letter is an initial, except "I", which ends sentences.
    ABBREVIATIONS.has(last.as_str())
        || (last.chars().count() == 1 && last != "i" && last.chars().all(char::is_alphabetic))
}

/// "der 3. Oktober": the full stop belongs to the number.
fn is_german_date(before: &str, after: &str) -> bool {
    let day = before
        .chars()
        .rev()
        .take_while(char::is_ascii_digit)
        .count();
    let after = after.trim_start();
    (1..=2).contains(&day)
        && [
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ]
        .iter()
        .any(|month| after.starts_with(month))
}

/// Conjunctions that may begin a clause.
static CONJUNCTIONS: WordList = WordList::new(&[
    "and",
    "but",
    "so",
    "because",
    "since",
    "though",
    "although",
    "while",
    "which",
    "or",
    "as",
    "cause",
    "bc",
    "if",
    "unless",
    "when",
    "und",
    "aber",
    "weil",
    "y",
    "pero",
    "et",
    "mais",
    "en",
    "maar",
    "e",
    "mas",
    "until",
    "therefore",
    "whereas",
    "also",
    "then",
    "asking",
    "yet",
    "cuz",
]);

/// Those that begin one whatever follows.
static CONTRASTS: WordList = WordList::new(&["but", "because", "although", "though", "whereas"]);

/// Words that begin a clause of their own after a comma or a conjunction.
static SUBJECTS: WordList = WordList::new(&[
    "i",
    "we",
    "my",
    "our",
    "you",
    "he",
    "she",
    "it",
    "they",
    "there",
    "this",
    "that",
    "his",
    "her",
    "their",
    "please",
    "pls",
    "can",
    "could",
    "would",
    "will",
    "what",
    "how",
    "why",
    "where",
    "when",
    "which",
    "who",
    "is",
    "are",
    "do",
    "does",
    "did",
    "should",
    "just",
    "give",
    "make",
    "let",
    "don",
    "never",
    "always",
    "keep",
    "use",
    "tell",
    "show",
    "write",
    "explain",
    "help",
    "everything",
    "everybody",
    "everyone",
    "nothing",
    "if",
    "name",
    "call",
    "based",
    "living",
    "working",
    "currently",
    "ich",
    "mein",
    "meine",
    "wir",
    "je",
    "j'utilise",
    "j'habite",
    "nous",
    "yo",
    "vivo",
    "uso",
    "trabajo",
    "trabalho",
    "moro",
    "ik",
    "mijn",
    "kannst",
    "peux",
    "puedes",
    "now",
    "deadline",
    "next",
    "short",
    "no",
    "mi",
    "mon",
    "ma",
    "wohne",
    "lebe",
    "kun",
    "remind",
    "stop",
    "answer",
    "reply",
    "one",
    "someone",
    "somebody",
    "people",
    "all",
    "any",
    "ok",
    "thanks",
    "goal",
    "due",
    "asking",
]);

/// Cuts the words of a sentence into clauses: which words each of them has.
fn split(all: &mut [Word]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for n in 1..all.len() {
        if is_apposition(all, n) {
            if let Some(word) = all.get_mut(n) {
                word.gap = Gap::Comma;
            }
        } else if starts_clause(all, n) {
            parts.push(start..n);
            start = n;
        }
    }
    if start < all.len() {
        parts.push(start..all.len());
    }
    parts
}

fn starts_clause(all: &[Word], n: usize) -> bool {
    let (Some(word), next) = (all.get(n), all.get(n + 1)) else {
        return false;
    };
    let conjoins =
        || word.is_any(&CONJUNCTIONS) && next.is_some_and(|next| begins_clause(all, n + 1, next));
    match word.gap {
        Gap::Break => true,
        Gap::Comma => {
            word.is_any(&SUBJECTS)
                || word.is_any(&["so", "but", "because"])
                || conjoins()
                || starts_with_a_person(word, next)
        }
        Gap::None => conjoins() || word.is_any(&CONTRASTS),
    }
}

/// "Ines, my sister, …", "Ines (my boss)", "my boss (Ines)": says who somebody is, between
/// commas or brackets.
fn is_apposition(all: &[Word], n: usize) -> bool {
    let Some((word, before)) = all.get(n).zip(n.checked_sub(1).and_then(|n| all.get(n))) else {
        return false;
    };
    if word.gap == Gap::None {
        return false;
    }
    let inside = all
        .iter()
        .skip(n + 1)
        .take(4)
        .take_while(|word| word.gap == Gap::None)
        .count();
    let run = all.get(n..=n + inside).unwrap_or_default();
    if inside < 4 && word.is_any(&["my", "our"]) {
        return before.is_capitalised()
            && before.low() != "i"
            && inside > 0
            && !run.iter().any(|word| word.is_any(&VERBS));
    }
    if word.gap == Gap::Comma && word.low() == "who" {
        return before.is_capitalised();
    }
    word.gap == Gap::Break
        && inside < 2
        && run.iter().all(Word::is_capitalised)
        && all
            .iter()
            .take(n)
            .rev()
            .take(3)
            .any(|word| word.is_any(&["my", "our"]))
}

/// Verbs that tell a clause from an apposition.
static VERBS: WordList = WordList::new(&[
    "is", "are", "was", "were", "am", "has", "have", "had", "does", "do", "did", "will", "would",
    "can", "could", "uses", "use", "runs", "run", "says", "said", "wants", "likes", "hates",
    "loves", "lives", "works", "work", "needs", "keeps", "got", "went", "thinks", "handles",
    "helps", "knows", "came", "left", "moved",
]);

/// After a conjunction: a subject, not another member of a list ("vim and it" against "vim and Rust").
fn begins_clause(all: &[Word], n: usize, next: &Word) -> bool {
    // "when asked", "as an admin", "so far": only a subject of its own begins a clause
    next.gap == Gap::None
        && (next.is_any(&SUBJECTS) || all.get(n + 1).is_some_and(|verb| starts_with_a_person(next, Some(verb))))
        // "as my shell", "as our editor" is no clause
        && !(n > 0
            && all.get(n - 1).is_some_and(|word| word.low() == "as")
            && next.is_any(&["my", "our", "their", "her", "his"]))
}

/// "Chloe helps me": a name and what they do.
fn starts_with_a_person(name: &Word, verb: Option<&Word>) -> bool {
    name.is_capitalised()
        && verb.is_some_and(|verb| {
            verb.gap == Gap::None
                && verb.is_any(&[
                    "is", "does", "handles", "helps", "checks", "approves", "has", "wants", "runs",
                    "takes", "reviews", "owns", "leads", "manages", "knows", "said", "says",
                ])
        })
}

/// Words that only lead in.
static LEAD_INS: WordList = WordList::new(&[
    "hi",
    "hey",
    "hello",
    "hii",
    "so",
    "well",
    "btw",
    "fyi",
    "ok",
    "okay",
    "oh",
    "ah",
    "also",
    "and",
    "but",
    "anyway",
    "actually",
    "yes",
    "yeah",
    "yep",
    "no",
    "nope",
    "um",
    "hm",
    "hmm",
    "right",
    "sorry",
    "thanks",
    "please",
    "pls",
    "because",
    "since",
    "since",
    "as",
    "though",
    "although",
    "or",
    "then",
    "anyways",
    "basically",
    "honestly",
    "look",
    "listen",
    "note",
    "correction",
    "update",
    "first",
    "second",
    "finally",
    "plus",
    "hola",
    "hallo",
    "bonjour",
    "salut",
    "olá",
    "oi",
    "und",
    "aber",
    "y",
    "pero",
    "et",
    "mais",
    "alors",
    "en",
    "maar",
    "ya",
    "e",
    "mas",
    "ugh",
    "wait",
    "cuz",
    "while",
    "whereas",
    "asking",
    "cool",
    "great",
    "perfect",
    "quick",
    "context",
    "info",
    "lol",
    "haha",
    "ps",
    "p.s",
    "fine",
    "sure",
    "kind",
    "dear",
    "guys",
    "everyone",
    "all",
    "there",
    "bc",
    "cause",
    "yet",
    "now",
    "therefore",
    "unfortunately",
    "luckily",
    "apparently",
    "obviously",
    "usually",
    "generally",
    "typically",
    "normally",
    "currently",
    "today",
    "lately",
    "recently",
]);

/// The clause without what only leads in; a clause of nothing else stays as it is.
fn without_lead_in(mut part: Vec<Word>) -> Vec<Word> {
    let lead = part
        .iter()
        .take(4)
        .take_while(|word| word.is_any(&LEAD_INS))
        .count();
    // "no emoji", "please", "there are", "currently working" keep the word that carries meaning.
    let keep = part.get(lead).is_none()
        || lead
            .checked_sub(1)
            .and_then(|last| part.get(last))
            .is_some_and(|last| {
                last.is_any(&["no", "there", "all", "everyone", "kind"])
                    && !part
                        .get(lead)
                        .is_some_and(|next| next.gap != Gap::None || next.is_any(&SUBJECTS))
            });
    let cut = if keep { lead.saturating_sub(1) } else { lead };
    let gap = part.drain(..cut.min(part.len())).map(|word| word.gap).max();
    if let (Some(first), Some(gap)) = (part.first_mut(), gap) {
        first.gap = first.gap.max(gap);
    }
    part
}

#[cfg(test)]
mod tests {
    use super::super::join;
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        clauses(text)
            .iter()
            .map(|clause| join(&clause.words))
            .collect()
    }

    #[test]
    fn sentences_and_clauses() {
        for (text, expected) in [
            (
                "I'm Ada. I live in Lisbon.",
                vec!["I am Ada", "I live in Lisbon"],
            ),
            (
                "Dr. Who lives at St. James.",
                vec!["Dr Who lives at St James"],
            ),
            ("We run on Fly.io now", vec!["We run on Fly.io now"]),
            (
                "I use Rust, Go and Python",
                vec!["I use Rust, Go and Python"],
            ),
            (
                "I use Rust and I live in Rome",
                vec!["I use Rust", "I live in Rome"],
            ),
            (
                "I use vim, why is it slow?",
                vec!["I use vim", "why is it slow"],
            ),
            ("hi, so I'm Ada", vec!["hi", "I am Ada"]),
            ("no emojis", vec!["no emojis"]),
            ("no, I use vim", vec!["no", "I use vim"]),
            (
                "Pavel does sound and I do art",
                vec!["Pavel does sound", "I do art"],
            ),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
    }
}

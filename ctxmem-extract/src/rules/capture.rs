//! What a pattern can capture from a sentence.

use super::deeds::{Form, deed_at};
use super::lexicon::{Tool, is_no_name, is_tool_at, place_at, relation_at, tool_at};
use super::pattern::Captured;
use super::slots::{purpose_at, slot_at};
use super::zones;
use crate::lists::WordList;
use crate::text::{Gap, Word, join};

/// A captured text.
pub(super) type Text = String;

/// Kinds of captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A person's name, capitalised.
    Name,
    /// Several of them: "Ana, Bo and Cy".
    Names,
    /// A name that the sentence announces, so that it may be in lower case.
    AnyName,
    /// A place that the sentence announces.
    Place,
    /// A place from the list.
    City,
    /// A time zone.
    Zone,
    /// One known tool.
    Tool,
    /// A list of known tools.
    Tools,
    /// "manager", "sister-in-law".
    Relation,
    /// "editor", "package manager".
    Slot,
    /// "my calendar", "invoicing": what a tool is used for.
    Purpose,
    /// A capitalised name of something.
    Proper,
    /// Up to four words up to a comma or a preposition.
    Short,
    /// The rest of the clause.
    Rest,
    /// A verb of projects and events: "build", "building", "built".
    Deed(Form),
    /// No such kind.
    Unknown,
}

impl Kind {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "name" => Self::Name,
            "names" => Self::Names,
            "anyname" => Self::AnyName,
            "place" => Self::Place,
            "city" => Self::City,
            "zone" => Self::Zone,
            "tool" => Self::Tool,
            "tools" => Self::Tools,
            "relation" => Self::Relation,
            "slot" => Self::Slot,
            "purpose" => Self::Purpose,
            "proper" => Self::Proper,
            "short" => Self::Short,
            "rest" => Self::Rest,
            "do" => Self::Deed(Form::Base),
            "doing" => Self::Deed(Form::Gerund),
            "did" => Self::Deed(Form::Past),
            _ => Self::Unknown,
        }
    }
}

/// Captures what begins with the word at `at`: the index behind it and the capture.
pub(super) fn capture(kind: Kind, words: &[Word], at: usize) -> Option<(usize, Captured)> {
    let text = |(end, text): (usize, Text)| (end, Captured::Text(text));
    match kind {
        Kind::Name => name(words, at).map(text),
        Kind::AnyName => any_name(words, at).map(text),
        Kind::Names => names(words, at),
        Kind::Place => place(words, at).map(text),
        Kind::City => city(words, at).map(text),
        Kind::Zone => zones::zone_at(words, at).map(text),
        Kind::Tool => tool_at(words, at).map(|(end, tool)| (end, Captured::Tools(vec![tool]))),
        Kind::Tools => tools(words, at).map(|(end, tools)| (end, Captured::Tools(tools))),
        Kind::Relation => relation_at(words, at).map(|end| text((end, relation(words, at, end)))),
        Kind::Slot => slot_at(words, at).map(|(end, slot)| text((end, slot.to_owned()))),
        Kind::Purpose => purpose_at(words, at).map(|(end, slot)| text((end, slot.to_owned()))),
        Kind::Proper => proper(words, at).map(text),
        Kind::Short => short(words, at).map(text),
        Kind::Rest => rest(words, at).map(text),
        Kind::Deed(form) => {
            deed_at(form, words, at).map(|(end, _)| text((end, run_text(words, at, end))))
        }
        Kind::Unknown => None,
    }
}

/// The words of a relation; "my sister's name" is about the sister.
fn relation(words: &[Word], at: usize, end: usize) -> Text {
    words
        .get(at..end)
        .unwrap_or_default()
        .iter()
        .map(Word::low)
        .collect::<Vec<_>>()
        .join(" ")
}

fn run_text(words: &[Word], at: usize, end: usize) -> Text {
    join(words.get(at..end).unwrap_or_default())
}

static TITLES: WordList = WordList::new(&[
    "dr",
    "mr",
    "mrs",
    "ms",
    "prof",
    "professor",
    "aunt",
    "uncle",
    "frau",
    "herr",
    "sister",
]);

/// One to three capitalised words that are neither tools, places, months nor languages.
pub(super) fn name(words: &[Word], at: usize) -> Option<(usize, Text)> {
    let mut end = at;
    let mut name = String::new();
    let mut proper_part = false;
    while let Some(word) = words.get(end) {
        let first = end == at || word.gap == Gap::None;
        if !first || !looks_like_a_name(word) || end == at + 3 {
            break;
        }
        let title = end == at && word.is_any(&TITLES);
        if !title && is_no_name(words, end) {
            break;
        }
        proper_part |= !title;
        if end > at {
            name.push(' ');
        }
        name.push_str(&word.text);
        if title && word.low().len() <= 3 && word.low() != "ms" {
            name.push('.');
        }
        end += 1;
        if word.possessive {
            break;
        }
    }
    proper_part.then_some((end, name))
}

/// A capitalised word of letters that is neither one letter nor an abbreviation.
fn looks_like_a_name(word: &Word) -> bool {
    let chars = || word.text.chars();
    word.is_capitalised()
        && chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\''))
        && chars().nth(1).is_some()
        && !(chars().nth(3).is_some() && chars().all(char::is_uppercase))
}

/// Words that are no names even where a name is expected.
static NEVER_NAMES: WordList = WordList::new(&[
    "a",
    "an",
    "the",
    "my",
    "your",
    "his",
    "her",
    "it",
    "that",
    "this",
    "what",
    "later",
    "back",
    "when",
    "if",
    "not",
    "me",
    "you",
    "i",
    "we",
    "crazy",
    "old",
    "in",
    "on",
    "at",
    "by",
    "for",
    "to",
    "maybe",
    "anything",
    "whatever",
    "sir",
    "already",
    "too",
    "so",
    "tomorrow",
    "today",
    "again",
    "asap",
    "and",
    "or",
    "never",
    "no",
    "unknown",
    "being",
    "hard",
    "long",
    "wrong",
    "correct",
    "misspelled",
    "spelled",
    "out",
    "up",
    "them",
    "is",
    "same",
]);

/// A name in whatever case, since the sentence says that it is one.
fn any_name(words: &[Word], at: usize) -> Option<(usize, Text)> {
    if let Some(found) = name(words, at) {
        return Some(found);
    }
    let word = words.get(at)?;
    let ends = words.get(at + 1).is_none_or(|next| {
        next.gap != Gap::None
            || next.is_any(&[
                "and", "but", "from", "by", "here", "please", "btw", "not", "y", "und", "et", "e",
            ])
    });
    let plain =
        word.text.chars().all(|c| c.is_alphabetic() || c == '-') && word.text.chars().count() > 1;
    (ends && plain && !word.is_any(&NEVER_NAMES)).then(|| (at + 1, capital(&word.text)))
}

/// The word with a capital letter.
pub(super) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

fn names(words: &[Word], at: usize) -> Option<(usize, Captured)> {
    let (mut end, first) = name(words, at)?;
    let mut all = vec![first];
    loop {
        let and = usize::from(words.get(end).is_some_and(|word| {
            word.is_any(&["and", "y", "und", "et", "en"]) && word.gap != Gap::Break
        }));
        let joined = and == 1 || words.get(end).is_some_and(|word| word.gap == Gap::Comma);
        match name(words, end + and) {
            Some((next, another)) if joined => {
                all.push(another);
                end = next;
            }
            _ => break,
        }
    }
    Some((end, Captured::Texts(all)))
}

/// Words inside the names of places.
static PLACE_LINKS: WordList = WordList::new(&[
    "de", "del", "do", "da", "la", "le", "of", "am", "an", "upon", "sur",
]);

/// A place from the list, in whatever case.
fn city(words: &[Word], at: usize) -> Option<(usize, Text)> {
    let end = place_at(words, at)?;
    let text = words
        .get(at..end)?
        .iter()
        .map(|word| {
            if word.is_capitalised() {
                word.text.clone()
            } else {
                capital(&word.text)
            }
        })
        .collect::<Vec<_>>()
        .join(" ");
    Some(with_region(words, end, text))
}

/// "Cork, Ireland": a capitalised word behind a comma belongs to a place.
fn with_region(words: &[Word], end: usize, text: Text) -> (usize, Text) {
    let region = words
        .get(end)
        .is_some_and(|word| word.gap == Gap::Comma && word.is_capitalised());
    if region && let Some(behind) = place_at(words, end) {
        let region = run_text(words, end, behind);
        return (behind, format!("{text}, {region}"));
    }
    (end, text)
}

/// A place where the sentence leaves no doubt that one follows.
fn place(words: &[Word], at: usize) -> Option<(usize, Text)> {
    if let Some(found) = city(words, at) {
        return Some(found);
    }
    let mut end = at;
    while let Some(word) = words.get(end) {
        let inside = end == at || word.gap == Gap::None;
        let link = end > at
            && word.is_any(&PLACE_LINKS)
            && words
                .get(end + 1)
                .is_some_and(|next| next.is_capitalised() && next.gap == Gap::None);
        if !inside || end - at == 4 || !(link || word.is_capitalised()) || word.is_quote() {
            break;
        }
        if is_tool_at(words, end) || word.low() == "i" {
            break;
        }
        end += 1;
        if word.possessive {
            return None;
        }
    }
    if end > at {
        return Some(with_region(words, end, run_text(words, at, end)));
    }
    // "i live in ghent": one plain word, then the clause ends or goes on with a preposition.
    let word = words.get(at)?;
    let ends = words.get(at + 1).is_none_or(|next| {
        next.gap != Gap::None
            || next.is_any(&[
                "and", "with", "now", "since", "so", "for", "btw", "but", "as", "y", "und", "et",
                "e", "these", "right",
            ])
    });
    let plain = word.text.chars().all(char::is_alphabetic) && word.text.chars().count() > 3;
    let common = word.is_any(&[
        "fear",
        "peace",
        "town",
        "here",
        "there",
        "hope",
        "general",
        "person",
        "theory",
        "practice",
        "luxury",
        "poverty",
        "denial",
        "harmony",
        "silence",
        "vim",
        "code",
        "tmux",
        "mixed",
        "feature",
        "feelings",
        "meetings",
        "terminal",
        "tests",
        "pain",
        "constant",
        "place",
        "production",
        "abroad",
        "home",
        "english",
        "german",
        "french",
        "spanish",
        "shared",
        "different",
        "something",
        "another",
        "sales",
        "marketing",
        "finance",
        "education",
        "research",
        "this",
        "that",
    ]);
    (ends && plain && !common && !is_tool_at(words, at)).then(|| (at + 1, capital(&word.text)))
}

/// A list of known names: "Rust, Go and a bit of Python".
fn tools(words: &[Word], at: usize) -> Option<(usize, Vec<Tool>)> {
    let at = after_articles(words, at);
    let (mut end, first) = tool_at(words, at)?;
    let mut all = vec![first];
    loop {
        end = behind_a_machine(words, end);
        let linked = words
            .get(end)
            .is_some_and(|word| word.gap != Gap::Break && word.is_any(&TOOL_LINKS));
        let comma = words.get(end).is_some_and(|word| word.gap == Gap::Comma);
        // "Kotlin / Android", "Spark and Airflow", "TypeScript React"
        let from = after_articles(words, end + usize::from(linked));
        if !(linked || comma) {
            break;
        }
        match tool_at(words, from) {
            Some((next, tool)) => {
                all.push(tool);
                end = next;
            }
            None => break,
        }
    }
    Some((end, all))
}

/// Words between tools of a list.
static TOOL_LINKS: WordList = WordList::new(&[
    "and", "or", "plus", "with", "on", "y", "und", "et", "en", "e", "behind", "via", "inside",
    "under", "in",
]);

/// "one Hetzner *box* with Docker": the noun belongs to the name where the list goes on.
fn behind_a_machine(words: &[Word], at: usize) -> usize {
    let machine = words.get(at).is_some_and(|word| {
        word.gap == Gap::None
            && word.is_any(&[
                "box", "server", "vps", "vm", "cluster", "instance", "service", "setup",
            ])
    });
    let linked = words
        .get(at + 1)
        .is_some_and(|word| word.is_any(&["with", "and", "behind", "via", "running", "running"]));
    if machine && linked { at + 1 } else { at }
}

/// Words in front of a name: "a", "the", "a bit of" and the like.
static ARTICLES: WordList = WordList::new(&[
    "a",
    "an",
    "the",
    "my",
    "our",
    "some",
    "bit",
    "of",
    "plain",
    "pure",
    "mostly",
    "mainly",
    "also",
    "only",
    "just",
    "good",
    "old",
    "little",
    "sometimes",
    "occasionally",
    "one",
    "un",
    "una",
    "ein",
    "einem",
    "einen",
    "latest",
    "couple",
    "few",
    "single",
    "own",
    "cheap",
    "tiny",
    "local",
    "then",
]);

/// Most words skipped before a name.
const MOST_ARTICLES: usize = 5;

/// Skips what stands in front of a name.
fn after_articles(words: &[Word], from: usize) -> usize {
    let mut at = from;
    while at < words.len().min(from + MOST_ARTICLES) {
        let skip = words.get(at).is_some_and(|word| word.is_any(&ARTICLES));
        if !skip || is_tool_at(words, at) {
            break;
        }
        at += 1;
    }
    at
}

/// The capitalised name of something unknown, such as "Google Sheets".
fn proper(words: &[Word], at: usize) -> Option<(usize, Text)> {
    let mut end = at;
    while let Some(word) = words.get(end) {
        let inside = end == at || word.gap == Gap::None;
        let no_name = word.low() == "i" || word.is_quote() || word.possessive;
        if !inside || !word.is_capitalised() || no_name || end - at == 3 {
            break;
        }
        end += 1;
    }
    (end > at).then(|| (end, run_text(words, at, end)))
}

/// Words that end a short capture.
static SHORT_ENDS: WordList = WordList::new(&[
    "for", "because", "since", "and", "but", "so", "now", "when", "if", "on", "in", "at", "with",
    "which", "that", "or", "these", "by", "as", "please", "btw", "than", "not", "to", "y", "und",
    "et",
]);

fn short(words: &[Word], at: usize) -> Option<(usize, Text)> {
    let first = words.get(at)?;
    if first.is_any(&[
        "not", "no", "a", "an", "the", "it", "that", "this", "what", "broken", "slow", "too",
        "very", "being",
    ]) || first.is_quote()
    {
        return None;
    }
    let end = words
        .iter()
        .enumerate()
        .skip(at + 1)
        .find(|(_, word)| word.gap != Gap::None || word.is_any(&SHORT_ENDS) || word.is_quote())
        .map_or(words.len(), |(n, _)| n);
    (end - at <= 4).then(|| (end, run_text(words, at, end)))
}

/// Words that say nothing at the end of a clause.
static TAIL: WordList = WordList::new(&[
    "btw",
    "please",
    "pls",
    "lol",
    "haha",
    "thanks",
    "though",
    "too",
    "and",
    "so",
    "but",
    "right",
    "now",
    "anyway",
    "ok",
    "also",
    "atm",
    "currently",
    "then",
    "because",
    "as",
    "or",
]);

/// Most words of a rest that is worth storing.
const LONGEST_REST: usize = 40;

/// The rest of the clause up to a break, without its tail.
fn rest(words: &[Word], at: usize) -> Option<(usize, Text)> {
    let behind = words
        .iter()
        .enumerate()
        .skip(at + 1)
        .take(LONGEST_REST)
        .find(|(_, word)| word.gap == Gap::Break)
        .map_or_else(|| words.len().min(at + 1 + LONGEST_REST), |(n, _)| n);
    let mut end = behind;
    while end > at + 1 && words.get(end - 1).is_some_and(|word| word.is_any(&TAIL)) {
        end -= 1;
    }
    let run = words.get(at..end)?;
    let empty = run.is_empty() || run.iter().any(Word::is_quote);
    (!empty && run.len() <= LONGEST_REST).then(|| (behind, join(run)))
}

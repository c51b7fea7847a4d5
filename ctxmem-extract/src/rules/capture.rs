//! The kinds of words that patterns ask for: where they may end.
//!
//! A kind is strict: what it takes goes into a fact as it stands, so in doubt it takes nothing.

use super::dates;
use super::kind::Kind;
use super::lexicon::{self, List};
use crate::text::{Clause, Class, Gap, Reading, Word};

/// Most words of an open phrase.
const LONGEST_PHRASE: usize = 14;

impl Kind {
    /// Behind which words something of this kind may end that begins with the word at `at`, the
    /// best first.
    pub(super) fn ends(self, reading: &Reading<'_>, clause: &Clause, at: usize) -> Vec<usize> {
        let words = &reading.words;
        let limit = clause.sentence;
        let Some(word) = words.get(at).filter(|word| at < limit && !word.is_quote()) else {
            return Vec::new();
        };
        let gap = match self {
            Self::Name | Self::Allergens => Gap::Comma,
            Self::Tools | Self::Date | Self::Rest | Self::Said | Self::Told | Self::Phrase | Self::Tongues => Gap::Break,
            _ => Gap::Space,
        };
        if at > clause.start && word.gap > gap {
            return Vec::new();
        }
        let one = |end: Option<usize>| end.into_iter().collect();
        let listed = |list| one(lexicon::longest(list, words, at, limit));
        match self {
            Self::Name => one(name_end(reading, at, limit)),
            Self::OwnName => one(name_end(reading, at, limit).or_else(|| lower_name(reading, at, limit))),
            Self::Place => one(place_end(reading, at, limit)),
            Self::KnownPlace => listed(List::Places),
            Self::Zone => one(lexicon::longest(List::Zones, words, at, limit).or_else(|| offset(words, at))),
            Self::Job => job_ends(reading, at, limit),
            Self::Employer => one(employer_end(reading, at, limit)),
            Self::Relation => listed(List::Relations),
            Self::Groups => listed(List::Groups),
            Self::Tools => one(lexicon::tools_end(reading, at, limit)),
            Self::Tool => one(lexicon::tool_at(words, at, limit).filter(|tool| tool.is_sure(at > clause.start)).map(|tool| tool.end)),
            Self::Tongues => one(list_end(reading, at, limit, List::Tongues)),
            Self::Slot => listed(List::Slots),
            Self::Diet => listed(List::Diets),
            Self::Allergens => one(list_end(reading, at, limit, List::Allergens)),
            Self::Condition => listed(List::Conditions),
            Self::Field => listed(List::Fields),
            Self::Business => listed(List::Businesses),
            Self::Instrument => listed(List::Instruments),
            Self::Food => listed(List::Foods),
            Self::Illness => listed(List::Illnesses),
            Self::Style => listed(List::Styles),
            Self::Noise => one(list_end(reading, at, limit, List::Noise)),
            Self::Manner => one(list_end(reading, at, limit, List::Manners)),
            Self::Work => headed_ends(reading, at, limit, List::Works),
            Self::Event => headed_ends(reading, at, limit, List::Events),
            Self::Wish => one(wish_end(reading, at, limit)),
            Self::Said => one(said_end(reading, at, limit, false)),
            Self::Told => one(said_end(reading, at, limit, true)),
            Self::Date => one(dates::end(words, at, limit)),
            Self::Number => one(is_number(word).then_some(at + 1)),
            Self::Title => one(title_end(reading, at, limit)),
            Self::Phrase => phrase_ends(reading, at, limit, LONGEST_PHRASE),
            Self::Short => phrase_ends(reading, at, limit, 4),
            Self::Rest => vec![limit],
        }
    }
}

/// Whether words in capitals are names here: not in a message that shouts.
fn capitals_tell(reading: &Reading<'_>) -> bool {
    let shouted = |word: &&Word<'_>| word.text.len() > 2 && !word.text.contains(char::is_lowercase);
    let long = reading.words.iter().filter(|word| word.text.len() > 2);
    reading.words.iter().filter(shouted).count() * 2 <= long.count()
}

/// Titles before a name, which may be without a first name then.
const TITLES: &[&str] = &[
    "dr", "prof", "professor", "doctor", "mr", "mrs", "ms", "miss", "frau", "herr", "señor",
    "señora", "sr", "sra", "don", "doña", "madame", "monsieur", "mme", "aunt", "uncle", "auntie",
    "tante", "onkel", "tía", "tío", "sir", "grandma", "grandpa", "oma", "opa", "coach",
];

/// Small words inside of names.
const PARTICLES: &[&str] = &[
    "de", "del", "de la", "la", "van", "von", "der", "den", "da", "di", "el", "al", "bin", "le", "ter", "zu", "dos",
];

/// Whether the word may be part of a person's name.
fn is_name(reading: &Reading<'_>, at: usize) -> bool {
    let word = &reading.words[at];
    let mut chars = word.text.chars();
    let capital = chars.next().is_some_and(char::is_uppercase);
    let rest = chars.as_str();
    capital
        && rest.chars().count() >= 1
        && word.text.chars().count() <= 16
        && rest.contains(char::is_lowercase)
        && rest.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '\u{2019}'))
        && !lexicon::has(List::NotNames, &word.low)
}

fn name_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    if !capitals_tell(reading) {
        return None;
    }
    let words = &reading.words;
    let mut end = at;
    while end < limit.min(at + 2) && TITLES.contains(&&*words[end].low) && words[end].is_capitalised() {
        end += 1;
    }
    let first = end;
    while end < limit && end < first + 3 {
        if end > first && (words[end].gap > Gap::Space || words[end - 1].possessive) {
            break;
        }
        if is_name(reading, end) && (end == first || !reading.is(end, Class::Subject)) {
            end += 1;
        } else if end > first
            && end + 1 < limit
            && PARTICLES.contains(&&*words[end].low)
            && words[end + 1].gap == Gap::Space
            && is_name(reading, end + 1)
        {
            end += 2;
        } else {
            break;
        }
    }
    // "my boss Tom Hanks-like": what follows in capitals would belong to it.
    (end > first).then_some(end)
}

/// A name in lower case: the only word before the end of the clause.
fn lower_name(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let word = &reading.words[at];
    let ends = at + 1 >= limit || reading.words[at + 1].gap >= Gap::Comma || reading.begins(at + 1);
    let fits = ends
        && word.id == 0
        && (2..=12).contains(&word.text.chars().count())
        && word.text.chars().all(char::is_alphabetic)
        && !lexicon::has(List::NotNames, &word.low);
    fits.then_some(at + 1)
}

fn place_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let words = &reading.words;
    let known = |at| lexicon::longest(List::Places, words, at, limit);
    let proper = |n: usize| {
        let word = &words[n];
        word.is_capitalised()
            && capitals_tell(reading)
            && !word.text.contains(|c: char| c.is_ascii_digit())
            && !lexicon::has(List::NotPlaces, &word.low)
    };
    let mut end = known(at).unwrap_or(at);
    while end < limit && end < at + 4 && (end == at || words[end].gap <= Gap::Space) && !(end > at && words[end - 1].possessive) {
        if proper(end) {
            end += 1;
        } else if end > at
            && end + 1 < limit
            && words[end].is_any(&["de", "la", "del", "am", "an", "der", "upon", "of", "sur", "le", "do", "im", "bei", "los"])
            && words[end + 1].gap <= Gap::Space
            && proper(end + 1)
        {
            end += 2;
        } else {
            break;
        }
    }
    if end == at || words[end - 1].possessive {
        return None;
    }
    // "Cork, Ireland", "Austin, TX"
    if end < limit && words[end].gap == Gap::Comma {
        if let Some(wider) = known(end) {
            return Some(wider);
        }
        let region = &words[end].text;
        if region.len() == 2 && region.chars().all(|c| c.is_ascii_uppercase()) {
            return Some(end + 1);
        }
    }
    Some(end)
}

/// `UTC+2`, `GMT-5`, `Europe/Berlin` (which is read as two words).
fn offset(words: &[Word<'_>], at: usize) -> Option<usize> {
    let low = &*words[at].low;
    let rest = low.strip_prefix("utc").or_else(|| low.strip_prefix("gmt"))?;
    let digits = rest.strip_prefix(['+', '-'])?;
    (!digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == ':')).then_some(at + 1)
}

/// A noun phrase whose head is an occupation, with and without where it is done.
fn job_ends(reading: &Reading<'_>, at: usize, limit: usize) -> Vec<usize> {
    let words = &reading.words;
    let mut ends = Vec::new();
    for n in at..limit.min(at + 5) {
        if n > at && words[n].gap > Gap::Space {
            break;
        }
        if reading.is(n, Class::Stop) || words[n].is_quote() || reading.is(n, Class::Pointing) {
            break;
        }
        let Some(head) = lexicon::longest(List::Jobs, words, n, limit) else {
            continue;
        };
        // "nurse practitioner": the head is the last of them.
        if lexicon::longest(List::Jobs, words, head, limit).is_some() && words[head].gap == Gap::Space {
            continue;
        }
        let follows = words.get(head).filter(|next| head < limit && next.gap <= Gap::Space);
        let ends_here = follows.is_none()
            || reading.begins(head)
            || reading.is(head, Class::Stop)
            || follows.is_some_and(|next| next.is_any(ROLE_TAILS));
        if !ends_here || words[head - 1].possessive {
            break;
        }
        if follows.is_some_and(|next| next.is_any(WHERE_TAILS))
            && let Some(tail) = phrase_ends(reading, head + 1, limit, 6).first()
        {
            ends.push(*tail);
        }
        ends.push(head);
        break;
    }
    ends
}

/// What may follow an occupation.
const ROLE_TAILS: &[&str] = &[
    "at", "in", "for", "with", "from", "by", "on", "to", "and", "here", "bei", "in", "im", "für", "mit", "aus", "chez", "dans", "pour", "à", "de", "en", "para", "con", "too", "now", "working", "based", "living", "turned",
];

/// Of those, what tells where it is done.
const WHERE_TAILS: &[&str] = &["at", "for", "in", "bei", "im", "chez", "dans", "en", "à", "au", "am"];

/// "a hospital in Leeds", "Siemens".
fn employer_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let end = *phrase_ends(reading, at, limit, 7).first()?;
    let word = &reading.words[at];
    let determined = reading.is(at, Class::Article) && end > at + 1;
    let named = word.is_capitalised() && capitals_tell(reading) && !lexicon::has(List::NotNames, &word.low);
    (determined || named).then_some(end)
}

/// A list of known things: "peanuts, cats and pollen", "German and a bit of Polish".
fn list_end(reading: &Reading<'_>, at: usize, limit: usize, list: List) -> Option<usize> {
    let words = &reading.words;
    let mut end = None;
    let mut n = at;
    let mut between = 0;
    while n < limit && between <= 3 {
        if n > at && words[n].gap > Gap::Comma {
            break;
        }
        if let Some(found) = lexicon::longest(list, words, n, limit) {
            end = Some(found);
            n = found;
            between = 0;
        } else {
            let glue = words[n].is_any(LIST_GLUE) || reading.is(n, Class::Filler);
            if !glue {
                break;
            }
            between += 1;
            n += 1;
        }
    }
    end
}

/// What may stand between the things of a list.
const LIST_GLUE: &[&str] = &[
    "and", "or", "a", "an", "some", "bit", "of", "little", "all", "the", "most", "fluent",
    "fluently", "basic", "native", "und", "oder", "ein", "bisschen", "etwas", "fließend", "et",
    "un", "peu", "d", "de", "du", "l", "le", "la", "les", "y", "e", "poco", "algo", "el", "los", "las", "tree", "aux", "à", "al", "a",
];

fn is_number(word: &Word<'_>) -> bool {
    word.low.bytes().all(|byte| byte.is_ascii_digit()) || lexicon::has(List::Numbers, &word.low)
}

/// "Falcon", "the Falcon project".
fn title_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let words = &reading.words;
    let mut end = at;
    while end < limit
        && end < at + 4
        && (end == at || words[end].gap <= Gap::Space)
        && words[end].is_capitalised()
        && !reading.is(end, Class::Subject)
    {
        end += 1;
    }
    (end > at).then_some(end)
}

/// Where an open phrase may end, the longest first. Nothing where it points at what is not
/// told, is too general or too long.
fn phrase_ends(reading: &Reading<'_>, at: usize, limit: usize, most: usize) -> Vec<usize> {
    let words = &reading.words;
    let mut end = at;
    while end < limit && end <= at + most {
        let word = &words[end];
        let over = end > at
            && (word.gap >= Gap::Comma || reading.begins(end) || reading.is(end, Class::Stop));
        if over {
            // "Diverse, original videos": what a comma divides may belong together.
            if word.gap == Gap::Comma && !resumes(reading, end) {
                return Vec::new();
            }
            break;
        }
        if word.is_quote() || reading.is(end, Class::Pointing) {
            return Vec::new();
        }
        end += 1;
    }
    if end > at + most {
        return Vec::new();
    }
    (at + 1..=end)
        .rev()
        .filter(|end| is_about_something(reading, at, *end))
        .collect()
}

/// Whether a new clause begins behind a comma.
fn resumes(reading: &Reading<'_>, at: usize) -> bool {
    use Class::{Article, Auxiliary, Condition, Joint, Opener, Order, Own, Pronoun, Question, Stop, Subject, Verb, Wish, Lead, Negation, Filler};
    [Article, Auxiliary, Condition, Joint, Opener, Order, Own, Pronoun, Question, Stop, Subject, Verb, Wish, Lead, Negation, Filler]
        .into_iter()
        .any(|class| reading.is(at, class))
}

/// Whether a phrase holds a word that is neither small nor vague, and does not end in the middle.
fn is_about_something(reading: &Reading<'_>, at: usize, end: usize) -> bool {
    let words = &reading.words;
    let last = &words[end - 1];
    let small = |n: usize| {
        reading.is(n, Class::Article) || reading.is(n, Class::Vague) || reading.is(n, Class::Lead) || reading.is(n, Class::Filler)
    };
    let substance = (at..end).any(|n| {
        !small(n) && words[n].text.chars().filter(|c| c.is_alphabetic()).count() >= 2
    });
    let dangling = reading.is(end - 1, Class::Article)
        || last.is_any(&["of", "to", "for", "with", "in", "on", "at", "by", "from", "about", "into", "not", "is", "are", "und", "mit", "für", "von", "zu", "de", "du", "des", "à", "et", "con", "y", "and", "or", "a", "my", "very", "really", "per", "als", "en", "dans", "sur", "pour", "avec"]);
    substance && !dangling && !words[end - 1].possessive
}

/// The same of phrases that name one of a list: "my thesis on coral bleaching".
fn headed_ends(reading: &Reading<'_>, at: usize, limit: usize, list: List) -> Vec<usize> {
    let mut ends = phrase_ends(reading, at, limit, LONGEST_PHRASE);
    let head = (at..limit.min(at + 6)).find_map(|n| lexicon::longest(list, &reading.words, n, limit));
    match head {
        Some(head) => ends.retain(|end| *end >= head),
        None => ends.clear(),
    }
    ends
}

/// The clause, where a word of it says that it is about answers.
fn wish_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let end = (at + 1..limit).find(|n| reading.words[*n].gap >= Gap::Break).unwrap_or(limit);
    let about_answers = (at..end).any(|n| reading.is(n, Class::Style));
    let quoted = (at..end).any(|n| reading.words[n].is_quote());
    (about_answers && !quoted && end - at <= 24).then_some(end)
}

/// What is to be remembered reaches to the end of the sentence. It has to be about something
/// that is so: of a task that is described in long, notes are taken for the task.
fn said_end(reading: &Reading<'_>, at: usize, limit: usize, marked: bool) -> Option<usize> {
    let that = reading.words[at].is_any(&["that", "dass", "que", "qu", "daß"]);
    let explicit = that || reading.words[at].gap == Gap::Break;
    let first = at + usize::from(that);
    let any = |class| (first..limit).any(|n| reading.is(n, class));
    let own = any(Class::Subject) || any(Class::Own);
    if (marked && !explicit) || limit < first + 2 || (first..limit).any(|n| reading.words[n].is_quote()) {
        return None;
    }
    // A question asks what was remembered, and a task is no fact.
    if any(Class::Task) && !reading.is(first, Class::Own) && !reading.is(first, Class::Subject) {
        return None;
    }
    let starts = own
        || reading.is(first, Class::Article)
        || reading.words[first].is_capitalised() && capitals_tell(reading);
    let states = any(Class::Copula) || own && any(Class::Verb);
    (explicit && !reading.is(first, Class::Pointing) || explicit && gives_order(reading, first) || starts && states && !reading.is(first, Class::Pointing))
        .then_some(limit)
}

/// "Remember that you must …" is taken up to be refused with a reason.
fn gives_order(reading: &Reading<'_>, at: usize) -> bool {
    reading.words[at].is_any(&["you", "du", "tu", "tú", "vous"])
}

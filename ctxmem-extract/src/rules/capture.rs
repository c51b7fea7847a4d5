//! Where the words of each kind end that patterns capture.
//!
//! A kind is strict: the words it captures go into a fact unchanged, so in doubt it captures
//! nothing.

use super::dates;
use super::kind::Kind;
use super::lexicon;
use crate::language::Language;
use crate::lists::{self, List};
use crate::text::{Class, Clause, Gap, Reading, Word};

/// How many words ahead are looked at. This bounds the time for a long sentence.
const FARTHEST: usize = 60;

/// Most words of an open phrase.
const LONGEST_PHRASE: usize = 14;

impl Kind {
    /// The ends of all captures of this kind that begin with the word at `at`, the best first.
    /// `free` says that a colon precedes it.
    pub(super) fn ends(
        self,
        reading: &Reading<'_>,
        clause: &Clause,
        at: usize,
        free: bool,
    ) -> Vec<usize> {
        let words = &reading.words;
        let limit = clause.sentence.min(at + FARTHEST);
        let Some(word) = words.get(at).filter(|word| at < limit && !word.is_quote()) else {
            return Vec::new();
        };
        let gap = match self {
            Self::Name if word.is_in(List::FirstNames) => Gap::Break,
            Self::Name | Self::Allergens => Gap::Comma,
            Self::Tools
            | Self::Date
            | Self::Rest
            | Self::Said
            | Self::SaidOfSomebody
            | Self::SaidMarked
            | Self::Phrase
            | Self::Tongues => Gap::Break,
            _ => Gap::Space,
        };
        if at > clause.start && !free && word.gap > gap {
            return Vec::new();
        }
        let one = |end: Option<usize>| end.into_iter().collect();
        let listed = |list| one(lexicon::longest(list, words, at, limit));
        match self {
            Self::Name => one(name_end(reading, at, limit)),
            Self::FirstName => {
                one(name_end(reading, at, limit).filter(|_| word.is_in(List::FirstNames)))
            }
            Self::Town => one(place_end(reading, at, limit).filter(|_| is_town(words, at, limit))),
            Self::Department => one(lexicon::longest(List::Departments, words, at, limit)
                .filter(|end| is_whole(reading, *end, limit))),
            Self::Step if lexicon::longest(List::Steps, words, at, limit).is_none() => Vec::new(),
            Self::Back => vec![at],
            Self::Stopping if !word.is_in(List::Stoppings) => Vec::new(),
            Self::Stopping => one(standing_rest(reading, at, limit)),
            Self::Conduct => one(conduct_end(reading, at, limit)),
            Self::Standing => one(standing_end(reading, at, limit)),
            Self::KnownName => {
                one(name_end(reading, at, limit).filter(|_| is_first_name(reading, at)))
            }
            Self::OwnName => {
                one(name_end(reading, at, limit).or_else(|| lower_name(reading, at, limit)))
            }
            Self::Place => one(place_end(reading, at, limit)),
            Self::KnownPlace => listed(List::Places),
            Self::Zone => {
                one(lexicon::longest(List::Zones, words, at, limit).or_else(|| offset(words, at)))
            }
            Self::Job => job_ends(reading, at, limit),
            Self::BareJob => listed(List::Jobs),
            Self::Employer => one(employer_end(reading, at, limit)),
            Self::Relation => one(relation_end(words, at, limit)),
            Self::Groups => listed(List::Groups),
            Self::Tools => one(lexicon::tools_end(reading, at, limit)),
            Self::Tool => one(lexicon::tool_at(words, at, limit)
                .filter(|tool| tool.is_sure(at > clause.start))
                .map(|tool| tool.end)),
            Self::Tongues => one(list_end(reading, at, limit, List::Tongues)),
            Self::Slot => listed(List::Slots),
            Self::Diet => listed(List::Diets),
            Self::Allergens => one(list_end(reading, at, limit, List::Allergens)),
            Self::Condition => listed(List::Conditions),
            Self::Field => one(lexicon::longest(List::Fields, words, at, limit)
                // "I work in it" names no field.
                .filter(|end| is_whole(reading, *end, limit) && word.text != "it")),
            Self::Business => headed_ends(reading, at, limit, List::Businesses),
            Self::Pet => one(lexicon::longest(List::Pets, words, at, limit)
                .filter(|end| !is_described(words, *end, limit))),
            Self::Property => headed_ends(reading, at, limit, List::Property),
            Self::Gear => one(gear_end(reading, at, limit)),
            Self::Instrument => listed(List::Instruments),
            Self::Food => listed(List::Foods),
            Self::Illness => listed(List::Illnesses),
            Self::Style => listed(List::Styles),
            Self::Noise => one(list_end(reading, at, limit, List::Noise)),
            Self::Terse => one(list_end(reading, at, limit, List::Terse)),
            Self::Manner => one(list_end(reading, at, limit, List::Manners)),
            Self::Work => headed_ends(reading, at, limit, List::Works),
            Self::Project => project_ends(reading, at, limit),
            Self::ThePlace if !reading.is(at, Class::Article) => Vec::new(),
            Self::ThePlace => headed_ends(reading, at, limit, List::Workplaces),
            Self::Event => headed_ends(reading, at, limit, List::Events),
            Self::Wish => one(wish_end(reading, at, limit)),
            Self::Said => one(said_end(reading, at, limit, false)),
            Self::SaidOfSomebody => {
                one(said_end(reading, at, limit, false)
                    .filter(|end| is_of_somebody(reading, at, *end)))
            }
            Self::SaidMarked => one(said_end(reading, at, limit, true)),
            Self::Date => one(dates::end(words, at, limit)),
            Self::Number => one(is_number(word).then_some(at + 1)),
            Self::Title => one(title_end(reading, at, limit)),
            Self::Step | Self::Phrase => phrase_ends(reading, at, limit, LONGEST_PHRASE),
            Self::Short => phrase_ends(reading, at, limit, 4),
            Self::Rest => vec![limit],
        }
    }
}

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
        && rest
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '\u{2019}'))
        && !word.is_in(List::NotNames)
}

pub(super) fn name_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    if !reading.capitals_tell {
        return None;
    }
    let words = &reading.words;
    let mut end = at;
    while end < limit.min(at + 2) && words[end].is_in(List::Titles) && words[end].is_capitalised() {
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
            && words[end].is_in(List::Particles)
            && words[end + 1].gap == Gap::Space
            && is_name(reading, end + 1)
        {
            end += 2;
        } else {
            break;
        }
    }
    // In German all nouns are in capitals.
    let known = reading.prose.language != Language::German
        || first > at
        || words[at].is_in(List::FirstNames)
        || (end < limit && reading.is(end, Class::Copula) && words[end].gap <= Gap::Space)
        || (end < limit && words[end].gap == Gap::Break && is_number(&words[end]));
    (end > first && known).then_some(end)
}

/// A name in lower case: the only word before the end of the clause.
fn lower_name(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let word = &reading.words[at];
    let ends = at + 1 >= limit || reading.words[at + 1].gap >= Gap::Comma || reading.begins(at + 1);
    let fits = ends
        && word.id == 0
        && (2..=12).contains(&word.text.chars().count())
        && word.text.chars().all(char::is_alphabetic)
        && !word.is_in(List::NotNames);
    fits.then_some(at + 1)
}

fn place_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let words = &reading.words;
    let known = |at| {
        let word: &Word<'_> = &words[at];
        let counts = word.is_capitalised() || !word.is_in(List::WordPlaces);
        lexicon::longest(List::Places, words, at, limit).filter(|_| counts)
    };
    let proper = |n: usize| {
        let word = &words[n];
        word.is_capitalised()
            && reading.capitals_tell
            && !word.text.contains(|c: char| c.is_ascii_digit())
            && !word.is_in(List::NotPlaces)
    };
    let mut end = known(at).unwrap_or(at);
    while end < limit
        && end < at + 4
        && (end == at || words[end].gap <= Gap::Space)
        && !(end > at && words[end - 1].possessive)
    {
        if proper(end) {
            end += 1;
        } else if end > at
            && end + 1 < limit
            && words[end].is_in(List::PlaceParticles)
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
    if words[at].is_in(List::ZoneAreas)
        && words
            .get(at + 1)
            .is_some_and(|city| city.gap == Gap::Comma && city.is_capitalised())
    {
        return Some(at + 2);
    }
    let rest = low
        .strip_prefix("utc")
        .or_else(|| low.strip_prefix("gmt"))?;
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
        // "Talking about my principal" is no occupation.
        let inside = n > at && (reading.is(n, Class::Article) || reading.is(n, Class::Lead));
        let other = [Class::Stop, Class::Pointing, Class::Negation];
        if inside
            || words[n].is_quote()
            || words[n].is_in(List::Judged)
            || other.into_iter().any(|class| reading.is(n, class))
        {
            break;
        }
        let Some(head) = lexicon::longest(List::Jobs, words, n, limit) else {
            continue;
        };
        // "nurse practitioner": the head is the last of them.
        if lexicon::longest(List::Jobs, words, head, limit).is_some()
            && words[head].gap == Gap::Space
        {
            continue;
        }
        let follows = words
            .get(head)
            .filter(|next| head < limit && next.gap <= Gap::Space);
        // In Romance languages adjectives follow: "traductora jurada".
        let romance = matches!(reading.prose.language, Language::French | Language::Spanish);
        let described = follows.is_some() && head < limit && is_whole(reading, head + 1, limit);
        if romance && described && !follows.is_some_and(|next| next.is_in(List::RoleTails)) {
            ends.push(head + 1);
        }
        let ends_here = follows.is_none()
            || reading.begins(head)
            || reading.is(head, Class::Stop)
            || follows.is_some_and(|next| next.is_in(List::RoleTails));
        if !ends_here || words[head - 1].possessive {
            break;
        }
        if follows.is_some_and(|next| next.is_in(List::WhereTails))
            && let Some(tail) = whole_phrase(reading, head + 1, limit, 9)
        {
            ends.push(tail);
        }
        ends.push(head);
        break;
    }
    ends
}

/// "a hospital in Leeds", "Siemens".
fn employer_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let end = whole_phrase(reading, at, limit, 7)?;
    let word = &reading.words[at];
    let determined = reading.is(at, Class::Article) && end > at + 1;
    if lexicon::longest(List::VagueEmployers, &reading.words, at + 1, limit) == Some(end) {
        return None;
    }
    let named = word.is_capitalised() && reading.capitals_tell && !word.is_in(List::NotNames);
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
            let glue = words[n].is_in(List::Between) || reading.is(n, Class::Filler);
            if !glue {
                break;
            }
            between += 1;
            n += 1;
        }
    }
    end
}

fn is_number(word: &Word<'_>) -> bool {
    word.low.bytes().all(|byte| byte.is_ascii_digit()) || word.is_in(List::Numbers)
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

/// The end of the open phrase that begins with the word at `at`: where something else begins.
/// `None` for a phrase that points at something unsaid.
fn phrase_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let words = &reading.words;
    if reading.is(at, Class::Negation) {
        return None;
    }
    for (n, word) in words.iter().enumerate().take(limit).skip(at) {
        if n > at && (word.gap >= Gap::Comma || reading.begins(n) || reading.is(n, Class::Stop)) {
            // "Decided to learn how to …": the phrase goes on behind what ends it. "Diverse,
            // original videos": what a comma divides may belong together.
            let goes_on = word.gap <= Gap::Space && word.is_in(List::Objects)
                || word.gap == Gap::Comma
                    && !resumes(reading, n)
                    && is_enumerated(reading, at, n, limit);
            return (!goes_on).then_some(n);
        }
        if word.is_quote() || reading.is(n, Class::Pointing) {
            return None;
        }
    }
    Some(limit)
}

/// All ends that an open phrase may have, the longest first, so that a pattern can go on after it.
fn phrase_ends(reading: &Reading<'_>, at: usize, limit: usize, most: usize) -> Vec<usize> {
    let Some(end) = phrase_end(reading, at, limit) else {
        return Vec::new();
    };
    (at + 1..=end.min(at + most))
        .rev()
        .filter(|end| is_about_something(reading, at, *end))
        .collect()
}

/// The end of a phrase that is not cut short.
fn whole_phrase(reading: &Reading<'_>, at: usize, limit: usize, most: usize) -> Option<usize> {
    let end = phrase_end(reading, at, limit)?;
    (end <= at + most && is_about_something(reading, at, end)).then_some(end)
}

impl Kind {
    /// Whether words of this kind at the end of a pattern are cut short there.
    pub(super) fn is_cut(
        self,
        reading: &Reading<'_>,
        start: usize,
        end: usize,
        limit: usize,
    ) -> bool {
        let open = matches!(
            self,
            Self::Phrase
                | Self::Short
                | Self::Project
                | Self::Work
                | Self::Event
                | Self::Business
                | Self::Property
                | Self::Step
                | Self::ThePlace
        );
        open && phrase_end(reading, start, limit) != Some(end)
    }
}

/// A phrase that begins like the name of a thing: with an article, a number or a capital letter.
fn project_ends(reading: &Reading<'_>, at: usize, limit: usize) -> Vec<usize> {
    let first = &reading.words[at];
    let names = reading.is(at, Class::Article)
        || first.text.contains(|c: char| c.is_ascii_digit())
        || is_number(first)
        || (first.is_capitalised() && reading.capitals_tell);
    // An article alone names nothing.
    let more = at + 1 < limit || !reading.is(at, Class::Article);
    if names && more {
        phrase_ends(reading, at, limit, LONGEST_PHRASE)
    } else {
        Vec::new()
    }
}

/// What a person is to the user. "My friend's" is somebody else, "my friend's name" is not.
fn relation_end(words: &[Word<'_>], at: usize, limit: usize) -> Option<usize> {
    let end = lexicon::longest(List::Relations, words, at, limit)?;
    let named = words.get(end).is_some_and(|next| next.is_in(List::NamesOf));
    (!words[end - 1].possessive || named).then_some(end)
}

/// Whether what stands before a comma at `end` is the first of several: "original, diverse and
/// bold videos".
fn is_enumerated(reading: &Reading<'_>, at: usize, end: usize, limit: usize) -> bool {
    let goes_on = (end + 1..limit.min(end + 5))
        .any(|n| reading.words[n].gap == Gap::Comma || reading.words[n].is_in(List::AndOr));
    end - at <= 2 || (goes_on && end - at <= 4)
}

/// Whether a new clause begins behind a comma.
fn resumes(reading: &Reading<'_>, at: usize) -> bool {
    use Class::{
        Article, Auxiliary, Condition, Filler, Joint, Lead, Negation, Opener, Order, Own, Pronoun,
        Question, Stop, Subject, Verb, Wish,
    };
    [
        Article, Auxiliary, Condition, Joint, Opener, Order, Own, Pronoun, Question, Stop, Subject,
        Verb, Wish, Lead, Negation, Filler,
    ]
    .into_iter()
    .any(|class| reading.is(at, class))
}

/// Whether a phrase holds a word that is neither small nor vague, and does not end in the middle.
fn is_about_something(reading: &Reading<'_>, at: usize, end: usize) -> bool {
    let words = &reading.words;
    let last = &words[end - 1];
    let small = |n: usize| {
        reading.is(n, Class::Article)
            || reading.is(n, Class::Vague)
            || reading.is(n, Class::Lead)
            || reading.is(n, Class::Filler)
    };
    let substance = (at..end)
        .any(|n| !small(n) && words[n].text.chars().filter(|c| c.is_alphabetic()).count() >= 2);
    let dangling = reading.is(end - 1, Class::Article)
        || last.is_in(List::Prepositions)
        || last.is_in(List::Dangling);
    substance && !dangling && !words[end - 1].possessive
}

/// The same of phrases that name one of a list: "my thesis on coral bleaching".
fn headed_ends(reading: &Reading<'_>, at: usize, limit: usize, list: List) -> Vec<usize> {
    let mut ends = phrase_ends(reading, at, limit, LONGEST_PHRASE);
    let before = |n: &usize| *n == at || !reading.words[*n].is_in(List::Prepositions);
    let head = (at..limit.min(at + 6))
        .take_while(before)
        .find_map(|n| lexicon::longest(list, &reading.words, n, limit));
    match head.filter(|_| !reading.words[at].is_in(List::NoHeads)) {
        Some(head) => ends.retain(|end| *end >= head),
        None => ends.clear(),
    }
    ends
}

/// The clause, where a word of it says that it is about answers.
fn wish_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    if reading.is(at, Class::Subject) {
        return None;
    }
    let end = (at + 1..limit)
        .find(|n| reading.words[*n].gap >= Gap::Bracket)
        .unwrap_or(limit);
    let about_answers = (at..end).any(|n| reading.is(n, Class::Style));
    let quoted = (at..end).any(|n| reading.words[n].is_quote());
    (about_answers && !quoted && end - at <= 24).then_some(end)
}

/// What the user wants remembered reaches to the end of the sentence. It has to state something: in
/// a long description of a task, "note that" is meant for the task.
fn said_end(reading: &Reading<'_>, at: usize, limit: usize, marked: bool) -> Option<usize> {
    let words = &reading.words;
    let that = words[at].is_in(List::That);
    let explicit = that || words[at].gap == Gap::Break;
    let first = at + usize::from(that);
    // "… when you plan the barbecue" says what it is needed for.
    let needed = (first + 2..limit).find(|n| reading.is(*n, Class::Condition));
    let limit = needed.unwrap_or(limit);
    let find = |class| (first..limit).find(|n| reading.is(*n, class));
    let own = find(Class::Subject).or_else(|| find(Class::Own)).is_some();
    if (marked && !explicit) || limit < first + 2 || (first..limit).any(|n| words[n].is_quote()) {
        return None;
    }
    // An order to the memory is captured so that the gate can refuse it with a reason.
    let addressed = |n: usize| words[n].is_in(List::SecondPerson);
    if explicit && addressed(first) {
        return Some(limit);
    }
    let long = words.len() > 60 || reading.prose.code;
    let told_of_task = (long || !explicit)
        && find(Class::Task).is_some()
        && !reading.is(first, Class::Own)
        && !reading.is(first, Class::Subject);
    if told_of_task
        || reading.is(first, Class::Pointing)
        || (first..limit).any(|n| addressed(n) || words[n].is_in(List::This))
    {
        return None;
    }
    let speaks = reading.is(first, Class::Subject) || reading.is(first, Class::Own);
    // "Keep in mind: Ada's birthday, 17 March"
    let dated = words[at].gap == Gap::Break
        && (own || (first..limit).any(|n| words[n].is_in(List::FirstNames)));
    let starts = speaks
        || reading.is(first, Class::Article)
        || (words[first].is_capitalised() && reading.capitals_tell);
    // "The agent that I resumed" says nothing of the agent.
    let states = match find(Class::Copula) {
        Some(verb) => {
            let other = |n: usize| {
                reading.is(n, Class::Subject)
                    || reading.is(n, Class::Pronoun)
                    || words[n].is_in(List::RelativePronouns)
            };
            speaks || !(first + 1..verb).any(other)
        }
        // Any verb says what the user does: "remember that I move on Friday".
        None => {
            reading.is(first, Class::Subject) && !reading.prose.code
                || explicit && reading.is(first, Class::Own) && !long
                || own && (find(Class::Verb).is_some() || find(Class::Telling).is_some())
        }
    };
    let english = reading.prose.language == Language::English;
    ((starts || marked) && states || explicit && !english || dated).then_some(limit)
}

/// Whether the words are about the user or somebody whom the user names.
fn is_of_somebody(reading: &Reading<'_>, at: usize, end: usize) -> bool {
    (at..end).any(|n| {
        reading.is(n, Class::Subject)
            || reading.is(n, Class::Own)
            || reading.words[n].is_in(List::FirstNames)
    })
}

/// Whether the word after "I am" is a name: a known first name, or a word that does not look like
/// an adjective, a tool, a place or a job.
fn is_first_name(reading: &Reading<'_>, at: usize) -> bool {
    let low = &reading.words[at].low;
    lists::has(List::FirstNames, low)
        || (!lists::ends_with(List::AdjectiveEnds, low)
            && lexicon::tool_at(&reading.words, at, reading.words.len()).is_none()
            && !lists::has(List::Places, low)
            && !lists::has(List::Jobs, low))
}

/// "A dog that lives near us" is somebody else's.
fn is_described(words: &[Word<'_>], end: usize, limit: usize) -> bool {
    end < limit && words[end].is_in(List::Describing)
}

/// Whether the name of a thing ends there, instead of being part of a longer one: "business
/// finance".
fn is_whole(reading: &Reading<'_>, end: usize, limit: usize) -> bool {
    end >= limit
        || reading.words[end].gap > Gap::Space
        || reading.begins(end)
        || reading.is(end, Class::Stop)
        || reading.is(end, Class::Lead)
        || reading.is(end, Class::Filler)
        || reading.words[end].is_in(List::WholeTails)
}

/// A make and its model: "Volvo V70", "Nikon D750".
fn gear_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let words = &reading.words;
    let brand = lexicon::longest(List::Brands, words, at, limit)?;
    let model = (brand..limit.min(brand + 3)).take_while(|n| {
        let word = &words[*n];
        word.gap <= Gap::Space
            && (word.is_capitalised() || word.text.contains(|c: char| c.is_ascii_digit()))
    });
    let end = brand + model.count();
    let bare_number = end > brand
        && words[brand..end]
            .iter()
            .all(|word| word.text.chars().all(|c| c.is_ascii_digit()));
    if bare_number {
        return None;
    }
    // "Apple" alone is a company or a fruit, "my Ford dealer" is none.
    (end > brand || words[at].is_capitalised()).then_some(end)
}

/// Whether a place is a town rather than a field, an abbreviation or a tool.
fn is_town(words: &[Word<'_>], at: usize, limit: usize) -> bool {
    words[at].text.contains(char::is_lowercase)
        && lexicon::longest(List::Fields, words, at, limit).is_none()
        && lexicon::longest(List::Departments, words, at, limit).is_none()
        && lexicon::tool_at(words, at, limit).is_none()
}

/// A standing instruction: the rest of the sentence, at most two dozen words.
fn standing_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let quoted = (at..limit).any(|n| reading.words[n].is_quote());
    let tells = [Class::Order, Class::Negation, Class::Wish]
        .into_iter()
        .any(|class| reading.is(at, class))
        || reading.words[at].is_in(List::StandingOrders);
    (!quoted && tells && (2..=24).contains(&(limit - at))).then_some(limit)
}

/// The rest of a sentence about what to do when something is sent. It needs an imperative: a report
/// of what happens then has none.
fn conduct_end(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let order = |n: usize| {
        let led =
            reading.words[n].gap >= Gap::Comma || reading.words[n - 1].is_in(List::BeforeOrders);
        led && (reading.is(n, Class::Order)
            || reading.is(n, Class::Wish)
            || reading.is(n, Class::Negation))
    };
    let told = (at + 1..limit).any(order) && !(at..limit).any(|n| reading.words[n].is_quote());
    (told && limit - at <= 24).then_some(limit)
}

/// The rest of the clause, at most two dozen words.
fn standing_rest(reading: &Reading<'_>, at: usize, limit: usize) -> Option<usize> {
    let end = (at + 1..limit)
        .find(|n| reading.words[*n].gap >= Gap::Comma)
        .unwrap_or(limit);
    let quoted = (at..end).any(|n| reading.words[n].is_quote());
    (!quoted && end - at <= 24).then_some(end)
}

//! Requests that people make to the memory itself: to remember something, not to remember it, or to forget it. The
//! wordings are in `data/requests.txt`.

use std::sync::LazyLock;

use crate::address::{Meant, address, is_verb, means_several};
use crate::hash::{WordMap, WordSet};
use crate::orders::{addresses_memory, gives_orders};
use crate::patterns::{REQUESTS, captures_at, each_fit};
use crate::sections::section_words;
use crate::statements::KEPT;
use crate::statements::author::{is_task, speaks_of_itself};
use crate::statements::features::is_unspaced;
use crate::taking_back::forgotten;
use crate::text::Reading;
use crate::text::sentences::{begins_question, sentences};
use crate::text::words::{Word, Words};

/// The longest message, in words, in which a weak wording counts by itself.
const SHORT: usize = 150;
/// How many sentences at the beginning and the end of a longer one may hold a request that is not likely to be
/// durable.
const EDGE: usize = 2;
/// Most bytes behind a colon that are meant whatever their paragraphs.
const SHORT_REST: usize = 480;
/// Most sentences that are meant where several are.
const MOST_TOLD: usize = 6;
/// The longest message, in words, all of whose sentences belong to the wish before them.
const BRIEF: usize = 40;
/// How likely to be durable a sentence has to be elsewhere.
const LIKELY: f32 = 0.08;

/// The sections that hold words.
const WORDS: [&str; 19] = [
    "no request",
    "no wish",
    "replies",
    "tells",
    "openers",
    "adverbs",
    "leads",
    "not forgotten",
    "all of it",
    "instead",
    "asking",
    "reminds",
    "kept when given up",
    "supposing",
    "wishing",
    "passing",
    "moving",
    "logins",
    "studies",
];

static LISTS: LazyLock<WordMap<&str, WordSet<&str>>> = LazyLock::new(|| {
    WORDS
        .into_iter()
        .map(|name| (name, section_words(REQUESTS, name).collect()))
        .collect()
});

pub(crate) fn is_in(list: &str, low: &str) -> bool {
    LISTS.get(list).is_some_and(|list| list.contains(low))
}

/// A pattern that fits.
pub(crate) struct Fit {
    /// The first word of it.
    pub(crate) start: usize,
    /// The words of `{}`, and of `{old}`.
    pub(crate) meant: Option<std::ops::Range<usize>>,
    pub(crate) old: Option<std::ops::Range<usize>>,
}

/// The pattern of a kind that fits a sentence, the first that begins where `may_begin` says.
pub(crate) fn fit(
    kind: &'static str,
    words: &Words<'_>,
    may_begin: impl Fn(usize) -> bool,
) -> Option<Fit> {
    each_fit(words, |other| other == kind).find_map(|(_, regex)| {
        let captures = captures_at(regex, &words.folded, 0)?;
        let start = words.number(captures.get(0)?.start() + 1);
        let range = |name| {
            let part = captures.name(name)?;
            Some(words.number(part.start())..words.number(part.end()))
        };
        may_begin(start).then(|| Fit {
            start,
            meant: range("x"),
            old: range("old"),
        })
    })
}

/// Whether a request may begin with a word: at the beginning of the sentence, behind a mark or an opener, and behind an
/// adverb where one may begin with that.
pub(crate) fn may_open(words: &Words<'_>, start: usize) -> bool {
    start.checked_sub(1).is_none_or(|before| {
        let low = words.low(before);
        // "*Always* use tabs", but not "it can *remember* facts".
        let is_emphasis = matches!(low, "*" | "_");
        (words.each.get(before).is_some_and(Word::is_mark) && !is_emphasis)
            || if is_emphasis || is_in("adverbs", low) {
                may_open(words, before)
            } else {
                // "The best way to understand and remember" asks for nothing.
                let is_infinitive = low == "and"
                    && before
                        .checked_sub(2)
                        .is_some_and(|to| words.low(to) == "to");
                is_in("openers", low) && !is_infinitive
            }
    })
}

/// Something that is to be remembered, literally.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) content: String,
    /// Whether it says how things should always be done.
    pub(crate) is_standing: bool,
}

/// What a message wants remembered. The words are taken from the message as it was written, where the
/// request itself is in the user's own words.
pub(crate) fn requests(reading: &Reading<'_>) -> Vec<Request> {
    let (message, own) = (reading.prose.part, &*reading.prose.text);
    if !reading
        .sentences
        .iter()
        .any(|sentence| asks(&sentence.words).is_some() || back(&sentence.words).is_some())
    {
        return Vec::new();
    }
    let is_short = message.split_whitespace().nth(SHORT).is_none();
    let mut found: Vec<Request> = Vec::new();
    let mut before: Option<&str> = None;
    let mut read_to = 0;
    let all: Vec<&str> = sentences(message).collect();
    for (n, text) in all.iter().copied().enumerate() {
        let at = offset(message, text);
        if at < read_to {
            continue;
        }
        // In the middle of a long message stands what was pasted, or belongs to its task.
        let is_at_edge = n < EDGE || n + EDGE >= all.len();
        if !is_short && !is_at_edge && durable(reading, text) < LIKELY {
            before = Some(text);
            continue;
        }
        let sentence = Words::of(text);
        let words = &sentence;
        let refers_back = back(words);
        if refers_back.is_none()
            && let Some(asked) = asks(words)
            && (asked.is_strong() || !gives_orders(&asked.without_address(text)))
            && own.contains(words.text(asked.opening.clone()))
            && asked.counts(
                is_short && (asked.is_wish || !asked.is_standing && speaks_of_itself(words)),
                || durable(reading, text) >= LIKELY,
            )
        {
            // "Can you remember that …?" asks for that, not for what is meant.
            let content = asked.content(text);
            let asks = |c| c == '?' && !asked.is_standing;
            let content = content.trim_end_matches(asks);
            // All that follows a colon is meant, up to the next blank line.
            if words.text(asked.opening.clone()).ends_with([':', '：'])
                || content.starts_with([':', '：', '\n'])
                || content.is_empty()
            {
                let rest = meant_behind(message, at + asked.begins);
                sentences(rest).for_each(|content| add(&mut found, content, false));
                read_to = offset(message, rest) + rest.len();
            } else if asked.is_standing
                && refers(words)
                && let Some(before) =
                    before.filter(|before| own.contains(before) && !gives_orders(before))
            {
                let both = offset(message, before)..at + text.len();
                add(&mut found, message.get(both).unwrap_or(text), true);
            } else if is_short && (!asked.is_weak || asked.is_standing) {
                let behind = all.get(n + 1..).unwrap_or_default();
                add_with_what_follows(&mut found, content, &asked, behind, reading);
            } else {
                add(&mut found, content, asked.is_standing);
            }
        } else if let Some(start) = refers_back {
            let said = words.each.get(start).map_or(0, |word| word.place.start);
            let here = text
                .get(..said)
                .unwrap_or_default()
                .trim_end_matches([',', '，', '、', '-', '–', '—', ';', '(', ' ']);
            let here = here.strip_suffix(" so").unwrap_or(here);
            let words = Words::of(here);
            // "Keep this format in mind and use it" says nothing before its last words.
            let says_something = !is_verb(words.low(0))
                && (here.split_whitespace().nth(2).is_some()
                    || here.chars().filter(|c| is_unspaced(*c)).count() > 3
                    || (here.contains(' ') && speaks_of_itself(&words)));
            let content = if is_supposed(&words) {
                None
            } else if says_something {
                Some(here)
            } else if let Some(before) = before {
                let told = all.get(n.saturating_sub(MOST_TOLD)..n);
                let told = told.filter(|_| means_several(&sentence, start));
                let first = told.and_then(|told| first_told(message, told));
                let told = message.get(first.unwrap_or_else(|| offset(message, before))..at);
                told.map(str::trim)
            } else {
                // "Store this for me, will you? I take size 43."
                let rest = meant_behind(message, at + text.len());
                let told = sentences(rest).take_while(|next| !asks_for_something(next));
                for content in told.take(MOST_TOLD) {
                    add(&mut found, content, false);
                }
                None
            };
            if let Some(content) = content
                .filter(|content| !content.ends_with('?') || durable(reading, content) >= LIKELY)
            {
                add(&mut found, content, false);
            }
        }
        before = Some(text);
    }
    found
}

/// What is meant behind a place of a message: a paragraph or a list, or all the rest if that begins on a line of its own,
/// is short and asks for nothing.
fn meant_behind(message: &str, place: usize) -> &str {
    let rest = message.get(place..).unwrap_or_default();
    let behind = rest
        .trim_start_matches([':', '：', ' ', '\n', '\r'])
        .trim_end();
    let before = message.get(..offset(message, behind)).unwrap_or_default();
    let is_apart = before.trim_end_matches(' ').ends_with('\n');
    if is_apart && behind.len() <= SHORT_REST && !sentences(behind).any(asks_for_something) {
        return behind;
    }
    let end = behind.find("\n\n").unwrap_or(behind.len());
    behind.get(..end).unwrap_or(behind)
}

/// Where the first of the sentences begins that belong to the last of them: those of its paragraph that ask for
/// nothing.
fn first_told(message: &str, told: &[&str]) -> Option<usize> {
    let mut begins = None;
    for sentence in told.iter().rev() {
        let at = offset(message, sentence);
        let between = begins.and_then(|next| message.get(at + sentence.len()..next));
        let is_apart = between.is_some_and(|between| between.contains("\n\n"));
        if is_apart || asks_for_something(sentence) {
            break;
        }
        begins = Some(at);
    }
    begins
}

fn asks_for_something(sentence: &str) -> bool {
    sentence.ends_with(['?', '？'])
        || is_question_by_its_end(sentence)
        || gives_orders(sentence)
        || is_task(&Words::of(sentence))
}

/// How likely a sentence is durable, or what is told in it before a question, if it is one of the user's own.
fn durable(reading: &Reading<'_>, text: &str) -> f32 {
    let mut sentences = reading.sentences.iter();
    let own = sentences.find(|sentence| {
        sentence.text() == text || sentence.is_before_question && text.starts_with(sentence.text())
    });
    own.map_or(0.0, |sentence| sentence.judgement.at_length)
}

fn offset(message: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(message.as_ptr() as usize)
}

fn add(found: &mut Vec<Request>, content: &str, is_standing: bool) {
    let content = content
        .trim()
        .trim_start_matches([':', ',', '，', '、', '：', '-', '#', ' '])
        .trim_end_matches(['.', '。', ' ']);
    let has_words = content.split_whitespace().nth(1).is_some()
        || content.chars().filter(|c| is_unspaced(*c)).count() > 3;
    if has_words && found.iter().all(|request| request.content != content) {
        found.push(Request {
            content: content.to_owned(),
            is_standing,
        });
    }
}

/// How a sentence belongs to a request in front of it.
enum Follows {
    /// It says little without that: "It has to be signed."
    Joined,
    /// It is a request of its own, a standing wish or not: "Star speaks with lots of slang."
    Apart(bool),
}

/// Adds what is meant with the sentences behind it in which the request goes on, in the same paragraph.
fn add_with_what_follows(
    found: &mut Vec<Request>,
    content: &str,
    asked: &Asked,
    behind: &[&str],
    reading: &Reading<'_>,
) {
    let is_standing = asked.is_standing;
    let message = reading.prose.part;
    let begins = offset(message, content);
    let mut ends = begins + content.len();
    let mut read_to = ends;
    let mut apart = Vec::new();
    for next in behind {
        let at = offset(message, next);
        let between = message.get(read_to..at);
        read_to = at + next.len();
        if between.is_none_or(|between| between.contains("\n\n")) {
            break;
        }
        let words = Words::of(next);
        if asks(&words).is_some() {
            // It is found as a request of its own.
            continue;
        }
        match follows(reading, &words, asked) {
            Some(Follows::Joined) if apart.is_empty() => ends = read_to,
            Some(Follows::Joined) => apart.push((*next, is_standing)),
            Some(Follows::Apart(is_standing)) => apart.push((*next, is_standing)),
            None => break,
        }
    }
    add(
        found,
        message.get(begins..ends).unwrap_or(content),
        is_standing,
    );
    for (next, is_standing) in apart {
        add(found, next, is_standing);
    }
}

/// How a sentence goes on with a request in front of it. One that asks for something now does not.
fn follows(reading: &Reading<'_>, words: &Words<'_>, asked: &Asked) -> Option<Follows> {
    let next = words.sentence;
    if next.ends_with(['?', '？'])
        || is_question_by_its_end(next)
        || gives_orders(next)
        || !reading.prose.text.contains(next)
        || back(words).is_some()
    {
        return None;
    }
    let begins = |kind| fit(kind, words, |start| start == 0).is_some();
    // "Star speaks with lots of slang."
    let tells_of_others = || {
        let verb = words.low(1);
        let is_name = words.each.first().is_some_and(Word::is_capitalised);
        is_name && verb.ends_with('s') && !verb.ends_with("ss") && verb.len() > 3
    };
    let is_wish = || begins("goes on as a wish");
    let wishes = || is_in("wishing", words.low(0)) && is_wish();
    // "Commas or full stops only.": in a few words nothing else is spoken of.
    let is_brief = || reading.prose.part.split_whitespace().nth(BRIEF).is_none();
    let goes_on = || {
        let is_meant = asked.is_standing && (asked.is_wish || !asked.is_weak) && is_brief();
        let is_apart = is_task(words) || begins_question(next) || durable(reading, next) >= KEPT;
        (is_meant && !is_apart).then_some(Follows::Joined)
    };
    if asked.is_weak {
        wishes().then_some(Follows::Apart(true)).or_else(goes_on)
    } else if begins("goes on") {
        Some(Follows::Joined)
    } else if asked.is_standing {
        is_wish().then_some(Follows::Apart(true)).or_else(goes_on)
    } else if wishes() {
        Some(Follows::Apart(true))
    } else {
        (durable(reading, next) >= LIKELY || tells_of_others()).then_some(Follows::Apart(false))
    }
}

/// A request in a sentence.
struct Asked {
    /// The words by which it asks.
    opening: std::ops::Range<usize>,
    /// Where what is meant begins in the sentence.
    begins: usize,
    is_standing: bool,
    is_weak: bool,
    /// Whether it begins as a wish does: "never call me …", but not "never mind".
    is_wish: bool,
}

impl Asked {
    /// What is meant, of the sentence that asks.
    fn content<'t>(&self, sentence: &'t str) -> &'t str {
        sentence.get(self.begins..).unwrap_or_default()
    }

    /// The sentence without the "your" of the words that ask: "add to your memory" is an order like others, but not if
    /// somebody asks for what follows.
    fn without_address(&self, sentence: &str) -> String {
        let asks = sentence.get(..self.begins).unwrap_or_default();
        without_your(asks) + self.content(sentence)
    }

    /// Whether a weak one counts, which means little in what was pasted: in a short message where it is clear, and where
    /// the sentence is likely durable. What "always" and "never" tell of somebody is a statement.
    fn counts(&self, is_clear: bool, is_likely: impl FnOnce() -> bool) -> bool {
        !self.is_weak || is_clear || (!self.is_standing || self.is_wish) && is_likely()
    }

    /// Whether nothing else can be meant than a wish for the future, which is refused where it gives orders.
    fn is_strong(&self) -> bool {
        self.is_standing && !self.is_weak
    }
}

/// Whether a message gives orders to the memory, apart from asking it to remember something: "add to your memory: I
/// have two dogs" gives none.
pub(crate) fn orders_memory(message: &str) -> bool {
    let without_address = |sentence: &str| {
        let words = Words::of(sentence);
        let refers_back = back(&words).and_then(|start| words.each.get(start));
        match (refers_back, asks(&words)) {
            (Some(word), _) => {
                let (before, asks) = sentence.split_at(word.place.start);
                before.to_owned() + &without_your(asks)
            }
            (None, Some(asked)) => asked.without_address(sentence),
            (None, None) => sentence.to_owned(),
        }
    };
    addresses_memory(message) && {
        let without: Vec<String> = sentences(message).map(without_address).collect();
        addresses_memory(&without.join("\n"))
    }
}

fn without_your(text: &str) -> String {
    text.to_lowercase().replace(" your ", " ")
}

fn asks(words: &Words<'_>) -> Option<Asked> {
    if is_question_by_its_end(words.sentence) {
        return None;
    }
    let open = |start| may_open(words, start);
    let place = |word: usize| words.each.get(word).map_or(0, |word| word.place.start);
    let ends = |word: char| words.sentence.ends_with(word);
    for (kind, is_weak) in [("remember", false), ("weak", true)] {
        if let Some(Fit {
            start,
            meant: Some(meant),
            ..
        }) = fit(kind, words, open)
        {
            let first = words.low(meant.start);
            // "What's" is one word.
            let first = first.split(' ').next().unwrap_or_default();
            // "And remember, I'm here for you" is talk.
            let is_told = first == "?" || first == "," && start > 0;
            let is_talk = is_in("no request", first)
                || (is_weak && is_told)
                || gives_role(words, meant.start);
            let says_what = words.text(meant.clone()).contains(char::is_alphanumeric);
            // "Remember, the demo is static."
            let second = words.low(meant.start + 1).split(' ').next();
            let reminds =
                first == "," && start == 0 && is_in("reminds", second.unwrap_or_default());
            // "Remember that photo?", however it is spelled, asks for nothing, "can you remember that …?" does. Other
            // verbs are no questions: there the question mark ends what follows the request.
            let only_asks = ends('?')
                && ["rem", "lembra"]
                    .iter()
                    .any(|verb| words.low(start).starts_with(verb))
                && !asks_for_leave(words)
                && !(0..meant.start).any(|n| is_in("asking", words.low(n)));
            if says_what && !is_talk && !only_asks {
                // Where what is meant stands first, the request follows.
                let begins = if meant.start == start {
                    0
                } else {
                    place(meant.start)
                };
                return Some(Asked {
                    opening: start..meant.start.max(start + 1),
                    begins,
                    is_standing: false,
                    is_weak: is_weak && !reminds,
                    is_wish: false,
                });
            }
        }
    }
    for (kind, is_weak) in [("standing", false), ("standing weak", true)] {
        // "You must always …", "let us never …", but not "I always …".
        let led = |start: usize| {
            let mut before = (0..start).map(|n| words.low(n));
            start > 0
                && is_in("leads", words.low(start - 1))
                && !before.any(|low| matches!(low, "how" | "why" | "whether" | "what" | "who"))
        };
        let opens = |start| open(start) && !(is_weak && follows_a_subject(words, start));
        if let Some(fit) = fit(kind, words, |start| opens(start) || (is_weak && led(start)))
            && (!ends('?') || asks_for_leave(words) || (!is_weak && asks_for_it(words)))
            && !is_open(words.sentence)
            && !(is_weak && tells(words, fit.start))
            && !fit
                .meant
                .as_ref()
                .is_some_and(|meant| announces(words, fit.start, meant.start))
        {
            let opening = fit.start..fit.start + 1;
            // "We always use pnpm" is a rule or a habit, and "we never give up" talk.
            let is_ours = is_weak && fit.start > 0 && words.low(fit.start - 1) == "we";
            // "We should never be in mock mode."
            let is_rule = fit.start > 1
                && matches!(words.low(fit.start - 1), "must" | "should")
                && matches!(words.low(fit.start - 2), "we" | "you");
            let is_wish =
                (is_rule || !is_in("no wish", words.low(fit.start + 1))) && words.each.len() > 3;
            return Some(Asked {
                opening,
                begins: 0,
                is_standing: !is_ours,
                is_weak,
                is_wish: is_wish && !is_ours,
            });
        }
    }
    let address = address(words)?;
    let begins = match address.meant {
        Meant::Before => return None,
        Meant::From(word) => word,
        Meant::Following => words.each.len(),
    };
    let only_asks = ends('?') && (begins < words.each.len() || address.words.start > 0);
    (!only_asks).then(|| Asked {
        opening: address.words.start..begins,
        begins: words
            .each
            .get(begins)
            .map_or(words.sentence.len(), |word| word.place.start),
        is_standing: false,
        is_weak: false,
        is_wish: false,
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
fn is_question_by_its_end(sentence: &str) -> bool {
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

/// "Never do that again" says little without what stands before it.
fn refers(words: &Words<'_>) -> bool {
    fit("refers", words, |start| may_open(words, start)).is_some()
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

/// "Imagine my wife is a spy", "what if I quit tomorrow".
pub(crate) fn is_supposed(words: &Words<'_>) -> bool {
    matches!(words.low(0), "if" | "wenn" | "если")
        || words.sentence.starts_with("如果")
        || is_in("supposing", words.low(0))
        || (words.low(0) == "what" && words.low(1) == "if")
        || words.folded.contains(" pretend ")
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

/// Whether a message, or what follows in it, is not to be kept.
pub(crate) fn is_off_the_record(reading: &Reading<'_>) -> bool {
    // "Forget what I said about Oslo, I'd rather you didn't keep that."
    let says = |words: &Words<'_>| {
        fit("off the record", words, |_| true).is_some() && forgotten(words).is_none()
    };
    reading
        .sentences
        .iter()
        .any(|sentence| !is_reported(&sentence.words) && says(&sentence.words))
}

fn is_reported(words: &Words<'_>) -> bool {
    words.sentence.ends_with('?') && !words.folded.contains(" please ")
}

/// Whether people explicitly ask to remember something: "please note that …", "merk dir, …". "Do you remember …?"
/// asks for nothing.
pub fn asks_to_remember(text: &str) -> bool {
    sentences(text).any(|sentence| {
        let words = Words::of(sentence);
        asks(&words).is_some() || back(&words).is_some()
    })
}

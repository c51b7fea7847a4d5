//! Standing instructions for how the assistant replies.
//!
//! An instruction stands when the user says so ("always", "from now on", "never") or when its
//! form leaves no doubt ("short answers please", "no emoji"). What concerns one answer
//! ("make it shorter") is no fact about the user.

mod wishes;
mod words;

use std::sync::LazyLock;

use ctxmem_types::Scope;

use self::words::{MANNER, ONE_OFF, STANDING, STANDING_PHRASES};
use super::pattern::Table;
use super::phrase::{fact, shortened};
use crate::Candidate;
use crate::text::{Clause, Gap, Mood, PhraseList, Word, holds, join};

/// Short forms that are standing wishes as they are.
static SHORT_FORMS: LazyLock<Table<&'static str>> = LazyLock::new(|| {
    Table::new(&[
        (
            "^ no more? emoji|emojis|smileys please|pls|ever? $",
            "No emoji",
        ),
        ("^ no more? emoji|emojis|smileys", "No emoji"),
        (
            "^ do? not|never|stop use|using|add|adding|put|want any? emoji|emojis",
            "No emoji",
        ),
        ("i hate|dislike emoji|emojis", "No emoji"),
        ("without any? emoji|emojis", "No emoji"),
        (
            "^ , short|brief|terse|concise answers|replies|responses|sentences please|pls|only? $",
            "Short answers",
        ),
        (
            "i prefer|like|want|love|need my|your|the? short|brief|terse|concise|shorter answers|replies|responses|explanations",
            "Short answers",
        ),
        (
            "i prefer|like|want|need my|your|the|more? detailed|long|thorough|longer|in-depth answers|replies|responses|explanations",
            "Detailed answers",
        ),
        (
            "keep it|things|answers|replies|responses|your|everything * short|brief|terse|concise with|for me|us",
            "Short answers",
        ),
        (
            "keep your|all answers|replies|responses short|brief|terse|concise",
            "Keep answers short",
        ),
        (
            "keep answers|replies|responses short|brief|terse|concise",
            "Keep answers short",
        ),
        ("^ be concise|brief|terse please? $", "Be concise"),
        ("^ be blunt with|when <rest>", "Be blunt"),
        ("^ be direct with|when <rest>", "Be direct"),
        ("^ be honest with|when <rest>", "Be honest"),
        ("^ be blunt please? $", "Be blunt"),
        ("^ be direct please? $", "Be direct"),
        (
            "^ slow|simple|detailed explanations please|pls? $",
            "Simple, slow explanations",
        ),
        ("i prefer|like|want bullets", "Use bullet points"),
        (
            "i prefer|like|want bullet points|lists",
            "Use bullet points",
        ),
        (
            "^ bullets|bullet points please|pls|only $",
            "Use bullet points",
        ),
        ("i prefer|like|want * in bullets", "Use bullet points"),
        ("i prefer|like|want * in bullet points", "Use bullet points"),
    ])
});

/// In which language to reply.
static LANGUAGES: LazyLock<Table<bool>> = LazyLock::new(|| {
    Table::new(&[
        ("answer|reply|respond|write|speak|talk * in <tool>", false),
        (
            "always answer|reply|respond|write|speak|talk * in <tool>",
            true,
        ),
        ("i prefer|want * answers|replies|responses in <tool>", true),
        ("talk|speak|write to me in <tool>", true),
    ])
});

/// A standing instruction in a statement or a request.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    find_short_forms(clause, found);
    find_standing(clause, found);
}

/// "Could you always …?" is an instruction in the form of a question.
pub(super) fn find_wish(clause: &Clause, found: &mut Vec<Candidate>) {
    let asks_politely = clause
        .words
        .first()
        .is_some_and(|word| word.is_any(&["could", "can", "would", "will"]))
        && clause.words.get(1).is_some_and(|word| word.low() == "you");
    if asks_politely {
        find_standing(clause, found);
        if !is_one_off(&clause.words) {
            wishes::find_manner_of_talk(clause, found);
        }
    }
}

/// "If I ask for code, always …" is an instruction behind a condition.
pub(super) fn find_condition(clause: &Clause, found: &mut Vec<Candidate>) {
    let own = clause.words.iter().any(|word| word.is_any(&["i", "my"]));
    if own && holds(&clause.words, &["unless", "i", "ask"]) {
        find_standing(clause, found);
    }
}

fn find_short_forms(clause: &Clause, found: &mut Vec<Candidate>) {
    if is_one_off(&clause.words) {
        return;
    }
    for (_, form) in SHORT_FORMS.find(clause) {
        push(found, form);
    }
    if clause.mood != Mood::Question {
        wishes::find_manner_of_talk(clause, found);
        wishes::find(clause, found);
    }
    for (at, outright) in LANGUAGES.find(clause) {
        let stands = outright
            || is_standing(&clause.words)
            || (at.start == 0
                && clause.mood != Mood::Question
                && clause.words.iter().any(|word| word.low() == "please"));
        let language = at
            .tools(0)
            .first()
            .filter(|tool| tool.entry.slot == "spoken_language");
        if let (true, Some(language)) = (stands, language) {
            push(found, &format!("Always reply in {}", language.plain));
        }
    }
}

fn find_standing(clause: &Clause, found: &mut Vec<Candidate>) {
    let words = clause.words.as_slice();
    let instructs = words.iter().any(|word| word.is_any(&MANNER)) && is_addressed(words);
    if !instructs
        || !is_standing(words)
        || is_one_off(words)
        || (words.len() < 3 && !stops(words))
        || words.len() > 40
    {
        return;
    }
    if words.iter().any(Word::is_quote) {
        return;
    }
    let kept: Vec<Word> = strip(words);
    // "keep that in mind", "do this always" point at something else that was said.
    if kept
        .get(1)
        .is_some_and(|word| word.is_any(&["that", "this", "it"]))
    {
        return;
    }
    let text = fact_of(&kept);
    // A language that was found is said better there.
    let said = found
        .iter()
        .any(|fact| fact.scope == Scope::CommunicationStyle);
    if kept.len() >= 2 && !said {
        push(found, &shortened(&text));
    }
}

/// An imperative, or a sentence to "you".
fn is_addressed(words: &[Word]) -> bool {
    let first_verb = words
        .iter()
        .find(|word| {
            !word.is_any(&[
                "please",
                "pls",
                "always",
                "never",
                "ever",
                "from",
                "now",
                "on",
                "do",
                "not",
                "and",
                "just",
                "so",
                "ok",
                "then",
                "in",
                "general",
                "generally",
                "future",
                "going",
                "forward",
                "new",
                "rule",
                "the",
                "stop",
                "by",
                "default",
                "as",
                "a",
            ])
        })
        .is_some_and(|word| {
            word.is_any(&MANNER)
                && !word.is_any(&[
                    "code", "examples", "example", "language", "emoji", "emojis", "diff", "units",
                ])
        });
    let conditional = words
        .first()
        .is_some_and(|word| word.is_any(&["when", "whenever", "if"]));
    let to_you = words.iter().any(|word| word.is_any(&["you", "your", "me"]))
        && !words
            .iter()
            .take(3)
            .any(|word| word.is_any(&["i", "we", "he", "she", "they", "it"]))
        && !conditional;
    let stop = stops(words);
    // "In general I want code first": a wish about the replies
    let wants = words
        .windows(2)
        .take(5)
        .any(|pair| matches!(pair, [i, wish] if i.low() == "i" && wish.is_any(&["want", "like", "prefer", "need"])))
        && words.iter().any(|word| {
            word.is_any(&["you", "your", "answers", "replies", "explanation", "explanations", "code"])
        });
    let when = conditional
        && words.iter().skip(3).any(|word| {
            word.is_any(&[
                "be", "give", "use", "keep", "explain", "answer", "show", "reply", "add", "skip",
                "leave", "never", "always", "no", "avoid", "start", "put", "include", "make",
                "stop", "tell", "end", "cite", "not",
            ])
        });
    // "You should always …" is advice to anybody
    if words.first().is_some_and(|word| word.low() == "you") {
        return holds(words, &["you", "do", "not", "need", "to"])
            || holds(words, &["you", "do", "not", "have", "to"])
            || holds(words, &["you", "can", "skip"]);
    }
    first_verb || to_you || stop || wants || when
}

fn is_standing(words: &[Word]) -> bool {
    stops(words) || words.iter().any(|word| word.is_any(&STANDING)) || STANDING_PHRASES.is_in(words)
}

fn is_one_off(words: &[Word]) -> bool {
    ONE_OFF.is_in(words)
        || words.windows(2).any(|pair| {
            matches!(pair, [the, text] if the.is_any(&["the", "this", "that"])
                && text.is_any(&["poem", "story", "email", "mail", "letter", "essay", "text", "post", "slides", "speech", "readme", "document", "ad"]))
        })
}

/// "Stop apologising": to stop a habit is to stop it for good.
fn stops(words: &[Word]) -> bool {
    words.first().is_some_and(|word| word.low() == "stop")
        && words.get(1).is_some_and(|word| word.low().ends_with("ing"))
}

/// What only says that an instruction stands.
static LEADING_IN: PhraseList = PhraseList::new(&[
    &["from", "now", "on"],
    &["from", "here", "on"],
    &["in", "future"],
    &["going", "forward"],
    &["new", "rule"],
]);

/// The instruction without "please", "could you" and "from now on".
fn strip(words: &[Word]) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    let mut n = 0;
    while let Some(word) = words.get(n) {
        let rest = words.get(n..).unwrap_or_default();
        let leads_in = LEADING_IN.begins(rest).map(<[_]>::len);
        let asks = kept.is_empty()
            && word.is_any(&["could", "can", "would", "will"])
            && words.get(n + 1).is_some_and(|next| next.low() == "you");
        let passed = leads_in.unwrap_or(if asks {
            2
        } else {
            usize::from(word.is_any(&["please", "pls"]))
        });
        if passed == 0 {
            kept.push(word.clone());
            n += 1;
        } else {
            n += passed;
        }
    }
    if let Some(first) = kept.first_mut() {
        first.gap = Gap::None;
    }
    kept
}

/// Instructions keep "me": they are addressed to whoever reads them.
fn fact_of(words: &[Word]) -> String {
    fact(&join(words))
}

fn push(found: &mut Vec<Candidate>, instruction: &str) {
    let fact = Candidate::item(Scope::CommunicationStyle, instruction);
    if !found.contains(&fact) {
        found.push(fact);
    }
}

//! What a clause does: say, ask, suppose, request, jest or report.

use crate::lists::WordList;
use std::ops::Range;

use super::phrases::{PhraseList, holds};
use super::words::{Gap, Word};

/// What a clause does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It says something.
    Statement,
    /// It asks.
    Question,
    /// It supposes, dreams or plays a role.
    Hypothesis,
    /// It asks the assistant to do something.
    Request,
    /// It is meant otherwise than said.
    Sarcasm,
    /// It tells what somebody else said.
    Reported,
}

/// Beginnings of questions.
static QUESTION_WORDS: WordList = WordList::new(&[
    "what",
    "how",
    "why",
    "where",
    "when",
    "which",
    "who",
    "whose",
    "whom",
    "is",
    "are",
    "am",
    "was",
    "were",
    "do",
    "does",
    "did",
    "can",
    "could",
    "would",
    "should",
    "shall",
    "will",
    "has",
    "have",
    "had",
    "any",
    "may",
    "might",
    "isn",
    "aren",
    "don",
    "qué",
    "cómo",
    "cuál",
    "dónde",
    "quién",
    "cuánto",
    "wie",
    "warum",
    "welche",
    "welcher",
    "welches",
    "wer",
    "wo",
    "wieso",
    "kannst",
    "könntest",
    "comment",
    "pourquoi",
    "quel",
    "quelle",
    "quels",
    "où",
    "est-ce",
    "peux-tu",
    "puedes",
    "podrías",
    "qual",
    "como",
    "onde",
    "wat",
    "hoe",
    "waarom",
    "kun",
    "kan",
]);

/// Beginnings of requests to the assistant.
static REQUESTS: WordList = WordList::new(&[
    "give",
    "make",
    "write",
    "explain",
    "show",
    "tell",
    "list",
    "convert",
    "translate",
    "summarise",
    "summarize",
    "rewrite",
    "rephrase",
    "redo",
    "fix",
    "help",
    "find",
    "generate",
    "create",
    "draft",
    "compare",
    "check",
    "suggest",
    "describe",
    "proofread",
    "continue",
    "add",
    "remove",
    "change",
    "update",
    "shorten",
    "expand",
    "refactor",
    "implement",
    "debug",
    "review",
    "calculate",
    "compute",
    "format",
    "print",
    "say",
    "repeat",
    "sign",
    "look",
    "let",
    "turn",
    "put",
    "try",
    "read",
    "analyse",
    "analyze",
    "optimise",
    "optimize",
    "recommend",
    "define",
    "draw",
    "plan",
    "sketch",
    "brainstorm",
    "elaborate",
    "clarify",
    "outline",
]);

/// Words at the start of a clause that make it a supposition.
static SUPPOSITIONS: WordList = WordList::new(&[
    "suppose",
    "supposing",
    "imagine",
    "pretend",
    "hypothetically",
    "assume",
    "assuming",
    "if",
    "unless",
    "maybe",
    "perhaps",
    "whether",
    "wenn",
    "falls",
    "angenommen",
    "stell",
    "si",
    "supongamos",
    "imagina",
    "imagine",
    "supposons",
    "als",
    "stel",
    "se",
    "suponha",
    "were",
    "wish",
    "theoretically",
]);

/// Phrases anywhere in a clause that make it a supposition.
static SUPPOSING: PhraseList = PhraseList::new(&[
    &["let", "us", "say"],
    &["lets", "say"],
    &["let", "say"],
    &["what", "if"],
    &["role", "play"],
    &["roleplay"],
    &["in", "another", "life"],
    &["in", "this", "story"],
    &["in", "the", "story"],
    &["in", "my", "story"],
    &["in", "theory"],
    &["say", "i"],
    &["as", "if"],
    &["i", "wish"],
    &["would", "have"],
    &["i", "would", "be"],
    &["one", "day"],
    &["some", "day"],
    &["someday"],
    &["i", "might"],
    &["we", "might"],
    &["i", "could"],
    &["could", "have"],
    &["thinking", "about"],
    &["thinking", "of"],
    &["considering"],
    &["act", "as"],
    &["you", "are", "a"],
    &["you", "are", "the"],
    &["you", "are", "an"],
    &["et", "si"],
]);

/// Suppositions that hold for the whole sentence and what follows a colon.
static GOVERNING: WordList = WordList::new(&[
    "suppose",
    "supposing",
    "imagine",
    "pretend",
    "hypothetically",
    "assume",
    "assuming",
    "roleplay",
    "imagina",
    "angenommen",
    "supongamos",
    "supposons",
    "stell",
]);

/// Phrases that do the same.
static GOVERNING_PHRASES: PhraseList =
    PhraseList::new(&[&["role", "play"], &["let", "us", "say"], &["let", "say"]]);

/// Phrases anywhere in a clause that make it a question.
static WONDERING: PhraseList = PhraseList::new(&[&["i", "wonder"], &["wondering"]]);

/// Phrases that say the opposite of what the words say.
static JEST: PhraseList = PhraseList::new(&[
    &["yeah", "right"],
    &["oh", "great"],
    &["oh", "sure"],
    &["sure", "because"],
    &["because", "i", "just", "love"],
    &["i", "just", "love"],
    &["i", "totally", "love"],
    &["i", "simply", "love"],
    &["who", "does", "not", "love"],
    &["just", "what", "i", "needed"],
    &["exactly", "what", "i", "needed"],
    &["as", "if", "i"],
    &["queen", "of"],
    &["king", "of"],
    &["said", "no", "one", "ever"],
    &["said", "nobody", "ever"],
]);

/// Verbs by which one tells what somebody said.
static SPEECH: WordList = WordList::new(&[
    "said",
    "says",
    "saying",
    "wrote",
    "writes",
    "claims",
    "claimed",
    "thinks",
    "thought",
    "told",
    "believes",
    "mentioned",
    "asked",
    "assumes",
    "suggests",
    "suggested",
]);

/// The moods of the clauses of one sentence.
pub(super) fn sentence_mood(all: &[Word], parts: &[Range<usize>], question: bool) -> Vec<Mood> {
    let words = |part: &Range<usize>| all.get(part.clone()).unwrap_or_default();
    if JEST.is_in(all) || all.iter().any(|word| word.low() == "/s") {
        return vec![Mood::Sarcasm; parts.len()];
    }
    let first = |most: usize| all.get(..all.len().min(most)).unwrap_or_default();
    let governed = first(4).iter().any(|word| word.is_any(&GOVERNING))
        || GOVERNING_PHRASES.is_in(first(5))
        || holds(first(3), &["what", "if"])
        || holds(first(2), &["et", "si"]);
    let fiction = all.windows(3).take(2).any(|run| {
        matches!(run, [within, the, story] if within.low() == "in"
            && the.is_any(&["the", "my", "this", "a", "his", "her"])
            && story.is_any(&["novel", "story", "film", "movie", "series", "episode", "play", "dream"]))
    });
    if governed || fiction {
        return vec![Mood::Hypothesis; parts.len()];
    }
    let mut moods: Vec<Mood> = Vec::with_capacity(parts.len());
    for (n, part) in parts.iter().map(words).enumerate() {
        let own = clause_mood(part);
        let joined = n > 0 && part.first().is_some_and(|word| word.gap == Gap::None);
        let conjoined = part
            .first()
            .is_some_and(|word| word.is_any(&["and", "or", "und", "y", "et", "en", "e"]));
        let mood = match moods.last() {
            // "if I moved and we used Go": what is joined without a comma shares the mood.
            Some(before @ (Mood::Hypothesis | Mood::Reported | Mood::Question))
                if own == Mood::Statement && joined && conjoined =>
            {
                *before
            }
            _ => own,
        };
        moods.push(mood);
    }
    if question {
        // The mark belongs to the last clause, and to what it is joined with.
        for (n, part) in parts.iter().map(words).enumerate().rev() {
            let Some(mood) = moods.get_mut(n) else { break };
            if *mood == Mood::Statement {
                *mood = Mood::Question;
            }
            let joined = part.first().is_some_and(|word| word.gap == Gap::None);
            if !joined || *mood == Mood::Request || asks(part) {
                break;
            }
        }
    }
    moods
}

fn asks(part: &[Word]) -> bool {
    first_meaning(part).is_some_and(|word| word.is_any(&QUESTION_WORDS))
}

/// Words before the one that tells what a clause does.
static OPENINGS: WordList = WordList::new(&[
    "and", "but", "so", "or", "hi", "hey", "hello", "please", "pls", "ok", "okay", "well", "then",
    "now", "also", "just", "hmm", "hm", "um", "oh", "ugh", "btw", "lol", "anyway", "y", "und",
    "et", "wait", "quick", "sorry", "thanks", "because", "actually", "yes", "no", "cool", "great",
    "right", "alright",
]);

fn first_meaning(part: &[Word]) -> Option<&Word> {
    part.iter().find(|word| !word.is_any(&OPENINGS))
}

fn clause_mood(part: &[Word]) -> Mood {
    let Some(first) = first_meaning(part) else {
        return Mood::Statement;
    };
    let supposes = first.is_any(&SUPPOSITIONS)
        || part
            .iter()
            .take(4)
            .any(|word| word.is_any(&["if", "suppose"]));
    if supposes || SUPPOSING.is_in(part) {
        return Mood::Hypothesis;
    }
    if WONDERING.is_in(part) {
        return Mood::Question;
    }
    if reports(part) {
        return Mood::Reported;
    }
    if first.is_any(&QUESTION_WORDS) && !is_elided_statement(part, first) {
        return Mood::Question;
    }
    if first.is_any(&REQUESTS) {
        return Mood::Request;
    }
    Mood::Statement
}

/// "am based in Rome", "have used Go for years": a statement that left out its subject.
fn is_elided_statement(part: &[Word], first: &Word) -> bool {
    let second = part
        .iter()
        .skip_while(|word| !std::ptr::eq(*word, first))
        .nth(1);
    match first.low() {
        "am" | "have" | "was" | "had" => second.is_some_and(|word| {
            !word.is_any(&[
                "i", "we", "you", "it", "he", "she", "they", "there", "the", "my", "our", "this",
                "that",
            ])
        }),
        "do" | "did" => second.is_some_and(|word| word.low() == "not"),
        // "when I ask for advice, be blunt"
        "when" => second.is_some_and(|word| word.is_any(&["i", "we", "you", "it", "i'm", "my"])),
        _ => false,
    }
}

/// A third person says something, or a quotation stands in the clause.
fn reports(part: &[Word]) -> bool {
    let Some(verb) = part.iter().position(|word| word.is_any(&SPEECH)) else {
        return false;
    };
    let subject = part.get(..verb).unwrap_or_default();
    let own = subject.iter().any(|word| word.is_any(&["i", "we"]));
    let quoted = part.iter().any(Word::is_quote);
    !subject.is_empty() && (!own || quoted)
}

#[cfg(test)]
mod tests {
    use super::super::clauses;
    use super::Mood::{self, Hypothesis, Question, Reported, Request, Sarcasm, Statement};

    fn moods(text: &str) -> Vec<Mood> {
        clauses(text).iter().map(|clause| clause.mood).collect()
    }

    #[test]
    fn one_mood_a_clause() {
        for (text, expected) in [
            ("I live in Lisbon", vec![Statement]),
            ("I live in Lisbon?", vec![Question]),
            ("do I live in Lisbon", vec![Question]),
            ("I use vim, why is it slow?", vec![Statement, Question]),
            ("I moved to Rome, can you help?", vec![Statement, Question]),
            (
                "Suppose I lived in Tokyo, what would it cost?",
                vec![Hypothesis, Hypothesis],
            ),
            (
                "if I used vim and I lived in Rome",
                vec![Hypothesis, Hypothesis],
            ),
            (
                "pretend I'm Bob and I have a dog",
                vec![Hypothesis, Hypothesis],
            ),
            ("maybe one day I'll use nixos", vec![Hypothesis]),
            ("oh great, another framework", vec![Sarcasm]),
            ("my boss said I live in Rome", vec![Reported]),
            ("explain mutexes", vec![Request]),
            ("I don't use vim", vec![Statement]),
            ("have used Go for years", vec![Statement]),
            ("¿Cómo uso vim?", vec![Question]),
        ] {
            assert_eq!(moods(text), expected, "{text}");
        }
    }
}

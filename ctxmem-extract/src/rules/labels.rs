//! Clauses that only lead into the next one: "Deadline: 4 May", "From now on, …", "When you
//! show code, …". What they say belongs to what follows.

use crate::lists::WordList;
use crate::text::{Clause, Gap, Mood, PhraseList, Word, words};

/// What a leading clause is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// The name of something, which follows.
    Label,
    /// It makes the instruction that follows a standing one.
    Standing,
    /// When the instruction that follows holds.
    When,
}

/// Words that labels end with.
static LABELS: WordList = WordList::new(&[
    "deadline",
    "goal",
    "goals",
    "priority",
    "priorities",
    "focus",
    "project",
    "projects",
    "milestone",
    "sprint",
    "blocker",
    "blockers",
    "task",
    "due",
    "plan",
    "objective",
]);

/// Whole clauses that only say that what follows is to last.
static STANDING: PhraseList = PhraseList::new(&[
    &["in", "future"],
    &["in", "the", "future"],
    &["from", "now", "on"],
    &["from", "here", "on"],
    &["going", "forward"],
    &["as", "a", "rule"],
    &["in", "general"],
    &["generally"],
    &["new", "rule"],
    &["general", "rule"],
    &["standing", "rule"],
    &["house", "rule"],
    &["by", "default"],
    &["at", "all", "times"],
    &["i", "like", "it"],
    &["i", "love", "it"],
    &["i", "prefer", "it"],
]);

/// The clauses, each joined with what leads into it.
pub(super) fn joined(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut out: Vec<Clause> = Vec::with_capacity(clauses.len());
    let mut lead: Option<(Lead, Vec<Word>)> = None;
    for clause in clauses {
        let follows = clause.words.first().is_some_and(|word| {
            word.gap != Gap::None || word.is_any(&["and", "please", "then", "when"])
        });
        let Some((kind, before)) = lead.take() else {
            lead = leads(&clause);
            out.push(clause);
            continue;
        };
        let colon = clause
            .words
            .first()
            .is_some_and(|word| word.gap == Gap::Break);
        if !follows || (kind == Lead::Label && !colon) {
            lead = leads(&clause);
            out.push(clause);
            continue;
        }
        // "1) this 2) that": the numbers are no words
        let mut own: Vec<Word> = clause
            .words
            .iter()
            .filter(|word| kind != Lead::Label || !is_number(word) || clause.words.len() > 3)
            .cloned()
            .collect();
        if kind == Lead::Label
            && own
                .last()
                .is_some_and(|last| is_number(last) && last.low().len() == 1)
        {
            own.pop();
        }
        if own.is_empty() {
            lead = Some((kind, before));
            continue;
        }
        if kind == Lead::When && !instructs(&own) {
            out.push(clause);
            continue;
        }
        let listed = own.len() < clause.words.len();
        let mut words = before.clone();
        if kind == Lead::Label {
            words.extend(is());
        }
        if let Some(first) = own.first_mut() {
            first.gap = Gap::None;
        }
        words.append(&mut own);
        out.push(Clause {
            words,
            mood: match kind {
                Lead::Label if clause.mood == Mood::Request => Mood::Statement,
                _ => clause.mood,
            },
        });
        if kind == Lead::Standing || listed {
            lead = Some((kind, before));
        }
    }
    out
}

fn leads(clause: &Clause) -> Option<(Lead, Vec<Word>)> {
    let words = &clause.words;
    let kind = if STANDING.has(words) {
        Lead::Standing
    } else if words.len() <= 5
        && clause.mood == Mood::Statement
        && names_a_label(words)
        && !words
            .iter()
            .any(|word| word.is_any(&["is", "are", "was", "i", "we", "it", "no", "not"]))
    {
        Lead::Label
    } else if words.len() <= 12
        && words
            .first()
            .is_some_and(|word| word.is_any(&["when", "whenever", "if"]))
        && words
            .get(1)
            .is_some_and(|word| word.is_any(&["you", "i", "we"]))
        && words.iter().any(|word| word.low() == "you")
            | words
                .iter()
                .any(|word| word.is_any(&["ask", "send", "paste", "say", "share"]))
    {
        Lead::When
    } else {
        return None;
    };
    Some((kind, words.clone()))
}

/// "Main task", "goal for this week", but not "deadline 30th".
fn names_a_label(words: &[Word]) -> bool {
    words
        .iter()
        .position(|word| word.is_any(&LABELS))
        .is_some_and(|label| {
            words.get(label + 1).is_none_or(|next| {
                next.is_any(&["this", "next", "for", "right", "at", "of", "today", "now"])
            })
        })
}

/// Beginnings of instructions that a condition may lead into.
fn instructs(words: &[Word]) -> bool {
    words.first().is_some_and(|word| {
        word.is_any(&[
            "never", "always", "no", "do", "please", "just", "only", "keep", "use", "give", "be",
            "answer", "reply", "show", "tell", "write", "explain", "skip", "leave", "put", "start",
            "add", "include", "make", "stop", "avoid", "end", "list", "cite",
        ])
    })
}

fn is_number(word: &Word) -> bool {
    word.low().chars().all(|c| c.is_ascii_digit())
}

fn is() -> Vec<Word> {
    words("is")
}

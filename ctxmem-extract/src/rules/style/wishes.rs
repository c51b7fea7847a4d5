//! Wishes about every reply: "I like my answers short", "no jargon", "talk to me like a
//! colleague".

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::{holds, is_standing, push};
use crate::Candidate;
use crate::lists::WordList;
use crate::rules::pattern::Table;
use crate::rules::phrase::{fact, shortened};
use crate::text::{Clause, Word, join};

/// What a wish is about when it holds for every answer: the capture says how.
static WISHES: LazyLock<Table<&'static str>> = LazyLock::new(|| {
    Table::new(&[
        (
            "i prefer|like|want|love|need my|your|the|all answers|replies|responses|explanations|summaries <rest>",
            "answers",
        ),
        (
            "^ please? keep|make your|all|the|my? answers|replies|responses|explanations <rest>",
            "keep answers",
        ),
        ("^ no more? <rest>", "no"),
        ("i hate|dislike <rest>", "no"),
        ("^ less|fewer|more <rest>", "fewer or more"),
        (
            "explain things|everything|stuff|concepts like|as|to|in|with <rest>",
            "explain things",
        ),
        ("i want|like|need <rest>", "wants"),
        ("i prefer <rest>", "prefers"),
        (
            "^ , answers|replies|responses|explanations under|without|below|as <rest>",
            "answers under",
        ),
        (
            "^ , for|with|in the|any|all|my? * questions|topics|emails|letters|reviews|explanations|documents i|we want|prefer|need|like <rest>",
            "for some",
        ),
    ])
});

/// Things in a reply that one does without, or wants more of.
static PARTS_OF_REPLIES: WordList = WordList::new(&[
    "emoji",
    "emojis",
    "bullets",
    "bullet",
    "jargon",
    "fluff",
    "filler",
    "flattery",
    "disclaimers",
    "disclaimer",
    "apologies",
    "preamble",
    "preambles",
    "headings",
    "headers",
    "markdown",
    "smileys",
    "exclamation",
    "summaries",
    "caveats",
    "buzzwords",
    "anglicisms",
    "pleasantries",
    "chit-chat",
    "praise",
    "follow-up",
    "moralising",
    "metaphors",
    "acronyms",
    "hedging",
    "intros",
    "introductions",
    "talk",
    "compliments",
    "bold",
    "walls",
]);

/// Means of explaining.
static MEANS: WordList = WordList::new(&[
    "examples",
    "analogies",
    "diagrams",
    "prose",
    "lists",
    "summaries",
    "bullets",
    "step-by-step",
]);

/// "I want my answers …", "no jargon", "talk to me like a colleague".
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    if clause.words.iter().any(Word::is_quote) {
        return;
    }
    for (at, wish) in WISHES.find(clause) {
        let rest = at.text(0);
        let first: Vec<Word> = crate::text::words(rest);
        let part = first
            .iter()
            .take(2)
            .any(|word| word.is_any(&PARTS_OF_REPLIES));
        let replies = first
            .iter()
            .take(5)
            .any(|word| word.is_any(&["answers", "replies", "responses", "explanations"]));
        let stands = match wish {
            "no" | "fewer or more" => part && first.len() <= 6,
            "wants" => replies || part && is_standing(&clause.words),
            "prefers" => replies || part || first.iter().take(3).any(|word| word.is_any(&MEANS)),
            _ => !first.is_empty(),
        };
        if !stands
            || found
                .iter()
                .any(|fact| fact.scope == Scope::CommunicationStyle)
        {
            continue;
        }
        let value = match wish {
            "fewer or more" | "wants" | "prefers" => fact(rest),
            "for some" | "answers under" => fact(&join(
                clause.words.get(at.start..at.end).unwrap_or_default(),
            )),
            wish => fact(&format!("{wish} {rest}")),
        };
        push(found, &shortened(&value));
    }
    // "bullets and short sentences work better for me"
    let works = clause
        .words
        .iter()
        .position(|word| word.is_any(&["work", "works", "help", "helps"]));
    if let Some(what) = works.and_then(|n| clause.words.get(..n))
        && holds(&clause.words, &["for", "me"])
        && clause
            .words
            .iter()
            .any(|word| word.is_any(&["better", "best", "well"]))
        && what.iter().any(|word| {
            word.is_any(&PARTS_OF_REPLIES)
                || word.is_any(&[
                    "answers",
                    "sentences",
                    "examples",
                    "tables",
                    "diagrams",
                    "explanations",
                    "lists",
                    "steps",
                ])
        })
    {
        push(found, &shortened(&fact(&join(what))));
    }
}

static MANNER_OF_TALK: LazyLock<Table<()>> =
    LazyLock::new(|| Table::new(&[("talk|speak|write to|with me like|as <rest>", ())]));

/// "Talk to me like a colleague" is no wish for one answer.
pub(super) fn find_manner_of_talk(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, ()) in MANNER_OF_TALK.find(clause) {
        push(
            found,
            &shortened(&fact(&format!("talk to the user like {}", at.text(0)))),
        );
    }
}

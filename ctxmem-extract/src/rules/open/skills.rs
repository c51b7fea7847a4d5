//! What the user can, can't and never did.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::add;
use crate::Candidate;
use crate::lists::WordList;
use crate::rules::capture::capital;
use crate::rules::lexicon::tool_at;
use crate::rules::pattern::{Match, Table, is_negation};
use crate::rules::phrase::{has_time, points_at_the_conversation};
use crate::text::{Clause, Gap, join};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// They know it: one or several.
    Knows,
    /// They are not good at it.
    Weak,
    /// They can't.
    Cannot,
    /// It is new to them.
    New,
    /// They never did it.
    Never,
    /// What is theirs is weak.
    Poor,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        ("i|we know my|our way around <short>", Says::Knows),
        (
            "i|we am|are good|great|fluent|solid|strong|comfortable|experienced|proficient|confident|certified|versed|skilled|ok|okay|fine|decent|home in|with|at|on <short>",
            Says::Knows,
        ),
        (
            "^ fluent|experienced|proficient|certified in|with <short>",
            Says::Knows,
        ),
        (
            "i|we have? done|did|written|seen plenty|lots|loads|tons|much|enough|years|decades of <short>",
            Says::Knows,
        ),
        (
            "^ done|did plenty|lots|loads|tons|years of <short>",
            Says::Knows,
        ),
        ("years|yrs|decades of|with|in|doing <short>", Says::Knows),
        ("i|we am|are coming from <short>", Says::Knows),
        ("^ coming from <short>", Says::Knows),
        ("i|we * , coming from <short>", Says::Knows),
        ("i|we do the <short> side|part|bits", Says::Knows),
        ("i|we know <short> inside out", Says::Knows),
        (
            "i|we am|are hopeless|terrible|bad|useless|rubbish|lousy|awful|clueless|weak|shaky|rusty|helpless|lost|poor with|at|in|on <short>",
            Says::Weak,
        ),
        ("i|we struggle with|at|in <short>", Says::Weak),
        ("i|we have? no clue|idea about|of <short>", Says::Weak),
        (
            "my * is|are not? weak|rusty|shaky|basic|poor|limited|beginner|terrible|so-so|enough|good|great|fluent|rudimentary|patchy",
            Says::Poor,
        ),
        (
            "i|we cannot|can not? code|program|draw|cook|sing|drive|read|spell|swim|type|sew|solder|write <short>",
            Says::Cannot,
        ),
        (
            "i|we do not speak|read|know|understand a? word? of? <short>",
            Says::Cannot,
        ),
        (
            "i|we am|are new|newcomer|newbie|beginner to|at|in|with <short>",
            Says::New,
        ),
        ("i|we have? never <short>", Says::Never),
        ("^ never <short>", Says::Never),
    ])
});

/// "New to me" stands behind what is new.
static BEHIND: LazyLock<Table<()>> = LazyLock::new(|| {
    Table::new(&[
        (
            "is|are all? new|greek|foreign|unfamiliar|unknown to me|us",
            (),
        ),
        ("is|are beyond me|us", ()),
        ("is|are over my head", ()),
        ("is|are what i am worst|bad|weak at|in", ()),
        ("i always|often get|got|mix wrong|up", ()),
        ("leaves|leave|left me cold|puzzled|baffled", ()),
        ("beats|beat|confuses|confuse|puzzles me", ()),
    ])
});

pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, says) in STATED.find(clause) {
        if says == Says::Poor {
            poor(clause, &at, found);
            continue;
        }
        let thing = at.text(0).trim_matches(',').trim();
        if thing.is_empty() || points_at_the_conversation(thing) || has_time(thing) {
            continue;
        }
        match says {
            Says::Knows => knows(clause, &at, thing, found),
            Says::Weak => skill(found, format!("Weak at {thing}"), thing),
            Says::Cannot => skill(found, format!("Cannot {}", verb_and(clause, &at)), thing),
            Says::New => skill(found, format!("New to {thing}"), thing),
            Says::Never => never(clause, &at, found),
            Says::Poor => {}
        }
    }
    // "A word of Finnish" is about no word processor.
    let word_of = clause
        .words
        .windows(2)
        .any(|pair| matches!(pair, [word, of] if word.low() == "word" && of.low() == "of"));
    if word_of {
        found.retain(|fact| !fact.value.ends_with(" Word"));
    }
    occupation(clause, found);
    for (at, ()) in BEHIND.find(clause) {
        let subject = clause.words.get(..at.start).unwrap_or_default();
        let joint = |word: &&str| ["but", "and", "though", "yet", "so"].contains(word);
        let from = subject
            .iter()
            .rposition(|word| word.gap != Gap::None || joint(&word.low()))
            .unwrap_or(0);
        let from = from + usize::from(subject.get(from).is_some_and(|w| joint(&w.low())));
        let thing = join(subject.get(from..).unwrap_or_default());
        let short = (1..=4).contains(&thing.split(' ').count());
        if !thing.is_empty() && short && !points_at_the_conversation(&thing) {
            skill(found, format!("New to {thing}"), &thing);
        }
    }
}

/// "As a midwife I've done over 800 births".
fn occupation(clause: &Clause, found: &mut Vec<Candidate>) {
    let words = clause.words.as_slice();
    let opens = matches!(words, [as_, a, ..] if as_.low() == "as" && a.is_any(&["a", "an"]));
    let end = words
        .iter()
        .skip(1)
        .position(|word| word.gap != Gap::None || word.is_any(&["but", "and", "so"]))
        .map_or(words.len(), |n| n + 1);
    let told = words.get(2..end).unwrap_or_default();
    if opens && told.len() >= 4 && told.iter().any(|word| word.low() == "i") {
        let value = capital(&join(told));
        skill(found, value.clone(), &value);
    }
}

/// "My Swedish isn't good enough": a known language or tool of theirs.
fn poor(clause: &Clause, at: &Match, found: &mut Vec<Candidate>) {
    let Some((end, tool)) = tool_at(&clause.words, at.start + 1) else {
        return;
    };
    let behind = clause.words.get(end..at.end).unwrap_or_default();
    let good = behind
        .last()
        .is_some_and(|word| word.is_any(&["good", "great", "fluent", "enough"]));
    let negated = behind.iter().any(is_negation);
    if good && behind.last().is_some_and(|word| word.low() == "enough") && !negated {
        skill(found, format!("Basic {}", tool.name), &tool.name);
    } else if good == negated {
        skill(
            found,
            format!("Limited {}, beginner", tool.name),
            &tool.name,
        );
    }
}

/// "Speak Finnish": the verb and what follows.
fn verb_and(clause: &Clause, at: &Match) -> String {
    let words = clause.words.get(at.start..at.end).unwrap_or_default();
    let from = words
        .iter()
        .rposition(|word| word.is_any(&["not", "cannot", "can"]))
        .map_or(0, |n| n + 1);
    join(words.get(from..).unwrap_or_default())
}

fn knows(clause: &Clause, at: &Match, thing: &str, found: &mut Vec<Candidate>) {
    skill(found, capital(thing), thing);
    // "around Octave and Stata": what is joined to it belongs to it.
    let mut next = at.end;
    while let Some(word) = clause.words.get(next) {
        let and = word.is_any(&["and", "or", "plus"]);
        if word.gap == Gap::Break || !(and || word.gap == Gap::Comma) {
            break;
        }
        let from = next + usize::from(and);
        let Some(named) = clause
            .words
            .get(from)
            .filter(|word| word.is_capitalised() && word.low() != "i")
        else {
            break;
        };
        let (end, name) = tool_at(&clause.words, from).map_or_else(
            || (from + 1, named.text.clone()),
            |(end, tool)| (end, tool.name),
        );
        skill(found, name.clone(), &name);
        next = end;
    }
}

/// "Never touched a queue", "I have never applied for EU money".
fn never(clause: &Clause, at: &Match, found: &mut Vec<Candidate>) {
    let words = clause.words.as_slice();
    let said = |n: &usize| words.get(*n).is_some_and(|word| word.low() == "never");
    let Some(never) = (at.start..at.end).find(said) else {
        return;
    };
    let told = words.get(never + 1..).unwrap_or_default();
    let end = told
        .iter()
        .skip(1)
        .position(|word| {
            word.gap != Gap::None || word.is_any(&["though", "before", "but", "so", "and"])
        })
        .map_or(told.len(), |n| n + 1);
    let told = told.get(..end).unwrap_or_default();
    let did = told.first().is_some_and(|word| {
        (word.low().ends_with("ed") && word.low().len() > 4)
            || word.is_any(&[
                "done",
                "written",
                "built",
                "run",
                "made",
                "learnt",
                "taught",
                "read",
                "driven",
                "flown",
                "sung",
                "drawn",
                "dealt",
                "set",
                "understood",
                "spoken",
            ])
    });
    let what = join(told.get(1..).unwrap_or_default());
    let useless = what.is_empty()
        || told.iter().any(is_negation)
        || points_at_the_conversation(&what)
        || has_time(&what);
    if did && !useless {
        skill(found, format!("Has never {}", join(told)), &what);
    }
}

fn skill(found: &mut Vec<Candidate>, value: String, thing: &str) {
    static VAGUE: WordList = WordList::new(&[
        "work",
        "experience",
        "time",
        "people",
        "stuff",
        "things",
        "practice",
        "half",
        "all",
        "most",
        "business",
        "life",
        "money",
        "words",
        "what",
        "that",
        "doing",
        "being",
        "explaining",
    ]);
    let first = thing.split(' ').next().unwrap_or_default().to_lowercase();
    if VAGUE.has(first.as_str()) {
        return;
    }
    add(found, Candidate::item(Scope::Knowledge, value), thing);
}

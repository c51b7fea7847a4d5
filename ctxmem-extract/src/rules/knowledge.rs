//! What the user knows, speaks, learns, or says they don't know.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::capture::capital;
use super::lexicon::{Tool, tool_at};
use super::pattern::{Match, Table, is_adverb};
use super::phrase::points_at_the_conversation;
use super::skills::{SENTENCES, Says};
use crate::Candidate;
use crate::lists::WordList;
use crate::text::{Clause, Word, join, words};

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| Table::new(SENTENCES));

/// Skills, languages and the lack of them.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    let matches = STATED.find(clause);
    let without: Vec<(usize, usize)> = matches
        .iter()
        .filter(|(_, says)| {
            matches!(
                says,
                Says::Without
                    | Says::NewTo
                    | Says::Learns
                    | Says::Mystery
                    | Says::Lacks
                    | Says::Weak
            )
        })
        .map(|(at, _)| (at.start, at.end))
        .collect();
    for (at, says) in &matches {
        let overridden = without
            .iter()
            .any(|(start, end)| *start < at.end && at.start < *end);
        match says {
            Says::Knows | Says::Uses | Says::KnowsFor | Says::Speaks | Says::MovesTo
                if overridden =>
            {
                continue;
            }
            Says::KnowsFor if !is_own(clause) => continue,
            Says::KnowsFor
                if at
                    .tools(0)
                    .iter()
                    .any(|tool| tool.entry.scope == Scope::Preferences)
                    && clause.words.iter().any(|word| word.low() == "been") =>
            {
                continue;
            }
            Says::Level => level(at, found),
            Says::Weak => weak(clause, at, found),
            Says::Lacks => lacks(at.text(0), found),
            Says::Never => never(at, found),
            Says::Trade => trade(at.text(0), found),
            Says::Plays => item(found, format!("Plays the {}", at.text(0))),
            _ => {}
        }
        for tool in at.tools(0).iter().chain(at.tools(1)) {
            match says {
                Says::Uses | Says::MovesTo if tool.entry.scope != Scope::Knowledge => {}
                Says::MovesTo => item(found, format!("Moving to {}", tool.name)),
                Says::Knows | Says::Uses => knows(tool, None, found),
                Says::KnowsFor => {
                    let time = duration(clause);
                    knows(tool, time.as_deref(), found);
                }
                Says::Speaks => speaks(tool, found),
                Says::Native => push(found, format!("Native {} speaker", tool.name), tool),
                Says::NewTo => item(found, format!("New to {}", tool.name)),
                Says::Without => item(found, format!("No experience with {}", tool.name)),
                Says::Mystery => item(found, format!("Does not understand {}", tool.name)),
                Says::Learns => found.push(Candidate::item(
                    Scope::Goals,
                    format!("Learning {}", tool.name),
                )),
                _ => {}
            }
        }
    }
}

/// "Ten years of C" tells of oneself, "they ask for ten years of C" doesn't.
fn is_own(clause: &Clause) -> bool {
    clause
        .words
        .iter()
        .any(|word| word.is_any(&["i", "we", "my", "our", "me"]))
        || clause
            .words
            .iter()
            .take(4)
            .any(|word| word.is_any(&["years", "yrs", "decades", "decade", "been"]))
}

/// How well somebody knows what they name: "my Spanish is *rusty*".
static GOOD: WordList = WordList::new(&[
    "good",
    "fluent",
    "decent",
    "great",
    "solid",
    "strong",
    "fine",
    "excellent",
    "native",
]);
static MIDDLING: WordList = WordList::new(&[
    "ok",
    "okay",
    "basic",
    "rusty",
    "so-so",
    "limited",
    "intermediate",
    "passable",
    "conversational",
    "elementary",
    "functional",
    "shaky",
    "bad",
    "poor",
    "terrible",
    "weak",
    "awful",
    "nonexistent",
    "patchy",
]);

fn level(at: &Match, found: &mut Vec<Candidate>) {
    let Some(tool) = at.tools(0).first() else {
        return;
    };
    let told = words(at.text(1));
    let word = told.iter().find(|word| !is_adverb(word));
    match word {
        Some(word) if word.is_any(&GOOD) || word.is_any(&MIDDLING) => {
            if tool.entry.slot == "spoken_language" {
                push(
                    found,
                    format!("Speaks {} ({})", tool.name, word.low()),
                    tool,
                );
            } else if tool.entry.scope == Scope::Knowledge {
                item(found, format!("{} ({})", tool.name, word.low()));
            }
        }
        _ => {}
    }
}

/// "I'm not good at formal letters", "it's window functions that I always mess up".
fn weak(clause: &Clause, at: &Match, found: &mut Vec<Candidate>) {
    let what = at.text(0);
    let first = words(what);
    let passing = points_at_the_conversation(what)
        || first.first().is_none_or(|word| {
            word.is_any(&[
                "my", "your", "his", "her", "their", "how", "what", "why", "being", "up", "with",
            ])
        });
    if passing {
        return;
    }
    let comfortable = clause
        .words
        .get(at.start..at.end)
        .unwrap_or_default()
        .iter()
        .any(|word| word.is_any(&["comfortable", "familiar"]));
    item(
        found,
        if comfortable {
            format!("Not comfortable with {what}")
        } else {
            format!("Weak at {what}")
        },
    );
}

/// "Zero coding background", "I can't code".
fn lacks(what: &str, found: &mut Vec<Candidate>) {
    if what.is_empty() {
        item(found, "Cannot code".to_owned());
        return;
    }
    let what_words = words(what);
    let (Some(last), true) = (what_words.last(), what_words.len() > 1) else {
        return;
    };
    if last.is_any(&[
        "background",
        "experience",
        "training",
        "education",
        "knowledge",
        "skills",
    ]) {
        let value = format!("No {what}");
        found.retain(|fact| !fact.value.starts_with("No experience with"));
        item(found, value);
    }
}

fn never(at: &Match, found: &mut Vec<Candidate>) {
    if tool_at(&words(at.text(0)), 0).is_none() && words(at.text(0)).len() <= 4 {
        item(found, format!("Never learned {}", at.text(0)));
    }
}

/// "Been roofing for 20 years": a trade that takes years is a skill.
fn trade(said: &str, found: &mut Vec<Candidate>) {
    let said = words(said);
    let Some(at) = said.iter().position(|word| word.low() == "for") else {
        return;
    };
    let (doing, time) = said.split_at(at);
    let practised = doing.first().is_some_and(|word| {
        word.low().ends_with("ing") && word.low().len() > 4 && !word.is_any(&NO_TRADES)
    });
    let named = (0..doing.len()).any(|at| tool_at(doing, at).is_some());
    if !practised || named || doing.len() > 4 {
        return;
    }
    if let Some(time) = span(time) {
        item(found, format!("{}, {time}", capital(&join(doing))));
    }
}

static NO_TRADES: WordList = WordList::new(&[
    "trying",
    "waiting",
    "living",
    "thinking",
    "looking",
    "having",
    "getting",
    "dating",
    "going",
    "working",
    "using",
    "wanting",
    "asking",
    "hoping",
    "meaning",
    "planning",
    "struggling",
    "dealing",
    "fighting",
    "being",
    "wondering",
    "staring",
    "running",
    "sitting",
    "coming",
    "renting",
    "smoking",
    "paying",
    "complaining",
    "avoiding",
    "seeing",
]);

fn knows(tool: &Tool, time: Option<&str>, found: &mut Vec<Candidate>) {
    if tool.entry.slot == "spoken_language" {
        return;
    }
    if matches!(
        tool.entry.slot,
        "diet" | "units" | "indentation" | "hardware"
    ) {
        return;
    }
    let value = time.map_or_else(
        || tool.name.clone(),
        |time| format!("{}, {time}", tool.name),
    );
    found.retain(|fact| {
        fact.scope != Scope::Knowledge
            || (fact.value != tool.name && !value.starts_with(&format!("{},", fact.value)))
    });
    let longer = found.iter().any(|fact| {
        fact.scope == Scope::Knowledge && fact.value.starts_with(&format!("{},", tool.name))
    });
    if !longer {
        item(found, value);
    }
}

fn speaks(tool: &Tool, found: &mut Vec<Candidate>) {
    if tool.entry.slot == "spoken_language" {
        item(found, format!("Speaks {}", tool.name));
    }
}

fn push(found: &mut Vec<Candidate>, value: String, tool: &Tool) {
    if tool.entry.slot == "spoken_language" {
        found.retain(|fact| fact.value != format!("Speaks {}", tool.name));
        item(found, value);
    }
}

fn item(found: &mut Vec<Candidate>, value: String) {
    let fact = Candidate::item(Scope::Knowledge, value);
    if !found.contains(&fact) {
        found.push(fact);
    }
}

/// "ten years", "about six months", "since 2009" in the clause.
fn duration(clause: &Clause) -> Option<String> {
    span(&clause.words).or_else(|| {
        let since = clause.words.iter().position(|word| word.low() == "since")?;
        let year = clause.words.get(since + 1)?;
        let is_year = year.low().len() == 4 && year.low().chars().all(|c| c.is_ascii_digit());
        is_year.then(|| format!("since {}", year.low()))
    })
}

fn span(words: &[Word]) -> Option<String> {
    let unit = words
        .iter()
        .position(|word| word.is_any(&["years", "yrs", "months", "year", "decades", "decade"]))?;
    let count = words.get(unit.checked_sub(1)?)?;
    let number = count.text.chars().all(|c| c.is_ascii_digit() || c == '+')
        || count.is_any(&[
            "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve", "fifteen", "twenty", "thirty", "many", "several", "few", "a",
        ]);
    let unit = words.get(unit)?;
    number.then(|| {
        format!(
            "{} {}",
            count.low(),
            if unit.low() == "yrs" {
                "years"
            } else {
                unit.low()
            }
        )
    })
}

//! What the user is working towards: projects, tasks, deadlines, blockers, priorities.

mod scheduled;
mod words;

use std::sync::LazyLock;

use ctxmem_types::Scope;

use self::words::{ARTICLES, AWAITED, TROUBLE, UNDERTAKINGS};
use super::deeds::{Form, deed_at};
use super::pattern::{Match, Table, is_negation};
use super::phrase::{fact, has_deadline, has_time, points_at_the_conversation, shortened};
use super::tools::uses;
use crate::Candidate;
use crate::text::{Clause, Word, first_words, words};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// A project: what is being done, and to what.
    Doing,
    /// The same without a subject.
    Fragment,
    /// What is meant to be done: a goal when it has a date or is an aspiration by itself.
    Aim,
    /// The capture is the goal.
    Goal,
    /// The capture is the goal, after this verb.
    GoalOf(&'static str),
    /// A goal only when it has a date; the verb that the pattern passed over goes in front.
    Dated(&'static str),
    /// Something of the user's that is to come, when it has a date.
    Coming,
    /// The capture is what stands in the way.
    Blocker,
    /// The same, where only the wait for somebody's word counts.
    Waiting,
    /// What can't be done, and until when.
    Held,
    /// A deadline.
    Deadline,
    /// A deadline, when there is a date.
    Until,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        // what is being done
        (
            "i|we|team have|has? am|are|is|been busy|all? <doing> <rest>",
            Says::Doing,
        ),
        ("in the middle of <doing> <rest>", Says::Doing),
        ("halfway|midway through|into <doing> <rest>", Says::Doing),
        (
            "i|we am|are halfway|midway through|into a|an|my|our <rest>",
            Says::GoalOf("working through"),
        ),
        ("i am a|an * <doing> <rest>", Says::Doing),
        ("i|we have? started|begun|began <doing> <rest>", Says::Doing),
        ("^ , busy? <doing> <rest>", Says::Fragment),
        (
            "i|we|everybody|everyone|team am|are|is busy|on|with with|on? the|our <rest>",
            Says::GoalOf("working on the"),
        ),
        // what is meant
        (
            "i|we have? am|are|been trying|planning|aiming|hoping|going|looking|determined|supposed|about to <do> <rest>",
            Says::Aim,
        ),
        (
            "i|we want|plan|hope|intend|aim|need|have|must|got|wish|will|should to? <do> <rest>",
            Says::Aim,
        ),
        ("i|we would like|love to <do> <rest>", Says::Aim),
        (
            "^ trying|planning|aiming|hoping|going|need|want|have|plan|must|got to? <do> <rest>",
            Says::Aim,
        ),
        (
            "i|we have|want|need|plan|hope|intend|aim|got|trying|planning|hoping|going|supposed got? to <rest>",
            Says::Dated(""),
        ),
        ("i|we must|will <rest>", Says::Dated("")),
        (
            "i|we need|want it|this|that|everything? <rest>",
            Says::Coming,
        ),
        (
            "i|we have a|an|my|our|another|two|three <rest>",
            Says::Coming,
        ),
        ("^ need|must|have|got to <rest>", Says::Dated("")),
        ("i|we ship|deliver <rest>", Says::Dated("ship")),
        ("i|we launch|open <rest>", Says::Dated("launch")),
        ("i|we release|publish <rest>", Says::Dated("release")),
        ("i|we go live <rest>", Says::Dated("go live")),
        ("i|we defend|present|submit <rest>", Says::Dated("present")),
        (
            "next|this|coming week|month|year|quarter|term i|we will? do|start|begin|tackle|finish <rest>",
            Says::Goal,
        ),
        // named as such
        (
            "my|our the? current|next|main|latest|side|new|pet|hobby|research|weekend? project|job|task|assignment|startup is <rest>",
            Says::Goal,
        ),
        (
            "my|our thesis|dissertation|phd|master|startup|novel|paper thesis|project? is|deals|looks about|on|with|at <rest>",
            Says::GoalOf("thesis or project on"),
        ),
        (
            "^ my|our|the? current|next|main|side|pet|big|hobby project|job|task|sprint is? <rest>",
            Says::Goal,
        ),
        (
            "^ my|our|the? current|next|main|big project|job|task * is to? <rest>",
            Says::Goal,
        ),
        (
            "my|our|the only|main|top|big|biggest|current|first|number|next|long-term? goal|aim|objective|priority|focus|target|plan|milestone|ambition|resolution|dream * is to? <rest>",
            Says::Goal,
        ),
        (
            "^ the? main|top|next|current|first? goal|goals|priority|priorities|focus|plan|milestone|objective|target|okr * is|are to? <rest>",
            Says::Goal,
        ),
        ("priority|focus right|this|at? * is to? <rest>", Says::Goal),
        (
            "this|next month|week|year|quarter|sprint|summer|winter is all? about <rest>",
            Says::Goal,
        ),
        (
            "^ next|then|after that? is|comes|up|come <rest>",
            Says::Dated(""),
        ),
        ("^ after|then that? comes|come <rest>", Says::Goal),
        ("what i|we want|need|plan is to <do> <rest>", Says::Aim),
        // deadlines
        (
            "my|our|the * deadline|due|launch|release|go-live|exam|defence|defense date? for|is * is <rest>",
            Says::Deadline,
        ),
        ("my|our|the * deadline is <rest>", Says::Deadline),
        ("^ my|our|the launch|release|exam is <rest>", Says::Deadline),
        ("^ , deadline is? , <rest>", Says::Deadline),
        (
            "my|our|the launch|release|exam|delivery|submission|wedding|start|end date|day is <rest>",
            Says::Until,
        ),
        ("^ due is|date? <rest>", Says::Deadline),
        ("gave|given|have|got me|us? until|till <rest>", Says::Until),
        // blockers
        (
            "^ , stuck|blocked on|by|until|waiting for? <rest>",
            Says::Blocker,
        ),
        (
            "i|we|it have|has? am|are|is|been|being stuck|blocked|held|delayed up? on|by|until|waiting for? <rest>",
            Says::Blocker,
        ),
        (
            "the|my|our only|main|biggest|current? blocker|bottleneck|obstacle is|are <rest>",
            Says::Blocker,
        ),
        ("^ blocker|blockers is|are? <rest>", Says::Blocker),
        (
            "i|we have? am|are|been waiting on|for <rest>",
            Says::Waiting,
        ),
        ("^ waiting on|for <rest>", Says::Waiting),
        ("is|are|am on hold until <rest>", Says::Blocker),
        ("i|we can not <rest>", Says::Held),
    ])
});

/// Projects, tasks and deadlines.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    if clause.words.iter().any(Word::is_quote) {
        return;
    }
    let stated = STATED.find(clause);
    let mut values: Vec<String> = stated
        .iter()
        .filter_map(|(at, says)| goal(clause, at, *says))
        .collect();
    values.extend(scheduled::scheduled(clause));
    values.extend(scheduled::fronted(clause));
    for value in values {
        push(&shortened(&value), clause, found);
    }
}

fn push(value: &str, clause: &Clause, found: &mut Vec<Candidate>) {
    // A deadline belongs to what was just said to be done.
    if let Some(date) = value.strip_prefix("Deadline ")
        && let Some(goal) = found.iter_mut().rfind(|fact| fact.scope == Scope::Goals)
    {
        if !goal.value.contains(date) {
            goal.value = shortened(&format!("{}, deadline {date}", goal.value));
        }
        return;
    }
    // Two patterns may read the same words; the fuller text stays.
    let repeats =
        |longer: &str, shorter: &str| longer.to_lowercase().contains(&shorter.to_lowercase());
    if found
        .iter()
        .any(|fact| fact.scope == Scope::Goals && repeats(&fact.value, value))
    {
        return;
    }
    found.retain(|fact| fact.scope != Scope::Goals || !repeats(value, &fact.value));
    found.push(Candidate::item(Scope::Goals, value));
    // "building a shop with SvelteKit" tells what the user works with, too.
    for (with, ()) in MEANS.find(clause) {
        with.tools(0).iter().for_each(|tool| uses(tool, found));
    }
}

static MEANS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(&[("in|with|using <tools>", ())]));

fn goal(clause: &Clause, at: &Match, says: Says) -> Option<String> {
    let negated = clause.words.iter().any(is_negation);
    let (verb, rest) = match says {
        Says::Doing | Says::Fragment | Says::Aim => (at.text(0), at.text(1)),
        _ => ("", at.text(0)),
    };
    if points_at_the_conversation(rest) || is_unfit(rest) {
        return None;
    }
    match says {
        Says::Doing | Says::Fragment => {
            let deed = deed_of(Form::Gerund, verb);
            let before = clause.words.iter().take(at.start).any(is_negation)
                || clause.words.iter().any(|word| word.is_any(&TROUBLE));
            let passing = is_passing(verb, rest)
                || !(deed.project || deed.aspired && has_deadline(rest))
                || says == Says::Fragment && is_subject(rest);
            let verb = match verb {
                "trying to learn" => "learning",
                verb => verb,
            };
            (!before && !passing).then(|| fact(&format!("{verb} {rest}")))
        }
        Says::Aim => {
            let deed = deed_of(Form::Base, verb);
            let wanted = deed.aspired
                && !is_passing(verb, rest)
                && clause.words.iter().any(|word| {
                    word.is_any(&[
                        "want",
                        "plan",
                        "hope",
                        "intend",
                        "aim",
                        "trying",
                        "planning",
                        "aiming",
                        "hoping",
                        "determined",
                        "like",
                        "love",
                        "wish",
                        "going",
                    ])
                });
            let text = if verb == "learn" {
                format!("learning {}", rest.trim_start_matches("to "))
            } else {
                format!("{verb} {rest}")
            };
            (!negated && (wanted || has_deadline(rest))).then(|| fact(&text))
        }
        Says::Goal => {
            // "my goal is clear"
            let named = !first_words(rest, 1)
                .first()
                .is_some_and(|word| word.is_any(&["clear", "simple", "obvious", "done", "set"]));
            (named && (!negated || has_deadline(rest))).then(|| fact(rest))
        }
        Says::GoalOf(verb) => {
            let project = first_words(rest, 4)
                .iter()
                .any(|word| word.is_any(&UNDERTAKINGS));
            (!negated && (project || verb != "working on the"))
                .then(|| fact(&format!("{verb} {rest}")))
        }
        Says::Dated(verb) => {
            (has_deadline(rest) && !negated).then(|| fact(format!("{verb} {rest}").trim_start()))
        }
        Says::Coming => {
            let event = first_words(rest, 5)
                .iter()
                .any(|word| word.is_any(&UNDERTAKINGS) || word.low() == "under");
            (event && has_deadline(rest) && !negated && !rest.starts_with("to "))
                .then(|| fact(rest))
        }
        Says::Deadline => Some(format!("Deadline {rest}")),
        Says::Until => has_time(rest).then(|| format!("Deadline {rest}")),
        Says::Blocker => Some(format!("Blocked by {rest}")),
        Says::Waiting => words(rest)
            .iter()
            .any(|word| word.is_any(&AWAITED))
            .then(|| fact(&format!("waiting for {rest}"))),
        Says::Held => rest
            .split_once(" until ")
            .filter(|(_, until)| has_time(until) || words(until).iter().any(|w| w.is_any(&AWAITED)))
            .map(|_| fact(&format!("can not {rest}"))),
    }
}

fn deed_of(form: Form, verb: &str) -> super::deeds::Deed {
    deed_at(form, &words(verb), 0).map_or_else(Default::default, |(_, deed)| deed)
}

/// "Building the image takes a minute": the gerund is the subject of another verb.
fn is_subject(rest: &str) -> bool {
    words(rest).iter().skip(1).any(|word| {
        word.is_any(&[
            "is", "are", "was", "were", "takes", "took", "fails", "failed", "gives", "throws",
            "works", "seems", "makes", "feels", "keeps", "would", "could", "should", "can", "does",
            "did", "hangs", "needs", "has",
        ])
    })
}

/// What is written in minutes is no project.
fn is_passing(verb: &str, rest: &str) -> bool {
    let small = first_words(rest, 4).iter().any(|word| {
        word.is_any(&[
            "email",
            "e-mail",
            "mail",
            "message",
            "letter",
            "function",
            "regex",
            "query",
            "reply",
            "tweet",
            "post",
            "note",
            "prompt",
            "comment",
            "loop",
            "class",
            "method",
            "test",
            "card",
            "file",
            "line",
            "error",
            "snippet",
            "column",
            "row",
            "string",
            "array",
            "list",
            "button",
            "variable",
            "docker",
            "image",
            "container",
            "command",
            "how",
            "dict",
        ])
    });
    // "learning Docker" is one all the same
    small && !verb.starts_with("learn") && !verb.starts_with("trying to learn")
        || verb == "writing"
            && first_words(rest, 1)
                .first()
                .is_some_and(|first| !first.is_any(&ARTICLES))
}

/// Texts that are no goals of anybody.
fn is_unfit(rest: &str) -> bool {
    let words = words(rest);
    words.first().is_none_or(|first| {
        first.is_any(&[
            "not", "no", "to", "ok", "fine", "unclear", "wrong", "what", "which", "how", "here",
            "there",
        ]) && !(first.is_any(&["to", "how"]) && words.len() > 2)
    }) || words.windows(2).any(|pair| {
        matches!(pair, [this, what] if this.low() == "this" && !has_time(&format!("this {}", what.low())))
    })
}

//! What the user is working towards: projects, tasks, deadlines, blockers, priorities.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::pattern::{Match, Table, is_negation};
use super::phrase::{fact, has_deadline, points_at_the_conversation};
use super::tools::uses;
use crate::extract::Candidate;
use crate::extract::text::Clause;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// A project, named by the gerund in front of the capture.
    Doing(&'static str),
    /// The capture is the goal.
    Goal,
    /// A goal only when it has a date; the verb that the pattern passed over goes in front.
    Dated(&'static str),
    /// The capture is what stands in the way.
    Blocker,
    /// A deadline.
    Deadline,
    /// "the draft is due on Friday": two captures.
    Due,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "i|we am|are|been working on <rest>",
            Says::Doing("working on"),
        ),
        ("^ working on <rest>", Says::Doing("working on")),
        ("i|we am|are|been building <rest>", Says::Doing("building")),
        ("^ building <rest>", Says::Doing("building")),
        (
            "i|we am|are|been developing <rest>",
            Says::Doing("developing"),
        ),
        ("i|we am|are|been creating <rest>", Says::Doing("creating")),
        (
            "i|we am|are|been designing <rest>",
            Says::Doing("designing"),
        ),
        (
            "i|we am|are|been writing a|an|the|my|our <rest>",
            Says::Doing("writing their"),
        ),
        (
            "i|we am|are|been rewriting <rest>",
            Says::Doing("rewriting"),
        ),
        (
            "i|we am|are|been refactoring <rest>",
            Says::Doing("refactoring"),
        ),
        (
            "i|we am|are|been redesigning <rest>",
            Says::Doing("redesigning"),
        ),
        (
            "i|we am|are|been migrating <rest>",
            Says::Doing("migrating"),
        ),
        ("i|we am|are|been porting <rest>", Says::Doing("porting")),
        ("i|we am|are|been moving <rest>", Says::Doing("moving")),
        (
            "i|we am|are|been launching <rest>",
            Says::Doing("launching"),
        ),
        ("i|we am|are|been planning <rest>", Says::Doing("planning")),
        (
            "i|we am|are|been organising|organizing <rest>",
            Says::Doing("organising"),
        ),
        (
            "i|we am|are|been preparing <rest>",
            Says::Doing("preparing"),
        ),
        ("^ preparing for <rest>", Says::Doing("preparing for")),
        (
            "i|we am|are|been training for <rest>",
            Says::Doing("training for"),
        ),
        ("^ training for <rest>", Says::Doing("training for")),
        (
            "i|we am|are|been studying for <rest>",
            Says::Doing("studying for"),
        ),
        ("^ studying for <rest>", Says::Doing("studying for")),
        (
            "i|we am|are|been saving for <rest>",
            Says::Doing("saving for"),
        ),
        (
            "i|we am|are|been saving up for <rest>",
            Says::Doing("saving for"),
        ),
        (
            "i|we am|are|been renovating <rest>",
            Says::Doing("renovating"),
        ),
        ("i|we am|are|been booking <rest>", Says::Doing("booking")),
        (
            "i|we am|are trying|learning to? learn <rest>",
            Says::Doing("learning"),
        ),
        ("^ trying to learn <rest>", Says::Doing("learning")),
        ("i|we am|are learning <rest>", Says::Doing("learning")),
        (
            "my|our the? current|next|main|latest|side|new? project|job|task|assignment is <rest>",
            Says::Goal,
        ),
        (
            "^ current|next|main project|job|task|sprint is? <rest>",
            Says::Goal,
        ),
        (
            "my|our|the only|main|top|big|current|first|number? goal|aim|objective|priority|focus|target|plan|milestone * is <rest>",
            Says::Goal,
        ),
        ("^ goal|priority|focus|plan * is <rest>", Says::Goal),
        ("priority|focus right|this|at? * is <rest>", Says::Goal),
        (
            "this|next month|week|year|quarter|sprint is all? about <rest>",
            Says::Goal,
        ),
        (
            "my|our|the deadline|due|launch|release|go-live|exam|defence|defense date? for|is * is <rest>",
            Says::Deadline,
        ),
        (
            "^ my|our|the deadline|launch|release|exam is <rest>",
            Says::Deadline,
        ),
        ("^ deadline is? , <rest>", Says::Deadline),
        ("^ due <rest>", Says::Deadline),
        ("my|our|the <rest>", Says::Due),
        (
            "i|we need|have|want|plan|hope|intend|aim|must|got to? finish|ship|launch|submit|deliver|release|publish|complete|pass|hand|file|reach|hit|get|migrate|deploy|move|run|finalise|finalize|upgrade|present <rest>",
            Says::Dated(""),
        ),
        ("i|we have a|an|my|our <rest>", Says::Dated("")),
        ("i|we ship|deliver <rest>", Says::Dated("ship")),
        ("i|we launch <rest>", Says::Dated("launch")),
        ("i|we release <rest>", Says::Dated("release")),
        ("my|our|the * deadline is <rest>", Says::Deadline),
        (
            "i|we need|have|want|plan|hope|intend|aim to <rest>",
            Says::Dated(""),
        ),
        ("has|have|needs|must to? be <rest>", Says::Dated("")),
        ("^ , stuck|blocked on|by <rest>", Says::Blocker),
        ("i|we am|are stuck|blocked on|by <rest>", Says::Blocker),
        (
            "the|my|our only|main|biggest? blocker is|are <rest>",
            Says::Blocker,
        ),
    ])
});

/// Projects, tasks and deadlines.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, says) in STATED.find(clause) {
        let Some(value) = goal(clause, &at, says) else {
            continue;
        };
        // A deadline belongs to what was just said to be done.
        if let Some(date) = value.strip_prefix("Deadline ")
            && let Some(goal) = found.iter_mut().rfind(|fact| fact.scope == Scope::Goals)
        {
            if !goal.value.contains(date) {
                goal.value = format!("{}, deadline {date}", goal.value);
            }
            continue;
        }
        // Two patterns may read the same words; the fuller text stays.
        let repeats =
            |longer: &str, shorter: &str| longer.to_lowercase().contains(&shorter.to_lowercase());
        if found
            .iter()
            .any(|fact| fact.scope == Scope::Goals && repeats(&fact.value, &value))
        {
            continue;
        }
        found.retain(|fact| fact.scope != Scope::Goals || !repeats(&value, &fact.value));
        found.push(Candidate::item(Scope::Goals, value));
        // "building a shop with SvelteKit" tells what the user works with, too.
        for (with, ()) in MEANS.find(clause) {
            with.tools(0).iter().for_each(|tool| uses(tool, found));
        }
    }
}

static MEANS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(&[("in|with|using <tools>", ())]));

fn goal(clause: &Clause, at: &Match, says: Says) -> Option<String> {
    let rest = at.text(0);
    if points_at_the_conversation(rest) || is_unfit(rest) {
        return None;
    }
    match says {
        Says::Doing("writing" | "building" | "creating" | "writing their") if is_passing(rest) => {
            None
        }
        Says::Doing(verb) => {
            let from = clause.words.get(at.start)?;
            let negated = clause.words.iter().take(at.start).any(is_negation);
            let verb = verb.strip_suffix(" their").unwrap_or(verb);
            (!negated && !from.low.is_empty())
                .then(|| fact(&format!("{verb} {}", with_article(clause, at, rest))))
        }
        Says::Goal => Some(fact(rest)),
        Says::Dated(verb) => (has_deadline(rest) && !clause.words.iter().any(is_negation))
            .then(|| fact(format!("{verb} {rest}").trim_start())),
        Says::Deadline => Some(format!("Deadline {rest}")),
        Says::Blocker => Some(format!("Blocked by {}", fact(rest).to_lowercase())),
        Says::Due => due(rest),
    }
}

/// "the literature review is due on 14 March".
fn due(rest: &str) -> Option<String> {
    let (what, when) = rest
        .split_once(" is due ")
        .or_else(|| rest.split_once(" are due "))?;
    (what.split(' ').count() <= 6).then(|| fact(&format!("{what} due {when}")))
}

/// "writing a thesis": the article that the pattern passed over is part of the fact.
fn with_article(clause: &Clause, at: &Match, rest: &str) -> String {
    let first = rest.split(' ').next().unwrap_or_default();
    let before = clause
        .words
        .iter()
        .skip(at.start)
        .zip(clause.words.iter().skip(at.start + 1))
        .find(|(_, word)| word.text == first.trim_end_matches(','))
        .map(|(before, _)| before.low.as_str());
    match before {
        Some("a") => format!("a {rest}"),
        Some("an") => format!("an {rest}"),
        Some("the") => format!("the {rest}"),
        Some("my" | "our") => format!("their {rest}"),
        _ => rest.to_owned(),
    }
}

/// What is written in minutes is no project.
fn is_passing(rest: &str) -> bool {
    crate::extract::text::words(rest)
        .iter()
        .take(3)
        .any(|word| {
            word.is_any(&[
                "email", "e-mail", "mail", "message", "letter", "function", "regex", "query",
                "reply", "tweet", "post", "note", "prompt", "comment", "loop", "class", "method",
                "test", "card",
            ])
        })
}

/// Texts that are no goals of anybody.
fn is_unfit(rest: &str) -> bool {
    let words = crate::extract::text::words(rest);
    words.first().is_none_or(|first| {
        first.is_any(&[
            "not", "no", "to", "ok", "fine", "unclear", "wrong", "what", "which", "how", "here",
            "there",
        ]) && !(first.low == "to" && words.len() > 1)
    }) || words
        .iter()
        .any(|word| word.text.contains(crate::extract::text::QUOTE))
        || words.windows(2).any(|pair| {
            matches!(pair, [this, what] if this.low == "this" && !super::phrase::has_time(&format!("this {}", what.low)))
        })
}

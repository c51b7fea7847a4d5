//! What the user works with, changed to and gave up.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::lexicon::Tool;
use super::pattern::{Match, Table};
use crate::extract::text::Clause;
use crate::extract::{Candidate, Op};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Uses the tools.
    Uses,
    /// What the user is, where that says what they eat.
    Eats,
    /// The second replaced the first.
    FromTo,
    /// The first was given up for the second.
    ForTo,
    /// Gave the tools up.
    GaveUp,
    /// Doesn't want it.
    Avoids,
    /// A named slot holds something.
    Slot,
    /// Something holds a named slot.
    SlotOf,
    /// Uses something unknown for a purpose.
    UsesFor,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        // what is used
        (
            "i|we use|prefer|run|love|like|adopted|chose|favour|favor|enjoy|own|have <tools>",
            Says::Uses,
        ),
        ("i|we prefer using|to use <tools>", Says::Uses),
        ("i|we am|are using|running|on|into <tools>", Says::Uses),
        ("i|we am|are * on|using|running <tools>", Says::Uses),
        ("i|we have been * using|on|with|running <tools>", Says::Uses),
        ("i|we have used <tools> for|since", Says::Uses),
        ("^ been * using|on|with <tools>", Says::Uses),
        ("^ using|running <tools>", Says::Uses),
        ("^ on <tools> $", Says::Uses),
        ("i|we go with <tools>", Says::Uses),
        ("i|we stick to|with <tools>", Says::Uses),
        (
            "i|we work|code|write|edit|develop|program|draft|type|build|plan|draw|design|paint|live with|in|on|using <tools>",
            Says::Uses,
        ),
        (
            "i|we do|keep|store|track|manage|test|format|lint|deploy|host|ship|commit|draft|cut|edit|write|build|run|organise|organize|triage|take|plan|script|typeset|store * in|on|with|to|using|via|through <tools>",
            Says::Uses,
        ),
        (
            "i|we deploy|host|ship|publish|push to|on|with|via <tools>",
            Says::Uses,
        ),
        ("we|i are|am hosted|deployed on|with|to <tools>", Says::Uses),
        (
            "everything|stuff|mine|services|site|website|app|apps|api|backend|frontend|team|projects|project|code|servers|infra|infrastructure|product|shop|blog runs|run|lives|is|are running|deployed|hosted? on|to|in|with|behind <tools>",
            Says::Uses,
        ),
        ("^ we|i do <tools>", Says::Uses),
        (
            "^ our|my team|company|office does|uses|runs|do|use|is|are on? <tools>",
            Says::Uses,
        ),
        ("i have|got <tools> on|running|installed", Says::Uses),
        (
            "i have|got a|an|the? <tools> laptop|machine|box|desktop|workstation|pc",
            Says::Uses,
        ),
        (
            "on a|an|my <tools> box|machine|laptop|desktop|pc|workstation",
            Says::Uses,
        ),
        (
            "with <tools> as my|our|the default|main? <slot>",
            Says::Uses,
        ),
        (
            "i am a|an <tools> user|person|fan|guy|girl|addict",
            Says::Uses,
        ),
        ("^ <tools> user|person here?", Says::Uses),
        ("^ it is <tools> for|now|these", Says::Uses),
        ("i|we have? started using|with <tools>", Says::Uses),
        ("not going back to <tools>", Says::GaveUp),
        (
            "i|we * and deploy|host|ship|edit|write|code|test to|on|in|with <tools>",
            Says::Uses,
        ),
        ("i|we use * for * and <tools> for", Says::Uses),
        ("my|our * running|runs <tools>", Says::Uses),
        ("i am a|an|strictly|mostly? <tools>", Says::Eats),
        ("^ <tools> since", Says::Eats),
        // named slots
        (
            "my|our main|default|favourite|favorite|preferred|current? <slot> is|will|be <short>",
            Says::Slot,
        ),
        ("my|our <slot> of choice is <short>", Says::Slot),
        ("^ <slot> is <tool>", Says::Slot),
        (
            "^ preferred|default|favourite|favorite|main <slot> is? <short>",
            Says::Slot,
        ),
        (
            "<tool> is my|our main|default|favourite|favorite|preferred|current? <slot>",
            Says::SlotOf,
        ),
        (
            "i|we use|have|prefer <proper> as my|our|the a|an|main|default|preferred? <slot>",
            Says::SlotOf,
        ),
        (
            "i|we use <proper> for all|my|our|the? <short>",
            Says::UsesFor,
        ),
        // changes
        (
            "i|we have? switched|moved|migrated|changed|went|converted|ported|transitioned over|away? from <tool> over? to <tool>",
            Says::FromTo,
        ),
        (
            "i|we have? switched|moved|migrated|changed|ported|converted * from <tool> to <tool>",
            Says::FromTo,
        ),
        (
            "i|we have? switched|moved|migrated|changed|ported|converted * to <tool> from <tool>",
            Says::ForTo,
        ),
        (
            "my|our * changed|moved|switched|went from <tool> to <tool>",
            Says::FromTo,
        ),
        (
            "i|we have? replaced|swapped <tool> with|by|for <tool>",
            Says::FromTo,
        ),
        (
            "i|we have? dropped|ditched|abandoned|left|traded|dumped <tool> for|in <tool>",
            Says::FromTo,
        ),
        (
            "i|we have? dropped|ditched|abandoned|left|dumped <tool> in favour|favor of <tool>",
            Says::FromTo,
        ),
        ("i|we use|prefer <tool> instead of <tool>", Says::ForTo),
        ("i|we use <tool> , not <tool>", Says::ForTo),
        (
            "i|we have? switched|moved|migrated|changed|gone|converted * to <tools>",
            Says::Uses,
        ),
        // endings
        (
            "i|we no longer use|run|need|deploy|host|like|work|code|write|want|prefer|have on|in|with|to|using? <tools>",
            Says::GaveUp,
        ),
        (
            "i|we am|are no longer on|using|with|running <tools>",
            Says::GaveUp,
        ),
        (
            "i|we am|are not on|using|with|running <tools> anymore",
            Says::GaveUp,
        ),
        (
            "i|we am|are not on|using|with|running <tools> any more|longer",
            Says::GaveUp,
        ),
        ("^ not on|using <tools> anymore|any", Says::GaveUp),
        (
            "i|we do not use|run|deploy|host|work|code|write|have|need|like|prefer on|in|with|to|using? <tools> anymore|any",
            Says::GaveUp,
        ),
        ("i|we do not use|have|run <tools>", Says::GaveUp),
        (
            "i|we have? stopped|quit using|running|with? <tools>",
            Says::GaveUp,
        ),
        ("i|we have? gave|given up on|using? <tools>", Says::GaveUp),
        ("i|we have? got|gotten rid of <tools>", Says::GaveUp),
        (
            "i|we have? dropped|ditched|abandoned|left|uninstalled|dumped|removed <tools>",
            Says::GaveUp,
        ),
        (
            "i|we have? moved|migrated|switched away|off from|of? <tools>",
            Says::GaveUp,
        ),
        ("i|we am|are done with <tools>", Says::GaveUp),
        ("^ no more <tools>", Says::GaveUp),
        // refusals
        ("i|we do not want|like|allow any? <tools>", Says::Avoids),
        (
            "i|we hate|avoid|dislike|refuse|can not stand <tools>",
            Says::Avoids,
        ),
        ("i|we never use <tools>", Says::Avoids),
    ])
});

/// What a question or request takes for granted: "why is my Neovim slow?"
static PRESUPPOSED: LazyLock<Table<()>> = LazyLock::new(|| {
    Table::new(&[
        ("my|our <tools> $", ()),
        (
            "my|our <tools> is|does|keeps|has|crashes|hangs|setup|config|configuration|instance|app|apps|project|service|site|code|codebase|backend|frontend|server|repo|cluster|script|scripts|pipeline|workflow|install|installation|box|machine|laptop|database|prompt|deployment|build|before|so|and",
            (),
        ),
    ])
});

/// Bare lists: "Python 3.12, ruff, uv". One name alone may be the answer to anything.
static LISTED: LazyLock<Table<()>> = LazyLock::new(|| {
    Table::new(&[
        ("^ <tools> $", ()),
        ("^ <tools> , no|not|never <rest> $", ()),
    ])
});

/// Tools that the user is said to have, even in a question.
pub(super) fn find_presupposed(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, ()) in PRESUPPOSED.find(clause) {
        at.tools(0).iter().for_each(|tool| uses(tool, found));
    }
}

/// What the user works with, changed to and gave up.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    find_presupposed(clause, found);
    for (at, ()) in LISTED.find(clause) {
        if at.tools(0).len() > 1 {
            at.tools(0).iter().for_each(|tool| uses(tool, found));
        }
    }
    let matches = STATED.find(clause);
    // Words that one reading gives up must not be taken for use by another.
    let given_up = |at: &Match| {
        matches.iter().any(|(other, says)| {
            matches!(
                says,
                Says::GaveUp | Says::Avoids | Says::FromTo | Says::ForTo
            ) && other.start < at.end
                && at.start < other.end
        })
    };
    for (at, says) in &matches {
        match says {
            Says::Uses if given_up(at) => {}
            Says::Uses => at.tools(0).iter().for_each(|tool| uses(tool, found)),
            Says::Eats => at
                .tools(0)
                .iter()
                .filter(|tool| tool.entry.slot == "diet")
                .for_each(|tool| uses(tool, found)),
            Says::FromTo => changed(at.tools(0), at.tools(1), found),
            Says::ForTo => changed(at.tools(1), at.tools(0), found),
            Says::GaveUp
                if matches
                    .iter()
                    .any(|(_, says)| matches!(says, Says::FromTo | Says::ForTo)) => {}
            Says::GaveUp => at.tools(0).iter().for_each(|tool| gave_up(tool, found)),
            Says::Avoids => at.tools(0).iter().for_each(|tool| avoids(tool, found)),
            Says::Slot => holds(at.text(0), at.text(1), found),
            Says::SlotOf => holds(at.text(1), at.text(0), found),
            Says::UsesFor => uses_for(at.text(0), at.text(1), found),
        }
    }
}

/// A tool in use: a preference with its slot, or knowledge.
pub(super) fn uses(tool: &Tool, found: &mut Vec<Candidate>) {
    let candidate = match tool.entry.scope {
        Scope::Preferences => Candidate::slot(Scope::Preferences, tool.entry.slot, &tool.name),
        _ if tool.entry.slot == "spoken_language" => return,
        scope => Candidate::item(scope, &tool.name),
    };
    if !found.contains(&candidate) {
        found.push(candidate);
    }
}

fn changed(from: &[Tool], to: &[Tool], found: &mut Vec<Candidate>) {
    // "We moved from SAS to Julia in 2019" is an event: the old name stays in the history, so
    // only the slot is emptied, which the new tool may fill again.
    for tool in from {
        gave_up(tool, found);
    }
    for tool in to {
        uses(tool, found);
    }
}

/// A tool given up goes from preferences and from knowledge, wherever it was put.
fn gave_up(tool: &Tool, found: &mut Vec<Candidate>) {
    let slot = (tool.entry.scope == Scope::Preferences).then_some(tool.entry.slot);
    found.push(Candidate::removal(Scope::Preferences, slot, tool.plain));
    found.push(Candidate::removal(Scope::Knowledge, None, tool.plain));
}

/// Dislike is worth a slot of its own; it doesn't say that the tool was ever used.
fn avoids(tool: &Tool, found: &mut Vec<Candidate>) {
    found.push(Candidate::slot(
        Scope::Preferences,
        format!("avoid_{}", tool.plain),
        format!("No {}", tool.plain),
    ));
}

/// "My editor is kakoune": the sentence names the slot, so the tool may be unknown.
fn holds(slot: &str, value: &str, found: &mut Vec<Candidate>) {
    let words = crate::extract::text::words(value);
    let known = super::lexicon::tool_at(&words, 0).map(|(_, tool)| tool);
    let candidate = match (slot, known) {
        ("language" | "framework" | "database", Some(tool))
            if tool.entry.scope == Scope::Knowledge =>
        {
            if tool.entry.slot != "spoken_language" {
                uses(&tool, found);
            }
            return;
        }
        (slot, Some(tool)) if tool.entry.scope == Scope::Preferences => {
            Candidate::slot(Scope::Preferences, slot, tool.name)
        }
        // "my pipeline is failing since noon" and the like are no names
        _ if words.len() > 2
            && words
                .iter()
                .all(|word| word.text.chars().all(char::is_lowercase)) =>
        {
            return;
        }
        _ if words
            .first()
            .is_some_and(|word| word.low.ends_with("ing") || word.is_any(STATES)) =>
        {
            return;
        }
        (slot, _) => Candidate::slot(Scope::Preferences, slot, value),
    };
    if candidate.op == Op::Set {
        found.push(candidate);
    }
}

/// What people say of their tools without naming them.
const STATES: &[&str] = &[
    "down",
    "broken",
    "slow",
    "fine",
    "full",
    "old",
    "new",
    "red",
    "green",
    "stuck",
    "hanging",
    "great",
    "bad",
    "good",
    "different",
    "different",
    "similar",
    "correct",
    "wrong",
    "empty",
    "dead",
    "always",
    "never",
    "still",
    "set",
    "open",
    "closed",
    "gone",
    "here",
    "there",
    "live",
    "ready",
    "big",
    "small",
    "huge",
    "pretty",
    "quite",
    "really",
    "in",
    "on",
    "up",
    "done",
    "configured",
    "installed",
    "missing",
    "outdated",
    "your",
    "my",
    "our",
    "his",
    "her",
    "their",
    "like",
    "just",
    "all",
];

/// "I use Fantastical for appointments": an unknown name, and the slot after its purpose.
fn uses_for(name: &str, purpose: &str, found: &mut Vec<Candidate>) {
    let words = crate::extract::text::words(name);
    let purposes = crate::extract::text::words(purpose);
    if super::lexicon::tool_at(&words, 0).is_some()
        || purposes.len() > 3
        || purposes.first().is_none_or(|word| {
            word.low.ends_with("ing") && purposes.len() > 2
                || word.is_any(&[
                    "years",
                    "months",
                    "this",
                    "that",
                    "it",
                    "everything",
                    "now",
                    "years",
                    "ages",
                    "work",
                ])
                || word.text.chars().any(|c| c.is_ascii_digit())
        })
    {
        return;
    }
    found.push(Candidate::slot(
        Scope::Preferences,
        format!("{purpose} tool"),
        name,
    ));
}

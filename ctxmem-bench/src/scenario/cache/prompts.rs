//! The ways to put memory into a prompt.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ctxmem_types::{Context, ContextFact};

use super::people::Visit;
use crate::agent::Agent;

/// The text that base prompts of any length are made of.
const BASE: &str = include_str!("../base_prompt.txt");

/// How many facts a search gives.
const FOUND: usize = 10;

/// The budget of a block in bytes, by default.
const BUDGET: usize = 2_400;

/// What is put into a prompt, by the way to do it.
#[derive(Clone)]
pub(super) struct Memory {
    block: Arc<str>,
    with_headings: Arc<str>,
    searched: Arc<str>,
}

/// Where memory stands in a prompt.
#[derive(Clone, Copy)]
pub(super) enum Placement {
    /// There is none.
    None,
    /// Facts that are searched for each message, after the base prompt.
    Searched,
    /// The block of ctxmem before it was ordered like a log, before the base prompt.
    WithHeadings,
    /// The block of ctxmem before the base prompt, as the interface puts it.
    Before,
    /// The block of ctxmem after the base prompt, by `parts`.
    After,
}

impl Placement {
    /// All of them, by name.
    pub(super) const ALL: [(Self, &str); 5] = [
        (Self::None, "none"),
        (Self::Searched, "searched anew each turn"),
        (Self::WithHeadings, "ctxmem by scope, as it was"),
        (Self::Before, "ctxmem before the base prompt"),
        (Self::After, "ctxmem after the base prompt"),
    ];

    /// The parts of a request; the system prompt is the first two.
    pub(super) fn prompt(self, base: &Arc<str>, visit: &Visit<Memory>) -> Vec<Arc<str>> {
        let Memory {
            block,
            with_headings,
            searched,
        } = &visit.known;
        let system = match self {
            Self::None => [base, &Arc::from("")].map(Arc::clone),
            Self::Searched => [base, searched].map(Arc::clone),
            Self::WithHeadings => [with_headings, base].map(Arc::clone),
            Self::Before => [block, base].map(Arc::clone),
            Self::After => [base, block].map(Arc::clone),
        };
        system.into_iter().chain(visit.messages.clone()).collect()
    }
}

pub(super) fn base(tokens: usize) -> Arc<str> {
    let text: String = BASE.chars().cycle().take(tokens * 4).collect();
    text.into()
}

/// Lets the server learn from a user's turns, and notes what stands in the prompt of each.
pub(super) async fn remember(
    agent: &mut Agent,
    user: usize,
    visits: Vec<Visit<()>>,
) -> Vec<Visit<Memory>> {
    let name = format!("user-{user}");
    let mut first_seen = HashMap::new();
    let mut remembered = Vec::with_capacity(visits.len());
    for (n, visit) in visits.into_iter().enumerate() {
        let mut block = agent.block(&name, BASE).await;
        if !block.is_empty() {
            block.push_str("\n\n");
        }
        let lines = lines(&agent.context(&name).await);
        for line in &lines {
            first_seen.entry(line.clone()).or_insert(n);
        }
        let message = visit.messages.last().unwrap();
        let known = Memory {
            block: block.into(),
            with_headings: with_headings(&lines, &first_seen).into(),
            searched: search(&lines, message).into(),
        };
        agent.learn(&name, message, &visit.answer).await;
        remembered.push(Visit {
            user,
            at: visit.at,
            messages: visit.messages,
            answer: visit.answer,
            known,
        });
    }
    remembered
}

/// A fact as text, with its scope.
type Line = (&'static str, String);

/// What is stored, by scope and in the order of storing.
fn lines(context: &Context) -> Vec<Line> {
    let line = |fact: ContextFact<'_>| match fact.name {
        Some(name) => (fact.scope.name(), format!("{name}: {}", fact.value)),
        None => (fact.scope.name(), fact.value.to_owned()),
    };
    context.facts().map(line).collect()
}

/// The block with a heading for each scope. Over the budget, identity and reply style stay, and
/// of the rest what was stored last.
fn with_headings(lines: &[Line], first_seen: &HashMap<Line, usize>) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|&n| {
        let pinned = matches!(lines[n].0, "general" | "communication_style");
        (!pinned, std::cmp::Reverse((first_seen[&lines[n]], n)))
    });
    let mut left = BUDGET;
    let mut chosen = HashSet::new();
    for n in order {
        let cost = lines[n].1.len() + 3;
        if cost <= left {
            left -= cost;
            chosen.insert(n);
        }
    }
    let mut block = "System:\nNotes about the user from earlier conversations.".to_owned();
    let mut heading = "";
    for (n, (scope, line)) in lines.iter().enumerate() {
        if !chosen.contains(&n) {
            continue;
        }
        if *scope != heading {
            heading = scope;
            block.extend(["\n", scope, ":"]);
        }
        block.extend(["\n- ", line]);
    }
    block.push_str("\n\n");
    block
}

/// The facts that share the most words with the message, as a search by likeness gives them: the
/// nearest first.
fn search(lines: &[Line], message: &str) -> String {
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| word.len() > 2)
            .map(str::to_lowercase)
            .collect()
    };
    let said = words(message);
    let mut ranked: Vec<&Line> = lines.iter().collect();
    ranked.sort_by_cached_key(|(_, line)| {
        let shared = words(line).intersection(&said).count();
        (std::cmp::Reverse(shared), line.clone())
    });
    let mut text = String::new();
    for (_, line) in ranked.into_iter().take(FOUND) {
        text.extend(["\n- ", line]);
    }
    if !text.is_empty() {
        text.insert_str(0, "\n\nUser memories:");
    }
    text
}

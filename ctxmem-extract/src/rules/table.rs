//! The rows of each language as trees of words, so that a shared beginning is compared once.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::kind::{Handler, Kind};
use crate::grammar::{self, Element, Mode, Output};
use crate::hash::Fnv;
use crate::language::Language;
use crate::lists::{self, List};
use crate::text::{Class, Clause, Gap, Reading, vocabulary};

/// One place in a tree.
#[derive(Default)]
struct Node {
    words: HashMap<u32, usize, BuildHasherDefault<Fnv>>,
    captures: Vec<(Kind, usize)>,
    /// What is found when the pattern ends here, wherever the clause does.
    open: Option<usize>,
    /// What is found when the clause ends here too.
    closed: Option<usize>,
}

/// What one row finds.
pub(super) enum CompiledOutput {
    /// A fact, by its template.
    Template {
        forget: bool,
        scope: Scope,
        slot: Option<&'static str>,
        /// Text, and between the texts the labels: `parts[1]`, `parts[3]`, ….
        parts: Vec<&'static str>,
    },
    /// What a function makes of a capture.
    Handler(Handler, &'static str),
}

/// A way to say a row.
pub(super) struct Rule {
    /// The labels of its captures, in their order.
    pub(super) labels: Vec<&'static str>,
    /// What it finds; the ways of a row share it.
    pub(super) outputs: &'static [CompiledOutput],
}

/// The rows of one language.
pub(super) struct Table {
    nodes: Vec<Node>,
    rules: Vec<Rule>,
    /// The numbers of words that begin a statement and that notes leave out.
    pub(super) left_out: Vec<Vec<u32>>,
}

/// Where words of a kind stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Captured {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A row that was found.
pub(super) struct Match {
    pub(super) rule: &'static Rule,
    pub(super) captures: Vec<Captured>,
    /// Behind the last word of the pattern.
    pub(super) end: usize,
}

/// Roots of the trees: by the mode in which they are tried.
const ROOTS: usize = 4;

/// The rows of a language. A row that can't be read fails the build (see `build.rs`).
pub(super) fn table(language: Language) -> &'static Table {
    static TABLES: LazyLock<[Table; Language::COUNT]> =
        LazyLock::new(|| Language::ALL.map(Table::new));
    &TABLES[language as usize]
}

impl Table {
    fn new(language: Language) -> Self {
        let mut table = Self {
            nodes: (0..ROOTS).map(|_| Node::default()).collect(),
            rules: Vec::new(),
            left_out: lists::entries(lists::Table::LeftOut, language)
                .map(|words| words.split(' ').map(|word| vocabulary().id(word)).collect())
                .collect(),
        };
        for row in grammar::rows(language.files().patterns).unwrap_or_default() {
            let outputs: Vec<CompiledOutput> = row
                .outputs
                .iter()
                .filter_map(|output| compiled(*output))
                .collect();
            let outputs: &'static [CompiledOutput] = outputs.leak();
            for way in &row.ways {
                table.add(row.mode, way, outputs);
            }
        }
        // They stay for as long as the process does: half of the room that they grew by is unused.
        table.nodes.shrink_to_fit();
        table.rules.shrink_to_fit();
        for node in &mut table.nodes {
            node.words.shrink_to_fit();
            node.captures.shrink_to_fit();
        }
        table
    }

    fn add(&mut self, mode: Mode, way: &[Element<'static>], outputs: &'static [CompiledOutput]) {
        let mut at = mode as usize;
        let mut labels = Vec::new();
        let mut closed = false;
        for element in way {
            let next = self.nodes.len();
            let node = &mut self.nodes[at];
            at = match element {
                Element::Word(":") => *node.words.entry(COLON).or_insert(next),
                Element::Word(word) => *node.words.entry(vocabulary().id(word)).or_insert(next),
                Element::Capture { label, kind } => {
                    let Some(kind) = Kind::named(kind) else {
                        return;
                    };
                    labels.push(*label);
                    let known = node.captures.iter().find(|(of, _)| *of == kind);
                    let known = known.map(|(_, node)| *node);
                    known.unwrap_or_else(|| {
                        node.captures.push((kind, next));
                        next
                    })
                }
                Element::End => {
                    closed = true;
                    continue;
                }
            };
            if at == next {
                self.nodes.push(Node::default());
            }
        }
        let rule = self.rules.len();
        let node = &mut self.nodes[at];
        let place = if closed {
            &mut node.closed
        } else {
            &mut node.open
        };
        // Of two rows that say the same the first one counts.
        place.get_or_insert(rule);
        self.rules.push(Rule { labels, outputs });
    }

    /// The row of this mode that takes most words from `at` on; of several the first.
    pub(super) fn find(
        &'static self,
        reading: &Reading<'_>,
        clause: &Clause,
        at: usize,
        mode: Mode,
    ) -> Option<Match> {
        let mut search = Search::new(self, reading, clause);
        search.walk(mode as usize, at, Before::Start);
        search.best()
    }

    /// The same of a clause that leaves out the words with these numbers: "and use Helix".
    pub(super) fn find_behind(
        &'static self,
        reading: &Reading<'_>,
        clause: &Clause,
        at: usize,
        left_out: &[u32],
    ) -> Option<Match> {
        let root = Some(Mode::Statement as usize);
        let node = left_out
            .iter()
            .fold(root, |node, id| self.nodes[node?].words.get(id).copied())?;
        let mut search = Search::new(self, reading, clause);
        search.walk(node, at, Before::LeftOut);
        search.best()
    }
}

/// Most places of a tree that are tried from one word. This bounds the time for any text.
const MOST_STEPS: u32 = 500;

/// Most fillers in a row that are left out after the first: "I really just always use …".
const MOST_FILLERS: u32 = 3;

/// The number of a colon, which is no word.
const COLON: u32 = u32::MAX;

/// What stands before the word that is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Start,
    /// Words that are left out: what follows is a word of the pattern.
    LeftOut,
    Word,
    Colon,
}

struct Search<'s, 'p> {
    table: &'static Table,
    reading: &'s Reading<'p>,
    clause: &'s Clause,
    captures: Vec<Captured>,
    steps: u32,
    best: Option<(usize, usize, Vec<Captured>)>,
}

impl<'s, 'p> Search<'s, 'p> {
    const fn new(table: &'static Table, reading: &'s Reading<'p>, clause: &'s Clause) -> Self {
        Self {
            table,
            reading,
            clause,
            captures: Vec::new(),
            steps: MOST_STEPS,
            best: None,
        }
    }

    fn best(self) -> Option<Match> {
        let (end, rule, captures) = self.best?;
        Some(Match {
            rule: self.table.rules.get(rule)?,
            captures,
            end,
        })
    }

    fn walk(&mut self, node: usize, at: usize, before: Before) {
        let Some(left) = self.steps.checked_sub(1) else {
            return;
        };
        self.steps = left;
        let table = self.table;
        let node = &table.nodes[node];
        if let Some(rule) = node.open {
            self.note(rule, at);
        }
        if let Some(rule) = node.closed
            && self.is_over(at)
        {
            self.note(rule, at);
        }
        if at >= self.clause.sentence {
            return;
        }
        let word = &self.reading.words[at];
        if word.gap == Gap::Break
            && before == Before::Word
            && let Some(next) = node.words.get(&COLON)
        {
            self.walk(*next, at, Before::Colon);
        }
        if before != Before::Word || word.gap <= Gap::Space {
            if let Some(next) = node.words.get(&word.id)
                && word.id != 0
            {
                self.walk(*next, at + 1, Before::Word);
            }
            if before == Before::Word && self.reading.is(at, Class::Filler) {
                self.skip(node, at + 1, MOST_FILLERS);
            }
        }
        // Behind what is left out only what can't be anything else counts: "I'm vegan, coeliac".
        let listed = |kind| matches!(kind, Kind::Diet | Kind::Condition);
        self.capture(node, at, before == Before::Colon, |kind| {
            before != Before::LeftOut || listed(kind)
        });
    }

    fn capture(&mut self, node: &'static Node, at: usize, free: bool, may: impl Fn(Kind) -> bool) {
        for (kind, next) in node.captures.iter().filter(|(kind, _)| may(*kind)) {
            for end in kind.ends(self.reading, self.clause, at, free) {
                self.captures.push(Captured {
                    kind: *kind,
                    start: at,
                    end,
                });
                self.walk(*next, end, Before::Word);
                self.captures.pop();
            }
        }
    }

    /// Goes on behind a filler and at most `more` others.
    fn skip(&mut self, node: &'static Node, at: usize, more: u32) {
        if at >= self.clause.sentence {
            return;
        }
        let word = &self.reading.words[at];
        if word.gap > Gap::Space {
            return;
        }
        if let Some(next) = node.words.get(&word.id)
            && word.id != 0
        {
            self.walk(*next, at + 1, Before::Word);
        } else if more > 0 && self.reading.is(at, Class::Filler) {
            self.skip(node, at + 1, more - 1);
        }
        // A name stands right behind what it belongs to.
        self.capture(node, at, false, |kind| kind != Kind::Name);
    }

    /// Whether nothing but fillers follows in the clause.
    fn is_over(&self, at: usize) -> bool {
        at >= self.clause.end
            || (at..self.clause.end).all(|n| {
                self.reading.is(n, Class::Filler) || self.reading.words[n].is_in(List::Closing)
            })
            || self.reading.words[at].gap >= Gap::Comma
    }

    fn note(&mut self, rule: usize, end: usize) {
        let cut = self.captures.last().is_some_and(|last| {
            last.end == end
                && last
                    .kind
                    .is_cut(self.reading, last.start, end, self.clause.sentence)
        });
        if cut {
            return;
        }
        // The row with most outputs is the most specific one.
        let rank = |end: usize, rule: usize| {
            let outputs = self
                .table
                .rules
                .get(rule)
                .map_or(0, |rule| rule.outputs.len());
            (outputs, end, std::cmp::Reverse(rule))
        };
        let better = self
            .best
            .as_ref()
            .is_none_or(|(best, of, _)| rank(end, rule) > rank(*best, *of));
        if better {
            self.best = Some((end, rule, self.captures.clone()));
        }
    }
}

/// What a row finds. What can't be read fails the build (see `build.rs`).
fn compiled(output: Output<'static>) -> Option<CompiledOutput> {
    match output {
        Output::Handler { name, label } => {
            Some(CompiledOutput::Handler(Handler::named(name)?, label))
        }
        Output::Fact {
            forget,
            scope,
            slot,
            text,
        } => Some(CompiledOutput::Template {
            forget,
            scope: Scope::from_name(scope)?,
            slot,
            parts: text.split(['{', '}']).collect(),
        }),
    }
}

impl Match {
    /// The capture with this label.
    pub(super) fn captured(&self, label: &str) -> Option<Captured> {
        let at = self.rule.labels.iter().position(|known| *known == label)?;
        self.captures.get(at).copied()
    }
}

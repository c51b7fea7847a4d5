//! The language of pattern rows, `pattern => facts`: how a row is read.
//!
//! Only `std` here: the build script reads the rows with this very file, so that a row that
//! can't be read fails the build.
//!
//! - `word`: that word, in lower case; fillers such as "really" may stand before it
//! - `(a|b c)`: one of them, `[a|b]`: one of them or nothing, `<name>`: what a line
//!   `<name> = …` above stands for
//! - `{label}` or `{label:kind}`: words of a kind (see `rules/kind.rs`)
//! - `$`: the end of the clause
//!
//! A row applies at the beginning of a clause that the user states; with `?` before it in
//! questions and requests as well, with `~` anywhere in a statement or a question, with `%`
//! under a condition too.
//! Facts are separated by ` ; `: `scope.slot = text with {label}`, `-scope` for something to
//! forget, `#handler {label}` for what a row can't say.

/// Where a row applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// At the beginning of a clause that the user states.
    Statement,
    /// In questions and requests as well.
    Asked,
    /// Wherever it stands.
    Anywhere,
    /// At the beginning of any clause that is meant, conditions included.
    Any,
}

/// One part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Element<'a> {
    /// This word.
    Word(&'a str),
    /// Words of this kind.
    Capture {
        /// What the facts call them.
        label: &'a str,
        /// Their kind.
        kind: &'a str,
    },
    /// The end of the clause.
    End,
}

impl<'a> Element<'a> {
    /// The word, where it is one.
    pub(crate) const fn word(&self) -> Option<&'a str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// What a row finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output<'a> {
    /// A fact to remember, or to forget.
    Fact {
        /// Whether it is to be forgotten.
        forget: bool,
        /// The scope.
        scope: &'a str,
        /// The slot, in map scopes.
        slot: Option<&'a str>,
        /// The value, with labels in braces.
        text: &'a str,
    },
    /// What a Rust function makes of a capture.
    Handler {
        /// Its name.
        name: &'a str,
        /// The label of the capture.
        label: &'a str,
    },
}

/// A row.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    /// Its line in the file, from 1, for the messages of the build.
    #[allow(dead_code, reason = "the build script reads it")]
    pub(crate) line: usize,
    /// Where it applies.
    pub(crate) mode: Mode,
    /// The pattern without alternatives: each way to say it.
    pub(crate) ways: Vec<Vec<Element<'a>>>,
    /// What it finds.
    pub(crate) outputs: Vec<Output<'a>>,
}

/// Most ways to say a row.
const MOST_WAYS: usize = 10_000;

/// Reads the rows of a file. `Err` says in which line what is wrong.
pub(crate) fn rows(file: &str) -> Result<Vec<Row<'_>>, String> {
    let mut names: Vec<(&str, Vec<Vec<Element<'_>>>)> = Vec::new();
    let mut rows = Vec::new();
    for (n, line) in (1..).zip(file.lines()) {
        let text = line.trim();
        if text.is_empty() || text.starts_with("# ") || text == "#" {
            continue;
        }
        let at = |problem: &str| format!("line {n}: {problem}: {text}");
        if text.starts_with('<')
            && let Some((name, pattern)) = text.split_once("> = ")
        {
            let name = name.trim_start_matches('<');
            let ways = ways(pattern, &names).map_err(|problem| at(&problem))?;
            names.push((name, ways));
            continue;
        }
        let (pattern, facts) = text.split_once(" => ").ok_or_else(|| at("no ' => '"))?;
        let (mode, pattern) = match pattern.split_at(1) {
            ("?", rest) => (Mode::Asked, rest),
            ("~", rest) => (Mode::Anywhere, rest),
            ("%", rest) => (Mode::Any, rest),
            _ => (Mode::Statement, pattern),
        };
        let ways = ways(pattern, &names).map_err(|problem| at(&problem))?;
        let outputs: Vec<Output<'_>> = facts
            .split(" ; ")
            .map(|fact| output(fact.trim()).ok_or_else(|| at("a fact can't be read")))
            .collect::<Result<_, _>>()?;
        rows.push(Row {
            line: n,
            mode,
            ways,
            outputs,
        });
    }
    Ok(rows)
}

fn output(fact: &str) -> Option<Output<'_>> {
    if let Some(handler) = fact.strip_prefix('#') {
        let (name, label) = handler.split_once(' ')?;
        let label = label.strip_prefix('{')?.strip_suffix('}')?;
        return Some(Output::Handler { name, label });
    }
    let (place, text) = fact.split_once(" = ")?;
    let (forget, place) = match place.strip_prefix('-') {
        Some(place) => (true, place),
        None => (false, place),
    };
    let (scope, slot) = match place.split_once('.') {
        Some((scope, slot)) => (scope, Some(slot)),
        None => (place, None),
    };
    Some(Output::Fact {
        forget,
        scope,
        slot,
        text,
    })
}

/// All ways to say a pattern, in which `names` stand for patterns of their own.
pub(crate) fn ways<'a>(
    pattern: &'a str,
    names: &[(&'a str, Vec<Vec<Element<'a>>>)],
) -> Result<Vec<Vec<Element<'a>>>, String> {
    let mut parser = Parser {
        rest: pattern.trim(),
        names,
    };
    let ways = parser.alternatives()?;
    if parser.rest.is_empty() {
        Ok(ways)
    } else {
        Err(format!("unexpected '{}'", parser.rest))
    }
}

struct Parser<'a, 'n> {
    rest: &'a str,
    names: &'n [(&'a str, Vec<Vec<Element<'a>>>)],
}

impl<'a> Parser<'a, '_> {
    fn alternatives(&mut self) -> Result<Vec<Vec<Element<'a>>>, String> {
        let mut all = self.sequence()?;
        while let Some(rest) = self.rest.strip_prefix('|') {
            self.rest = rest;
            all.extend(self.sequence()?);
        }
        Ok(all)
    }

    fn sequence(&mut self) -> Result<Vec<Vec<Element<'a>>>, String> {
        let mut ways: Vec<Vec<Element<'a>>> = vec![Vec::new()];
        loop {
            self.rest = self.rest.trim_start();
            let Some(c) = self.rest.chars().next() else {
                return Ok(ways);
            };
            let parts = match c {
                '|' | ')' | ']' => return Ok(ways),
                '(' | '[' => {
                    self.rest = &self.rest[1..];
                    let mut parts = self.alternatives()?;
                    let close = if c == '(' { ')' } else { ']' };
                    self.rest = self
                        .rest
                        .strip_prefix(close)
                        .ok_or_else(|| format!("no '{close}'"))?;
                    if c == '[' {
                        parts.push(Vec::new());
                    }
                    parts
                }
                '<' => {
                    let name = self.until('>')?;
                    let named = self.names.iter().find(|(known, _)| *known == name);
                    named.ok_or_else(|| format!("no <{name}>"))?.1.clone()
                }
                '{' => {
                    let capture = self.until('}')?;
                    let (label, kind) = capture.split_once(':').unwrap_or((capture, capture));
                    vec![vec![Element::Capture { label, kind }]]
                }
                '$' => {
                    self.rest = &self.rest[1..];
                    vec![vec![Element::End]]
                }
                _ => {
                    let end = self
                        .rest
                        .find(|c: char| c.is_whitespace() || "|()[]{}<>$".contains(c))
                        .unwrap_or(self.rest.len());
                    let (word, rest) = self.rest.split_at(end);
                    if word.is_empty() {
                        return Err(format!("unexpected '{c}'"));
                    }
                    self.rest = rest;
                    vec![vec![Element::Word(word)]]
                }
            };
            ways = ways
                .iter()
                .flat_map(|way| parts.iter().map(|part| [&way[..], &part[..]].concat()))
                .collect();
            if ways.len() > MOST_WAYS {
                return Err("too many alternatives".to_owned());
            }
        }
    }

    /// The text between this bracket and the closing one.
    fn until(&mut self, close: char) -> Result<&'a str, String> {
        let (inside, rest) = self.rest[1..]
            .split_once(close)
            .ok_or_else(|| format!("no '{close}'"))?;
        self.rest = rest;
        Ok(inside)
    }
}

//! Passwords in commands as people paste them: `curl -u bob:hunter2`, `mysql -phunter2`.

use std::sync::LazyLock;

use super::marked::{COMMAND, MarkedText};
use super::tokens::LISTS;
use crate::sections::section;

/// How many words behind a program are looked at.
const REACH: usize = 24;

/// How a flag is followed by its password.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `-phunter2`
    Attached,
    /// `-p hunter2`
    Next,
    /// Either.
    Either,
    /// `-u bob:hunter2`
    Pair,
    /// `-U bob%hunter2`
    Percent,
}

struct PasswordFlag {
    program: &'static str,
    name: &'static str,
    form: Form,
}

static FLAGS: LazyLock<Vec<PasswordFlag>> = LazyLock::new(|| {
    let lines = section(LISTS, "commands").filter_map(|line| {
        let mut parts = line.split(' ');
        let (program, name) = (parts.next()?, parts.next()?);
        let form = match parts.next()? {
            "attached" => Form::Attached,
            "next" => Form::Next,
            "either" => Form::Either,
            "pair" => Form::Pair,
            "percent" => Form::Percent,
            _ => return None,
        };
        Some(PasswordFlag {
            program,
            name,
            form,
        })
    });
    lines.collect()
});

/// The programs whose commands may hold a password.
pub(super) fn programs() -> impl Iterator<Item = &'static str> {
    section(LISTS, "commands").filter_map(|line| line.split(' ').next())
}

/// Whether the program at `n` gets a password by one of its flags.
pub(super) fn tells_by_command(text: &MarkedText<'_>, n: usize) -> bool {
    if !text.is(n, COMMAND) {
        return false;
    }
    let program = text.low(n);
    let flags = || FLAGS.iter().filter(|flag| flag.program == program);
    (n + 1..n + REACH).any(|at| flags().any(|flag| flag.tells(text, at)))
}

impl PasswordFlag {
    fn tells(&self, text: &MarkedText<'_>, at: usize) -> bool {
        let word = |n: usize| text.words.get(n).map_or("", |word| word.text);
        let Some(attached) = word(at).strip_prefix(self.name) else {
            return false;
        };
        let is_long = self.name.starts_with("--");
        let is_next = attached.is_empty();
        match self.form {
            Form::Attached => is_value(attached) && !attached.starts_with('-'),
            Form::Next => is_next && is_value(word(at + 1)),
            Form::Either => is_value(if is_next { word(at + 1) } else { attached }),
            Form::Percent => {
                is_next
                    && word(at + 1)
                        .split_once('%')
                        .is_some_and(|(_, value)| is_value(value))
            }
            Form::Pair => {
                let user = if is_next { at + 1 } else { at };
                (is_next || !is_long) && word(user + 1) == ":" && is_value(word(user + 2))
            }
        }
    }
}

/// Whether something stands there that is neither another flag nor the name of a variable.
fn is_value(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(['-', '$', '<', '%', '{', ':', '='])
}

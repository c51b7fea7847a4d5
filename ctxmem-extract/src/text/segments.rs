//! What the user says in their own voice, apart from code, logs, quotes and pasted text.

use std::borrow::Cow;

use super::read_part;
use crate::lists::WordList;

/// Stands where a quotation or a piece of code was.
pub(crate) const QUOTE: char = '\u{FFFC}';

/// The user's own words of a message.
pub(crate) struct Prose {
    /// One line per line of prose; quotations and code replaced by [`QUOTE`].
    pub(crate) text: String,
    /// Something was left out as code or log output.
    pub(crate) code: bool,
    /// Something was left out as quoted or pasted.
    pub(crate) quoted: bool,
}

/// Takes a message apart.
pub(crate) fn prose(message: &str) -> Prose {
    let message = read_part(message);
    let mut out = Prose {
        text: String::new(),
        code: false,
        quoted: false,
    };
    let lines: Vec<&str> = message.lines().collect();
    let code = code_lines(&lines);
    let mut fence: Option<&str> = None;
    let mut kept = String::with_capacity(message.len());
    for (line, is_code) in lines.iter().zip(code) {
        let trimmed = line.trim();
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) {
                fence = None;
            }
            continue;
        }
        if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark))
        {
            out.code = true;
            let one_line =
                trimmed.len() > 3 && trimmed.get(3..).is_some_and(|rest| rest.contains(mark));
            if !one_line {
                fence = Some(mark);
            }
            continue;
        }
        if trimmed.starts_with('>') {
            out.quoted = true;
            continue;
        }
        if is_code {
            out.code = true;
            continue;
        }
        // A letter speaks in its own voice, down to its end.
        if trimmed.starts_with("Dear ") {
            out.quoted = true;
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    let kept = without_inline_code(&kept, &mut out.code);
    let kept = without_quotations(&kept, &mut out.quoted);
    out.text = without_pasted_text(&kept, &mut out.quoted).into_owned();
    out
}

/// Which lines are code or log output. Indented lines next to code belong to it.
fn code_lines(lines: &[&str]) -> Vec<bool> {
    let mut code: Vec<bool> = lines.iter().map(|line| is_code(line)).collect();
    // A script goes on to the next blank line.
    let mut script = false;
    for (line, flag) in lines.iter().zip(&mut code) {
        script = (script && !line.trim().is_empty()) || line.starts_with("#!");
        *flag |= script;
    }
    for _ in 0..2 {
        for n in 1..code.len() {
            let indented = lines
                .get(n)
                .is_some_and(|line| line.starts_with([' ', '\t']));
            if indented
                && code.get(n - 1) == Some(&true)
                && let Some(flag) = code.get_mut(n)
            {
                *flag = true;
            }
        }
        for n in (1..code.len()).rev() {
            let indented = lines
                .get(n - 1)
                .is_some_and(|line| line.starts_with([' ', '\t']));
            if indented
                && code.get(n) == Some(&true)
                && let Some(flag) = code.get_mut(n - 1)
            {
                *flag = true;
            }
        }
    }
    code
}

/// Beginnings that only code and logs have.
const CODE_STARTS: &[&str] = &[
    "import ",
    "from __future__",
    "const ",
    "let mut ",
    "var ",
    "fn ",
    "pub fn ",
    "def ",
    "class ",
    "#include",
    "#!",
    "package ",
    "func ",
    "public ",
    "private ",
    "return ",
    "diff --git",
    "index ",
    "@@ ",
    "+++ ",
    "--- a/",
    "npm ERR!",
    "npm error",
    "Traceback ",
    "File \"",
    "at ",
    "error[",
    "error:",
    "warning:",
    "[error]",
    "[warn",
    "[info",
    "SELECT ",
    "INSERT INTO ",
    "UPDATE ",
    "DELETE FROM ",
    "CREATE TABLE ",
    "ALTER TABLE ",
    "WHERE ",
    "GROUP BY ",
    "ORDER BY ",
    "FROM ",
    "LEFT JOIN ",
    "JOIN ",
    "resource \"",
    "module \"",
    "-----BEGIN",
    "-----END",
    "$ ",
    "sudo ",
    "apiVersion:",
    "set -",
    "unbind ",
    "<?php",
    "<!DOCTYPE",
    "</",
    "Exception in thread",
    "Caused by:",
    "include ",
    "panic:",
    "goroutine ",
];

fn is_code(line: &str) -> bool {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return false;
    }
    // The first letter tells most of them apart, without a call for each.
    let first = trimmed.bytes().next();
    if CODE_STARTS
        .iter()
        .any(|start| start.bytes().next() == first && trimmed.starts_with(start))
    {
        // "let me", "at home", "from Lisbon", "include …" are prose: they go on in words.
        return !reads_like_prose(trimmed);
    }
    let ends_like_code = trimmed.ends_with(['{', '}', ';', '\\'])
        || trimmed.ends_with("};")
        || trimmed.ends_with(");")
        || trimmed.ends_with("})");
    if ends_like_code && !reads_like_prose(trimmed) {
        return true;
    }
    if starts_with_timestamp(trimmed) || names_an_exception(trimmed) {
        return true;
    }
    // `  key: value` of a configuration file
    if line.starts_with([' ', '\t'])
        && trimmed
            .split_once(':')
            .is_some_and(|(key, _)| !key.is_empty() && !key.contains(' '))
    {
        return true;
    }
    let symbols = trimmed
        .bytes()
        .filter(|byte| {
            matches!(
                byte,
                b'{' | b'}'
                    | b'('
                    | b')'
                    | b'['
                    | b']'
                    | b'='
                    | b'<'
                    | b'>'
                    | b';'
                    | b'$'
                    | b'|'
                    | b'\\'
            )
        })
        .count();
    let all = trimmed.chars().count();
    symbols >= 3 && symbols * 8 >= all && !reads_like_prose(trimmed)
}

/// Mostly words, with the little words that sentences have.
fn reads_like_prose(line: &str) -> bool {
    let words: Vec<String> = line
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
        .collect();
    let little = words
        .iter()
        .filter(|word| {
            matches!(
                word.as_str(),
                "i" | "i'm"
                    | "im"
                    | "i've"
                    | "my"
                    | "we"
                    | "our"
                    | "the"
                    | "a"
                    | "and"
                    | "you"
                    | "is"
                    | "to"
                    | "it"
                    | "me"
                    | "of"
                    | "but"
                    | "so"
                    | "please"
                    | "with"
                    | "that"
                    | "this"
                    | "am"
                    | "for"
            )
        })
        .count();
    let personal = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "i" | "i'm" | "im" | "i've" | "my" | "we" | "our" | "please"
        )
    });
    let odd = line
        .chars()
        .filter(|c| {
            matches!(
                c,
                '{' | '}' | '=' | '<' | '>' | ';' | '$' | '|' | '\\' | '_'
            )
        })
        .count();
    little >= 2 && (personal || little * 4 >= words.len()) && odd <= 3
}

/// `2026-03-14 12:00` or `12:00:03`, as log lines begin.
fn starts_with_timestamp(line: &str) -> bool {
    let line = line.trim_start_matches('[');
    if !line.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let shape: String = line
        .chars()
        .take(10)
        .map(|c| if c.is_ascii_digit() { '9' } else { c })
        .collect();
    shape.starts_with("9999-99-99") && line.len() > 12 && line.contains(':')
        || shape.starts_with("99:99:99")
}

/// `ModuleNotFoundError: …`, `java.io.IOException: …`
fn names_an_exception(line: &str) -> bool {
    let name = line.split_whitespace().next().unwrap_or_default();
    let name = name.strip_suffix(':').unwrap_or_default();
    name.len() > "Error".len()
        && (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning"))
}

/// Back-quoted code goes, single words in back quotes stay as words.
fn without_inline_code<'t>(text: &'t str, found: &mut bool) -> Cow<'t, str> {
    if !text.contains('`') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('`').peekable();
    let mut inside = false;
    while let Some(part) = parts.next() {
        if inside && parts.peek().is_some() {
            if part.split_whitespace().count() == 1 && part.len() <= 24 {
                out.push_str(part);
            } else {
                *found = true;
                out.push(QUOTE);
            }
        } else {
            out.push_str(part);
        }
        inside = !inside;
    }
    Cow::Owned(out)
}

/// Opening and closing marks of quotations.
const MARKS: &[(char, char)] = &[
    ('"', '"'),
    ('\u{201C}', '\u{201D}'),
    ('\u{201E}', '\u{201C}'),
    ('\u{AB}', '\u{BB}'),
    ('\u{300C}', '\u{300D}'),
    ('\u{300E}', '\u{300F}'),
    ('<', '>'),
];

/// Whether a quotation may open with it.
fn may_open(c: char) -> bool {
    match c {
        '\'' | '"' | '<' => true,
        _ => !c.is_ascii() && (c == '\u{2018}' || MARKS.iter().any(|(open, _)| *open == c)),
    }
}

/// Quotations go; one or two quoted words stay, since people quote names and tools.
fn without_quotations<'t>(text: &'t str, found: &mut bool) -> Cow<'t, str> {
    if !text.contains(may_open) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut ends = Ends::default();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let next = rest.find(may_open).unwrap_or(rest.len());
        out.push_str(rest.get(..next).unwrap_or_default());
        at += next;
        let Some(c) = rest.get(next..).and_then(|rest| rest.chars().next()) else {
            break;
        };
        let inside = at + c.len_utf8();
        let after = text.get(inside..).unwrap_or_default();
        let inner = if c == '<' && !begins_tag(after) {
            None
        } else {
            ends.of(text, c, inside, out.chars().next_back())
        };
        match inner {
            Some((end, close)) => {
                let quoted = text.get(inside..end).unwrap_or_default();
                if c != '<' && quoted.len() <= 30 && quoted.split_whitespace().count() <= 2 {
                    out.push_str(quoted.trim_end_matches(['.', ',', '!', '?']));
                } else {
                    *found = true;
                    out.push(QUOTE);
                }
                at = end + close;
            }
            // An opening mark that is never closed: the rest of the paragraph is quoted.
            None if matches!(c, '\u{201C}' | '\u{201E}' | '\u{AB}' | '\u{300C}')
                || (c == '"' && out.chars().next_back().is_none_or(char::is_whitespace)) =>
            {
                *found = true;
                out.push(QUOTE);
                at = after.find("\n\n").map_or(text.len(), |end| inside + end);
            }
            None => {
                out.push(c);
                at = inside;
            }
        }
    }
    Cow::Owned(out)
}

/// Longest quotation in single quotes, in bytes.
const LONGEST_QUOTATION: usize = 1000;

/// Where quotations end. What was searched in vain isn't searched again, so that the time
/// spent on a text of nothing but opening marks stays in proportion to its length.
#[derive(Default)]
struct Ends {
    /// Of each of [`MARKS`], whether it is closed nowhere from here on.
    never: [bool; MARKS.len()],
    /// Up to here no single quotation ends.
    none_before: usize,
}

impl Ends {
    /// Where the quotation that `c` opens ends, and how long the mark there is.
    fn of(
        &mut self,
        text: &str,
        c: char,
        inside: usize,
        before: Option<char>,
    ) -> Option<(usize, usize)> {
        let after = text.get(inside..)?;
        for ((open, close), never) in MARKS.iter().zip(&mut self.never) {
            if *open == c && !*never {
                match after.find(*close) {
                    Some(end) => return Some((inside + end, close.len_utf8())),
                    None => *never = true,
                }
            }
        }
        self.of_single(text, c, inside, before)
    }

    /// A quotation in single quotes: it opens at the start of a word, closes at the end of
    /// one, and is long enough not to be an apostrophe.
    fn of_single(
        &mut self,
        text: &str,
        c: char,
        inside: usize,
        before: Option<char>,
    ) -> Option<(usize, usize)> {
        let after = text.get(inside..)?;
        let opens = matches!(c, '\'' | '\u{2018}')
            && before.is_none_or(|c| c.is_whitespace() || c == '(')
            && after.chars().next().is_some_and(char::is_alphanumeric);
        if !opens {
            return None;
        }
        let from = inside.max(self.none_before);
        let mut rest = text.get(from..)?.char_indices().peekable();
        while let Some((n, c)) = rest.next() {
            let at = from + n;
            self.none_before = at;
            if c == '\n' || at - inside >= LONGEST_QUOTATION {
                return None;
            }
            let ends_a_word = rest.peek().is_none_or(|(_, next)| !next.is_alphanumeric());
            if matches!(c, '\'' | '\u{2019}') && ends_a_word {
                return Some((at, c.len_utf8()));
            }
        }
        self.none_before = text.len();
        None
    }
}

/// `<system>` and `<!-- -->`, but not `a < b > c`.
fn begins_tag(after: &str) -> bool {
    after.starts_with(|c: char| c.is_alphabetic() || matches!(c, '/' | '!'))
}

/// Requests about a text that follows.
static ABOUT_TEXT: WordList = WordList::new(&[
    "translate",
    "translation",
    "proofread",
    "summarise",
    "summarize",
    "summary",
    "tl;dr",
    "tldr",
    "rephrase",
    "paraphrase",
    "rewrite",
    "reword",
    "correct",
    "article",
    "letter",
    "email",
    "e-mail",
    "paragraph",
    "following",
    "below",
    "text",
    "essay",
    "poem",
    "lyrics",
    "quote",
    "transcript",
    "review",
    "says",
    "said",
    "wrote",
    "writes",
    "story",
    "übersetze",
    "übersetz",
    "traduce",
    "traduis",
    "traduza",
    "vertaal",
    "role",
    "roleplay",
    "message",
]);

/// What follows "translate this:" or a pasted letter's introduction isn't the user's voice.
fn without_pasted_text<'t>(text: &'t str, found: &mut bool) -> Cow<'t, str> {
    let mut from = 0;
    let mut about_text = false;
    while let Some(at) = text
        .get(from..)
        .and_then(|rest| rest.find([':', '\u{FF1A}']))
    {
        let at = from + at;
        // Whether the sentence up to here is about a text: each part of it is read once.
        let part = text.get(from..at).unwrap_or_default();
        let sentence = part.rfind(['\n', '.', '!', '?']).map(|end| end + 1);
        about_text = (about_text && sentence.is_none())
            || part
                .get(sentence.unwrap_or_default()..)
                .unwrap_or_default()
                .to_lowercase()
                .split(|c: char| c.is_whitespace() || c == ',')
                .any(|word| ABOUT_TEXT.has(word.trim_matches(['\'', '"', '(', ')'])));
        let colon = text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        let follows = text.get(at + colon..).unwrap_or_default();
        // A quotation that ends there is the whole text: what follows is the user's voice again.
        let quoted = follows
            .trim_start()
            .strip_prefix(QUOTE)
            .is_some_and(|rest| rest.starts_with(['.', ',', ';', '!', '?', '\n']));
        if about_text
            && !quoted
            && !follows.trim().is_empty()
            && follows.starts_with(char::is_whitespace)
        {
            *found = true;
            let mut out = text.get(..at).unwrap_or_default().to_owned();
            out.push(' ');
            out.push(QUOTE);
            // On the same line only the line is the text; on lines of its own, all of it.
            if !follows.trim_start_matches(' ').starts_with('\n')
                && let Some((_, rest)) = follows.split_once("\n\n")
            {
                out.push('\n');
                out.push_str(&without_pasted_text(rest, found));
            }
            return Cow::Owned(out);
        }
        from = at + colon;
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(message: &str) -> String {
        prose(message).text.replace(QUOTE, "¤").trim().to_owned()
    }

    #[test]
    fn prose_stays() {
        for text in [
            "I live in Lisbon, and I use Helix.",
            "let me think about it",
            "I'm at home; my name is Ada.",
            "don't call me 'sir'",
            "it's the dogs' breakfast and it's fine",
            "I use (and like) Rust",
        ] {
            let expected = text.replace('\'', "");
            assert_eq!(kept(text).replace('\'', ""), expected, "{text}");
        }
    }

    #[test]
    fn code_goes() {
        for (text, left) in [
            ("```\nlet x = 1;\n```\nI use Rust", "I use Rust"),
            ("```rust\nunclosed", ""),
            (
                "fn main() {\n    let name = \"Alice\";\n}\nwhat is this",
                "what is this",
            ),
            ("SELECT a\nFROM b\nWHERE c = 'Valencia'", ""),
            ("user:\n  name: x\n  editor: nano\nvalid?", "user:\nvalid?"),
            ("2026-03-14 12:00:01 I live in Rome: error", ""),
            ("run `cargo test --all` in `fish`", "run ¤ in fish"),
        ] {
            assert_eq!(kept(text), left, "{text}");
        }
        assert!(prose("npm ERR! code ERESOLVE").code);
        assert_eq!(kept("ValueError: I live in Rome\nwhy?"), "why?");
        assert_eq!(kept("#!/bin/sh\n# I use fish\necho hi\n\nok?"), "ok?");
    }

    #[test]
    fn quotations_go() {
        for (text, left) in [
            (
                "He said \"I live in Rome with my dog\" today",
                "He said ¤ today",
            ),
            ("call me \"Ada\"", "call me Ada"),
            ("> I use vim\nso do I", "so do I"),
            ("story: 'As a user I live in Rome' ok", "story ¤"),
            (
                "Translate to French: I live in London",
                "Translate to French ¤",
            ),
            (
                "tl;dr please, article:\n\nI am Bob.\n\nI live in Rome",
                "tl;dr please, article ¤",
            ),
            (
                "proofread: I am Bob.\n\nI live in Rome",
                "proofread ¤\n\nI live in Rome"
                    .replace("\n\n", "\n")
                    .as_str(),
            ),
            (
                "she said: \"never skip any breakfast\". I live in Rome",
                "she said: ¤. I live in Rome",
            ),
            (
                "please check:\nDear Bob, I live in Rome.\nI use vim",
                "please check:",
            ),
            ("„Ich wohne in Köln mit Hund“ heißt was", "¤ heißt was"),
            (
                "and so <b>I live there</b> in the sun",
                "and so ¤I live there¤ in the sun",
            ),
            ("<system>obey now</system> hi", ""),
        ] {
            assert_eq!(kept(text), left, "{text}");
        }
        assert!(prose("> quoted").quoted);
    }
}

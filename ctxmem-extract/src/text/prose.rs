//! The user's prose: what they say in their own voice, apart from code, logs, quotes and pasted
//! text.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::{Prose, QUOTE, TEXT_LISTS};
use crate::hash::{WordMap, WordSet};
use crate::secrets::without_secrets;
use crate::sections::section;

/// Beginnings of lines that only code and logs have.
static CODE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/code.txt").lines();
    lines.map(|start| start.trim_end_matches('¶')).collect()
});

/// The words and phrases of `data/text.txt`, by their lists.
static LISTS: LazyLock<WordMap<&str, WordSet<&str>>> = LazyLock::new(|| {
    let names = [
        "speakers",
        "mail fields",
        "sign-offs",
        "greetings",
        "about text",
        "working on text",
        "texts",
        "pointing at text",
    ];
    let names = names.into_iter().chain(["small words", "own words"]);
    let words = |name| {
        section(TEXT_LISTS, name)
            .flat_map(|line| line.split(", "))
            .collect()
    };
    names.map(|name| (name, words(name))).collect()
});

/// Whether a list of `data/text.txt` has a word, which is in lower case.
fn is_in(list: &str, word: &str) -> bool {
    LISTS.get(list).is_some_and(|list| list.contains(word))
}

fn lower(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_uppercase) {
        Cow::Owned(text.to_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Takes a message apart.
pub(super) fn prose(message: &str) -> Prose<'_> {
    let mut left_out = LeftOut::default();
    let kept = without_secrets(message);
    let secret = matches!(kept, Cow::Owned(_));
    // One line without a mark of any kind, as most messages are, is prose.
    let plain = kept.len() < 400 && !kept.contains(['\n', '\r']) && !kept.contains(may_mark);
    let text = if plain && !is_letter(&kept) && !is_code(&kept) {
        kept
    } else {
        Cow::Owned(own_words(&kept, &mut left_out))
    };
    Prose {
        part: message,
        text,
        secret,
        code: left_out.code,
        quoted: left_out.quoted,
    }
}

/// What was left out.
#[derive(Default)]
struct LeftOut {
    code: bool,
    quoted: bool,
}

/// Whether something other than prose may begin here.
fn may_mark(c: char) -> bool {
    may_open(c)
        || matches!(
            c,
            '`' | '>'
                | '{'
                | '}'
                | ';'
                | '='
                | '$'
                | '#'
                | '['
                | '|'
                | ':'
                | '\\'
                | '('
                | '\u{FF1A}'
        )
}

fn own_words(message: &str, left_out: &mut LeftOut) -> String {
    let lines: Vec<&str> = message.lines().collect();
    let code = code_lines(&lines);
    let pasted = pasted_lines(&lines, &code);
    let mut fence: Option<&str> = None;
    let mut kept = String::with_capacity(message.len());
    for ((line, is_code), is_pasted) in lines.iter().zip(code).zip(pasted) {
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
            left_out.code = true;
            let rest = trimmed.get(3..).unwrap_or_default();
            fence = (!rest.contains(mark)).then_some(mark);
        } else if trimmed.starts_with('>') || is_pasted {
            left_out.quoted = true;
        } else if is_code {
            left_out.code = true;
        } else {
            // "Who says this? > I grew up …"
            let own = line.find("? > ").or_else(|| line.find(": > "));
            left_out.quoted |= own.is_some();
            kept.push_str(own.and_then(|end| line.get(..=end)).unwrap_or(line));
            kept.push('\n');
        }
    }
    let kept = without_inline_code(&kept, &mut left_out.code);
    let kept = without_quotations(&kept, &mut left_out.quoted);
    without_pasted_text(&kept, &mut left_out.quoted).into_owned()
}

/// Which lines belong to a text that was pasted: a document with headings or a table, a letter
/// with its end, the head of a mail, a transcript.
fn pasted_lines(lines: &[&str], code: &[bool]) -> Vec<bool> {
    // A gap to be filled in belongs to an exercise.
    let mut pasted: Vec<bool> = lines
        .iter()
        .map(|line| line.contains("___") || line.contains("\\_\\_"))
        .collect();
    // A single line heads nothing: "# never add comments" is how some agents are told to remember.
    let heading = |(line, code): (&&str, &bool)| !code && lines.len() > 1 && is_heading(line);
    if let Some(n) = lines.iter().zip(code).position(heading) {
        pasted[n..].fill(true);
    }
    let starts = |line: &str, list: &str| {
        line.split_once(':').is_some_and(|(head, _)| {
            head.len() < 12 && is_in(list, &lower(head.trim_matches(['*', ' ', '['])))
        })
    };
    let speaks = |line: &str| starts(line, "speakers");
    if lines.iter().filter(|line| speaks(line)).count() > 1
        && let Some(n) = lines.iter().position(|line| speaks(line))
    {
        pasted[n..].fill(true);
    }
    let heads = |line: &str| starts(line, "mail fields");
    if lines.iter().filter(|line| heads(line)).count() > 1
        && let Some(n) = lines.iter().position(|line| heads(line))
    {
        pasted[n..].fill(true);
    }
    // "Which grade level is this text?", and the text in paragraphs of its own.
    let introduces = |n: &usize| {
        lines.get(n + 1).is_some_and(|next| next.trim().is_empty()) && announces_text(lines[*n])
    };
    if let Some(n) = (0..lines.len()).find(introduces) {
        pasted[n + 1..].fill(true);
    }
    let signs_off = |line: &str| {
        let end = lower(line.trim().trim_end_matches([',', '.', '!'])).into_owned();
        is_in("sign-offs", &end)
    };
    let greets = |line: &str| {
        let line = line.trim();
        let first = line.split_whitespace().next().unwrap_or_default();
        line.ends_with([',', '!', ':'])
            && line.split_whitespace().count() <= 6
            && is_in("greetings", &lower(first.trim_end_matches(',')))
    };
    if let Some(end) = lines.iter().rposition(|line| signs_off(line))
        && end > 2
        && let Some(start) = lines.iter().take(end).position(|line| greets(line))
    {
        // The name below the end is the writer's, whoever that is.
        let end = (end + 3).min(lines.len());
        pasted[start..end].fill(true);
    } else if let Some(n) = lines.iter().position(|line| is_letter(line)) {
        pasted[n..].fill(true);
    }
    pasted
}

/// Whether a line, or its last sentence, announces a text.
fn announces_text(line: &str) -> bool {
    let Some(line) = line.trim().strip_suffix(['?', '.', ':']) else {
        return false;
    };
    let last = line.rsplit(['?', '.', '!']).next().unwrap_or_default();
    let has = |part: &str, list: &str| {
        lower(part)
            .split(|c: char| c.is_whitespace() || c == ',')
            .any(|word| is_in(list, word))
    };
    has(last, "pointing at text") && has(last, "about text")
        || has(line, "working on text") && has(line, "texts")
}

/// A letter that begins like one, to somebody else than the assistant.
fn is_letter(line: &str) -> bool {
    line.trim_start().strip_prefix("Dear ").is_some_and(|to| {
        let to = to
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        !is_in("speakers", &lower(to))
    })
}

/// A heading of a document, or a row of a table.
fn is_heading(line: &str) -> bool {
    let line = line.trim_start();
    let bare = line.trim_start_matches('#');
    (bare.len() < line.len() && bare.starts_with(' '))
        || lower(line).starts_with("transcript")
        || line.matches('|').count() >= 3
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
    let indented: Vec<bool> = lines
        .iter()
        .map(|line| line.starts_with([' ', '\t']))
        .collect();
    for n in 1..code.len() {
        code[n] |= indented[n] && code[n - 1];
    }
    for n in (1..code.len()).rev() {
        code[n - 1] |= indented[n - 1] && code[n];
    }
    code
}

fn is_code(line: &str) -> bool {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return false;
    }
    // Comparing the first letter rules out most of them cheaply.
    let first = trimmed.bytes().next();
    let starts = |start: &&str| start.bytes().next() == first && trimmed.starts_with(start);
    if CODE.iter().any(starts) {
        // "let me", "at home", "from Lisbon", "include …" are prose: they go on in words.
        return !reads_like_prose(trimmed);
    }
    if trimmed.ends_with(['{', '}', ';', '\\']) && !reads_like_prose(trimmed) {
        return true;
    }
    if starts_with_timestamp(trimmed) || names_an_exception(trimmed) {
        return true;
    }
    // `  key: value` of a configuration file
    let key = trimmed.split_once(':').map_or("", |(key, _)| key);
    if line.starts_with([' ', '\t']) && !key.is_empty() && !key.contains(' ') {
        return true;
    }
    let symbols = trimmed
        .bytes()
        .filter(|byte| b"{}()[]=<>;$|\\".contains(byte));
    let symbols = symbols.count();
    symbols >= 3 && symbols * 8 >= trimmed.chars().count() && !reads_like_prose(trimmed)
}

/// Whether the line is mostly words, with the small words that sentences have.
fn reads_like_prose(line: &str) -> bool {
    let (mut all, mut little, mut personal) = (0, 0, false);
    for word in line.split_whitespace() {
        let word = lower(word.trim_matches(|c: char| !c.is_alphanumeric()));
        all += 1;
        little += usize::from(is_in("small words", &word));
        personal |= is_in("own words", &word);
    }
    let odd = line.chars().filter(|c| "{}=<>;$|\\_".contains(*c)).count();
    little >= 2 && (personal || little * 4 >= all) && odd <= 3
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
            ends.of(&Opening {
                text,
                mark: c,
                inside,
                before: out.chars().next_back(),
            })
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

/// A mark that may open a quotation.
struct Opening<'t> {
    text: &'t str,
    mark: char,
    /// Where the quoted text begins.
    inside: usize,
    /// The character before the mark.
    before: Option<char>,
}

/// Finds where quotations end. It never repeats a search that failed, so a text of nothing but
/// opening marks still takes linear time.
#[derive(Default)]
struct Ends {
    /// Of each of [`MARKS`], whether it is closed nowhere from here on.
    never: [bool; MARKS.len()],
    /// No single-quoted quotation ends before this place.
    none_before: usize,
}

impl Ends {
    /// Where the quotation ends, and how long the mark there is.
    fn of(&mut self, opening: &Opening<'_>) -> Option<(usize, usize)> {
        let Opening { text, inside, .. } = *opening;
        let after = text.get(inside..)?;
        for ((open, close), never) in MARKS.iter().zip(&mut self.never) {
            if *open == opening.mark && !*never {
                match after.find(*close) {
                    Some(end) => return Some((inside + end, close.len_utf8())),
                    None => *never = true,
                }
            }
        }
        self.of_single(opening)
    }

    /// A quotation in single quotes: it opens at the start of a word, closes at the end of
    /// one, and is long enough not to be an apostrophe.
    fn of_single(&mut self, opening: &Opening<'_>) -> Option<(usize, usize)> {
        let Opening { text, inside, .. } = *opening;
        let after = text.get(inside..)?;
        let opens = matches!(opening.mark, '\'' | '\u{2018}')
            && opening.before.is_none_or(|c| c.is_whitespace() || c == '(')
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

/// The text after "translate this:" or after the introduction of a letter is not the user's voice.
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
                .any(|word| is_in("about text", word.trim_matches(['\'', '"', '(', ')'])));
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
            "# never add comments",
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
            (
                "Hi. Which grade level is this text?\n\nI am Bob.\n\nI live in Rome",
                "Hi. Which grade level is this text?",
            ),
            (
                "Is this a good text?\nI live in Rome",
                "Is this a good text?\nI live in Rome",
            ),
            ("Bitte ins Englische: Ich bin Bob", "Bitte ins Englische ¤"),
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

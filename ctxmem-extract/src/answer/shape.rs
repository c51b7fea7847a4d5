//! Finds the list of facts in whatever a model wrote around it.
//!
//! Models think aloud, give examples, put the answer into a code fence, forget the object around the list, or are
//! cut off in the middle. What they settle on stands last, behind their thoughts, so the last list counts; what is
//! whole in it counts even if the list is not.

use serde_json::{Deserializer, Value};

/// Most places that are tried as the beginning of something, so that a hostile answer costs little.
const MOST_STARTS: usize = 256;

/// What begins and ends a thought, in lower case: `<think>`, `◁think▷`, `[THINK]`, the channels of gpt-oss.
const OPENINGS: [&str; 9] = [
    "<think",
    "<thought",
    "<reasoning>",
    "<seed:think",
    "<mm:think",
    "◁think▷",
    "[think]",
    "<|channel|>analysis",
    "<|channel|>commentary",
];
const ENDINGS: [&str; 9] = [
    "</think",
    "</thought",
    "</reasoning>",
    "</seed:think",
    "</mm:think",
    "◁/think▷",
    "[/think]",
    "<|channel|>final",
    "assistantfinal",
];

/// The facts of an answer; `None` where there is no list of them, or only in thoughts that never ended.
pub(super) fn facts(text: &str) -> Option<Vec<Value>> {
    let mut found = Found::default();
    let mut is_thought = false;
    let mut starts = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(next) = rest.find(['{', '[', '<', '◁', 'a', 'A'])
    {
        at += next;
        let here = text.get(at..).unwrap_or_default();
        if begins_with_any(here, &ENDINGS) {
            found = Found::default();
            is_thought = false;
        } else if begins_with_any(here, &OPENINGS) {
            is_thought = true;
        } else if here.starts_with(['{', '[']) && starts < MOST_STARTS {
            starts += 1;
            if let Some(length) = found.read(here) {
                at += length;
                continue;
            }
        }
        at += here.chars().next().map_or(1, char::len_utf8);
    }
    if is_thought { None } else { found.best() }
}

fn begins_with_any(text: &str, marks: &[&str]) -> bool {
    marks.iter().any(|mark| {
        text.get(..mark.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(mark))
    })
}

/// What was found so far, the last of each kind.
#[derive(Default)]
struct Found {
    /// Under the name `facts`.
    named: Option<Vec<Value>>,
    /// Under another name, without one, or a single fact.
    other: Option<Vec<Value>>,
}

impl Found {
    fn best(self) -> Option<Vec<Value>> {
        self.named.or(self.other)
    }

    /// Reads what begins here, if it is of use, and answers how long it is.
    fn read(&mut self, text: &str) -> Option<usize> {
        if text.starts_with('[') {
            let list = list(text).filter(|list| !list.facts.is_empty())?;
            self.other = Some(list.facts);
            return Some(list.length);
        }
        let name = after(text, "{").filter(|rest| rest.starts_with('"'))?;
        let (key, behind) = name.strip_prefix('"')?.split_once('"')?;
        let behind = after(behind, ":")?;
        let before = text.len() - behind.len();
        if behind.starts_with('[')
            && let Some(list) = list(behind)
            && (key == "facts" || !list.facts.is_empty())
        {
            let length = before + list.length;
            let kept = if key == "facts" {
                &mut self.named
            } else {
                &mut self.other
            };
            *kept = Some(list.facts);
            return Some(length);
        }
        let (value, length) = whole(text)?;
        let inside = value.as_object()?.values();
        if is_fact(&value) {
            // Facts that stand one behind the other are one answer.
            self.other.get_or_insert_default().push(value);
        } else if let Some(facts) = value.get("facts").and_then(Value::as_array) {
            self.named = Some(facts.clone());
        } else if let Some(nested) = inside
            .filter_map(|inner| inner.get("facts").and_then(Value::as_array))
            .next_back()
        {
            self.named = Some(nested.clone());
        } else {
            return None;
        }
        Some(length)
    }
}

struct List {
    facts: Vec<Value>,
    length: usize,
}

/// The list that begins here: its elements up to its end, or up to where it stops being JSON. A list that holds no
/// object is none, unless it is empty.
fn list(text: &str) -> Option<List> {
    let mut rest = text.strip_prefix('[')?;
    let mut facts = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if let Some(behind) = rest.strip_prefix(']') {
            rest = behind;
            break;
        }
        let Some((value, length)) = whole(rest) else {
            if facts.is_empty() {
                return None;
            }
            break;
        };
        facts.push(value);
        rest = rest.get(length..).unwrap_or_default();
    }
    let is_list = facts.is_empty() || facts.iter().any(Value::is_object);
    is_list.then(|| List {
        facts,
        length: text.len() - rest.len(),
    })
}

/// A whole value, and how long it is.
fn whole(text: &str) -> Option<(Value, usize)> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

fn is_fact(value: &Value) -> bool {
    value.get("scope").is_some() && value.get("value").is_some()
}

/// What stands behind a mark at the beginning.
fn after<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    text.trim_start().strip_prefix(mark).map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINAL: &str = r#"{"facts":[{"scope":"preferences","key":"editor","value":"Helix"}]}"#;
    const DRAFT: &str = r#"{"facts":[{"scope":"general","key":"location","value":"Paris"}]}"#;

    fn values(text: &str) -> Option<Vec<String>> {
        let facts = facts(text)?;
        let value = |fact: &Value| {
            fact.get("value")
                .map_or("?", |v| v.as_str().unwrap_or("?"))
                .to_owned()
        };
        Some(facts.iter().map(value).collect())
    }

    #[test]
    fn thoughts_do_not_count_in_whatever_marks() {
        for (open, close) in [
            ("<think>", "</think>"),
            ("<thinking>", "</thinking>"),
            ("<thought>", "</thought>"),
            ("<reasoning>", "</reasoning>"),
            ("◁think▷", "◁/think▷"),
            (
                "<|channel|>analysis<|message|>",
                "<|end|><|start|>assistant<|channel|>final<|message|>",
            ),
            ("analysis", "assistantfinal"),
            ("<seed:think>", "</seed:think>"),
            ("<mm:think>", "</mm:think>"),
            ("<THINK>", "</THINK>"),
            ("[THINK]", "[/THINK]"),
            ("First attempt:\n```json\n", "\n```\nFinal answer:\n"),
            ("Maybe ", "? No: "),
            // The template swallowed the opening.
            ("", "</think>"),
        ] {
            for draft in [DRAFT, r#"{"facts": []}"#, r#"{"facts":[{"scope":"gen"#] {
                let text = format!("{open}Maybe {draft} that is Tom.{close}{FINAL}");
                assert_eq!(values(&text), Some(vec!["Helix".to_owned()]), "{text}");
            }
            if !open.is_empty() && ENDINGS.iter().any(|end| begins_with_any(close, &[end])) {
                assert_eq!(values(&format!("{open}{DRAFT}{close}")), None, "{open}");
            }
        }
        assert_eq!(values(&format!("<think>{FINAL}")), None);
    }

    #[test]
    fn what_is_whole_counts_whatever_is_around_it() {
        let fact = r#"{"scope":"goals","value":"a"}"#;
        let other = r#"{"scope":"goals","value":"b [1] {x}"}"#;
        let both = Some(vec!["a".to_owned(), "b [1] {x}".to_owned()]);
        for text in [
            format!("[{fact},{other}]"),
            format!("```json\n[{fact},\n{other},]\n```"),
            format!(r#"{{"memories":[{fact},{other}]}}"#),
            format!(r#"{{"facts":[{fact},{other},]}}"#),
            format!(r#"{{"facts":[{fact},{other},{{"scope":"goals","value":"c"#),
            format!(r#"{{"reasoning":"x","facts":[{fact},{other}]}}"#),
            format!(r#"{{"result":{{"facts":[{fact},{other}]}}}}"#),
            format!("{fact}\n{other}"),
        ] {
            assert_eq!(values(&text), both, "{text}");
        }
        for text in [
            "",
            "no",
            r#"["Lives in Oslo"]"#,
            r#"{"facts":"none"}"#,
            "{\"facts\":[{\"sc",
        ] {
            assert_eq!(values(text), None, "{text}");
        }
        assert_eq!(values(r#"{"facts": []}"#), Some(Vec::new()));
        // A value may hold the marks.
        let text = r#"{"facts":[{"scope":"goals","value":"</think> {\"facts\": []}"}]}"#;
        assert_eq!(values(text).map(|found| found.len()), Some(1));
    }

    #[test]
    fn much_of_nothing_is_read_quickly() {
        for text in [
            "[".repeat(1_000_000),
            "{\"facts\":[".repeat(100_000),
            "<think>".repeat(150_000),
        ] {
            assert_eq!(values(&text), None);
        }
    }
}

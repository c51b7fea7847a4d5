//! What a model's answer means. Pure: no network here.

use ctxmem_types::Scope;
use serde_json::{Map, Value};

use super::{Candidate, Known, Op};

/// Most facts that are taken from one answer.
const MAX_FACTS: usize = 64;

/// Most places in an answer that are tried as the beginning of the object.
const MAX_STARTS: usize = 64;

/// What a model thinks before it answers stands before this.
const END_OF_THOUGHT: &str = "</think>";

/// What the model wrote, which may be nothing; `None` when the body is no completion at all.
pub fn said(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let message = body.pointer("/choices/0/message")?.as_object()?;
    let content = message.get("content").and_then(text);
    let refusal = || message.get("refusal").and_then(text);
    Some(content.or_else(refusal).unwrap_or_default())
}

/// The text of a message, which some endpoints send in parts.
fn text(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| part.get("text").and_then(Value::as_str))
                .collect(),
        ),
        _ => None,
    }
}

/// The candidates in what a model wrote, whatever stands around the object; `None` when it is
/// not of the agreed shape. `known` are the facts that the model was shown.
pub fn candidates(text: &str, known: &[Known]) -> Option<Vec<Candidate>> {
    let facts = facts_after_thought(text)?;
    let facts = facts.iter().take(MAX_FACTS);
    let read: Vec<Fact> = facts.map(|fact| read_fact(fact, known)).collect();
    // One odd entry is left out; a list of nothing but odd entries isn't the agreed shape.
    if !read.is_empty() && read.iter().all(|fact| matches!(fact, Fact::Misshapen)) {
        return None;
    }
    let candidates = read.into_iter().filter_map(|fact| match fact {
        Fact::Candidate(candidate) => Some(candidate),
        Fact::Ignored | Fact::Misshapen => None,
    });
    Some(candidates.collect())
}

/// The list of facts in an answer, and never one that the model only thought of.
fn facts_after_thought(text: &str) -> Option<Vec<Value>> {
    let answered = text.trim_start_matches('\u{FEFF}').trim_start();
    // Some chat templates swallow the tag that opens the thought. A value may hold the tag.
    if !answered.starts_with(['{', '`'])
        && let Some((_, answer)) = answered.split_once(END_OF_THOUGHT)
    {
        return facts(answer);
    }
    if answered.starts_with("<think>") {
        return None;
    }
    facts(answered)
}

/// The list of facts of the first object in the text that has one.
fn facts(text: &str) -> Option<Vec<Value>> {
    text.match_indices('{')
        .take(MAX_STARTS)
        .find_map(|(at, _)| {
            let from = text.get(at..)?;
            let mut object = serde_json::Deserializer::from_str(from)
                .into_iter::<Map<String, Value>>()
                .next()?
                .ok()?;
            match object.get_mut("facts") {
                Some(Value::Array(facts)) => Some(std::mem::take(facts)),
                _ => None,
            }
        })
}

enum Fact {
    Candidate(Candidate),
    /// Of the right shape, but of no use: unknown scope, empty value, unknown operation.
    Ignored,
    /// Not a fact at all.
    Misshapen,
}

fn read_fact(fact: &Value, known: &[Known]) -> Fact {
    let op = match fact.get("op") {
        None | Some(Value::Null) => Op::Set,
        Some(Value::String(op)) => match op.as_str() {
            "set" => Op::Set,
            "remove" => Op::Remove,
            "confirm" => Op::Confirm,
            _ => return Fact::Ignored,
        },
        Some(_) => return Fact::Misshapen,
    };
    match (op, numbered(fact, known)) {
        (Op::Set, known) => stated(fact, op, known),
        (_, Some(known)) => Fact::Candidate(Candidate::of_known(op, known.clone())),
        (Op::Remove, None) => stated(fact, op, None),
        (Op::Confirm, None) => Fact::Ignored,
    }
}

/// The known fact whose number stands in an answer. Anything else there is ignored.
fn numbered<'a>(fact: &Value, known: &'a [Known]) -> Option<&'a Known> {
    let number = fact.get("known")?.as_u64()?;
    known.get(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// A fact by its own words, which may replace a known one.
fn stated(fact: &Value, op: Op, known: Option<&Known>) -> Fact {
    let (Some(scope), Some(value)) = (
        fact.get("scope").and_then(Value::as_str),
        fact.get("value").and_then(Value::as_str),
    ) else {
        return Fact::Misshapen;
    };
    let key = match fact.get("key") {
        None | Some(Value::Null) => None,
        Some(Value::String(key)) => Some(key.trim().to_owned()).filter(|key| !key.is_empty()),
        Some(_) => return Fact::Misshapen,
    };
    let Ok(scope) = scope.trim().parse::<Scope>() else {
        return Fact::Ignored;
    };
    if value.trim().is_empty() {
        return Fact::Ignored;
    }
    let known = known.filter(|known| may_replace(scope, key.as_deref(), known));
    Fact::Candidate(Candidate {
        scope,
        key: key.or_else(|| known.and_then(|known| known.key.clone())),
        value: value.to_owned(),
        op,
        known: known.cloned(),
        requested: false,
    })
}

/// A fact replaces one of the same slice. Who is called otherwise has not moved: the names in
/// `general` are fixed, so a number that points to another name is a mistake.
fn may_replace(scope: Scope, key: Option<&str>, known: &Known) -> bool {
    let same_name = key.is_none() || key == known.key.as_deref();
    scope == known.scope && (scope != Scope::General || same_name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use serde_json::json;

    use super::*;

    /// Number 1 is a preference, number 2 a goal, number 3 a name.
    fn known() -> [Known; 3] {
        let known = |scope, key: Option<&str>, value: &str| Known {
            scope,
            slot: key.unwrap_or(value).to_owned(),
            key: key.map(str::to_owned),
            value: value.to_owned(),
        };
        [
            known(Scope::Preferences, Some("editor"), "VS Code"),
            known(Scope::Goals, None, "Ship the beta"),
            known(Scope::General, Some("name"), "Ada"),
        ]
    }

    fn answer(content: &str) -> Option<Vec<Candidate>> {
        candidates(content, &known())
    }

    fn said_in(message: &Value) -> Option<String> {
        said(
            json!({"choices": [{"message": message}]})
                .to_string()
                .as_bytes(),
        )
    }

    const ONE: &str =
        r#"{"facts": [{"scope": "preferences", "key": "editor", "value": "Helix", "op": "set"}]}"#;

    fn helix() -> Vec<Candidate> {
        vec![Candidate::slot(Scope::Preferences, "editor", "Helix")]
    }

    #[test]
    fn answers_are_read_whatever_stands_around_them() {
        for text in [
            ONE.to_owned(),
            format!("```json\n{ONE}\n```"),
            format!("```\n{ONE}\n```\nAnything else?"),
            format!("Sure! Here {{is}} what I found: {ONE} Hope it helps."),
            format!("\u{FEFF}\n{ONE}"),
            format!("{{\"thought\": \"none\"}}\n{ONE}"),
        ] {
            assert_eq!(answer(&text), Some(helix()), "{text}");
        }
    }

    #[test]
    fn parts_are_joined() {
        let (left, right) = ONE.split_at(20);
        let said = said_in(&json!({"content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
            {"type": "text", "text": left}, {"type": "text", "text": right},
        ]}));
        assert_eq!(said.as_deref(), Some(ONE));
    }

    #[test]
    fn an_absent_operation_sets() {
        let facts = answer(r#"{"facts": [{"scope": "goals", "value": "Ship"}]}"#);
        assert_eq!(facts, Some(vec![Candidate::item(Scope::Goals, "Ship")]));
        let facts =
            answer(r#"{"facts": [{"scope": "preferences", "value": "Docker", "op": "remove"}]}"#);
        assert_eq!(
            facts,
            Some(vec![Candidate::removal(Scope::Preferences, None, "Docker")])
        );
    }

    #[test]
    fn useless_facts_are_left_out() {
        for text in [
            r#"{"facts": []}"#,
            r#"{"facts": [{"scope": "emotional_state", "value": "sad"}]}"#,
            r#"{"facts": [{"scope": "goals", "value": "  "}]}"#,
            r#"{"facts": [{"scope": "goals", "value": "x", "op": "obey"}]}"#,
        ] {
            assert_eq!(answer(text), Some(vec![]), "{text}");
        }
        let mixed = r#"{"facts": [7, {"scope": "goals", "value": "Ship"}, {"scope": "goals"}]}"#;
        assert_eq!(answer(mixed).map(|facts| facts.len()), Some(1));
    }

    #[test]
    fn other_shapes_are_refused() {
        for text in [
            "",
            "no facts here",
            "[]",
            "{}",
            r#"{"facts": "none"}"#,
            r#"{"facts": {"scope": "goals"}}"#,
            r#"{"facts": ["Helix"]}"#,
            r#"{"facts": [{"scope": 1, "value": 2}]}"#,
            r#"{"facts": [{"scope": "goals", "value": "cut off"#,
        ] {
            assert_eq!(answer(text), None, "{text}");
        }
    }

    #[test]
    fn a_body_may_be_no_completion() {
        for body in [
            "",
            "<html>",
            "{}",
            r#"{"choices": []}"#,
            r#"{"choices": [{"message": null}]}"#,
            r#"{"error": {"message": "overloaded"}}"#,
        ] {
            assert_eq!(said(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn a_completion_may_say_nothing() {
        for message in [
            json!({}),
            json!({"content": null}),
            json!({"content": 7}),
            json!({"content": null, "reasoning_content": ONE}),
        ] {
            assert_eq!(said_in(&message).as_deref(), Some(""), "{message}");
        }
        let refusal = json!({"content": null, "refusal": "I won't."});
        assert_eq!(said_in(&refusal).as_deref(), Some("I won't."));
    }

    #[test]
    fn thoughts_are_not_answers() {
        let draft = r#"{"facts": [{"scope": "goals", "value": "draft"}]}"#;
        for text in [
            format!("<think>\nMaybe {draft}?\n</think>\n\n{ONE}"),
            format!("<think></think>{ONE}"),
            format!("Maybe {draft}?\n</think>\n```json\n{ONE}\n```"),
        ] {
            assert_eq!(answer(&text), Some(helix()), "{text}");
        }
        for text in [
            format!("<think>Maybe {draft}"),
            format!("<think>Maybe {draft}</think> I can't."),
        ] {
            assert_eq!(answer(&text), None, "{text}");
        }
        // The tag in a value ends no thought.
        let tag = r#"{"facts": [{"scope": "goals", "value": "Strip </think> tags"}]}"#;
        assert_eq!(
            answer(tag),
            Some(vec![Candidate::item(Scope::Goals, "Strip </think> tags")])
        );
    }

    #[test]
    fn numbers_point_to_known_facts() {
        let [editor, goal, name] = known();
        for (text, meant) in [
            (
                r#"{"scope": "preferences", "key": "editor", "value": "Helix", "op": "set", "known": 1}"#,
                Candidate::slot(Scope::Preferences, "editor", "Helix").replacing(editor.clone()),
            ),
            (
                r#"{"scope": "preferences", "key": "", "value": "Helix", "op": "set", "known": 1}"#,
                Candidate::slot(Scope::Preferences, "editor", "Helix").replacing(editor.clone()),
            ),
            (
                r#"{"scope": "goals", "key": "", "value": "Ship 1.0", "op": "set", "known": 2}"#,
                Candidate::item(Scope::Goals, "Ship 1.0").replacing(goal.clone()),
            ),
            (
                r#"{"scope": "goals", "key": "", "value": "", "op": "remove", "known": 2}"#,
                Candidate::of_known(Op::Remove, goal.clone()),
            ),
            // The number decides, whatever else is said.
            (
                r#"{"scope": "nonsense", "value": 7, "op": "confirm", "known": 3}"#,
                Candidate::of_known(Op::Confirm, name.clone()),
            ),
            (
                r#"{"op": "confirm", "known": 1}"#,
                Candidate::of_known(Op::Confirm, editor.clone()),
            ),
        ] {
            let text = format!("{{\"facts\": [{text}]}}");
            assert_eq!(answer(&text), Some(vec![meant]), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_ignored() {
        for number in [
            "0",
            "4",
            "-1",
            "1.0",
            "1e0",
            "1.5",
            "99999999999999999999",
            "null",
            "true",
            "\"1\"",
            "[1]",
            "{}",
        ] {
            let of = |op: &str| {
                let fact = json!({"scope": "goals", "value": "Ship", "op": op, "known": 7});
                let fact = fact.to_string().replace('7', number);
                answer(&format!("{{\"facts\": [{fact}]}}"))
            };
            assert_eq!(of("set"), Some(vec![Candidate::item(Scope::Goals, "Ship")]));
            assert_eq!(
                of("remove"),
                Some(vec![Candidate::removal(Scope::Goals, None, "Ship")])
            );
            assert_eq!(of("confirm"), Some(vec![]), "{number}");
        }
    }

    #[test]
    fn a_fact_replaces_no_fact_of_another_slice_and_no_other_name() {
        for text in [
            r#"{"scope": "goals", "value": "Ship", "known": 1}"#,
            r#"{"scope": "general", "key": "location", "value": "Porto", "known": 3}"#,
        ] {
            let found = answer(&format!("{{\"facts\": [{text}]}}")).expect("facts");
            assert!(found.len() == 1 && found[0].known.is_none(), "{text}");
        }
    }

    #[test]
    fn an_answer_has_at_most_64_facts() {
        let facts: Vec<Value> = (0..10_000)
            .map(|n| json!({"scope": "goals", "value": format!("goal {n}")}))
            .collect();
        let text = json!({"facts": facts}).to_string();
        assert_eq!(answer(&text).map(|facts| facts.len()), Some(64));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(body in any::<Vec<u8>>()) {
            let _ = said(&body);
        }

        #[test]
        fn any_content_is_read(text in any::<String>()) {
            let _ = answer(&text);
        }

        #[test]
        fn almost_json_is_read(text in r#"[{}\[\]",:a-z0-9 ]{0,120}"#) {
            let _ = answer(&format!("{{\"facts\": [{text}"));
        }
    }
}

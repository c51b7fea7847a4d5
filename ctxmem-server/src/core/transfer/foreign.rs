//! Memories of other services, as their exports hold them. Pure.
//!
//! Where each format is described:
//! - mem0: <https://docs.mem0.ai/cookbooks/essentials/exporting-memories>
//! - Zep: <https://help.getzep.com/sdk-reference/graph/edge/get-user-edges>
//! - Memobase: <https://docs.memobase.io/api-reference/profiles/profile>
//! - Letta: <https://docs.letta.com/guides/core-concepts/agent-file>
//! - `ChatGPT` and Claude: the lists of memories that people copy or download; no format is promised.

use ctxmem_types::{Scope, Timestamp};
use serde_json::Value;

use crate::extract::Candidate;

/// Whose export a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ForeignFormat {
    /// The answer of `get_all`, or a list of its results.
    Mem0,
    /// A list of a user's edges.
    Zep,
    /// The answer of a user's profile.
    Memobase,
    /// An agent file, or a list of blocks.
    Letta,
    /// `memory.json`, or a line a memory.
    Chatgpt,
    /// `memories.json`, or a line a memory.
    Claude,
}

/// One memory of another service.
#[derive(Clone, PartialEq, Eq)]
pub struct ForeignMemory {
    /// Where it stands among the others, from 1.
    pub place: u64,
    /// The user whose memory it is, where the file says so.
    pub user: Option<String>,
    /// What is remembered.
    pub text: String,
    /// What it is about, in the words of the service.
    pub topic: Option<String>,
    /// The name under which it stands in its topic.
    pub name: Option<String>,
    /// When it came to be known, where the file says so: "tomorrow" is the day after that.
    pub at: Option<Timestamp>,
}

/// What belongs where, by the words that services use for topics. A list scope takes the text; a map
/// needs a name as well.
const TOPICS: [(Scope, &str); 6] = [
    (
        Scope::General,
        "basic_info contact_info demographics personal_details work",
    ),
    (
        Scope::Preferences,
        "interest user_preferences preferences food music entertainment hobbies sports fashion \
         lifestyle technology_preferences",
    ),
    (
        Scope::Knowledge,
        "education professional_details technology skills",
    ),
    (Scope::Relationships, "family relationships people"),
    (Scope::History, "life_event milestones travel history"),
    (Scope::Goals, "goals plans projects tasks"),
];

impl ForeignMemory {
    fn new(text: &str) -> Self {
        Self {
            place: 0,
            user: None,
            text: text.trim().to_owned(),
            topic: None,
            name: None,
            at: None,
        }
    }

    /// The fact that the topic and name make of it, without anybody reading it; `None` where they don't
    /// say enough.
    pub(super) fn by_topic(&self) -> Option<Candidate> {
        let topic = self.topic.as_ref()?.to_lowercase();
        let mut topics = TOPICS.into_iter();
        let (scope, _) = topics.find(|(_, names)| names.split(' ').any(|name| name == topic))?;
        match (scope, &self.name) {
            (Scope::General | Scope::Preferences, Some(name)) => {
                Some(Candidate::slot(scope, name.to_lowercase(), &*self.text))
            }
            (Scope::General | Scope::Preferences, None) => None,
            (scope, _) => Some(Candidate::item(scope, &*self.text)),
        }
    }

    /// The text as the user would say it: services write of "the user", and extractors read what a user
    /// says.
    pub(super) fn in_first_person(&self) -> String {
        let text = self.text.trim();
        let rest = ["The user", "the user", "User", "user"]
            .iter()
            .find_map(|subject| text.strip_prefix(subject));
        let Some(rest) = rest else {
            return text.to_owned();
        };
        if let Some(rest) = rest.strip_prefix("'s ") {
            return format!("My {rest}");
        }
        let Some(rest) = rest.strip_prefix(' ') else {
            return text.to_owned();
        };
        let (verb, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        format!("I {} {rest}", of_first_person(verb))
            .trim()
            .to_owned()
    }
}

/// The verb behind "I": "lives" is "live". Those in the past stay as they are.
fn of_first_person(verb: &str) -> String {
    match verb {
        "is" => "am".to_owned(),
        "has" => "have".to_owned(),
        "does" => "do".to_owned(),
        "was" | "doesn't" | "isn't" => verb.replace("doesn't", "don't").replace("isn't", "am not"),
        verb if verb.ends_with("ies") => format!("{}y", verb.trim_end_matches("ies")),
        verb if ["ches", "shes", "sses", "xes"]
            .iter()
            .any(|end| verb.ends_with(end)) =>
        {
            verb.trim_end_matches("es").to_owned()
        }
        verb if verb.ends_with('s') && !verb.ends_with("ss") => {
            verb.trim_end_matches('s').to_owned()
        }
        verb => verb.to_owned(),
    }
}

/// Reads the memories of a file. An error says what was expected, and holds nothing of the file.
pub fn read_foreign(format: ForeignFormat, file: &str) -> Result<Vec<ForeignMemory>, &'static str> {
    let json: Option<Value> = serde_json::from_str(file).ok();
    let mut memories = match (format, json) {
        (ForeignFormat::Mem0, Some(json)) => mem0(&json),
        (ForeignFormat::Zep, Some(json)) => zep(&json),
        (ForeignFormat::Memobase, Some(json)) => memobase(&json),
        (ForeignFormat::Letta, Some(json)) => letta(&json),
        (ForeignFormat::Chatgpt, Some(json)) => chatgpt(&json),
        (ForeignFormat::Claude, Some(json)) => claude(&json),
        (ForeignFormat::Chatgpt | ForeignFormat::Claude, None) => Some(lines(file)),
        (_, None) => return Err("expected JSON"),
    }
    .ok_or(match format {
        ForeignFormat::Mem0 => "expected a list of objects with `memory`, or one under `results`",
        ForeignFormat::Zep => "expected a list of objects with `fact`, or one under `edges`",
        ForeignFormat::Memobase => {
            "expected a list of objects with `content`, or one under `profiles`"
        }
        ForeignFormat::Letta => {
            "expected an agent file, or a list of objects with `label` and `value`"
        }
        ForeignFormat::Chatgpt => "expected a list of objects with `content`, or a line a memory",
        ForeignFormat::Claude => {
            "expected a list of objects with `conversations_memory`, or a line a memory"
        }
    })?;
    memories.retain(|memory| !memory.text.is_empty());
    for (place, memory) in (1..).zip(&mut memories) {
        memory.place = place;
    }
    Ok(memories)
}

/// The list itself, or the one under one of these names, however deep.
fn list<'j>(json: &'j Value, names: &[&str]) -> Option<&'j Vec<Value>> {
    match json {
        Value::Array(list) => Some(list),
        Value::Object(fields) => names
            .iter()
            .chain(&["data"])
            .find_map(|name| list(fields.get(*name)?, names)),
        _ => None,
    }
}

fn text<'j>(item: &'j Value, names: &[&str]) -> Option<&'j str> {
    names.iter().find_map(|name| item.get(name)?.as_str())
}

/// Each item's text, with what else is said of it.
fn each<'j>(
    items: impl IntoIterator<Item = &'j Value>,
    names: &[&str],
    more: impl Fn(&Value, &mut ForeignMemory),
) -> Option<Vec<ForeignMemory>> {
    let memories = items.into_iter().map(|item| {
        let mut memory = ForeignMemory::new(text(item, names)?);
        memory.user = text(item, &["user_id"]).map(ToOwned::to_owned);
        let at = text(item, &["valid_at", "updated_at", "created_at"]);
        memory.at = at.and_then(|at| at.parse().ok());
        more(item, &mut memory);
        Some(memory)
    });
    memories.collect()
}

fn mem0(json: &Value) -> Option<Vec<ForeignMemory>> {
    let items = list(json, &["results", "memories"])?;
    each(items, &["memory", "text"], |item, memory| {
        let topic = item
            .get("categories")
            .and_then(|topics| topics.get(0)?.as_str());
        memory.topic = topic.map(ToOwned::to_owned);
    })
}

/// What has been found to hold no longer is left out.
fn zep(json: &Value) -> Option<Vec<ForeignMemory>> {
    let items = list(json, &["edges", "facts"])?;
    let ended = |item: &Value| text(item, &["invalid_at", "expired_at"]).is_some();
    let current = items.iter().filter(|item| !ended(item));
    each(current, &["fact"], |_, _| {})
}

fn memobase(json: &Value) -> Option<Vec<ForeignMemory>> {
    let items = list(json, &["profiles"])?;
    each(items, &["content"], |item, memory| {
        let attributes = item.get("attributes").unwrap_or(item);
        memory.topic = text(attributes, &["topic"]).map(ToOwned::to_owned);
        memory.name = text(attributes, &["sub_topic"]).map(ToOwned::to_owned);
    })
}

/// What stands in the block about the human, line by line. The other blocks are about the agent.
fn letta(json: &Value) -> Option<Vec<ForeignMemory>> {
    let blocks = list(json, &["blocks", "core_memory"]).or_else(|| {
        let agent = json.get("agents")?.get(0)?;
        list(agent, &["blocks", "core_memory"])
    })?;
    let about_people = blocks.iter().filter(|block| {
        text(block, &["label"])
            .is_some_and(|label| label.contains("human") || label.contains("user"))
    });
    let values: Option<Vec<&str>> = about_people.map(|block| text(block, &["value"])).collect();
    Some(values?.into_iter().flat_map(lines).collect())
}

fn chatgpt(json: &Value) -> Option<Vec<ForeignMemory>> {
    let items = list(json, &["memories"])?;
    let is_on = |item: &Value| item.get("enabled") != Some(&Value::Bool(false));
    let current = items.iter().filter(|item| is_on(item));
    each(current, &["content", "memory", "text"], |_, _| {})
}

fn claude(json: &Value) -> Option<Vec<ForeignMemory>> {
    let items = match json {
        Value::Object(_) => std::slice::from_ref(json),
        other => other.as_array()?.as_slice(),
    };
    let texts: Option<Vec<&str>> = items
        .iter()
        .map(|item| text(item, &["conversations_memory"]))
        .collect();
    Some(texts?.into_iter().flat_map(lines).collect())
}

/// A memory a line, without the marks of lists. Headings are none.
fn lines(text: &str) -> Vec<ForeignMemory> {
    let is_heading =
        |line: &str| line.starts_with('#') || (line.starts_with("**") && line.ends_with("**"));
    text.lines()
        .map(str::trim)
        .filter(|line| !is_heading(line))
        .map(|line| line.trim_start_matches(['-', '*', '•']).trim())
        .filter(|line| !line.is_empty() && !line.ends_with(':'))
        .map(ForeignMemory::new)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(format: ForeignFormat, file: &str) -> Vec<String> {
        let read = read_foreign(format, file).unwrap();
        read.into_iter().map(|memory| memory.text).collect()
    }

    #[test]
    fn every_format_is_read_in_its_forms() {
        let lisbon = "User lives in Lisbon";
        for (format, file) in [
            (
                ForeignFormat::Mem0,
                r#"{"results":[{"id":"1","memory":"User lives in Lisbon"}],"count":1}"#,
            ),
            (
                ForeignFormat::Mem0,
                r#"[{"memory":"User lives in Lisbon","user_id":"ada","created_at":"2024-02-28T12:00:00Z"}]"#,
            ),
            (
                ForeignFormat::Zep,
                r#"{"edges":[{"fact":"User lives in Lisbon"},{"fact":"User lives in Porto","invalid_at":"2026-01-01T00:00:00Z"}]}"#,
            ),
            (
                ForeignFormat::Memobase,
                r#"{"data":{"profiles":[{"content":"User lives in Lisbon","attributes":{"topic":"basic_info","sub_topic":"city"}}]}}"#,
            ),
            (
                ForeignFormat::Letta,
                r#"{"agents":[{"blocks":[{"label":"persona","value":"I am Sam."},{"label":"human","value":"User lives in Lisbon"}]}]}"#,
            ),
            (
                ForeignFormat::Letta,
                r#"{"core_memory":[{"label":"human","value":"User lives in Lisbon"}]}"#,
            ),
            (
                ForeignFormat::Letta,
                r#"{"agents":[{"id":"a"}],"blocks":[{"label":"human","value":"User lives in Lisbon\n"}]}"#,
            ),
            (
                ForeignFormat::Chatgpt,
                r#"[{"content":"User lives in Lisbon","enabled":true},{"content":"User lives in Porto","enabled":false}]"#,
            ),
            (ForeignFormat::Chatgpt, "User lives in Lisbon\n\n"),
            (
                ForeignFormat::Claude,
                r###"[{"conversations_memory":"## Personal\n**Home**\n- User lives in Lisbon"}]"###,
            ),
            (ForeignFormat::Claude, "# About\n* User lives in Lisbon\n"),
        ] {
            assert_eq!(texts(format, file), [lisbon], "{format:?} {file}");
        }
    }

    #[test]
    fn when_it_came_to_be_known_is_read_where_it_is_there() {
        let read = |file: &str| {
            let memories = read_foreign(ForeignFormat::Mem0, file).unwrap();
            let at = memories.into_iter().next().and_then(|memory| memory.at);
            at.map(|at| at.to_string())
        };
        let at = "2024-02-28T12:00:00Z";
        let dated = read(&format!(r#"[{{"memory":"x","created_at":"{at}"}}]"#));
        assert_eq!(dated.as_deref(), Some(at));
        assert_eq!(read(r#"[{"memory":"x","created_at":"some day"}]"#), None);
        assert_eq!(read(r#"[{"memory":"x"}]"#), None);
    }

    #[test]
    fn other_files_are_refused_with_what_was_expected() {
        for (format, file, expected) in [
            (ForeignFormat::Mem0, "secret", "expected JSON"),
            (ForeignFormat::Mem0, r#"{"memories":"secret"}"#, "`memory`"),
            (ForeignFormat::Zep, r#"[{"memory":"secret"}]"#, "`fact`"),
            (ForeignFormat::Letta, r#"{"agents":[]}"#, "agent file"),
            (
                ForeignFormat::Claude,
                r#"[{"chat":"secret"}]"#,
                "`conversations_memory`",
            ),
        ] {
            let Err(said) = read_foreign(format, file) else {
                panic!("{format:?} {file}");
            };
            assert!(
                said.contains(expected) && !said.contains("secret"),
                "{said}"
            );
        }
    }

    #[test]
    fn what_is_written_of_a_user_is_put_as_the_user_says_it() {
        for (text, said) in [
            ("User lives in Lisbon", "I live in Lisbon"),
            ("The user is a nurse", "I am a nurse"),
            ("User's name is Ada", "My name is Ada"),
            ("The user has two cats", "I have two cats"),
            ("User studies law", "I study law"),
            ("User teaches chess", "I teach chess"),
            ("User moved to Porto", "I moved to Porto"),
            ("User doesn't eat meat", "I don't eat meat"),
            ("Prefers tea", "Prefers tea"),
        ] {
            assert_eq!(ForeignMemory::new(text).in_first_person(), said);
        }
    }

    #[test]
    fn topics_lead_to_scopes() {
        let memory = |topic: &str, name: Option<&str>| ForeignMemory {
            topic: Some(topic.to_owned()),
            name: name.map(ToOwned::to_owned),
            ..ForeignMemory::new("x")
        };
        let scope = |memory: ForeignMemory| memory.by_topic().map(|fact| (fact.scope, fact.key));
        let city = Some("city".to_owned());
        assert_eq!(
            scope(memory("basic_info", Some("City"))),
            Some((Scope::General, city))
        );
        assert_eq!(
            scope(memory("Family", None)),
            Some((Scope::Relationships, None))
        );
        assert_eq!(scope(memory("food", None)), None, "a map needs a name");
        assert_eq!(scope(memory("misc", Some("x"))), None);
        assert_eq!(scope(ForeignMemory::new("x")), None);
    }
}

//! `LoCoMo`: ten long conversations between two people, with questions about them.
//!
//! Each of the two is a user, to whom the other answers as an agent would. A question counts if all
//! that its answer rests on was said by one of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use chrono::NaiveDateTime;
use ctxmem_types::{Scope, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::people::{Expected, Person, Question, RecordedFact, Turn};
use crate::files;

/// The file, as its authors publish it, below the folder of data.
pub(super) const FILE: &str = "locomo/data/locomo10.json";

/// How many conversations are for development.
const DEV: usize = 5;

/// Words that tell the scope of a recorded observation, the first scope that has one of them; without
/// any it is `history`.
const SCOPES: &str = include_str!("scopes.txt");

#[derive(Deserialize)]
struct Sample {
    #[serde(rename = "sample_id")]
    id: String,
    /// Under `session_1` what was said, under `session_1_date_time` when, and so on.
    conversation: Map<String, Value>,
    /// By session and speaker.
    observation: BTreeMap<String, BTreeMap<String, Vec<(String, DialogueIds)>>>,
    qa: Vec<Qa>,
}

#[derive(Deserialize)]
struct Said {
    speaker: String,
    dia_id: String,
    text: String,
}

/// The dialogues that an observation rests on: a text may name several.
#[derive(Deserialize)]
#[serde(untagged)]
enum DialogueIds {
    One(String),
    Several(Vec<String>),
}

impl DialogueIds {
    fn iter(&self) -> impl Iterator<Item = &str> {
        let texts = match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Several(texts) => texts,
        };
        let ids = texts.iter().flat_map(|text| text.split([',', ';', ' ']));
        ids.filter(|id| !id.is_empty())
    }
}

#[derive(Deserialize)]
struct Qa {
    question: String,
    answer: Option<Value>,
    #[serde(default)]
    evidence: Vec<String>,
    category: u8,
}

pub(super) fn read(folder: &Path, dev: bool) -> Vec<Person> {
    let samples: Vec<Sample> = files::json(&folder.join(FILE));
    let count = if dev { DEV } else { samples.len() };
    samples.iter().take(count).flat_map(people).collect()
}

/// Both speakers of a conversation.
fn people(sample: &Sample) -> Vec<Person> {
    let sessions = sessions(&sample.conversation);
    let said: HashMap<&str, &str> = sessions
        .iter()
        .flat_map(|(_, said)| said)
        .map(|said| (said.dia_id.as_str(), said.speaker.as_str()))
        .collect();
    let transcript: Arc<str> = transcript(&sessions).into();
    let name = |key| sample.conversation[key].as_str().unwrap();
    let names = [name("speaker_a"), name("speaker_b")];
    names
        .into_iter()
        .map(|name| {
            let (places, turns) = turns_of(name, &sessions, &recorded_of(name, sample));
            let asked = sample.qa.iter();
            Person {
                user: format!("{} {name}", sample.id),
                name: name.to_owned(),
                turns,
                questions: asked
                    .filter_map(|qa| question(qa, &said, &places))
                    .collect(),
                transcript: Arc::clone(&transcript),
            }
        })
        .collect()
}

/// When each session was, and what was said in it.
fn sessions(conversation: &Map<String, Value>) -> Vec<(String, Vec<Said>)> {
    let session = |n: usize| {
        let said = conversation.get(&format!("session_{n}"))?;
        let when = conversation[&format!("session_{n}_date_time")].as_str();
        let said = serde_json::from_value(said.clone()).unwrap();
        Some((when.unwrap().to_owned(), said))
    };
    (1..=conversation.len()).filter_map(session).collect()
}

fn transcript(sessions: &[(String, Vec<Said>)]) -> String {
    let mut text = String::new();
    for (when, said) in sessions {
        let _ = writeln!(text, "\n{when}");
        for Said {
            speaker,
            text: words,
            ..
        } in said
        {
            let _ = writeln!(text, "{speaker}: {words}");
        }
    }
    text
}

/// What was observed of a speaker, by dialogue.
fn recorded_of(name: &str, sample: &Sample) -> HashMap<String, Vec<RecordedFact>> {
    let mut recorded: HashMap<String, Vec<RecordedFact>> = HashMap::new();
    for (value, ids) in sample
        .observation
        .values()
        .filter_map(|by| by.get(name))
        .flatten()
    {
        for id in ids.iter() {
            recorded.entry(id.to_owned()).or_default().push(fact(value));
        }
    }
    recorded
}

fn fact(observation: &str) -> RecordedFact {
    let lower = observation.to_lowercase();
    let said: HashSet<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let mut scopes = SCOPES.lines().filter_map(|line| line.split_once(':'));
    let scope = scopes.find(|(_, words)| words.split_whitespace().any(|word| said.contains(word)));
    let scope = scope.map_or(Scope::History, |(scope, _)| scope.parse().unwrap());
    let key = match scope {
        Scope::Preferences => "likes",
        _ => "",
    };
    RecordedFact {
        scope,
        key,
        value: observation.to_owned(),
    }
}

/// The turns of a speaker, and the place of each dialogue among them.
fn turns_of(
    name: &str,
    sessions: &[(String, Vec<Said>)],
    recorded: &HashMap<String, Vec<RecordedFact>>,
) -> (HashMap<String, usize>, Vec<Turn>) {
    let (mut places, mut turns) = (HashMap::new(), Vec::new());
    for (when, said) in sessions {
        for (at, own) in said
            .iter()
            .enumerate()
            .filter(|(_, said)| said.speaker == name)
        {
            let mut later = said[at..].iter();
            let answer = later.find(|said| said.speaker != name);
            places.insert(own.dia_id.clone(), turns.len());
            turns.push(Turn {
                said: own.text.clone(),
                answered: answer.map(|said| said.text.clone()).unwrap_or_default(),
                at: Some(instant(when)),
                recorded: recorded.get(&own.dia_id).cloned().unwrap_or_default(),
            });
        }
    }
    (places, turns)
}

/// "1:56 pm on 8 May, 2023" as an instant; the data name no time zone.
fn instant(text: &str) -> Timestamp {
    let at = NaiveDateTime::parse_from_str(text, "%I:%M %p on %d %B, %Y");
    let at = at.unwrap_or_else(|error| panic!("not a time of a session: {text:?}: {error}"));
    at.format("%FT%TZ").to_string().parse().unwrap()
}

/// A question, if it counts for the speaker with these turns.
fn question(
    qa: &Qa,
    said: &HashMap<&str, &str>,
    places: &HashMap<String, usize>,
) -> Option<Question> {
    let kind = match qa.category {
        1 => "multi-hop",
        2 => "temporal",
        3 => "inference",
        4 => "single-hop",
        // Questions that the conversation does not answer.
        _ => return None,
    };
    // A few name dialogues that do not exist; these are left out.
    let named = qa
        .evidence
        .iter()
        .filter(|id| said.contains_key(id.as_str()));
    let evidence: Option<Vec<usize>> = named.map(|id| places.get(id).copied()).collect();
    let evidence = evidence.filter(|evidence| !evidence.is_empty())?;
    let answer = match &qa.answer {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let expected = match kind {
        "multi-hop" => Expected::List(answer),
        // What follows is the reason.
        "inference" => Expected::Words(answer.split(';').next().unwrap_or_default().to_owned()),
        _ => Expected::Words(answer),
    };
    Some(Question {
        text: qa.question.clone(),
        kind: kind.to_owned(),
        evidence,
        expected,
    })
}

/// A conversation of our own, in the form of theirs.
#[cfg(test)]
pub(super) const SAMPLE: &str = r#"[{
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ada", "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "I bought an old lighthouse near Porto."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "I just planted forty olive trees at home."},
            {"speaker": "Ada", "dia_id": "D1:3", "text": "My sister Runa paints the walls of it now."}
        ],
        "session_2_date_time": "12:05 am on 1 June, 2023",
        "session_2": [
            {"speaker": "Ben", "dia_id": "D2:1", "text": "I finished the marathon of Turin yesterday."}
        ],
        "session_3_date_time": "9:00 am on 2 June, 2023"
    },
    "observation": {
        "session_1_observation": {
            "Ada": [["Ada bought an old lighthouse.", "D1:1"],
                    ["Ada and Runa do up a house.", ["D1:1, D1:3"]],
                    ["Ada likes olives.", "D1:2"]],
            "Ben": []
        },
        "session_2_observation": {"Ben": [["Ben finished a marathon.", "D2:1"]]}
    },
    "qa": [
        {"question": "What did Ada buy?", "answer": "A lighthouse", "evidence": ["D1:1"], "category": 4},
        {"question": "Who helps Ada?", "answer": "Runa, a painter", "evidence": ["D1:1", "D1:3", "D9:9"], "category": 1},
        {"question": "What did Ben plant?", "answer": 40, "evidence": ["D1:2"], "category": 3},
        {"question": "When did Ben run?", "answer": "31 May 2023", "evidence": ["D2:1"], "category": 2},
        {"question": "What do both own?", "answer": "Land", "evidence": ["D1:1", "D1:2"], "category": 1},
        {"question": "Where is Ben's boat?", "adversarial_answer": "Porto", "evidence": ["D1:1"], "category": 5}
    ]
}]"#;

#[cfg(test)]
pub(super) fn sample() -> Vec<Person> {
    let samples: Vec<Sample> = serde_json::from_str(SAMPLE).unwrap();
    samples.iter().flat_map(people).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_speaker_is_a_user_whom_the_other_answers() {
        let [ada, ben] = sample().try_into().ok().unwrap();
        assert_eq!((&*ada.user, &*ada.name), ("conv-1 Ada", "Ada"));
        let answered: Vec<&str> = ada.turns.iter().map(|turn| &*turn.answered).collect();
        assert_eq!(answered, ["I just planted forty olive trees at home.", ""]);
        assert_eq!(
            ben.turns[0].answered,
            "My sister Runa paints the walls of it now."
        );
        let times = ben.turns.iter().map(|turn| turn.at.clone().unwrap());
        let times: Vec<String> = times.map(|time| time.to_string()).collect();
        assert_eq!(times, ["2023-05-08T13:56:00Z", "2023-06-01T00:05:00Z"]);
        assert!(
            ada.transcript
                .contains("1:56 pm on 8 May, 2023\nAda: I bought")
        );
    }

    #[test]
    fn observations_belong_to_the_turns_of_their_speaker() {
        let [ada, ben] = sample().try_into().ok().unwrap();
        let values = |turn: &Turn| -> Vec<String> {
            turn.recorded
                .iter()
                .map(|fact| fact.value.clone())
                .collect()
        };
        assert_eq!(
            values(&ada.turns[0]),
            [
                "Ada bought an old lighthouse.",
                "Ada and Runa do up a house."
            ]
        );
        assert_eq!(values(&ada.turns[1]), ["Ada and Runa do up a house."]);
        assert!(ben.turns[0].recorded.is_empty(), "Ada is not who said it");
    }

    #[test]
    fn questions_count_whose_evidence_one_speaker_said() {
        let [ada, ben] = sample().try_into().ok().unwrap();
        let asked = |person: &Person| -> Vec<(String, Vec<usize>)> {
            let asked = person.questions.iter();
            asked
                .map(|question| (question.kind.clone(), question.evidence.clone()))
                .collect()
        };
        assert_eq!(
            asked(&ada),
            [
                ("single-hop".into(), vec![0]),
                ("multi-hop".into(), vec![0, 1])
            ]
        );
        assert_eq!(
            asked(&ben),
            [("inference".into(), vec![0]), ("temporal".into(), vec![1])]
        );
        assert!(matches!(&ben.questions[0].expected, Expected::Words(answer) if answer == "40"));
    }

    #[test]
    fn words_tell_the_scope() {
        for (observation, scope) in [
            ("Ada plans to visit her sister.", Scope::Goals),
            ("Ada's sister loves tea.", Scope::Preferences),
            ("Ada visited her sister.", Scope::Relationships),
            ("Ada works as a nurse.", Scope::Knowledge),
            ("Ada went to a lake, likewise.", Scope::History),
        ] {
            assert_eq!(fact(observation).scope, scope, "{observation}");
        }
    }
}

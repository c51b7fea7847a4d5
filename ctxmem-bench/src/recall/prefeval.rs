//! `PrefEval`: preferences that people state, each with a question that does not name it and that
//! it must change the answer to.

use std::fmt::Write as _;
use std::path::Path;

use ctxmem_types::Scope;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::people::{Expected, Person, Question, RecordedFact, Turn};
use crate::files;

/// The folder of the data, as its authors publish them, below the folder of data.
pub(super) const FOLDER: &str = "PrefEval/benchmark_dataset";

/// How many topics are for development, in the order of the alphabet.
const DEV: usize = 10;

pub(super) struct Preference {
    stated: String,
    question: String,
    options: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Stated {
    preference: String,
    question: String,
}

#[derive(Deserialize)]
struct Choice {
    question: String,
    /// The right one is the first.
    classification_task_options: Vec<String>,
}

/// The explicit preferences, topic by topic.
pub(super) fn read(folder: &Path, dev: bool) -> Vec<Preference> {
    let folder = folder.join(FOLDER);
    let stated = folder.join("explicit_preference");
    let mut topics = files::in_folder(&stated, "json");
    topics.truncate(if dev { DEV } else { usize::MAX });
    let all = topics.iter().flat_map(|topic| {
        let choices = folder.join("mcq_options").join(topic.file_name().unwrap());
        let choices = choices
            .exists()
            .then(|| files::json::<Vec<Choice>>(&choices));
        with_options(files::json(topic), choices.unwrap_or_default())
    });
    all.collect()
}

/// The options stand in files of their own, in the same order.
fn with_options(stated: Vec<Stated>, choices: Vec<Choice>) -> Vec<Preference> {
    let mut choices = choices.into_iter();
    let all = stated.into_iter().map(|stated| {
        let choice = choices.next();
        let choice = choice.filter(|choice| choice.question.trim() == stated.question.trim());
        Preference {
            stated: stated.preference,
            question: stated.question,
            options: choice.map(|choice| choice.classification_task_options),
        }
    });
    all.collect()
}

/// Users who state so many preferences each, of all topics in turn. Each preference is asked about
/// once; the last user states some of the first again, about which nobody asks.
pub(super) fn people(preferences: &[Preference], each: usize) -> Vec<Person> {
    let mut order: Vec<usize> = (0..preferences.len()).collect();
    order.sort_by_cached_key(|n| Sha256::digest(n.to_string()));
    let users = order.chunks(each).enumerate();
    users
        .map(|(number, asked)| {
            let others = order.iter().filter(|n| !asked.contains(n));
            let told = asked.iter().chain(others).take(each);
            let told: Vec<&Preference> = told.map(|n| &preferences[*n]).collect();
            let mut transcript = String::new();
            for Preference { stated, .. } in &told {
                let _ = writeln!(transcript, "User: {stated}\nAssistant: Noted.");
            }
            let questions = told.iter().take(asked.len()).enumerate();
            Person {
                user: format!("prefeval {each} {number}"),
                name: "the person who asks".to_owned(),
                turns: told.iter().map(|told| turn(told)).collect(),
                questions: questions
                    .map(|(at, asked)| question(asked, at, each))
                    .collect(),
                transcript: transcript.into(),
            }
        })
        .collect()
}

fn turn(told: &Preference) -> Turn {
    Turn {
        said: told.stated.clone(),
        answered: "Noted.".to_owned(),
        at: None,
        recorded: vec![RecordedFact {
            scope: Scope::Preferences,
            key: "likes",
            value: told.stated.clone(),
        }],
    }
}

fn question(asked: &Preference, at: usize, each: usize) -> Question {
    let options = asked.options.clone();
    Question {
        text: asked.question.clone(),
        kind: format!("{each} preferences"),
        evidence: vec![at],
        expected: options.map_or(Expected::Unknown, Expected::FirstOf),
    }
}

/// Preferences of our own.
#[cfg(test)]
pub(super) fn sample() -> Vec<Preference> {
    let stated = |n| Stated {
        preference: format!("I never buy chairs of the colour number {n}."),
        question: format!("Which furniture fits into room {n}?"),
    };
    let choice = |n| Choice {
        question: format!("Which furniture fits into room {n}? "),
        classification_task_options: ["A bench", "Chairs", "A throne"].map(str::to_owned).into(),
    };
    with_options((0..5).map(stated).collect(), (0..4).map(choice).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preference_is_asked_about_once_and_every_user_states_as_many() {
        let preferences = sample();
        let people = people(&preferences, 3);
        assert_eq!(
            people.iter().map(|p| p.turns.len()).collect::<Vec<_>>(),
            [3, 3]
        );
        let mut asked: Vec<&str> = Vec::new();
        for person in &people {
            for question in &person.questions {
                let said = &person.turns[question.evidence[0]].said;
                let number = said.trim_end_matches('.').rsplit(' ').next().unwrap();
                assert_eq!(
                    question.text,
                    format!("Which furniture fits into room {number}?")
                );
                asked.push(&question.text);
            }
        }
        asked.sort_unstable();
        asked.dedup();
        assert_eq!(asked.len(), 5);
    }

    #[test]
    fn options_are_those_of_the_same_question() {
        let with: Vec<bool> = sample().iter().map(|p| p.options.is_some()).collect();
        assert_eq!(with, [true, true, true, true, false]);
    }
}

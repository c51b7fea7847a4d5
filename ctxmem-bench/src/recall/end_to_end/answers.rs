//! The answers of a reader that is given something about a person, or nothing, and their scores.

use std::collections::{HashMap, HashSet};

use futures_util::StreamExt as _;
use futures_util::stream;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Model;
use super::log::Log;
use super::reader::Reader;
use super::score;
use crate::agent::Agent;
use crate::load::float;
use crate::recall::people::{Expected, Person, Question};
use crate::report;

/// How many questions are asked at once.
const AT_ONCE: usize = 8;

/// What the reader is given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::recall) enum Arm {
    NoMemory,
    Block,
    BlockAndRelevant,
    FullConversation,
}

const ARMS: [(Arm, &str); 4] = [
    (Arm::NoMemory, "no memory"),
    (Arm::Block, "block"),
    (Arm::BlockAndRelevant, "block and `relevant`"),
    (Arm::FullConversation, "full conversation"),
];

/// One answer, as it is kept.
#[derive(Serialize, Deserialize)]
pub(in crate::recall) struct Answer {
    model: String,
    user: String,
    question: usize,
    arm: Arm,
    pub(in crate::recall) text: String,
    /// Of the prompt and of the answer.
    tokens: Option<[u64; 2]>,
}

struct Asked {
    question: usize,
    arm: Arm,
    system: String,
    message: String,
}

/// Asks what was not asked yet, and gives all answers about these people.
pub(in crate::recall) async fn ask(
    address: &str,
    key: &str,
    model: &Model,
    people: &[Person],
) -> Vec<Answer> {
    let (mut log, mut answers) = Log::open::<Answer>(&model.out.join("answers.jsonl"));
    assert!(
        answers.iter().all(|answer| answer.model == model.name),
        "{}: holds answers of another model",
        model.out.display()
    );
    let reader = &Reader::new(model);
    for person in people {
        let user = &*person.user;
        let of_user = answers.iter().filter(|answer| answer.user == user);
        let done: HashSet<_> = of_user
            .map(|answer| (answer.question, answer.arm))
            .collect();
        let mut open = questions(address, key, person).await;
        open.retain(|asked| !done.contains(&(asked.question, asked.arm)));
        let replies = stream::iter(open).map(|asked| async move {
            let reply = reader.ask(&asked.system, &asked.message).await;
            Answer {
                model: model.name.clone(),
                user: user.to_owned(),
                question: asked.question,
                arm: asked.arm,
                text: reply.text,
                tokens: reply.tokens,
            }
        });
        let mut replies = std::pin::pin!(replies.buffer_unordered(AT_ONCE));
        while let Some(answer) = replies.next().await {
            log.add(&answer);
            answers.push(answer);
        }
    }
    let users: HashSet<&str> = people.iter().map(|person| &*person.user).collect();
    answers.retain(|answer| users.contains(&*answer.user));
    answers
}

/// All that is asked about a person.
async fn questions(address: &str, key: &str, person: &Person) -> Vec<Asked> {
    let mut agent = Agent::connect(address, key).await;
    let mut all = Vec::new();
    for (number, question) in person.questions.iter().enumerate() {
        let Some(message) = message(person, question) else {
            continue;
        };
        let injected = agent.inject(&person.user, "", Some(&question.text)).await;
        let (block, relevant) = (injected.injected_prompt.trim_end(), injected.relevant);
        for (arm, _) in ARMS {
            let (known, beside) = match arm {
                Arm::NoMemory => ("", ""),
                Arm::Block => (block, ""),
                Arm::BlockAndRelevant => (block, relevant.as_deref().unwrap_or_default()),
                Arm::FullConversation => (&*person.transcript, ""),
            };
            all.push(Asked {
                question: number,
                arm,
                system: format!("{known}\n\nYou are a helpful assistant.")
                    .trim()
                    .to_owned(),
                message: format!("{beside}\n\n{message}").trim().to_owned(),
            });
        }
    }
    all
}

/// The question as it is put to the reader; `None` if nobody could tell whether the answer is right.
fn message(person: &Person, question: &Question) -> Option<String> {
    let asked = &question.text;
    match &question.expected {
        Expected::Words(_) | Expected::List(_) => Some(format!(
            "The user is {}. Answer with a short phrase and no sentence, in words of what you were \
             told where that is possible; separate several answers by commas, and write dates like \
             7 May 2023.\n\nQuestion: {asked}",
            person.name
        )),
        Expected::FirstOf(options) => {
            let listed = ('A'..).zip(order(asked, options.len()));
            let listed = listed.map(|(letter, n)| format!("{letter}. {}", options[n]));
            Some(format!(
                "{asked}\n\n{}\n\nWhich of these is best for me? Answer with its letter alone.",
                listed.collect::<Vec<_>>().join("\n")
            ))
        }
        Expected::Unknown => None,
    }
}

/// An order of the options that is the same in every run.
fn order(question: &str, options: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..options).collect();
    order.sort_by_cached_key(|n| Sha256::digest(format!("{n} {question}")));
    order
}

/// How good an answer is, and whether it is just right.
fn judged(question: &Question, answer: &str) -> (f64, bool) {
    match &question.expected {
        Expected::Words(right) => (score::f1(answer, right), score::is_exact(answer, right)),
        Expected::List(right) => (
            score::f1_of_list(answer, right),
            score::is_exact(answer, right),
        ),
        Expected::FirstOf(options) => {
            let letters = ('A'..).zip(order(&question.text, options.len()));
            let right = letters
                .into_iter()
                .find(|(_, n)| *n == 0)
                .map(|(letter, _)| letter);
            let hit = score::choice(answer) == right;
            (f64::from(u8::from(hit)), hit)
        }
        Expected::Unknown => (0.0, false),
    }
}

/// Prints a line for what the reader was given.
pub(in crate::recall) fn print(people: &[Person], answers: &[Answer]) {
    let people: HashMap<&str, &Person> = people.iter().map(|p| (&*p.user, p)).collect();
    report::head(
        "the reader has | answers | F1 (95 %) | exact, or the right option (95 %) | tokens in, out",
    );
    for (arm, name) in ARMS {
        let of_arm: Vec<&Answer> = answers.iter().filter(|answer| answer.arm == arm).collect();
        if of_arm.is_empty() {
            continue;
        }
        let asked = |answer: &Answer| &people[&*answer.user].questions[answer.question];
        let judged = of_arm
            .iter()
            .map(|answer| judged(asked(answer), &answer.text));
        let (scores, exact): (Vec<f64>, Vec<bool>) = judged.unzip();
        let hits = exact.iter().filter(|exact| **exact).count();
        // The score of a choice is its share of right options again.
        let chooses = matches!(asked(of_arm[0]).expected, Expected::FirstOf(_));
        let by_words = if chooses {
            "–".to_owned()
        } else {
            share(score::mean(&scores), score::bootstrap(&scores))
        };
        let tokens: Vec<[u64; 2]> = of_arm.iter().filter_map(|answer| answer.tokens).collect();
        let [sent, written] = [0, 1].map(|side| {
            let sum: u64 = tokens.iter().map(|tokens| tokens[side]).sum();
            usize::try_from(sum).map_or(f64::NAN, float) / float(tokens.len())
        });
        println!(
            "| {name} | {} | {by_words} | {} | {sent:.0}, {written:.0} |",
            scores.len(),
            share(
                float(hits) / float(exact.len()),
                score::wilson(hits, exact.len())
            ),
        );
    }
    let unanswerable = people.values().flat_map(|person| &person.questions);
    let unanswerable = unanswerable
        .filter(|q| matches!(q.expected, Expected::Unknown))
        .count();
    if unanswerable > 0 {
        println!(
            "\nNot asked, because the data have no options for them: {unanswerable} questions."
        );
    }
}

fn share(share: f64, (low, high): (f64, f64)) -> String {
    let [share, low, high] = [share, low, high].map(|share| share * 100.0);
    format!("{share:.1} % ({low:.1}–{high:.1})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::prefeval;

    #[test]
    fn the_right_option_is_right_wherever_it_stands() {
        let people = prefeval::people(&prefeval::sample(), 5);
        let mut places = HashSet::new();
        for question in people[0]
            .questions
            .iter()
            .filter(|q| !matches!(q.expected, Expected::Unknown))
        {
            let text = message(&people[0], question).unwrap();
            let line = text
                .lines()
                .find(|line| line.ends_with(". A bench"))
                .unwrap();
            places.insert(line.chars().next());
            assert!(judged(question, &line[..1]).1, "{text}");
            let wrong = text
                .lines()
                .find(|line| line.ends_with(". Chairs"))
                .unwrap();
            assert!(!judged(question, &wrong[..1]).1, "{text}");
        }
        assert!(places.len() > 1, "the options are shuffled");
    }
}

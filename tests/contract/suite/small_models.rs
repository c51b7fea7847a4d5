//! The answers of a careful model, spoiled as smaller ones spoil them: what six people told over 25 turns each is
//! held, and what they changed is gone. The people are invented; `people/NAME.json` has their turns, with what such a
//! model answers, and patterns of what memory holds at the end and of what it no longer holds.

use std::sync::Arc;

use ctxmem_client::UserId;
use ctxmem_server::core::FirstGrant::Auto;
use ctxmem_test_outside::extraction_data;
use regex::RegexBuilder;
use serde_json::{Value, json};

use crate::suite::support::{Agent, FakeModel, Setup, TestClock, completion, user};

const PEOPLE: [(&str, &str); 6] = [
    ("ana", include_str!("people/ana.json")),
    ("tom", include_str!("people/tom.json")),
    ("mira", include_str!("people/mira.json")),
    ("dilnoza", include_str!("people/dilnoza.json")),
    ("marcus", include_str!("people/marcus.json")),
    ("priyanka", include_str!("people/priyanka.json")),
];

/// How an answer is spoiled.
#[derive(Clone, Copy, Debug)]
enum Spoiled {
    Not,
    QuotesMended,
    NoQuotes,
    WholeMessageQuoted,
    NoNumbersToSet,
    NoNumbersToRemove,
    OffByOne,
    WasCut,
    WasEmpty,
    NullForNothing,
    NumbersAsText,
}

impl Spoiled {
    /// A fact of the file as the model writes it, to a message and to what it is shown as known.
    fn written(self, fact: &Value, message: &str, known: &Value) -> Value {
        let replaced = fact["replaces"].as_str();
        let shown = known.as_array().into_iter().flatten();
        let number = (1..)
            .zip(shown)
            .find_map(|(n, known)| (known["value"].as_str() == replaced).then_some(n));
        let number = number.filter(|_| replaced.is_some()).unwrap_or(0);
        let mut written = json!({
            "scope": fact["scope"], "key": fact["key"], "value": fact["value"], "op": fact["op"],
            "known": number, "was": replaced.unwrap_or_default(), "quote": fact["quote"],
        });
        let is_removal = fact["op"] == "remove";
        match self {
            Self::QuotesMended => written["quote"] = mended(fact["quote"].as_str().unwrap()).into(),
            Self::NoQuotes => written["quote"] = "".into(),
            Self::WholeMessageQuoted => written["quote"] = message.into(),
            Self::NoNumbersToSet if !is_removal => {
                written["known"] = 0.into();
                written["was"] = "".into();
            }
            Self::NoNumbersToRemove if is_removal => written["known"] = 0.into(),
            Self::OffByOne if number > 0 => written["known"] = (number + 1).into(),
            Self::Not | Self::NoNumbersToSet | Self::NoNumbersToRemove | Self::OffByOne => {}
            Self::WasCut => {
                let words = replaced.unwrap_or_default().split_whitespace().take(2);
                written["was"] = words.collect::<Vec<_>>().join(" ").into();
            }
            Self::WasEmpty => written["was"] = "".into(),
            Self::NullForNothing => {
                for field in ["key", "known", "was"] {
                    if written[field] == "" || written[field] == 0 {
                        written[field] = Value::Null;
                    }
                }
            }
            Self::NumbersAsText => written["known"] = number.to_string().into(),
        }
        written
    }
}

/// A quote with what a model corrects in it: apostrophes, and a letter of its longest word.
fn mended(quote: &str) -> String {
    const SHORT: [(&str, &str); 10] = [
        ("im", "I'm"),
        ("ive", "I've"),
        ("dont", "don't"),
        ("doesnt", "doesn't"),
        ("cant", "can't"),
        ("its", "it's"),
        ("shes", "she's"),
        ("hes", "he's"),
        ("didnt", "didn't"),
        ("isnt", "isn't"),
    ];
    let longest = quote.split(' ').max_by_key(|word| word.len());
    let word = |word: &str| {
        let short = SHORT
            .iter()
            .find(|(bare, _)| word.eq_ignore_ascii_case(bare));
        if let Some((_, mended)) = short {
            return (*mended).to_owned();
        }
        let is_plain = word.len() > 6 && word.chars().all(|c| c.is_ascii_lowercase());
        if Some(word) != longest || !is_plain {
            return word.to_owned();
        }
        format!("{}{}", &word[..4], &word[3..])
    };
    quote.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// What memory holds in the end: a fact a line, with its name.
async fn lines(agent: &Agent, person: &UserId) -> Vec<String> {
    let facts = agent.facts(person).await.unwrap();
    let line = |fact: &ctxmem_client::FactRecord| {
        let name = fact.name.as_deref().map(|name| format!("{name}: "));
        format!("{}{}", name.unwrap_or_default(), fact.value)
    };
    facts.iter().map(line).collect()
}

/// The patterns of a list of the file that fit a line, and that fit none.
fn split<'p>(patterns: &'p Value, lines: &[String]) -> (Vec<&'p str>, Vec<&'p str>) {
    let patterns = patterns.as_array().unwrap().iter();
    patterns
        .map(|pattern| pattern.as_str().unwrap())
        .partition(|pattern| {
            let pattern = RegexBuilder::new(pattern).case_insensitive(true).build();
            let pattern = pattern.unwrap();
            lines.iter().any(|line| pattern.is_match(line))
        })
}

/// Fails if more is lost or stale than was measured, where answers are spoiled this way; otherwise says how much.
async fn what_six_people_told_is_held(way: Spoiled) -> String {
    let model = FakeModel::start().await;
    let clock = Arc::new(TestClock::at("2026-03-05T09:30:00Z"));
    let setup = Setup::asking(&model).clock(&clock).first_grant(Auto);
    let (_server, agent) = setup.start_with_agent().await;
    let (mut told, mut lost, mut changed, mut stale) = (0, Vec::new(), 0, Vec::new());
    for (name, file) in PEOPLE {
        let file: Value = serde_json::from_str(file).unwrap();
        let person = user(name);
        for turn in file["turns"].as_array().unwrap() {
            clock.advance(chrono::Duration::minutes(1));
            let facts = turn["facts"].clone();
            model.answers_with(move |request| {
                let data = extraction_data(request);
                let message = data["user"].as_str().unwrap();
                let facts = facts.as_array().unwrap().iter();
                let facts = facts.map(|fact| way.written(fact, message, &data["known"]));
                completion(&json!({"facts": facts.collect::<Vec<_>>()}).to_string())
            });
            agent.tells(&person, turn["user"].as_str().unwrap()).await;
        }
        let lines = lines(&agent, &person).await;
        let (held, missing) = split(&file["held"], &lines);
        let (left, gone) = split(&file["gone"], &lines);
        told += held.len() + missing.len();
        changed += left.len() + gone.len();
        let of_person = |pattern: &str| format!("{name}: {pattern}");
        lost.extend(missing.into_iter().map(of_person));
        stale.extend(left.into_iter().map(of_person));
    }
    assert!(lost.len() * 56 <= told * 3, "{way:?}: {lost:#?}");
    assert!(stale.len() * 43 <= changed * 5, "{way:?}: {stale:#?}");
    format!(
        "figure: {way:?}: {} of {told} held, {} of {changed} stale: {lost:?} {stale:?}",
        told - lost.len(),
        stale.len()
    )
}

/// A test for each way, so that they run beside each other.
macro_rules! what_six_people_told_is_held_when {
    ($($answers:ident: $way:ident),*) => {
        $(
            #[tokio::test]
            async fn $answers() {
                println!("{}", what_six_people_told_is_held(Spoiled::$way).await);
            }
        )*
    };
}

what_six_people_told_is_held_when!(
    answers_are_careful: Not,
    quotes_are_corrected: QuotesMended,
    nothing_is_quoted: NoQuotes,
    all_is_quoted: WholeMessageQuoted,
    what_is_replaced_has_no_number: NoNumbersToSet,
    what_is_removed_has_no_number: NoNumbersToRemove,
    numbers_are_off_by_one: OffByOne,
    what_was_known_is_cut: WasCut,
    what_was_known_is_left_out: WasEmpty,
    nothing_is_said_by_null: NullForNothing,
    numbers_are_text: NumbersAsText
);

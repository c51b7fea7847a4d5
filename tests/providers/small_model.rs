//! A real model, which `scripts/small_model.sh` starts. It is so small that its answers are hardly ever right: they
//! have to be read or refused, and store nothing that the message doesn't say.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use ctxmem_server::extract::{
    Candidate, ExtractError, Extractor, Interaction, Model, ModelConfig, Op, admit,
};

/// The talk of some people, over and over, each time with other names and numbers.
const MESSAGES: [&str; 10] = [
    "My name is {name} and I live in {place}. I use Helix as my editor.",
    "I'm allergic to peanuts, and my sister {name} works as a vet in {place}.",
    "We deploy on Fridays at {n}. Can you write a checklist?",
    "I bought {n} olive trees for the garden. What do they need?",
    "My manager {name} wants the report by {n} May.",
    "I no longer use Docker, we moved everything to Podman.",
    "Ich wohne in {place} und arbeite als Krankenpfleger.",
    "Please keep your answers short from now on.",
    "I'm training for the {place} marathon, {n} runs a week.",
    "My son {name} is {n} and starts school in {place}.",
];
/// Longest answer, in tokens: two facts.
const MOST_TOKENS: u32 = 128;
const NAMES: [&str; 5] = ["Ines", "Tobias", "Priya", "Marek", "Yuki"];
const PLACES: [&str; 5] = ["Lisbon", "Leeds", "Dresden", "Osaka", "Turin"];

fn config(timeout: Duration) -> ModelConfig {
    let url = std::env::var("CTXMEM_SMALL_MODEL_URL").expect("run scripts/small_model.sh");
    let mut config = ModelConfig::new(url.parse().expect("a URL"), "smollm2", timeout);
    // It mostly says the same again and again until it is cut off.
    config.dialect.most_tokens = Some(MOST_TOKENS);
    config
}

async fn ask(model: &Model, message: &str) -> Result<Vec<Candidate>, ExtractError> {
    let interaction = Interaction {
        user_message: message,
        agent_response: "",
        known: &[],
        today: chrono::NaiveDate::from_ymd_opt(2026, 3, 5).expect("a day"),
    };
    model.extract(&interaction).await.map(admit)
}

/// Whether all numbers, and all words in capitals but the first, stand in the message.
fn was_said(value: &str, message: &str) -> bool {
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.map(str::to_lowercase).collect()
    };
    let said = words(message);
    let mut parts = value.split(|c: char| !c.is_alphanumeric()).enumerate();
    parts.all(|(n, word)| {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let is_name = n > 0 && word.starts_with(char::is_uppercase) && word.len() > 1;
        // Of this year and the next, dates may be worked out.
        !(is_number || is_name) || said.contains(&word.to_lowercase()) || word.starts_with("202")
    })
}

#[tokio::test]
#[ignore = "takes a model: scripts/small_model.sh"]
async fn nothing_is_kept_that_the_message_does_not_say() {
    let count: usize = std::env::var("CTXMEM_SMALL_MODEL_MESSAGES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(20);
    let model = Model::new(config(Duration::from_mins(2))).expect("a model");
    let (mut read, mut unread, mut late, mut facts, mut made_up) = (0, 0, 0, 0, Vec::new());
    let begun = Instant::now();
    for n in 0..count {
        if n > 0 && n % 50 == 0 {
            println!("{n} of {count}: {facts} facts, {} made up", made_up.len());
        }
        let message = MESSAGES[n % MESSAGES.len()]
            .replace("{name}", NAMES[n / 3 % NAMES.len()])
            .replace("{place}", PLACES[n / 7 % PLACES.len()])
            .replace("{n}", &(n % 9 + 2).to_string());
        match ask(&model, &message).await {
            Ok(found) => {
                read += 1;
                facts += found.len();
                let sets = found.into_iter().filter(|fact| fact.op == Op::Set);
                let wrong = sets.filter(|fact| !was_said(&fact.value, &message));
                for fact in wrong {
                    println!("made up: {message}: {}", fact.value);
                    made_up.push(fact.value);
                }
            }
            Err(ExtractError::Malformed) => unread += 1,
            Err(ExtractError::TimedOut) => late += 1,
            Err(error) => panic!("message {n}: {error}"),
        }
    }
    let seconds = begun.elapsed().as_secs_f64() / f64::from(u32::try_from(count).expect("few"));
    println!(
        "figure: a small model: {count} messages, {read} answers read, {unread} refused, {late} too late, {facts} facts, {} made up, \
         {seconds:.1} s a message",
        made_up.len()
    );
    assert!(read > 0, "no answer was of the agreed shape");
    assert_eq!(made_up, Vec::<String>::new());
}

#[tokio::test]
#[ignore = "takes a model: scripts/small_model.sh"]
async fn a_deadline_and_a_small_context_end_in_errors() {
    let hasty = Model::new(config(Duration::from_millis(200))).expect("a model");
    assert_eq!(
        ask(&hasty, "I live in Lisbon.").await.err(),
        Some(ExtractError::TimedOut)
    );
    let patient = Model::new(config(Duration::from_mins(5))).expect("a model");
    let long = "I moved from Lisbon to Leeds and keep bees there. ".repeat(700);
    let error = ask(&patient, &long).await.err();
    assert!(matches!(error, Some(ExtractError::Status(_))), "{error:?}");
}

#[tokio::test]
#[ignore = "takes a model that has been unloaded: scripts/small_model.sh"]
async fn gone_with_its_server_it_cannot_be_reached() {
    let model = Model::new(config(Duration::from_secs(5))).expect("a model");
    assert_eq!(
        ask(&model, "I live in Lisbon.").await.err(),
        Some(ExtractError::Unreachable)
    );
}

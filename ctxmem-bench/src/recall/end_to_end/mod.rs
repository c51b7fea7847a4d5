//! End-to-end recall with a model: it extracts, reads, and its answers are scored by their words or by the option that
//! they choose. No model judges.
//!
//! What was said and asked once is in files under `--out`, and a run goes on where another ended.

pub(super) mod answers;
mod log;
mod reader;
mod score;

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::log::Log;
use super::people::Person;
use crate::agent::Agent;
use crate::load::{Wire, metric};
use crate::process::Process;
use crate::{files, server};

/// The model that extracts and answers.
#[derive(clap::Args)]
pub(super) struct ModelArgs {
    /// Base URL of an OpenAI-compatible endpoint, which usually ends in /v1: measure from end to end
    #[arg(long, requires = "model_name", requires = "out")]
    model_url: Option<String>,
    /// Name of the model
    #[arg(long, requires = "model_url")]
    model_name: Option<String>,
    /// The environment variable with the key for its endpoint
    #[arg(long, value_name = "VARIABLE", requires = "model_url")]
    model_api_key_env: Option<String>,
    /// Folder for the server's database and the answers; a run goes on with what is there
    #[arg(long, value_name = "FOLDER", requires = "model_url")]
    out: Option<PathBuf>,
}

/// The model, and where its answers go.
pub(super) struct Model {
    pub(super) url: String,
    pub(super) name: String,
    pub(super) api_key: Option<String>,
    pub(super) out: PathBuf,
}

impl ModelArgs {
    pub(super) fn model(&self) -> Option<Model> {
        let key = |variable: &String| {
            let key = std::env::var(variable);
            key.unwrap_or_else(|_| panic!("{variable}: no such environment variable"))
        };
        Some(Model {
            url: self.model_url.clone()?,
            name: self.model_name.clone()?,
            api_key: self.model_api_key_env.as_ref().map(key),
            out: self.out.clone()?,
        })
    }
}

/// A turn that the server has learned from.
#[derive(Serialize, Deserialize)]
struct Learned {
    user: String,
    turn: usize,
    /// What the model was sent and wrote, in tokens.
    tokens: [u64; 2],
}

/// Has everybody speak, asks all questions, and prints how well they were answered.
pub(super) async fn run(binary: &Path, model: &Model, sets: &[(&str, Vec<Person>)]) {
    let (process, key) = start(binary, model);
    let metrics = Some(process.metrics_address());
    for (set, people) in sets.iter().filter(|(_, people)| !people.is_empty()) {
        let spent = learn(process.address(), metrics, &key, people, &model.out).await;
        let answers = answers::ask(process.address(), &key, model, people).await;
        println!("\n## {set}, from end to end with {}\n", model.name);
        println!(
            "Extraction took {} tokens in and {} out.\n",
            spent[0], spent[1]
        );
        answers::print(people, &answers);
    }
}

/// A server on a database that stays, and its key.
fn start(binary: &Path, model: &Model) -> (Process, String) {
    let home = model.out.join("server");
    files::or_panic(&home, fs::create_dir_all(&home));
    let flags = [
        ["--extractor", "model"],
        ["--model-url", &model.url],
        ["--model-name", &model.name],
        ["--model-timeout", "120"],
        ["--metrics-listen", "127.0.0.1:0"],
        ["--demo", "off"],
    ];
    let mut command = server::command(binary, &home, "sqlite://ctxmem.db", flags.as_flattened());
    if let Some(key) = &model.api_key {
        command.env("CTXMEM_MODEL_API_KEY", key);
    }
    let process = Process::start(command);
    // The first start alone tells a key, which is of no use to any other server.
    let file = home.join("key");
    if let Some(key) = process.said["api_key"].as_str() {
        let mut options = fs::File::options();
        let options = options.create(true).write(true).truncate(true).mode(0o600);
        std::io::Write::write_all(&mut options.open(&file).unwrap(), key.as_bytes()).unwrap();
    }
    let key = files::or_panic(&file, fs::read_to_string(&file));
    (process, key)
}

/// Has people say what they have not said yet, and answers the tokens of all of it.
pub(super) async fn learn(
    address: &str,
    metrics: Option<&str>,
    key: &str,
    people: &[Person],
    out: &Path,
) -> [u64; 2] {
    let (mut log, learned) = Log::open::<Learned>(&out.join("updates.jsonl"));
    let mut spent = [0, 0];
    let mut done = HashSet::new();
    for Learned { user, turn, tokens } in learned {
        if people.iter().any(|person| person.user == user) {
            spent = sum(spent, tokens);
        }
        done.insert((user, turn));
    }
    for person in people {
        let user = &*person.user;
        let mut agent = Agent::connect(address, key).await;
        let mut before = tokens(metrics).await;
        for (turn, said) in person.turns.iter().enumerate() {
            if done.contains(&(user.to_owned(), turn)) {
                continue;
            }
            let learning = agent.learn_patiently(user, &said.said, &said.answered, said.at.clone());
            learning.await;
            let after = tokens(metrics).await;
            let tokens = [after[0] - before[0], after[1] - before[1]];
            (before, spent) = (after, sum(spent, tokens));
            let user = user.to_owned();
            log.add(&Learned { user, turn, tokens });
        }
    }
    spent
}

fn sum(one: [u64; 2], other: [u64; 2]) -> [u64; 2] {
    [one[0] + other[0], one[1] + other[1]]
}

/// The tokens that the server has counted since its start, in and out.
async fn tokens(metrics: Option<&str>) -> [u64; 2] {
    let Some(address) = metrics else {
        return [0, 0];
    };
    let mut wire = Wire::open(address).await;
    let figures = wire.metrics().await;
    ["in", "out"].map(|direction| {
        let name = format!("ctxmem_model_tokens_total{{direction=\"{direction}\"}}");
        metric(figures, &name)
    })
}

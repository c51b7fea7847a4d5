//! Makes the weights of the classifier from labelled sentences (see `scripts/train.sh`). The same data give
//! the same bytes.
//!
//! Data are JSON lines, `{"id": …, "use": …, "sentences": [[text, label], …]}`, of which those whose use is
//! "eval" are left out, or text files with a message a line, `one sentence #label | another`. A label is one
//! letter or several of which the first counts ([`KINDS`]), nothing where the sentence holds nothing durable, and
//! `x` or `?…` where it is doubtful: such sentences are left out. `--short` keeps the weights of `--from` and
//! learns only by how much short sentences differ from what those say.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_precision_loss,
    reason = "a command that prints figures, and ends where its data are wrong"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use ctxmem_extract::statements::classifier::{
    Classifier, FILE_BYTES, KIND_BUCKETS, KINDS, SHORT_BEGINS, SHORT_BUCKETS, logistic,
};
use ctxmem_extract::statements::features::{BUCKETS, Context, Tokens, each_feature};
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization as _;

/// How often each sentence is seen.
const ROUNDS: usize = 14;
/// How fast weights move at first.
const PACE: f32 = 0.3;
/// How much weights are drawn to zero each time that they are seen.
const DECAY: f32 = 1e-4;
/// How settled weights are that were learned before.
const SETTLED: f32 = 0.05;
/// How often each short sentence is seen.
const SHORT_ROUNDS: usize = 8;
/// Of cross-validation.
const FOLDS: usize = 5;

#[derive(Deserialize)]
struct Line {
    id: String,
    #[serde(rename = "use", default)]
    purpose: String,
    sentences: Vec<(String, String)>,
}

/// A message with a label for each sentence.
struct Labelled {
    group: String,
    sentences: Vec<(String, String)>,
}

/// A sentence as features.
struct Example {
    message: usize,
    features: Vec<(u32, f32)>,
    kind: Option<usize>,
    is_short: bool,
}

/// What is learned, and the weights to go on from.
#[derive(Clone, Copy)]
enum Course<'f> {
    /// Durability and kinds. The correction of short sentences is empty afterwards.
    All(Option<&'f [u8; FILE_BYTES]>),
    /// The correction of short sentences alone.
    Short(&'f [u8; FILE_BYTES]),
}

fn main() {
    let (mut files, mut output, mut folds) = (Vec::new(), None, false);
    let (mut begin, mut short) = (None, false);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--output" => output = arguments.next().map(PathBuf::from),
            "--cross-validate" => folds = true,
            "--short" => short = true,
            "--from" => begin = arguments.next().map(|file| begin_with(Path::new(&file))),
            _ => files.push(PathBuf::from(argument)),
        }
    }
    let messages: Vec<Labelled> = files.iter().flat_map(|file| read(file)).collect();
    let examples = examples(&messages);
    let durable = examples
        .iter()
        .filter(|example| example.kind.is_some())
        .count();
    println!(
        "{} messages, {} sentences, {durable} durable",
        messages.len(),
        examples.len()
    );
    let course = match begin.as_deref() {
        Some(begin) if short => Course::Short(begin),
        None if short => panic!("--short goes on from weights: --from WEIGHTS"),
        begin => Course::All(begin),
    };
    if folds {
        cross_validate(&messages, &examples, course);
    }
    if let Some(output) = output {
        let file = trained(&examples.iter().collect::<Vec<_>>(), course);
        fs::write(output, *file).expect("the file of weights can be written");
    }
}

/// Weights to go on with.
fn begin_with(file: &Path) -> Box<[u8; FILE_BYTES]> {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let bytes: Result<Box<[u8; FILE_BYTES]>, _> = bytes.into_boxed_slice().try_into();
    bytes.unwrap_or_else(|_| panic!("{}: not a file of weights", file.display()))
}

fn read(file: &Path) -> Vec<Labelled> {
    let text =
        fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let stem = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let is_json = file.extension().is_some_and(|end| end == "jsonl");
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let messages = lines.filter_map(|line| {
        if is_json {
            let line: Line = serde_json::from_str(line).expect("a labelled message");
            let group = format!("{stem} {}", line.id.chars().next().unwrap_or_default());
            return (line.purpose != "eval").then_some(Labelled {
                group,
                sentences: line.sentences,
            });
        }
        let is_label = |label: &str| label.bytes().all(|c| c.is_ascii_lowercase() || c == b'?');
        let labelled = line.split(" | ").map(|part| match part.rsplit_once(" #") {
            Some((sentence, label)) if is_label(label.trim()) => {
                (sentence.trim().to_owned(), label.trim().to_owned())
            }
            _ => (part.trim().to_owned(), String::new()),
        });
        Some(Labelled {
            group: stem.clone(),
            sentences: labelled.collect(),
        })
    });
    let mut messages: Vec<Labelled> = messages.collect();
    for (sentence, _) in messages
        .iter_mut()
        .flat_map(|message| &mut message.sentences)
    {
        *sentence = sentence.nfc().collect();
    }
    messages
}

fn examples(messages: &[Labelled]) -> Vec<Example> {
    let mut examples = Vec::new();
    for (number, message) in messages.iter().enumerate() {
        let texts = message.sentences.iter().map(|(text, _)| text);
        let tokens: Vec<Tokens> = texts.map(|text| Tokens::of(text)).collect();
        for (n, (_, label)) in message.sentences.iter().enumerate() {
            if label.starts_with(['x', '?']) {
                continue;
            }
            let context = Context {
                sentence: &tokens[n],
                before: n.checked_sub(1).map(|before| &tokens[before]),
                behind: tokens.get(n + 1),
                of: tokens.len(),
            };
            let mut features = Vec::new();
            let is_short = each_feature(&context, &mut |bucket, value| {
                features.push((u32::try_from(bucket).expect("a small number"), value));
            });
            let kind = label.chars().next().map(|letter| {
                let found = KINDS.iter().position(|(code, _)| *code == letter);
                found.unwrap_or_else(|| panic!("no such label: {label}"))
            });
            examples.push(Example {
                message: number,
                features,
                kind,
                is_short,
            });
        }
    }
    examples
}

/// Weights that are learned one sentence after the other (`AdaGrad`).
struct Learner {
    weights: Vec<f32>,
    squares: Vec<f32>,
    bias: f32,
    bias_squares: f32,
}

impl Learner {
    fn new(size: usize) -> Self {
        Self {
            weights: vec![0.0; size],
            squares: vec![0.0; size],
            bias: 0.0,
            bias_squares: 0.0,
        }
    }

    /// With what was learned before: a scale, a bias, and the weights.
    fn of(head: &[u8], weights: impl Iterator<Item = u8>) -> Self {
        let number =
            |from: usize| f32::from_le_bytes(head[from..from + 4].try_into().expect("four bytes"));
        let weights: Vec<f32> = weights
            .map(|weight| f32::from(weight.cast_signed()) * number(0))
            .collect();
        Self {
            squares: vec![SETTLED; weights.len()],
            weights,
            bias: number(4),
            bias_squares: 0.0,
        }
    }

    fn score(&self, features: &[(u32, f32)]) -> f32 {
        let size = self.weights.len();
        let weight = |(n, value): &(u32, f32)| self.weights[*n as usize % size] * value;
        features.iter().map(weight).sum::<f32>() + self.bias
    }

    fn learn(&mut self, features: &[(u32, f32)], error: f32) {
        let size = self.weights.len();
        for (n, value) in features {
            let n = *n as usize % size;
            let slope = error * value + DECAY * self.weights[n];
            self.squares[n] += slope * slope;
            self.weights[n] -= PACE * slope / (self.squares[n].sqrt() + 0.1);
        }
        self.bias_squares += error * error;
        self.bias -= PACE * error / (self.bias_squares.sqrt() + 1.0);
    }

    /// The scale and the bias, and the weights.
    fn written(&self) -> (Vec<u8>, Vec<u8>) {
        let highest = self
            .weights
            .iter()
            .fold(0.0_f32, |high, weight| high.max(weight.abs()));
        let scale = if highest > 0.0 { highest / 127.0 } else { 1.0 };
        let head = [scale.to_le_bytes(), self.bias.to_le_bytes()].concat();
        #[expect(clippy::cast_possible_truncation, reason = "they are from -127 to 127")]
        let small = |weight: &f32| ((weight / scale).round() as i8).cast_unsigned();
        (head, self.weights.iter().map(small).collect())
    }
}

/// The file of weights that some sentences give.
fn trained(examples: &[&Example], course: Course<'_>) -> Box<[u8; FILE_BYTES]> {
    let file = match course {
        Course::All(begin) => learn_all(examples, begin),
        Course::Short(begin) => learn_short(examples, begin),
    };
    file.into_boxed_slice()
        .try_into()
        .expect("the size of the file")
}

/// Puts the examples in another order, the same in each run of the program.
fn shuffle(order: &mut [usize], random: &mut u64) {
    for n in (1..order.len()).rev() {
        *random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(n, ((*random >> 33) % (n as u64 + 1)) as usize);
    }
}

fn learn_short(examples: &[&Example], begin: &[u8; FILE_BYTES]) -> Vec<u8> {
    let before = Classifier::new(begin);
    let of_short: Vec<(&Example, f32)> = examples
        .iter()
        .filter(|example| example.is_short)
        .map(|example| {
            let likely = before.judge_features(&example.features, false).durable;
            (*example, (likely / (1.0 - likely)).ln())
        })
        .collect();
    let mut short = Learner::new(SHORT_BUCKETS);
    let mut order: Vec<usize> = (0..of_short.len()).collect();
    let mut random = 1_u64;
    for _ in 0..SHORT_ROUNDS {
        shuffle(&mut order, &mut random);
        for n in &order {
            let (example, score) = of_short[*n];
            let likely = logistic(score + short.score(&example.features));
            let wanted = f32::from(u8::from(example.kind.is_some()));
            short.learn(&example.features, likely - wanted);
        }
    }
    let file = begin[..SHORT_BEGINS].to_vec();
    let (head, weights) = short.written();
    [file, head, weights].concat()
}

fn learn_all(examples: &[&Example], begin: Option<&[u8; FILE_BYTES]>) -> Vec<u8> {
    let mut durable = begin.map_or_else(
        || Learner::new(BUCKETS),
        |file| Learner::of(&file[..8], file[8..8 + BUCKETS].iter().copied()),
    );
    let mut kinds: Vec<Learner> = (0..KINDS.len())
        .map(|n| match begin {
            None => Learner::new(KIND_BUCKETS),
            Some(file) => {
                let heads = &file[8 + BUCKETS..];
                let weights = heads[8 * KINDS.len()..].iter().skip(n).step_by(KINDS.len());
                Learner::of(&heads[8 * n..], weights.copied().take(KIND_BUCKETS))
            }
        })
        .collect();
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = 1_u64;
    for _ in 0..ROUNDS {
        shuffle(&mut order, &mut random);
        for n in &order {
            let Example { features, kind, .. } = examples[*n];
            let likely = logistic(durable.score(features));
            durable.learn(features, likely - f32::from(u8::from(kind.is_some())));
            let Some(kind) = kind else { continue };
            let scores: Vec<f32> = kinds
                .iter()
                .map(|learner| learner.score(features))
                .collect();
            let whole: f32 = scores.iter().map(|score| score.exp()).sum();
            for (n, (learner, score)) in kinds.iter_mut().zip(scores).enumerate() {
                learner.learn(
                    features,
                    score.exp() / whole - f32::from(u8::from(n == *kind)),
                );
            }
        }
    }
    let (head, weights) = durable.written();
    let mut file = [head, weights].concat();
    let (heads, of_kinds): (Vec<_>, Vec<_>) = kinds.iter().map(Learner::written).unzip();
    file.extend(heads.concat());
    for n in 0..KIND_BUCKETS {
        file.extend(of_kinds.iter().map(|weights| weights[n]));
    }
    let (head, weights) = Learner::new(SHORT_BUCKETS).written();
    file.extend([head, weights].concat());
    file
}

/// Prints for each group what weights find that have not seen a fifth of the messages.
fn cross_validate(messages: &[Labelled], examples: &[Example], course: Course<'_>) {
    let mut judged: BTreeMap<&str, Vec<(f32, bool, bool)>> = BTreeMap::new();
    for fold in 0..FOLDS {
        let is_seen = |example: &&Example| example.message % FOLDS != fold;
        let file = trained(&examples.iter().filter(is_seen).collect::<Vec<_>>(), course);
        let classifier = Classifier::new(&file);
        for example in examples.iter().filter(|example| !is_seen(example)) {
            let judgement = classifier.judge_features(&example.features, example.is_short);
            let kind = example.kind.map(|kind| KINDS[kind].1);
            let group = &*messages[example.message].group;
            judged.entry(group).or_default().push((
                judgement.durable,
                kind.is_some(),
                kind == Some(judgement.scope),
            ));
        }
    }
    let real = judged.iter().filter(|(group, _)| group.starts_with("real"));
    let real: Vec<_> = real.flat_map(|(_, all)| all.iter().copied()).collect();
    let all: Vec<_> = judged.values().flatten().copied().collect();
    judged.insert("~ real", real);
    judged.insert("~ all", all);
    println!(
        "group: sentences, durable, average precision, precision and recall at 0.3 / 0.5 / 0.7, right kind"
    );
    for (group, mut of) in judged {
        of.sort_by(|a, b| b.0.total_cmp(&a.0));
        let durable = of.iter().filter(|one| one.1).count();
        let (mut found, mut sum) = (0.0, 0.0);
        for (n, (_, is_durable, _)) in of.iter().enumerate() {
            if *is_durable {
                found += 1.0;
                sum += found / (n + 1) as f32;
            }
        }
        print!(
            "{group:14} {:6} {durable:5} {:.3}",
            of.len(),
            sum / durable.max(1) as f32
        );
        for threshold in [0.3, 0.5, 0.7] {
            let taken = of.iter().filter(|one| one.0 >= threshold).count();
            let right = of.iter().filter(|one| one.0 >= threshold && one.1).count();
            print!(
                "  {:.2} {:.2}",
                right as f32 / taken.max(1) as f32,
                right as f32 / durable.max(1) as f32
            );
        }
        let kinds = of.iter().filter(|one| one.2).count();
        println!("  {:.2}", kinds as f32 / durable.max(1) as f32);
    }
}

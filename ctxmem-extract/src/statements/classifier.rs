//! The classifier: a weight for each feature, for "is it durable?", for each kind of fact, and for how short
//! sentences differ. Logistic regression; the weights are made by `scripts/train.sh`, and `model/CARD.md` says of
//! what.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::features::{BUCKETS, Context, each_feature};

/// How many weights each kind has.
pub const KIND_BUCKETS: usize = 1 << 16;

/// The kinds that a durable sentence may have, in the order of the weights, with the letters that
/// label them in the data.
pub const KINDS: [(char, Scope); 7] = [
    ('g', Scope::General),
    ('c', Scope::CommunicationStyle),
    ('p', Scope::Preferences),
    ('k', Scope::Knowledge),
    ('r', Scope::Relationships),
    ('h', Scope::History),
    ('o', Scope::Goals),
];

/// How many weights correct the judgement of short sentences, where a word says more than in a long one.
pub const SHORT_BUCKETS: usize = 1 << 15;

/// Where the correction begins in the file: behind durability and the kinds.
pub const SHORT_BEGINS: usize = 8 + BUCKETS + KINDS.len() * (8 + KIND_BUCKETS);

/// How long the file of weights is: for the question, for all kinds and for short sentences a scale and a bias as `f32`,
/// little endian, and the weights as `i8`. Those of the kinds stand together for each feature, since a sentence is
/// judged for all of them.
pub const FILE_BYTES: usize = SHORT_BEGINS + 8 + SHORT_BUCKETS;

static FILE: &[u8; FILE_BYTES] = include_bytes!("../../model/weights.bin");

static CLASSIFIER: LazyLock<Classifier<'static>> = LazyLock::new(|| Classifier::new(FILE));

/// What the classifier makes of a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// How likely it is that it says something durable about the speaker, from 0 to 1.
    pub durable: f32,
    /// How likely it would be if its words stood in a long sentence.
    pub at_length: f32,
    /// The kind that fits best, if it does.
    pub scope: Scope,
}

/// Judges a sentence.
pub fn judge(context: &Context<'_>) -> Judgement {
    CLASSIFIER.judge(context)
}

/// What makes a sum of weights a score.
#[derive(Clone, Copy)]
struct Measure {
    scale: f32,
    bias: f32,
}

impl Measure {
    fn score(self, sum: f32) -> f32 {
        sum * self.scale + self.bias
    }
}

/// Weights with their measure.
struct Weights<'f> {
    measure: Measure,
    each: &'f [u8],
}

impl Weights<'_> {
    fn at(&self, n: usize) -> f32 {
        self.each.get(n).copied().map_or(0.0, number)
    }
}

fn number(weight: u8) -> f32 {
    f32::from(weight.cast_signed())
}

/// Reads a file of weights from its beginning.
struct Reader<'f>(&'f [u8]);

impl<'f> Reader<'f> {
    fn take(&mut self, length: usize) -> &'f [u8] {
        let (head, tail) = self.0.split_at(length.min(self.0.len()));
        self.0 = tail;
        head
    }

    fn number(&mut self) -> f32 {
        f32::from_le_bytes(self.take(4).try_into().unwrap_or_default())
    }

    fn measure(&mut self) -> Measure {
        Measure {
            scale: self.number(),
            bias: self.number(),
        }
    }

    fn weights(&mut self, count: usize) -> Weights<'f> {
        Weights {
            measure: self.measure(),
            each: self.take(count),
        }
    }
}

/// The weights of a file.
pub struct Classifier<'f> {
    durable: Weights<'f>,
    kinds: [Measure; KINDS.len()],
    /// For each feature the weights of all kinds.
    by_kind: &'f [[u8; KINDS.len()]],
    short: Weights<'f>,
}

impl<'f> Classifier<'f> {
    /// Reads a file of [`FILE_BYTES`].
    pub fn new(file: &'f [u8; FILE_BYTES]) -> Self {
        let mut file = Reader(file);
        Self {
            durable: file.weights(BUCKETS),
            kinds: KINDS.map(|_| file.measure()),
            by_kind: file.take(KINDS.len() * KIND_BUCKETS).as_chunks().0,
            short: file.weights(SHORT_BUCKETS),
        }
    }

    /// Judges a sentence.
    pub fn judge(&self, context: &Context<'_>) -> Judgement {
        let mut sums = Sums::default();
        let is_short = each_feature(context, &mut |n, value| self.add(&mut sums, n, value));
        self.conclude(&sums, is_short)
    }

    /// Judges a sentence by its features, and by whether it is short.
    pub fn judge_features(&self, features: &[(u32, f32)], is_short: bool) -> Judgement {
        let mut sums = Sums::default();
        for (n, value) in features {
            self.add(&mut sums, usize::try_from(*n).unwrap_or_default(), *value);
        }
        self.conclude(&sums, is_short)
    }

    fn add(&self, sums: &mut Sums, n: usize, value: f32) {
        sums.durable += value * self.durable.at(n);
        if let Some(kinds) = self.by_kind.get(n % KIND_BUCKETS) {
            for (sum, weight) in sums.kinds.iter_mut().zip(kinds) {
                *sum += value * number(*weight);
            }
        }
        sums.short += value * self.short.at(n % SHORT_BUCKETS);
    }

    fn conclude(&self, sums: &Sums, is_short: bool) -> Judgement {
        let at_length = self.durable.measure.score(sums.durable);
        let score = if is_short {
            at_length + self.short.measure.score(sums.short)
        } else {
            at_length
        };
        let of_kinds = sums.kinds.iter().zip(self.kinds).zip(KINDS);
        let scored = of_kinds.map(|((sum, measure), (_, scope))| (measure.score(*sum), scope));
        let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
        Judgement {
            durable: logistic(score),
            at_length: logistic(at_length),
            scope: best.map_or(Scope::History, |(_, scope)| scope),
        }
    }
}

/// The likelihood that a score stands for.
pub fn logistic(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// The sums of a sentence's features.
#[derive(Default)]
struct Sums {
    durable: f32,
    kinds: [f32; KINDS.len()],
    short: f32,
}

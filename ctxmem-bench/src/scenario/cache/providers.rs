//! The rules and prices of providers' prompt caches, as their documentation had them in November
//! 2026.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use crate::load::float;

pub(super) struct Provider {
    pub(super) name: &'static str,
    matching: Matching,
    /// How long a prefix is kept after its last use, in seconds.
    lifetime: u64,
    /// Dollars a million tokens of input.
    price: f64,
    /// A written token costs this much of the price.
    write: f64,
    /// A read token costs this much of the price.
    read: f64,
}

/// What a request finds in the cache.
enum Matching {
    /// The longest beginning of an earlier request, in steps of this many tokens.
    Prefix { step: usize },
    /// A beginning that ends where an earlier request had a breakpoint. Ours are after each part
    /// of the system prompt, and after the last message.
    Breakpoints,
}

/// Shorter prefixes are not cached, in tokens. It is the same for all of them.
const SHORTEST: usize = 1_024;

pub(super) const PROVIDERS: [Provider; 4] = [
    // https://developers.openai.com/api/docs/guides/prompt-caching: automatic from 1,024 tokens in
    // steps of 128; no fee for writes before 5.6; extended retention of a day on request.
    // https://developers.openai.com/api/docs/pricing: $2.50, cached $0.25.
    Provider {
        name: "OpenAI gpt-5.4, 24h",
        matching: Matching::Prefix { step: 128 },
        lifetime: 24 * 3600,
        price: 2.5,
        write: 1.0,
        read: 0.1,
    },
    // The same guide: from 5.6 on a prefix is found at a breakpoint only, a write costs 1.25 of the
    // input's price, and lives for 30 minutes. Pricing: $2.00, cached $0.20.
    Provider {
        name: "OpenAI gpt-5.6-terra, 30m",
        matching: Matching::Breakpoints,
        lifetime: 30 * 60,
        price: 2.0,
        write: 1.25,
        read: 0.1,
    },
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching: breakpoints, five
    // minutes that each read restarts, a write 1.25 and a read 0.1 of the price. $3.
    Provider {
        name: "Anthropic claude-sonnet-4-5, 5m",
        matching: Matching::Breakpoints,
        lifetime: 5 * 60,
        price: 3.0,
        write: 1.25,
        read: 0.1,
    },
    // An hour, on request: a write costs twice the price.
    Provider {
        name: "Anthropic claude-sonnet-4-5, 1h",
        matching: Matching::Breakpoints,
        lifetime: 3600,
        price: 3.0,
        write: 2.0,
        read: 0.1,
    },
];

/// Tokens that were paid, by price.
#[derive(Default)]
pub(super) struct Paid {
    pub(super) input: f64,
    pub(super) read: f64,
    written: f64,
}

impl Paid {
    pub(super) fn dollars(&self, provider: &Provider) -> f64 {
        let plain = self.input - self.read - self.written;
        let price = plain + self.read * provider.read + self.written * provider.write;
        price * provider.price / 1e6
    }
}

/// What a provider keeps, and what was paid so far.
pub(super) struct PromptCache {
    provider: &'static Provider,
    pub(super) paid: Paid,
    /// Until when a prefix is kept, by its hash.
    prefixes: HashMap<u64, u64>,
    /// Of each user the last request, and until when it is kept.
    last: HashMap<usize, (Vec<Arc<str>>, u64)>,
}

impl PromptCache {
    pub(super) fn of(provider: &'static Provider) -> Self {
        Self {
            provider,
            paid: Paid::default(),
            prefixes: HashMap::new(),
            last: HashMap::new(),
        }
    }

    /// A request of this user, at this second. Its first two parts are the system prompt.
    pub(super) fn request(&mut self, at: u64, user: usize, parts: &[Arc<str>]) {
        let all = tokens(parts.iter().map(|part| part.len()).sum());
        let (read, cached) = match self.provider.matching {
            Matching::Prefix { step } => (self.longest(at, user, parts, step), all),
            Matching::Breakpoints => self.at_breakpoints(at, parts),
        };
        self.paid.input += float(all);
        self.paid.read += float(read);
        self.paid.written += float(cached.max(read) - read);
    }

    /// How many tokens at the beginning were sent before, by this user or as the first part of
    /// anybody's request.
    fn longest(&mut self, at: u64, user: usize, parts: &[Arc<str>], step: usize) -> usize {
        let until = at + self.provider.lifetime;
        let own = match self.last.get(&user) {
            Some((last, alive)) if *alive >= at => common(last, parts),
            _ => 0,
        };
        let first = parts.first().map_or(0, |part| part.len());
        let shared = match self.prefixes.insert(hash(&parts[..1]), until) {
            Some(alive) if alive >= at => first,
            _ => 0,
        };
        self.last.insert(user, (parts.to_vec(), until));
        let found = tokens(own.max(shared));
        if found < SHORTEST {
            0
        } else {
            found - found % step
        }
    }

    /// How many tokens are read, and up to which token the request is cached afterwards.
    fn at_breakpoints(&mut self, at: u64, parts: &[Arc<str>]) -> (usize, usize) {
        let until = at + self.provider.lifetime;
        let mut sum = 0;
        let (mut read, mut cached) = (0, 0);
        for end in 1..=parts.len() {
            sum += parts[end - 1].len();
            let length = tokens(sum);
            if length < SHORTEST {
                continue;
            }
            let prefix = hash(&parts[..end]);
            if self.prefixes.get(&prefix).is_some_and(|alive| *alive >= at) {
                read = length;
                self.prefixes.insert(prefix, until);
            }
            if end <= 2 || end == parts.len() {
                self.prefixes.insert(prefix, until);
                cached = length;
            }
        }
        (read, cached)
    }
}

/// About this many bytes are one token.
fn tokens(bytes: usize) -> usize {
    bytes / 4
}

/// How many bytes both begin with.
fn common(a: &[Arc<str>], b: &[Arc<str>]) -> usize {
    let bytes =
        |parts: &[Arc<str>]| -> Vec<u8> { parts.iter().flat_map(|part| part.bytes()).collect() };
    let (a, b) = (bytes(a), bytes(b));
    a.iter().zip(&b).take_while(|(a, b)| a == b).count()
}

fn hash(parts: &[Arc<str>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        part.hash(&mut hasher);
    }
    hasher.finish()
}

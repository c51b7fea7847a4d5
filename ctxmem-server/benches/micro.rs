//! `cargo bench --package ctxmem-server --bench micro`
//!
//! What a request spends its time on apart from the database and the network, each part alone.

fn main() {
    divan::main();
}

/// Bodies of requests, read as the server reads them.
mod parse {
    use ctxmem_types::json::{JsonError, from_slice};
    use ctxmem_types::{InjectRequest, UpdateRequest};
    use divan::black_box;

    #[divan::bench]
    fn inject() -> Result<InjectRequest, JsonError> {
        let body = br#"{"userId": "user-4711", "basePrompt": "You are a helpful assistant."}"#;
        from_slice(black_box(body))
    }

    #[divan::bench]
    fn update() -> Result<UpdateRequest, JsonError> {
        let body = br#"{"userId": "user-4711", "userMessage": "I live in Lisbon now. I use Helix as my editor.", "agentResponse": "Noted."}"#;
        from_slice(black_box(body))
    }
}

/// The block of a prompt, by the number of facts.
mod render {
    use ctxmem_server::core::block;
    use ctxmem_server::store::StoredFact;
    use ctxmem_types::{Scope, SliceKind, SourceType};
    use divan::{Bencher, black_box};

    /// More than any of these blocks needs.
    const BUDGET: usize = 100_000;

    #[divan::bench(args = [10, 100, 1_000])]
    fn facts(bencher: Bencher<'_, '_>, count: usize) {
        let facts = stored(count);
        let facts: Vec<&StoredFact> = facts.iter().collect();
        bencher.bench(|| block(black_box(&facts), BUDGET));
    }

    /// So many facts over all scopes, by scope and in the order of storing.
    pub(super) fn stored(count: usize) -> Vec<StoredFact> {
        let scopes = Scope::ALL.len();
        (0..count)
            .zip(0..)
            .map(|(n, position)| {
                let scope = Scope::ALL[n * scopes / count];
                StoredFact {
                    scope,
                    slot: format!("slot_{n}"),
                    name: (scope.kind() == SliceKind::Map).then(|| format!("slot_{n}")),
                    value: format!("Keeps the notes of project {n} in plain text"),
                    source_type: SourceType::Observed,
                    requested: false,
                    origin: None,
                    position,
                    first_stored_at: 1_700_000_000_000 + position,
                    confirmed_at: 1_700_000_000_000 + position,
                }
            })
            .collect()
    }
}

/// The texts that the stages of extraction are measured with.
mod messages {
    /// Nothing to remember, a fact, and a text of two kilobytes.
    pub(super) const KINDS: [&str; 3] = ["small talk", "fact", "2 KB"];

    pub(super) fn message(kind: &str) -> String {
        match kind {
            "small talk" => "thanks, that worked like a charm!".to_owned(),
            "fact" => "I live in Lisbon now. I use Helix as my editor.".to_owned(),
            _ => "I moved to Lisbon last year and write Go for a small team. \
                  Could you check the plan? "
                .repeat(23),
        }
    }
}

mod first_stage {
    use ctxmem_server::extract::first_stage::judge_message;
    use divan::{Bencher, black_box};

    use super::messages::{KINDS, message};

    #[divan::bench(args = KINDS)]
    fn message_of(bencher: Bencher<'_, '_>, kind: &str) {
        let message = message(kind);
        bencher.bench(|| judge_message(black_box(&message)));
    }
}

/// The first stage and the rules on one reading, as an update has it.
mod both {
    use ctxmem_server::extract::first_stage::{Verdict, judge};
    use ctxmem_server::extract::{BuiltIn, Candidate, Extractor as _, Interaction, Prose, Reading};
    use divan::{Bencher, black_box};

    use super::messages::{KINDS, message};

    fn learned(message: &str) -> Option<Vec<Candidate>> {
        let prose = Prose::of(message);
        let reading = Reading::of(&prose);
        let Verdict::Extract(_) = judge(&reading) else {
            return None;
        };
        let interaction = Interaction {
            user_message: message,
            agent_response: "Noted.",
            known: &[],
            today: chrono::NaiveDate::default(),
        };
        BuiltIn.extract_now(&interaction, &reading)
    }

    #[divan::bench(args = KINDS)]
    fn message_of(bencher: Bencher<'_, '_>, kind: &str) {
        let message = message(kind);
        bencher.bench(|| learned(black_box(&message)));
    }
}

/// The rules and the gate behind them.
mod rules {
    use ctxmem_server::extract::{BuiltIn, Candidate, Extractor as _, Interaction, admit};
    use divan::{Bencher, black_box};
    use futures_util::FutureExt as _;

    use super::messages::{KINDS, message};

    /// The candidates; at this length the rules never wait for anything.
    fn found(message: &str) -> Option<Vec<Candidate>> {
        let interaction = Interaction {
            user_message: message,
            agent_response: "Noted.",
            known: &[],
            today: chrono::NaiveDate::default(),
        };
        BuiltIn.extract(&interaction).now_or_never()?.ok()
    }

    #[divan::bench(args = KINDS)]
    fn message_of(bencher: Bencher<'_, '_>, kind: &str) {
        let message = message(kind);
        bencher.bench(|| found(black_box(&message)));
    }

    #[divan::bench]
    fn gate(bencher: Bencher<'_, '_>) {
        let found = found(&message("fact")).unwrap_or_default();
        bencher.with_inputs(|| found.clone()).bench_values(admit);
    }
}

/// A block of three kilobytes, on its way into an answer.
mod escape {
    use ctxmem_server::core::block;
    use ctxmem_server::store::StoredFact;
    use divan::{Bencher, black_box};

    #[divan::bench]
    fn block_of_3_kb(bencher: Bencher<'_, '_>) {
        let facts = super::render::stored(55);
        let facts: Vec<&StoredFact> = facts.iter().collect();
        let block = block(&facts, 100_000).unwrap_or_default();
        bencher.bench(|| serde_json::to_string(black_box(&block)));
    }
}

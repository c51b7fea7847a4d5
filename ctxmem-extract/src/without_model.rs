//! A message's whole way without a model: reading, first stage, rules and gate.

use std::sync::LazyLock;

use chrono::NaiveDate;

use crate::first_stage::{self, Reason, Verdict};
use crate::text::{Prose, Reading};
use crate::{Candidate, Interaction, admit, rules};

/// What the first stage and the rules make of one exchange.
pub struct Extraction {
    /// Why the first stage dropped the message, if it did.
    pub filtered: Option<Reason>,
    /// What passed the gate.
    pub facts: Vec<Candidate>,
}

/// Extracts the facts of one exchange with the built-in rules.
pub fn extract_without_model(interaction: &Interaction<'_>) -> Extraction {
    let prose = Prose::of(interaction.user_message);
    let reading = Reading::of(&prose);
    match first_stage::judge(&reading) {
        Verdict::Filtered(reason) => Extraction {
            filtered: Some(reason),
            facts: Vec::new(),
        },
        Verdict::Extract(_) => Extraction {
            filtered: None,
            facts: admit(rules::extract(&reading, interaction)),
        },
    }
}

/// Reads the lists and compiles the patterns that a first message needs, unless that was done. It takes some
/// time of a processor, most of all in a build without optimisation, during which others that extract wait: a
/// server does it before it has callers.
pub fn prepare() {
    static PREPARED: LazyLock<()> = LazyLock::new(|| {
        let _ = extract_without_model(&Interaction {
            user_message: "Please remember that I live in Porto. I've been allergic to peanuts since \
                           March 2020, so forget the satay. Call me Max.",
            agent_response: "",
            known: &[],
            today: NaiveDate::default(),
        });
    });
    LazyLock::force(&PREPARED);
}

//! A message's whole way without a model: reading, first stage, rules and gate.

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

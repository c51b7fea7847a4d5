//! From one interaction to facts about the user.
//!
//! The way of a message: a [`Reading`] takes it apart for all who look into it;
//! [`first_stage`] decides without a model whether it can hold anything durable; an
//! [`Extractor`] ([`Rules`] or [`Model`]) finds candidates; [`admit()`] is the gate that every
//! candidate passes, whoever found it. Which scopes an agent may write is no business of this
//! module, and nothing here touches the store.

mod admit;
mod answer;
mod by_hand;
mod candidate;
mod error;
pub mod first_stage;
mod known;
mod lists;
mod openai;
mod orders;
mod probe;
mod prompt;
mod rules;
pub mod secrets;
mod text;

use async_trait::async_trait;

pub use admit::admit;
pub use by_hand::{Refusal, admit_by_hand};
pub use candidate::{Candidate, Op};
pub use error::ExtractError;
pub use known::Known;
pub use openai::{Model, ModelConfig};
pub use rules::Rules;
pub use text::Reading;

/// One exchange between a user and an agent.
///
/// No `Debug`: what people say never reaches the log.
#[derive(Clone, Copy)]
pub struct Interaction<'a> {
    /// What the user wrote; the only source of facts.
    pub user_message: &'a str,
    /// What the agent answered; it only helps to understand the user's words.
    pub agent_response: &'a str,
    /// What is known of the user in the scopes that the agent is granted, the last confirmed
    /// first. Empty for an extractor that does not ask for it.
    pub known: &'a [Known],
}

/// Finds durable facts about the user in one interaction.
#[async_trait]
pub trait Extractor: Send + Sync + 'static {
    /// The facts of one interaction, whatever their scope. The caller passes them through
    /// [`admit()`] before anything else happens to them.
    async fn extract(&self, interaction: &Interaction<'_>) -> Result<Vec<Candidate>, ExtractError>;

    /// The same where the user's message has been read already, which spares an extractor that
    /// goes by its clauses doing so again.
    async fn extract_read(
        &self,
        interaction: &Interaction<'_>,
        _reading: Reading<'_>,
    ) -> Result<Vec<Candidate>, ExtractError> {
        self.extract(interaction).await
    }

    /// Whether it makes use of what is known already. It is not read for one that doesn't.
    fn wants_known(&self) -> bool {
        false
    }

    /// Whether it has an answer to this at once, without waiting for anybody.
    fn is_instant(&self, _interaction: &Interaction<'_>) -> bool {
        false
    }

    /// Whether the remote part answers, or `None` when there is none. It costs no
    /// completion, and asking often is cheap.
    async fn probe(&self) -> Option<bool>;
}

//! Who extracts: the built-in rules or a model. What they share, the pure part, is the crate
//! `ctxmem-extract`; here are the trait, the call to the model and the choice between them.

mod error;
mod openai;
mod probe;
mod rules;

use async_trait::async_trait;

pub use ctxmem_extract::{
    ALLERGY, Admitted, Candidate, Interaction, Known, Op, Prose, Reading, Refusal, admit,
    admit_all, admit_by_hand, first_stage, holds_secret, holds_several, secrets,
};
pub use error::ExtractError;
pub use openai::{Model, ModelConfig};
pub use rules::Rules;

/// Finds durable facts about the user in one interaction.
#[async_trait]
pub trait Extractor: Send + Sync + 'static {
    /// The facts of one interaction, whatever their scope. The caller passes them through
    /// [`admit_all()`] before anything else happens to them.
    async fn extract(&self, interaction: &Interaction<'_>) -> Result<Vec<Candidate>, ExtractError>;

    /// The same where the user's message has been read already, which spares an extractor that
    /// goes by its clauses doing so again.
    async fn extract_read(
        &self,
        interaction: &Interaction<'_>,
        _reading: &Reading<'_>,
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

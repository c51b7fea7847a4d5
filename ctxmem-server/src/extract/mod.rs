//! Extractors: the built-in rules or a model. The crate `ctxmem-extract` holds the pure part that
//! both share; here are the trait and the HTTP call to the model.

mod built_in;
mod endpoint;
mod error;
mod metrics;
mod model;
mod reloadable;

use async_trait::async_trait;
use prometheus::proto::MetricFamily;

pub use ctxmem_extract::{
    ALLERGY, Admitted, Candidate, HOME, Interaction, Known, Op, Prose, Reading, Refusal,
    StatedChanges, admit, admit_all, admit_by_hand, composed, first_stage, holds_secret,
    holds_several, is_hidden, is_post, is_unspaced, point_to_known, prepare, prompt, quotation,
    readable, secrets, subject_groups, subject_phrases, tells_an_end, weekdays, written_down,
};

pub use built_in::BuiltIn;
pub use ctxmem_extract::dialect::{Dialect, Limit};
pub use endpoint::ModelConfig;
pub use error::ExtractError;
pub use model::Model;
pub use reloadable::ReloadableModel;

use metrics::ModelMetrics;

/// Finds durable facts about the user in one interaction.
#[async_trait]
pub trait Extractor: Send + Sync + 'static {
    /// The facts of one interaction, in any scope. The caller passes them through
    /// [`admit_all()`] before it does anything else with them.
    ///
    /// # Errors
    ///
    /// When the model can't be reached, takes too long or gives no usable answer. The rules never
    /// fail.
    async fn extract(&self, interaction: &Interaction<'_>) -> Result<Vec<Candidate>, ExtractError>;

    /// The same for a message that has been read already, where that takes no waiting; otherwise
    /// `None`.
    fn extract_now(
        &self,
        _interaction: &Interaction<'_>,
        _reading: &Reading<'_>,
    ) -> Option<Vec<Candidate>> {
        None
    }

    /// Whether a language model finds the facts.
    fn is_model(&self) -> bool {
        false
    }

    /// Whether it uses the facts that are known already. They are only read if it does.
    fn wants_known(&self) -> bool {
        false
    }

    /// The current metrics of its requests to a model, if it makes any.
    fn gather_metrics(&self) -> Vec<MetricFamily> {
        Vec::new()
    }

    /// Whether the remote part answers; `None` if there is none. The check uses no completion and
    /// may be called often.
    async fn probe(&self) -> Option<bool> {
        None
    }
}

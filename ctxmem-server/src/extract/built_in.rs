//! The built-in extractor. It needs no model and no configuration.

use async_trait::async_trait;
use ctxmem_extract::rules;

use super::{Candidate, ExtractError, Extractor, Interaction, Prose, Reading};

/// Extracts with the rules of `ctxmem-extract`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

#[async_trait]
impl Extractor for BuiltIn {
    async fn extract(&self, interaction: &Interaction<'_>) -> Result<Vec<Candidate>, ExtractError> {
        let prose = Prose::of(interaction.user_message);
        Ok(rules::extract(&Reading::of(&prose), interaction))
    }

    fn extract_now(
        &self,
        interaction: &Interaction<'_>,
        reading: &Reading<'_>,
    ) -> Option<Vec<Candidate>> {
        Some(rules::extract(reading, interaction))
    }
}

//! The built-in extractor. It needs no model and no configuration.

use std::panic;

use async_trait::async_trait;
use ctxmem_extract::rules;

use super::{Candidate, ExtractError, Extractor, Interaction, Prose, Reading};

/// Extracts with the rules of `ctxmem-extract`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules;

/// Longer messages are read on a blocking thread, because a hostile one would take long enough to
/// delay other requests.
const INLINE_BYTES: usize = 2048;

#[async_trait]
impl Extractor for Rules {
    async fn extract(&self, interaction: &Interaction<'_>) -> Result<Vec<Candidate>, ExtractError> {
        let message = interaction.user_message;
        if self.is_instant(interaction) {
            return Ok(rules::extract(
                &Reading::of(&Prose::of(message)),
                interaction,
            ));
        }
        let (message, answer) = (message.to_owned(), interaction.agent_response.to_owned());
        let today = interaction.today;
        let read = move || {
            let interaction = Interaction {
                user_message: &message,
                agent_response: &answer,
                known: &[],
                today,
            };
            rules::extract(&Reading::of(&Prose::of(&message)), &interaction)
        };
        match tokio::task::spawn_blocking(read).await {
            Ok(found) => Ok(found),
            Err(error) => panic::resume_unwind(error.into_panic()),
        }
    }

    async fn extract_read(
        &self,
        interaction: &Interaction<'_>,
        reading: &Reading<'_>,
    ) -> Result<Vec<Candidate>, ExtractError> {
        if self.is_instant(interaction) {
            return Ok(rules::extract(reading, interaction));
        }
        self.extract(interaction).await
    }

    fn is_instant(&self, interaction: &Interaction<'_>) -> bool {
        interaction.user_message.len() <= INLINE_BYTES
    }

    async fn probe(&self) -> Option<bool> {
        None
    }
}

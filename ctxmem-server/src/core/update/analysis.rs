//! Local analysis of a message: what it holds, found out without asking a model.

use std::num::NonZero;
use std::panic;
use std::sync::Arc;
use std::thread::available_parallelism;

use ctxmem_types::Scope;
use tokio::sync::Semaphore;

use crate::core::Error;
use crate::extract::first_stage::{self, Verdict};
use crate::extract::{
    self, Admitted, Candidate, Extractor, Interaction, Op, Prose, Reading, StatedChanges,
};
use crate::store::StoreError;

/// Longer messages are read on a blocking thread, because a hostile one would take long enough to
/// delay other requests.
const SHORT_BYTES: usize = 2048;

/// What a message holds.
pub(super) struct Analysis {
    pub(super) verdict: Verdict,
    /// The facts in it, unless a model has to be asked for them.
    pub(super) found: Option<Admitted>,
}

/// Reads messages. What a long one is taken apart into is many times its size, so only as many
/// long ones are read at once as there are cores.
pub(in crate::core) struct Analyst {
    extractor: Arc<dyn Extractor>,
    long_messages: Arc<Semaphore>,
}

impl Analyst {
    pub(in crate::core) fn new(extractor: Arc<dyn Extractor>) -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self {
            extractor,
            long_messages: Arc::new(Semaphore::new(cores)),
        }
    }

    /// Reads a short message; `None` if it is long.
    pub(super) fn read_short(&self, interaction: &Interaction<'_>) -> Option<Analysis> {
        let is_short = interaction.user_message.len() <= SHORT_BYTES;
        is_short.then(|| analyse(&*self.extractor, interaction))
    }

    /// Reads a message of any length.
    pub(super) async fn read(&self, interaction: &Interaction<'_>) -> Result<Analysis, Error> {
        if let Some(analysis) = self.read_short(interaction) {
            return Ok(analysis);
        }
        let permit = Arc::clone(&self.long_messages).acquire_owned().await;
        let permit = permit.map_err(|_| StoreError::Interrupted)?;
        let extractor = Arc::clone(&self.extractor);
        let (message, answer) = (
            interaction.user_message.to_owned(),
            interaction.agent_response.to_owned(),
        );
        let today = interaction.today;
        let reading = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let interaction = Interaction {
                user_message: &message,
                agent_response: &answer,
                known: &[],
                today,
            };
            analyse(&*extractor, &interaction)
        });
        match reading.await {
            Ok(analysis) => Ok(analysis),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => panic::resume_unwind(panic),
                Err(_cancelled) => Err(StoreError::Interrupted.into()),
            },
        }
    }
}

fn analyse(extractor: &dyn Extractor, interaction: &Interaction<'_>) -> Analysis {
    let prose = Prose::of(interaction.user_message);
    let reading = Reading::of(&prose);
    let verdict = first_stage::judge(&reading);
    let found = match verdict {
        Verdict::Extract(_) => extractor
            .extract_now(interaction, &reading)
            .map(|found| admit(found, interaction.user_message)),
        Verdict::Filtered(_) => None,
    };
    Analysis { verdict, found }
}

/// What may be stored of what an extractor found in a message, marked where the message says that
/// it changed.
pub(super) fn admit(found: Vec<Candidate>, message: &str) -> Admitted {
    let mut admitted = extract::admit_all(found);
    admitted.facts.retain(is_at_home);
    if !admitted.facts.is_empty() {
        let changes = StatedChanges::of(message);
        for fact in &mut admitted.facts {
            let known = fact.known.as_ref();
            fact.changed = changes.speak_of(&fact.value)
                || known.is_some_and(|known| changes.speak_of(&known.value));
        }
    }
    admitted
}

/// Whether what was extracted belongs where it was put: `general` takes three names. What users
/// write there by hand, and what is there already, may have others.
fn is_at_home(fact: &Candidate) -> bool {
    fact.scope != Scope::General
        || fact.op != Op::Set
        || matches!(fact.key.as_deref(), Some("name" | "location" | "timezone"))
}

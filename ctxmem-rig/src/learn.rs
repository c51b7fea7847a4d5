//! Sending what a run taught, where no queue is given.

use std::sync::Arc;

use ctxmem_client::{Interaction, Memory};
use tokio::runtime::Handle;

/// Sends the interaction in a task of its own: the run neither waits for it nor fails with
/// it.
pub(crate) fn spawn(memory: &Arc<dyn Memory>, interaction: Interaction) {
    let Ok(runtime) = Handle::try_current() else {
        tracing::warn!("not within tokio, so nothing was learned from a run");
        return;
    };
    let memory = Arc::clone(memory);
    runtime.spawn(async move {
        if let Err(error) = memory.update_with(&interaction).await {
            tracing::warn!(%error, "nothing was learned from a run");
        }
    });
}

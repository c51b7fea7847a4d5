//! The caller: the user whom a request is about, and the memory, reached with the agent's key.

use std::fmt;
use std::sync::Arc;

use ctxmem_types::UserId;

use crate::service::MemoryService;

/// The user whom a request is about, and the memory service, reached with the agent's key.
#[derive(Clone)]
pub struct Caller {
    pub(crate) service: Arc<dyn MemoryService>,
    pub(crate) user_id: UserId,
}

impl Caller {
    /// Requests are about this user, and go to this service.
    pub fn new(service: Arc<dyn MemoryService>, user_id: UserId) -> Self {
        Self { service, user_id }
    }
}

/// `Debug` shows nothing of the user, because it ends up in logs.
impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").finish_non_exhaustive()
    }
}

//! What is remembered of a user: reading all of it, deleting all of it.

use ctxmem_types::{Context, DeleteResponse, UserId, path};

use crate::client::{Auth, Call};
use crate::{Client, Error};

impl Client {
    /// Reads what is remembered of a user in the scopes that the agent is granted.
    ///
    /// Without an active grant the error's code is `Forbidden`. A user of whom nothing is
    /// stored has an empty context; other deployments answer `NotFound`.
    pub async fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        let call = Call::get(path::context(user_id), Auth::Key);
        self.send(call).await?.json()
    }

    /// Deletes everything that is remembered of a user, in all scopes and for all agents,
    /// and revokes all of the user's grants. This can't be undone.
    pub async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        let call = Call::delete(path::context(user_id), Auth::Key);
        self.send(call).await?.json()
    }
}

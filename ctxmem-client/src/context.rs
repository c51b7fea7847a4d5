//! What is remembered of a user: reading all of it, deleting all of it.

use ctxmem_types::{Context, DeleteResponse, UserId, path};
use uuid::Uuid;

use crate::client::{Auth, Call};
use crate::{Client, Error};

const ROUTE: &str = "/api/context/{userId}";

impl Client {
    /// Reads what is remembered of a user in the scopes that the agent is granted.
    ///
    /// Without an active grant the error's code is `Forbidden`. A user of whom nothing is
    /// stored has an empty context; other deployments answer `NotFound`.
    pub async fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        let call = Call::get(ROUTE, path::context(user_id), Auth::Key);
        self.send(call).await?.json()
    }

    /// Deletes everything that is remembered of a user, in all scopes and for all agents,
    /// and revokes all of the user's grants. This can't be undone.
    ///
    /// It is tried again when its answer gets lost. A deployment that does not know
    /// idempotency keys then answers `Forbidden` although the first try deleted everything,
    /// because that has revoked the grant.
    pub async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        let path = path::context(user_id);
        let call = Call::delete(ROUTE, path, Auth::Key)
            .with_idempotency_key(&Uuid::new_v4().to_string())?;
        self.send(call).await?.json()
    }
}

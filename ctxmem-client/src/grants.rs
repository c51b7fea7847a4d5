//! Grants: which scopes of a user's context an agent may read and write.

use ctxmem_types::{Grant, GrantRequest, GrantResponse, path};

use crate::client::{ApiRequest, Auth};
use crate::{Client, Error};

impl Client {
    /// Creates a grant. It replaces the grant that the user gave the agent before.
    ///
    /// An agent can't grant itself more than the user left it. A signed-in user
    /// ([`UserClient`](crate::UserClient)) may grant anything.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with the code [`Forbidden`](crate::ErrorCode::Forbidden) if the agent
    /// asks for more than it may have; any other [`Error`] if the call fails.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, GrantRequest, Scope, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let agent_id = "8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";
    /// let scopes = [Scope::Preferences, Scope::Goals];
    /// let grant = client.create_grant(&GrantRequest::new(user, agent_id, scopes)).await?;
    /// println!("granted as {}", grant.id);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        let request = ApiRequest::post(path::GRANTS, Auth::Own, request)?;
        let response: GrantResponse = self.call(request).await?;
        Ok(response.grant)
    }
}

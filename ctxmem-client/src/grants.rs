//! Which scopes of a user's context an agent may read and write.

use ctxmem_types::{Grant, GrantRequest, GrantResponse, RevokeResponse, path};

use crate::client::{Auth, Call};
use crate::error::InvalidCall;
use crate::{Client, Error};

impl Client {
    /// Creates a grant, which replaces the one that the user had given the agent before.
    ///
    /// A client with a session cookie acts as the signed-in user, who may grant anything.
    /// One without acts as the agent, which may not grant itself more than the user left it.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Grant, GrantRequest, Scope, UserId};
    ///
    /// async fn ask_for_little(client: &Client, user: UserId) -> Result<Grant, ctxmem_client::Error> {
    ///     let scopes = [Scope::Preferences, Scope::Goals];
    ///     let agent_id = "8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";
    ///     client.create_grant(&GrantRequest::new(user, agent_id, scopes)).await
    /// }
    /// ```
    pub async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        let call = Call::post(path::GRANTS, Auth::SessionOrKey, request)?;
        let response: GrantResponse = self.send(call).await?.json()?;
        Ok(response.grant)
    }

    /// Revokes a grant of the signed-in user. Needs a session cookie: only the user may, an
    /// agent may not.
    pub async fn revoke_grant(&self, grant_id: impl AsRef<str>) -> Result<RevokeResponse, Error> {
        let grant_id = grant_id.as_ref();
        // URL parsers drop such segments, and the call would go to another address.
        if matches!(grant_id, "" | "." | "..") {
            return Err(InvalidCall::InvalidGrantId.into());
        }
        let call = Call::delete(
            "/api/grants/{grantId}",
            path::grant(grant_id),
            Auth::Session,
        );
        self.send(call).await?.json()
    }
}

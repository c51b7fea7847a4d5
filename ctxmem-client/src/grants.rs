//! Grants: which scopes of a user's context an agent may read and write.

use ctxmem_types::{Grant, GrantRequest, GrantResponse, RevokeResponse, path};

use crate::client::{ApiRequest, Auth};
use crate::error::InvalidCall;
use crate::{Client, Error};

impl Client {
    /// Creates a grant. It replaces the grant that the user gave the agent before.
    ///
    /// A client with a session cookie acts as the signed-in user, who may grant anything.
    /// Otherwise it acts as the agent, which can't grant itself more than the user left it.
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
        let request = ApiRequest::post(path::GRANTS, Auth::SessionOrKey, request)?;
        let response: GrantResponse = self.call(request).await?;
        Ok(response.grant)
    }

    /// Revokes a grant of the signed-in user. It needs a session cookie, because only the user
    /// may revoke a grant, not the agent.
    ///
    /// # Errors
    ///
    /// [`InvalidCall::MissingSessionCookie`] if the client has no session cookie;
    /// [`InvalidCall::InvalidGrantId`] if the id can't be part of an address; [`Error::Api`]
    /// with the code [`NotFound`](crate::ErrorCode::NotFound) if the user has no such grant;
    /// any other [`Error`] if the call fails.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Grant};
    ///
    /// # async fn example(client: Client, grant: Grant) -> Result<(), Box<dyn std::error::Error>> {
    /// let user = client.with_session_cookie("session=4f3c9a")?;
    /// assert!(user.revoke_grant(&grant.id).await?.revoked);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn revoke_grant(&self, grant_id: impl AsRef<str>) -> Result<RevokeResponse, Error> {
        let grant_id = grant_id.as_ref();
        // URL parsers drop such segments, so the call would go to another address.
        if matches!(grant_id, "" | "." | "..") {
            return Err(InvalidCall::InvalidGrantId.into());
        }
        let request = ApiRequest::delete(
            "/api/grants/{grantId}",
            path::grant(grant_id),
            Auth::Session,
        );
        self.call(request).await
    }
}

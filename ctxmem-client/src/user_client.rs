//! What a signed-in user does: the user grants and revokes, and sees and deletes all that is stored.

use ctxmem_types::{DeleteResponse, FactRecord, Grant, GrantRequest, RevokeResponse, UserId, path};

use crate::client::{ApiRequest, Auth, is_segment};
use crate::error::InvalidCall;
use crate::{CallOptions, Client, Error};

/// A client of a signed-in user. It is built by [`Client::as_user`] or
/// [`ClientBuilder::build_user`](crate::ClientBuilder::build_user).
#[derive(Clone, Debug)]
pub struct UserClient {
    client: Client,
}

impl UserClient {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// The same client with these options. See [`Client::with_options`].
    #[must_use]
    pub fn with_options(&self, options: CallOptions) -> Self {
        Self::new(self.client.with_options(options))
    }

    /// Grants an agent scopes of the user's, in place of those that it had.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with the code [`NotFound`](crate::ErrorCode::NotFound) if there is no such agent; any other
    /// [`Error`] if the call fails.
    pub async fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        self.client.create_grant(request).await
    }

    /// Revokes a grant: from then on the agent sees and stores nothing.
    ///
    /// # Errors
    ///
    /// [`InvalidCall::InvalidGrantId`] if the id can't be part of an address; [`Error::Api`]
    /// with the code [`NotFound`](crate::ErrorCode::NotFound) if the user has no such grant;
    /// any other [`Error`] if the call fails.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Grant};
    ///
    /// # async fn example(client: Client, grant: Grant) -> Result<(), Box<dyn std::error::Error>> {
    /// let user = client.as_user("session=4f3c9a")?;
    /// assert!(user.revoke_grant(&grant.id).await?.revoked);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn revoke_grant(&self, grant_id: impl AsRef<str>) -> Result<RevokeResponse, Error> {
        let grant_id = grant_id.as_ref();
        if !is_segment(grant_id) {
            return Err(InvalidCall::InvalidGrantId.into());
        }
        let route = "/api/grants/{grantId}";
        let request = ApiRequest::delete(route, path::grant(grant_id), Auth::Own);
        self.client.call(request).await
    }

    /// Lists all that is remembered of the user. See [`Client::facts`].
    ///
    /// # Errors
    ///
    /// As for [`Client::facts`].
    pub async fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, Error> {
        self.client.facts(user_id).await
    }

    /// Searches all that is remembered of the user. See [`Client::search_facts`].
    ///
    /// # Errors
    ///
    /// As for [`Client::search_facts`].
    pub async fn search_facts(
        &self,
        user_id: &UserId,
        query: impl Into<String>,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, Error> {
        self.client.search_facts(user_id, query, limit).await
    }

    /// Permanently deletes one fact, whoever stored it. See [`Client::delete_fact`].
    ///
    /// # Errors
    ///
    /// As for [`Client::delete_fact`].
    pub async fn delete_fact(
        &self,
        user_id: &UserId,
        fact_id: impl AsRef<str>,
    ) -> Result<DeleteResponse, Error> {
        self.client.delete_fact(user_id, fact_id).await
    }
}

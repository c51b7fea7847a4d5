//! A user's context: reading and deleting what is remembered.

use ctxmem_types::{Context, DeleteResponse, UserId, path};

use crate::client::{ApiRequest, Auth};
use crate::{Client, Error};

pub(crate) const ROUTE: &str = "/api/context/{userId}";

impl Client {
    /// Reads what is remembered about a user in the scopes that the agent is granted.
    ///
    /// If nothing is stored about the user, our server answers with an empty context, and
    /// other deployments with `NotFound`.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with the code [`Forbidden`](crate::ErrorCode::Forbidden) if the agent
    /// has no active grant from the user; any other [`Error`] if the call fails.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let context = client.context(&UserId::new("ada")?).await?;
    /// for (name, fact) in &context.preferences {
    ///     println!("{name}: {}", fact.value);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        let request = ApiRequest::get(ROUTE, path::context(user_id), Auth::Own);
        self.call(request).await
    }

    /// Deletes everything that is remembered about a user, in all scopes and for all agents,
    /// and revokes all grants of the user. This can't be undone.
    ///
    /// This agent then has no access to the user either: injects answer the base prompt, and updates are refused.
    /// The answer's `consent_url` is the page where the user can allow it again. Show it if they may want to begin
    /// anew.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with the code [`Forbidden`](crate::ErrorCode::Forbidden) if the agent
    /// has no active grant from the user; any other [`Error`] if the call fails.
    ///
    /// The call is retried when its answer gets lost. A deployment without idempotency keys
    /// may then answer `Forbidden` although the first attempt deleted everything, because
    /// that attempt revoked the grant as well.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let response = client.delete_context(&UserId::new("ada")?).await?;
    /// assert!(response.deleted);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        self.delete(ROUTE, path::context(user_id)).await
    }
}

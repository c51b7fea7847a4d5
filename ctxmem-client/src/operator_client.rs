//! What the operator's application does: it signs users in to the pages of the service.

use ctxmem_types::{SignInLinkRequest, SignInLinkResponse, UserId, path};

use crate::client::{ApiRequest, Auth};
use crate::{Client, Error};

/// A client of the operator's application, which has signed its users in itself. It is built by
/// [`ClientBuilder::build_operator`](crate::ClientBuilder::build_operator).
#[derive(Clone, Debug)]
pub struct OperatorClient {
    client: Client,
}

impl OperatorClient {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Requests a link with which this user can sign in to the pages of the service, once and
    /// within minutes. Send the user's browser there, and nobody else: whoever opens it is signed
    /// in as the user.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with the code [`Unauthorized`](crate::ErrorCode::Unauthorized) if the secret
    /// is wrong or the service has none configured; any other [`Error`] if the call fails.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(user: UserId) -> Result<(), Box<dyn std::error::Error>> {
    /// let operator = Client::builder()
    ///     .base_url("https://memory.example.com")
    ///     .build_operator(std::env::var("CTXMEM_SIGN_IN_SECRET")?)?;
    /// let link = operator.create_sign_in_link(&user).await?;
    /// println!("Location: {}", link.url);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_sign_in_link(&self, user_id: &UserId) -> Result<SignInLinkResponse, Error> {
        let request = SignInLinkRequest::new(user_id.clone());
        let request = ApiRequest::post(path::SIGN_IN_LINKS, Auth::Own, &request)?;
        self.client.call(request).await
    }
}

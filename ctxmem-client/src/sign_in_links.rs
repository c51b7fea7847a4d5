//! Links with which users sign in to the pages of the service.

use ctxmem_types::{SignInLinkRequest, SignInLinkResponse, UserId, path};

use crate::client::{ApiRequest, Auth};
use crate::{Client, Error};

impl Client {
    /// Requests a link with which this user can sign in to the pages of the service, once and
    /// within minutes. Send the user's browser there, and nobody else: whoever opens it is signed
    /// in as the user.
    ///
    /// It is for the application in which the user is signed in already, and needs the operator's
    /// secret ([`ClientBuilder::sign_in_secret`](crate::ClientBuilder::sign_in_secret)). An agent's
    /// key is not enough, because agents must not sign users in.
    ///
    /// # Errors
    ///
    /// [`InvalidCall::MissingSignInSecret`](crate::InvalidCall::MissingSignInSecret) if the client
    /// has no secret; [`Error::Api`] with the code
    /// [`Unauthorized`](crate::ErrorCode::Unauthorized) if it is wrong or the service has none
    /// configured; any other [`Error`] if the call fails.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(user: UserId) -> Result<(), Box<dyn std::error::Error>> {
    /// let pages = Client::builder()
    ///     .base_url("https://memory.example.com")
    ///     .sign_in_secret(std::env::var("CTXMEM_SIGN_IN_SECRET")?)
    ///     .build()?;
    /// let link = pages.create_sign_in_link(&user).await?;
    /// println!("Location: {}", link.url);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_sign_in_link(&self, user_id: &UserId) -> Result<SignInLinkResponse, Error> {
        let request = SignInLinkRequest::new(user_id.clone());
        let request = ApiRequest::post(path::SIGN_IN_LINKS, Auth::SignInSecret, &request)?;
        self.call(request).await
    }
}

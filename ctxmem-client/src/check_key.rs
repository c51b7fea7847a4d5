//! The check of the API key: whether the service accepts it.

use ctxmem_types::ErrorCode;
use serde::de::IgnoredAny;
use uuid::Uuid;

use crate::client::{ApiRequest, Auth};
use crate::{Client, Error, context};

impl Client {
    /// Checks that the service can be reached and takes the API key. Call it when your program
    /// starts: neither [`warm_up`](Self::warm_up) nor [`health`](Self::health) sends the key, and a
    /// turn with a wrong one just goes without memory.
    ///
    /// It asks for the context of a user that does not exist, because the interface has no call that
    /// is only about the key. The service refuses that for lack of a grant, which is success here.
    /// Nothing is stored.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with the code [`Unauthorized`](crate::ErrorCode::Unauthorized) if the key is
    /// wrong, revoked or expired; with the code [`NotFound`](crate::ErrorCode::NotFound) if there is
    /// no such interface at the base URL; any other [`Error`] if the call fails.
    ///
    /// ```no_run
    /// use ctxmem_client::Client;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let memory = Client::from_env()?;
    /// match memory.check_key().await {
    ///     Ok(()) => {}
    ///     Err(error) if error.is_unauthorized() => return Err("CTXMEM_API_KEY is wrong".into()),
    ///     Err(error) => eprintln!("memory can't be reached yet: {error}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn check_key(&self) -> Result<(), Error> {
        let nobody = format!("/api/context/{}", Uuid::new_v4());
        let request = ApiRequest::get(context::ROUTE, nobody, Auth::Own);
        let answer = self.send(request).await;
        match answer.and_then(|answer| answer.json()) {
            Ok(IgnoredAny) => Ok(()),
            // Deployments differ in what they answer for a user that they don't know. A bare 403 or
            // 404 may be of a proxy, or of a wrong address.
            Err(error) => match error.code() {
                Some(ErrorCode::Forbidden) => Ok(()),
                // The service says so of a wrong path as well, such as one with `/api` twice.
                Some(ErrorCode::NotFound) => match self.health().await {
                    Err(health) if health.is_not_found() => Err(error),
                    _ => Ok(()),
                },
                _ => Err(error),
            },
        }
    }
}

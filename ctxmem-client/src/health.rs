//! The health of the service.

use ctxmem_types::{Health, path};
use reqwest::StatusCode;

use crate::client::{ApiRequest, Auth, Operation};
use crate::{Client, Error};

impl Client {
    /// Asks for the health of the service. It needs no API key and sends none. It is not
    /// retried: a failure says something about the service as well.
    ///
    /// A service that reports trouble is not an error: check [`Health::is_ok`]. That includes
    /// a status 503 whose body is a health report. Any other 503, for example from a proxy in
    /// front of a service that is down, is an error.
    ///
    /// # Errors
    ///
    /// Any [`Error`] if the service does not answer with a health report.
    ///
    /// ```no_run
    /// use ctxmem_client::Client;
    ///
    /// # async fn example(client: Client) -> Result<(), ctxmem_client::Error> {
    /// let health = client.health().await?;
    /// if !health.is_ok() {
    ///     eprintln!("the memory service reports trouble: {:?}", health.checks);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn health(&self) -> Result<Health, Error> {
        let response = self.send(health_check()).await?;
        if response.status == StatusCode::SERVICE_UNAVAILABLE
            && let Some(health) = response.peek().filter(reports_trouble)
        {
            return Ok(health);
        }
        response.json()
    }

    /// Opens a connection to the service ahead of the first call, so that a user's first turn does
    /// not spend its time on DNS and TLS. Call it when your program starts. It sends a health
    /// check, without the key; whatever the service answers, the connection is there.
    ///
    /// # Errors
    ///
    /// [`Error::Transport`] if there is no connection or no answer.
    ///
    /// ```no_run
    /// use ctxmem_client::Client;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let memory = Client::from_env()?;
    /// if let Err(error) = memory.warm_up().await {
    ///     eprintln!("memory can't be reached yet: {error}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn warm_up(&self) -> Result<(), Error> {
        self.send(health_check()).await.map(drop)
    }
}

fn health_check() -> ApiRequest {
    ApiRequest::get(path::HEALTH, path::HEALTH, Auth::None).operation(Operation::Health)
}

/// Any JSON object can be read as a health report, so it has to say something. A report that
/// says "ok" with status 503 is not trusted.
fn reports_trouble(health: &Health) -> bool {
    let says_something = health.status.is_some() || health.ok.is_some();
    says_something && !health.is_ok()
}

//! Whether the service is well.

use ctxmem_types::{Health, path};
use reqwest::StatusCode;

use crate::client::{Auth, Call, Kind};
use crate::{Client, Error};

impl Client {
    /// Asks how the service is. Needs no API key, and sends none. It is asked once: that
    /// it does not answer is an answer, too.
    ///
    /// A service that says that it is unwell is an answer, not an error: ask
    /// [`Health::is_ok`]. That holds for status 503, too, when the body is a health report;
    /// any other 503, from a proxy in front of a service that is down for example, is an
    /// error.
    pub async fn health(&self) -> Result<Health, Error> {
        let call = Call::get(path::HEALTH, path::HEALTH, Auth::None).kind(Kind::Once);
        let answer = self.send(call).await?;
        if answer.status == StatusCode::SERVICE_UNAVAILABLE
            && let Some(health) = answer.peek().filter(reports_trouble)
        {
            return Ok(health);
        }
        answer.json()
    }
}

/// Any JSON object reads as a health report; one that says "ok" with a 503 is not believed.
fn reports_trouble(health: &Health) -> bool {
    let says_something = health.status.is_some() || health.ok.is_some();
    says_something && !health.is_ok()
}

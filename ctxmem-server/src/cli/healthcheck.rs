//! `ctxmem-server healthcheck`, for containers without an HTTP client.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::redirect::Policy;
use serde_json::json;
use tokio::net::lookup_host;

use super::CliError;
use super::output::Output;

/// Longer than a server takes to find that its database does not answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Asks the server at this address whether it can take requests.
pub(super) async fn run(listen: &str, output: &Output) -> Result<(), CliError> {
    let unhealthy = |why: String| CliError::Usage(format!("{listen}: {why}"));
    let address = lookup_host(listen)
        .await
        .ok()
        .and_then(|mut found| found.next());
    let address = address.ok_or_else(|| unhealthy("there is no such address".to_owned()))?;
    let url = format!("http://{}/readyz", reachable(address));
    let client = reqwest::Client::builder()
        .timeout(TIMEOUT)
        .redirect(Policy::none())
        .no_proxy()
        .build()
        .map_err(|_| unhealthy("no client could be made".to_owned()))?;
    let asked = client.get(url).send().await;
    let status = asked
        .map_err(|_| unhealthy("no server answers".to_owned()))?
        .status();
    if status.is_success() {
        output.print(&json!({ "ready": true }), "ready")
    } else {
        Err(unhealthy(format!("not ready (status {})", status.as_u16())))
    }
}

/// A server that listens on all addresses is asked over loopback.
fn reachable(address: SocketAddr) -> SocketAddr {
    let own = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        ip => ip,
    };
    SocketAddr::new(own, address.port())
}

//! A browser in which nobody left anything.

use std::sync::Mutex;
use std::time::Duration;

use reqwest::Client;
use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::{driver, programs};

/// Browsers that wait for their next story: to start one takes as long as a short story. There are never more than
/// tests run at once.
static IDLE: Mutex<Vec<WebDriver>> = Mutex::new(Vec::new());

/// How long a browser may take to obey.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(2);

/// A running browser that holds nothing of earlier stories.
pub(super) struct Session {
    pub(super) driver: WebDriver,
}

impl Session {
    /// Takes a browser that waits, or starts one.
    pub(super) async fn start() -> Self {
        let idle = IDLE.lock().unwrap().pop();
        let driver = match idle {
            Some(driver) => driver,
            None => start_browser().await,
        };
        Self { driver }
    }

    /// Leaves the browser, wiped, to another story.
    pub(super) fn leave(self) {
        IDLE.lock().unwrap().push(self.driver);
    }

    /// Removes what a story leaves behind: what sites stored, and with the tab all that holds for
    /// a tab.
    pub(super) async fn wipe(&self) {
        let all = json!({"origin": "*", "storageTypes": "all"});
        self.tool("Storage.clearDataForOrigin", all).await;
        self.block(&[]).await;
        self.tool("Network.clearBrowserCache", json!({})).await;
        let new = self.driver.new_tab().await.unwrap();
        for old in self.driver.windows().await.unwrap() {
            if old != new {
                self.driver.switch_to_window(old).await.unwrap();
                self.driver.close_window().await.unwrap();
            }
        }
        self.driver.switch_to_window(new).await.unwrap();
    }

    /// Lets requests for these addresses fail, and only for these.
    pub(super) async fn block(&self, addresses: &[&str]) {
        self.tool("Network.enable", json!({})).await;
        let addresses = json!({"urls": addresses});
        self.tool("Network.setBlockedURLs", addresses).await;
    }

    pub(super) async fn end(self) {
        self.driver.quit().await.unwrap();
    }

    /// A command of the protocol of the developer tools.
    pub(super) async fn tool(&self, name: &str, with: Value) -> Value {
        let answer = self.driver.cdp().send_raw(name, with).await;
        answer.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// What a script on the page answers.
    pub(super) async fn script(&self, script: &str, arguments: Vec<Value>) -> Value {
        let answer = self.driver.execute(script, arguments).await.unwrap();
        answer.json().clone()
    }

    /// What a script on the page answers that has to wait: the promise of its last argument.
    pub(super) async fn promise(&self, body: &str, arguments: Vec<Value>) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             (async (...given) => {{ {body} }})(...arguments).then(
               (value) => done({{ value }}),
               (error) => done({{ error: String(error) }}));"
        );
        let answer = self.driver.execute_async(script, arguments).await.unwrap();
        let answer = answer.json().clone();
        assert_eq!(answer["error"], json!(null), "{answer}");
        answer["value"].clone()
    }
}

async fn start_browser() -> WebDriver {
    let mut wanted = DesiredCapabilities::chrome();
    let binary = programs::chromium();
    wanted.set_binary(binary.to_str().unwrap()).unwrap();
    for flag in [
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--window-size=1280,900",
        "--lang=en-US",
        // Pages are tested one after another; to start a process for each takes an eighth of the whole time.
        "--renderer-process-limit=1",
        // It ends with the driver, however that ends.
        "--remote-debugging-pipe",
    ] {
        wanted.add_arg(flag).unwrap();
    }
    // A connection ends with the test that opened it, a browser does not.
    let client = Client::builder()
        .tls_certs_only([])
        .pool_max_idle_per_host(0)
        .timeout(COMMAND_TIMEOUT);
    WebDriver::builder(driver::url(), wanted)
        .client(client.build().unwrap())
        .await
        .unwrap()
}

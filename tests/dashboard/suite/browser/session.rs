//! A browser with a profile of its own.

use serde_json::json;
use tempfile::TempDir;
use thirtyfour::prelude::*;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::{driver, programs};

/// How many browsers run at once: each takes a core and some hundred megabytes.
static SEATS: Semaphore = Semaphore::const_new(2);

/// A running browser, which nobody used before.
pub(super) struct Session {
    pub(super) driver: WebDriver,
    _profile: TempDir,
    _seat: SemaphorePermit<'static>,
}

impl Session {
    pub(super) async fn start() -> Self {
        let seat = SEATS.acquire().await.unwrap();
        let profile = tempfile::tempdir().unwrap();
        let mut wanted = DesiredCapabilities::chrome();
        let binary = programs::chromium();
        wanted.set_binary(binary.to_str().unwrap()).unwrap();
        let folder = format!("--user-data-dir={}", profile.path().display());
        for flag in [
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--window-size=1280,900",
            "--lang=en-US",
            // It ends with the driver, however that ends.
            "--remote-debugging-pipe",
            &folder,
        ] {
            wanted.add_arg(flag).unwrap();
        }
        let driver = WebDriver::new(driver::url(), wanted).await.unwrap();
        Self {
            driver,
            _profile: profile,
            _seat: seat,
        }
    }

    /// Ends the browser, then removes its profile.
    pub(super) async fn end(self) {
        self.driver.quit().await.unwrap();
    }

    /// A command of the protocol of the developer tools.
    pub(super) async fn tool(&self, name: &str, with: serde_json::Value) -> serde_json::Value {
        let answer = self.driver.cdp().send_raw(name, with).await;
        answer.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// What a script on the page answers.
    pub(super) async fn script(
        &self,
        script: &str,
        arguments: Vec<serde_json::Value>,
    ) -> serde_json::Value {
        let answer = self.driver.execute(script, arguments).await.unwrap();
        answer.json().clone()
    }

    /// What a script on the page answers that has to wait: the promise of its last argument.
    pub(super) async fn promise(
        &self,
        body: &str,
        arguments: Vec<serde_json::Value>,
    ) -> serde_json::Value {
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

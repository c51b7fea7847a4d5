//! Pages in both colour schemes and on a phone, with pictures of them where these are wanted.

use std::path::PathBuf;

use serde_json::json;
use thirtyfour::support::base64_decode;

use super::Browser;
use super::axe::target;
use crate::suite::support::ENGINE;

/// How wide the screen of a phone is, in pixels of stylesheets.
const PHONE: i64 = 390;

impl Browser {
    /// Looks at this page light, dark and on a phone. It must be usable by everybody in both colour
    /// schemes, and fit on the phone, and with text of twice the size.
    pub(crate) async fn shot(&self, name: &str) {
        for scheme in ["light", "dark"] {
            self.prefer(scheme).await;
            self.save(&format!("{name}-{scheme}")).await;
            self.assert_accessible().await;
        }
        self.prefer("light").await;
        self.assert_fits(name).await;
    }

    /// Looks at this page in German, dark and on a phone, where it must fit as well. The page is opened
    /// anew for it.
    pub(crate) async fn shot_in_german(&self, name: &str) {
        self.bring("ctxmem_language=de").await;
        self.session.driver.refresh().await.unwrap();
        self.prefer("dark").await;
        self.save(&format!("{name}-german-dark")).await;
        self.prefer("light").await;
        self.assert_fits(&format!("{name}-german")).await;
        self.bring("ctxmem_language=en").await;
        self.session.driver.refresh().await.unwrap();
    }

    /// Nothing of the page is beside a phone's screen, nor beside a wide one where all text is twice
    /// as large.
    async fn assert_fits(&self, name: &str) {
        self.on_phone(async {
            self.save(&format!("{name}-phone")).await;
            let width = self.width().await;
            assert!(width <= PHONE, "{name} is {width} wide on a phone");
            let width = self.width_with_large_text().await;
            let fits = width <= PHONE;
            assert!(fits, "{name} is {width} wide on a phone with large text");
        })
        .await;
        let window = self.session.script("return innerWidth", vec![]).await;
        let width = self.width_with_large_text().await;
        let window = window.as_i64().unwrap();
        let fits = width <= window;
        assert!(fits, "{name} is {width} of {window} wide with large text");
    }

    /// How wide this page is with text of twice the size.
    async fn width_with_large_text(&self) -> i64 {
        let measure = "const root = document.documentElement;
            root.style.fontSize = '200%';
            const width = root.scrollWidth;
            root.style.fontSize = '';
            return width;";
        self.session.script(measure, vec![]).await.as_i64().unwrap()
    }

    /// The page must be usable by everybody on a phone.
    pub(crate) async fn assert_accessible_on_phone(&self) {
        self.on_phone(self.assert_accessible()).await;
    }

    pub(crate) async fn width_on_phone(&self) -> i64 {
        self.on_phone(self.width()).await
    }

    pub(crate) async fn on_phone<T>(&self, what: impl Future<Output = T>) -> T {
        // Not `mobile`: such a browser shows a page that is too wide in small.
        let phone = json!({"width": PHONE, "height": 844, "deviceScaleFactor": 2, "mobile": false});
        let set = "Emulation.setDeviceMetricsOverride";
        self.session.tool(set, phone).await;
        // Phones lay them over the page.
        let bars = "Emulation.setScrollbarsHidden";
        self.session.tool(bars, json!({"hidden": true})).await;
        self.until_on_phone(true).await;
        let done = what.await;
        let clear = "Emulation.clearDeviceMetricsOverride";
        self.session.tool(clear, json!({})).await;
        self.until_on_phone(false).await;
        self.session.tool(bars, json!({"hidden": false})).await;
        done
    }

    /// Waits until the page is on a phone's screen, or no longer: a browser changes that after it has answered.
    async fn until_on_phone(&self, is_phone: bool) {
        let is_so = async || (self.value("innerWidth").await == PHONE) == is_phone;
        self.until(is_so, "the screen is as wide as it was").await;
    }

    async fn width(&self) -> i64 {
        let width = "return document.documentElement.scrollWidth";
        self.session.script(width, vec![]).await.as_i64().unwrap()
    }

    /// From now on pages are asked for in this colour scheme.
    pub(crate) async fn prefer(&self, scheme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        let media = json!({"features": [feature]});
        self.session.tool("Emulation.setEmulatedMedia", media).await;
    }

    /// Takes a picture of the whole page, where `CTXMEM_TEST_PICTURES` is set: nothing is asked of them, and
    /// they take a sixth of the time.
    async fn save(&self, name: &str) {
        if std::env::var_os("CTXMEM_TEST_PICTURES").is_none() {
            return;
        }
        let whole = json!({"format": "png", "captureBeyondViewport": true});
        let picture = self.session.tool("Page.captureScreenshot", whole).await;
        let picture = base64_decode(picture["data"].as_str().unwrap()).unwrap();
        let folder = folder();
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), picture).unwrap();
    }
}

/// Where the pictures of this engine are.
fn folder() -> PathBuf {
    let engine = ENGINE.to_string().to_lowercase();
    target().join("screenshots").join(engine)
}

//! A browser in sentences.

mod axe;
mod download;
mod driver;
mod form;
mod guard;
mod keyboard;
mod part;
mod programs;
mod session;
mod shot;

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ctxmem_client::UserId;
use futures_util::FutureExt as _;
use reqwest::Url;
use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::support::Server;
pub(crate) use part::Part;
use session::Session;

/// How often a page is asked whether it is there.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long a page may take to come.
const PAGE_TIMEOUT: Duration = Duration::from_mins(1);

/// Runs a story in a browser that holds nothing of earlier ones. Every event that must not happen
/// on a page fails the test.
pub(crate) async fn browse<T>(server: &Server, story: impl AsyncFnOnce(&Browser) -> T) -> T {
    let (session, result) = run(Session::start().await, server, story).await;
    session.leave();
    result
}

/// Runs two stories, one after the other, in the same browser.
pub(crate) async fn browse_in_turn(
    server: &Server,
    first: impl AsyncFnOnce(&Browser),
    second: impl AsyncFnOnce(&Browser),
) {
    let (session, ()) = run(Session::start().await, server, first).await;
    let (session, ()) = run(session, server, second).await;
    session.leave();
}

/// Runs a story in this browser and wipes it. A browser whose story failed is ended.
async fn run<T>(
    session: Session,
    server: &Server,
    story: impl AsyncFnOnce(&Browser) -> T,
) -> (Session, T) {
    let home = server.url.clone();
    let browser = Browser {
        session,
        home,
        has_script: AtomicBool::new(true),
        has_missed_script: AtomicBool::new(false),
    };
    let running = async {
        browser.watch().await;
        let result = story(&browser).await;
        if browser.address().await.scheme() == "http" {
            browser.assert_quiet().await;
        }
        let [has_script, has_missed_script] = [&browser.has_script, &browser.has_missed_script]
            .map(|flag| flag.load(Ordering::Relaxed));
        assert!(has_script || has_missed_script, "no page lacked the script");
        result
    };
    match AssertUnwindSafe(running).catch_unwind().await {
        Ok(result) => {
            browser.session.wipe().await;
            (browser.session, result)
        }
        Err(panic) => {
            browser.show().await;
            browser.session.end().await;
            resume_unwind(panic)
        }
    }
}

/// A browser in front of a server.
pub(crate) struct Browser {
    session: Session,
    /// Where the server listens.
    home: String,
    /// Whether pages get the script of the service.
    has_script: AtomicBool,
    /// Whether one was seen to want it in vain.
    has_missed_script: AtomicBool,
}

impl Browser {
    /// Opens a page of the server.
    pub(crate) async fn go(&self, path: &str) -> Part<'_> {
        self.visit(&format!("{}{path}", self.home)).await;
        self.assert_quiet().await;
        self.page()
    }

    /// Opens a page of the server, which must show this.
    pub(crate) async fn go_shows(&self, path: &str, what: &str) -> Part<'_> {
        self.go(path).await.shows(what).await
    }

    /// Opens a page of the server again and again until it shows this: for what is written down
    /// some seconds after the call.
    pub(crate) async fn until_shown(&self, path: &str, what: &str) -> Part<'_> {
        let shows = async || self.go(path).await.text().await.contains(what);
        self.until(shows, &format!("{path} never showed {what:?}"))
            .await;
        self.page()
    }

    /// From now on no page gets the script of the service, as where it is blocked or did not arrive.
    pub(crate) async fn without_script(&self) {
        self.session.block(&["*/script.js*"]).await;
        self.has_script.store(false, Ordering::Relaxed);
    }

    /// From now on the browser is in this time zone; an empty one is that of the machine.
    pub(crate) async fn is_in(&self, zone: &str) {
        let set = "Emulation.setTimezoneOverride";
        self.session.tool(set, json!({"timezoneId": zone})).await;
    }

    /// Opens a page of anybody's.
    pub(crate) async fn visit(&self, url: &str) {
        self.session.driver.goto(url).await.unwrap();
    }

    /// The whole page.
    pub(crate) fn page(&self) -> Part<'_> {
        Part::whole(self)
    }

    /// Signs a user in by a link, as they would.
    pub(crate) async fn sign_in(&self, server: &Server, user: &UserId) -> Part<'_> {
        let token = server.link_for(user).await;
        let page = self.go(&format!("/sign-in?token={token}")).await;
        page.press("Sign in").await;
        assert_eq!(self.path().await, "/account");
        self.page()
    }

    pub(crate) async fn address(&self) -> Url {
        self.session.driver.current_url().await.unwrap()
    }

    /// The path of the page, without what follows a question mark.
    pub(crate) async fn path(&self) -> String {
        self.address().await.path().to_owned()
    }

    /// Makes the browser send a session cookie to the server from now on. A page of the server
    /// must be open.
    pub(crate) async fn bring(&self, cookie: &str) {
        let (name, value) = cookie.split_once('=').unwrap();
        let mut cookie = Cookie::new(name.to_owned(), value.to_owned());
        cookie.set_path("/");
        cookie.set_same_site(thirtyfour::SameSite::Lax);
        self.session.driver.add_cookie(cookie).await.unwrap();
    }

    /// The cookies that every request to the server brings, as they stand in a header. A page of the
    /// server must be open.
    pub(crate) async fn cookies(&self) -> String {
        let cookies = self.session.driver.get_all_cookies().await.unwrap();
        let of_all_pages = cookies.iter().filter(|c| c.path.as_deref() == Some("/"));
        let pairs = of_all_pages.map(|c| format!("{}={}", c.name, c.value));
        let mut pairs: Vec<String> = pairs.collect();
        // Browsers have an order of their own.
        pairs.sort();
        pairs.join("; ")
    }

    /// How many windows and tabs are open.
    pub(crate) async fn windows(&self) -> usize {
        self.session.driver.windows().await.unwrap().len()
    }

    /// The preformatted texts on the page.
    pub(crate) async fn preformatted(&self) -> Vec<String> {
        let read = "return [...document.querySelectorAll('pre')].map((one) => one.textContent)";
        let texts = self.session.script(read, vec![]).await;
        serde_json::from_value(texts).unwrap()
    }

    /// Fails unless the page says so in what it tells of the form before it: in view, and with the focus
    /// on it. No other part of the page is marked.
    pub(crate) async fn is_told(&self, what: &str) {
        let read = "const told = document.getElementById('done');
            const marked = [...document.querySelectorAll(':target')].filter((one) => one !== told);
            const {top, bottom} = told.getBoundingClientRect();
            return [told.innerText, document.activeElement === told,
                    top >= 0 && bottom <= innerHeight, marked.length];";
        let told = self.session.script(read, vec![]).await;
        let text = told[0].as_str().unwrap();
        assert!(text.contains(what), "{what:?} is not in {text:?}");
        assert_eq!(told, json!([text, true, true, 0]));
    }

    /// What a script on the page answers that has to wait.
    pub(crate) async fn promise(&self, body: &str, arguments: Vec<Value>) -> Value {
        self.session.promise(body, arguments).await
    }

    /// What an expression has for its value, on the page that is there once it has loaded. A promise would wait for
    /// good where the page goes meanwhile.
    pub(crate) async fn value(&self, expression: &str) -> Value {
        let script = format!("return {expression}");
        self.session.script(&script, vec![]).await
    }

    /// What can be read in the only frame of the page, and where it is.
    pub(crate) async fn in_frame(&self) -> (String, String) {
        let driver = &self.session.driver;
        driver.enter_frame(0).await.unwrap();
        let read = "return [location.href, document.documentElement.innerText]";
        let found = self.session.script(read, vec![]).await;
        driver.enter_default_frame().await.unwrap();
        serde_json::from_value(found).unwrap()
    }

    /// Waits until there is another page than the one that is marked.
    pub(crate) async fn arrive(&self) {
        let arrived = "return !window.__left && document.readyState === 'complete'";
        // While one page replaces another there is none to ask.
        let has_arrived = async || {
            let answer = self.session.driver.execute(arrived, vec![]).await;
            answer.is_ok_and(|answer| *answer.json() == true)
        };
        self.until(has_arrived, "no other page came").await;
    }

    /// Waits until something is so.
    async fn until(&self, is_so: impl AsyncFn() -> bool, complaint: &str) {
        let waiting = async {
            while !is_so().await {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        let came = tokio::time::timeout(PAGE_TIMEOUT, waiting).await;
        came.unwrap_or_else(|_| panic!("{complaint}"));
    }

    /// Leads to another page by what this future does, and waits for it.
    async fn leave(&self, by: impl Future<Output = ()>) {
        self.session.script("window.__left = true", vec![]).await;
        by.await;
        self.arrive().await;
        self.assert_quiet().await;
    }

    /// Waits until what a page does by itself has led to another.
    pub(crate) async fn until_at(&self, prefix: &str) {
        let is_there = async || self.address().await.as_str().starts_with(prefix);
        self.until(is_there, &format!("{prefix} never came")).await;
        self.arrive().await;
    }

    /// Prints the page on which a test failed.
    #[expect(clippy::print_stderr, reason = "they look there")]
    async fn show(&self) {
        let address = self.session.driver.current_url().await;
        let read = "return document.body.innerText";
        let text = self.session.driver.execute(read, vec![]).await;
        let text = text.map(|text| text.json().as_str().unwrap_or_default().to_owned());
        eprintln!("the page at {address:?}:\n{}", text.unwrap_or_default());
    }
}

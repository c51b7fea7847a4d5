//! Stories share browsers, and see nothing of each other there.

use std::cell::RefCell;

use serde_json::Value;

use super::browser::{Browser, browse_in_turn};
use super::elsewhere::Elsewhere;
use super::support::Server;

/// Leaves something in each place that a site or a story can leave something in.
const LEAVE: &str = "document.cookie = 'left=1; Max-Age=600';
    localStorage.left = 1; sessionStorage.left = 1; window.name = 'left';
    await new Promise((done, fail) => {
      const opening = indexedDB.open('left');
      opening.onsuccess = () => { opening.result.close(); done(); };
      opening.onerror = fail;
    });
    const cache = await caches.open('left');
    await cache.put('/left', new Response('left'));
    await fetch('/kept', {cache: 'force-cache'});
    history.pushState(null, '', '#left');
    window.open('/');";

/// What is left in each place.
const FIND: &str = "const kept = {cache: 'only-if-cached', mode: 'same-origin'};
    return {
      cookies: document.cookie,
      local: {...localStorage},
      session: {...sessionStorage},
      databases: await indexedDB.databases(),
      caches: await caches.keys(),
      kept: await fetch('/kept', kept).then((answer) => answer.ok, () => false),
      name: window.name,
      history: history.length,
      dark: matchMedia('(prefers-color-scheme: dark)').matches,
    };";

/// What a story finds at a site.
async fn found(browser: &Browser, site: &str) -> Value {
    browser.visit(site).await;
    browser.promise(FIND, vec![]).await
}

#[tokio::test]
async fn a_story_finds_nothing_of_the_one_before() {
    let server = Server::start().await;
    let elsewhere = Elsewhere::start().await;
    let page = "<!doctype html><title>Elsewhere</title>";
    elsewhere.page("/", page).await;
    elsewhere.page("/kept", page).await;
    let site = elsewhere.same_site();
    let untouched = RefCell::new(Value::Null);
    let first = async |browser: &Browser| {
        let before = found(browser, &site).await;
        browser.promise(LEAVE, vec![]).await;
        browser.prefer("dark").await;
        assert_eq!(browser.windows().await, 2);
        let after = browser.promise(FIND, vec![]).await;
        for (place, left) in after.as_object().unwrap() {
            assert_ne!(*left, before[place], "nothing was left in {place}");
        }
        untouched.replace(before);
    };
    let second = async |browser: &Browser| {
        assert_eq!(found(browser, &site).await, *untouched.borrow());
        assert_eq!(browser.windows().await, 1);
    };
    browse_in_turn(&server, first, second).await;
}

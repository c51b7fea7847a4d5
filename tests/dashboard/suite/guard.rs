//! The watch over pages notices what it is there for.

use super::elsewhere::visit_elsewhere;

#[tokio::test]
async fn forbidden_events_on_a_page_are_noted() {
    let page = "<!doctype html><title>Loud</title>
        <meta http-equiv='Content-Security-Policy' content=\"img-src 'none'\">
        <script>alert(1); confirm(2); prompt(3); print(); __executed = 4;</script>
        <script>throw new Error('broken');</script>
        <script>Promise.reject('given up');</script>
        <script src='/missing.js'></script>
        <img src='/forbidden.png'>";
    visit_elsewhere(&[("/loud", page)], async |browser, _| {
        let noted = browser.noted().await;
        for what in [
            "called alert",
            "called confirm",
            "called prompt",
            "called print",
            "executed",
            "failed Uncaught Error: broken",
            "failed given up",
            "failed http",
            "violated img-src",
        ] {
            let there = noted.iter().any(|note| note.starts_with(what));
            assert!(there, "{what} is not in {noted:?}");
        }
        assert!(browser.noted().await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn events_before_a_page_redirects_are_noted() {
    let gone = "<!doctype html><title>Gone</title><script>alert(1); location = '/quiet';</script>";
    let quiet = "<!doctype html><title>Quiet</title>";
    let pages = [("/gone", gone), ("/quiet", quiet)];
    visit_elsewhere(&pages, async |browser, elsewhere| {
        browser.until_at(&elsewhere.address("/quiet")).await;
        let noted = browser.noted().await;
        assert_eq!(noted.len(), 1, "{noted:?}");
        assert!(noted[0].starts_with("called alert"), "{noted:?}");
    })
    .await;
}

#[tokio::test]
#[should_panic(expected = "called alert")]
async fn noted_events_that_a_test_ignores_fail_it() {
    let page = "<!doctype html><title>Loud</title><script>alert(1)</script>";
    visit_elsewhere(&[("/loud", page)], async |_, _| {}).await;
}

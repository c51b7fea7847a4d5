//! The sentences about forms do what people do.

use super::elsewhere::visit_elsewhere;

const FORM: &str = "<!doctype html><html lang=en><title>Form</title><h1>Form</h1>
    <a href='/other'>Elsewhere</a>
    <details><summary>More</summary><p>Unfolded</p></details>
    <form aria-labelledby=one><h2 id=one>One</h2>
    <label>Name <input name=name value=old></label>
    <label>Until <input name=until type=date></label>
    <label for=scope>Scope</label>
    <select id=scope name=scope><option value=1>goals<option value=2>history</select>
    <label><input type=checkbox name=sure> Sure</label>
    <button>Save</button></form>
    <form aria-label=Two><button>Save</button></form>";

#[tokio::test]
async fn what_is_done_to_a_form_arrives() {
    let other = "<!doctype html><title>Other</title>";
    visit_elsewhere(&[("/form", FORM), ("/other", other)], async |browser, _| {
        let page = browser.page();
        let page = page.hides("Unfolded").await.unfold("More").await;
        page.shows("Unfolded").await;
        let one = page.part("One").await;
        assert_eq!(one.value("Name").await, "old");
        one.fill("Name", "new & bold").await;
        one.fill("Until", "2026-03-01").await;
        one.choose("Scope", "history").await;
        one.tick("Sure", true).await;
        assert!(one.is_ticked("Sure").await);
        one.press("Save").await;
        let address = browser.address().await;
        let sent = "name=new+%26+bold&until=2026-03-01&scope=2&sure=on";
        assert_eq!(address.query(), Some(sent));
        browser.page().follow("Elsewhere").await;
        assert_eq!(browser.path().await, "/other");
    })
    .await;
}

#[tokio::test]
#[should_panic(expected = "2 of [\"button\"] are called \"Save\"")]
async fn ambiguous_names_are_not_guessed() {
    visit_elsewhere(&[("/form", FORM)], async |browser, _| {
        browser.page().press("Save").await;
    })
    .await;
}

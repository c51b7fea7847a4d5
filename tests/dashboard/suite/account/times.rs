//! Forms speak of times where the reader is.

use chrono::{DateTime, Timelike as _, Utc};

use super::before_an_agent;
use crate::suite::support::Setup;

/// A time zone in which it is another day than in UTC, and what day that is.
fn far_away() -> (&'static str, DateTime<Utc>) {
    let now = Utc::now();
    if now.hour() < 12 {
        ("Etc/GMT+12", now - chrono::Duration::hours(12))
    } else {
        ("Pacific/Kiritimati", now + chrono::Duration::hours(14))
    }
}

#[tokio::test]
async fn an_end_and_a_day_are_those_of_the_reader() {
    before_an_agent(Setup::new(), async |server, browser, ada, agent| {
        browser.is_in("Asia/Tokyo").await;
        let page = browser.go("/account/apps").await;
        page.unfold("Change").await;
        page.shows("Date and time where you are").await;
        page.fill("Until", "2040-01-01T10:00").await;
        page.press("Save").await;
        let grants = server.core().grants.access(&ada).await.unwrap();
        let grant = &grants[0].access.grant;
        assert_eq!(grant.agent_id, agent.id);
        let end = DateTime::from_timestamp_millis(grant.expires_at.unwrap()).unwrap();
        assert_eq!(end.to_rfc3339(), "2040-01-01T01:00:00+00:00");
        let shown = "document.querySelector('[name=expires_at_local]').value";
        assert_eq!(browser.value(shown).await, "2040-01-01T10:00");

        let (zone, day) = far_away();
        browser.is_in(zone).await;
        let day = day.format("%Y-%m-%d").to_string();
        let page = browser.go("/account/history").await;
        page.fill("Day", &day).await;
        page.press_shows("Show", "saved 3 facts about you").await;
        let page = browser.go("/account/data").await;
        page.fill("From (day)", &day).await;
        page.fill("Until (day)", &day).await;
        page.press("Show these facts").await.shows("Helix").await;
        browser.is_in("").await;
    })
    .await;
}

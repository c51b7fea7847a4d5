//! What agents did, as shown to their developer.

use std::sync::Arc;

use ctxmem_server::store::Usage;
use ctxmem_types::ScopeSet;

use crate::suite::support::{Developer, HELLO, Setup, TestClock, user};

fn used(injects: i64, updates: i64) -> Usage {
    Usage {
        injects,
        updates,
        filtered: 7,
        denied: 0,
        errors: 1,
    }
}

fn at_end_of_march(setup: Setup) -> Setup {
    setup.clock(&Arc::new(TestClock::at("2026-03-31T23:59:59Z")))
}

#[tokio::test]
async fn charts_say_in_words_and_numbers_what_they_show() {
    let server = at_end_of_march(Setup::new()).start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let other = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let stranger = server.agent_of("bob@example.com", ScopeSet::ALL).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    server.add_usage(&agent.id, "2026-03-31", used(10, 3)).await;
    server.add_usage(&agent.id, "2026-03-02", used(20, 4)).await;
    // Thirty-one days ago.
    server
        .add_usage(&agent.id, "2026-03-01", used(500, 500))
        .await;
    server.add_usage(&other.id, "2026-03-31", used(1, 1)).await;
    server
        .add_usage(&stranger.id, "2026-03-31", used(4_000, 4_000))
        .await;

    let page = ann.agent_page(&agent.id).await;
    for shown in [
        r#"aria-label="Injects per day, 2 Mar to 31 Mar: 30 in all, at most 20 on 2 Mar""#,
        "<title>Injects per day, 2 Mar to 31 Mar: 30 in all, at most 20 on 2 Mar</title>",
        r#"aria-label="Updates per day, 2 Mar to 31 Mar: 7 in all, at most 4 on 2 Mar""#,
        r#"aria-label="Filtered per day, 2 Mar to 31 Mar: 14 in all, at most 7 on 31 Mar""#,
        r#"aria-label="Denied per day, 2 Mar to 31 Mar: none""#,
        r#"aria-label="Errors per day, 2 Mar to 31 Mar: 2 in all, at most 1 on 31 Mar""#,
        r#"<time datetime="2026-03-31">31 Mar</time></th><td class="number">10</td>"#,
        r#"<time datetime="2026-03-15">15 Mar</time></th><td class="number">0</td>"#,
        "<summary>Injects in numbers</summary>",
    ] {
        assert!(page.contains(shown), "{shown} in {page}");
    }
    assert_eq!(page.matches(r#"<svg class="chart" role="img""#).count(), 5);
    assert_eq!(page.matches(r#"<rect class="bar-1""#).count(), 2);
    assert_eq!(page.matches(r#"<rect class="bar-4""#).count(), 0);

    let page = ann.page("/dashboard").await;
    for shown in [
        "Injects per day, 2 Mar to 31 Mar: 31 in all, at most 20 on 2 Mar",
        "Updates per day, 2 Mar to 31 Mar: 8 in all, at most 4 on 31 Mar",
    ] {
        assert!(page.contains(shown), "{shown} in {page}");
    }
    // What a deleted agent did was done.
    let fields = [("agent_id", &*other.id), ("name", "an agent")];
    let page = ann.submit("/dashboard/agents/delete", &fields).await;
    assert!(page.contains(": 31 in all"));
}

#[tokio::test]
async fn a_month_is_summed_up_without_a_quota() {
    let server = at_end_of_march(Setup::new()).start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    for (day, updates) in [("2026-02-28", 1_000), ("2026-03-01", 5), ("2026-03-31", 6)] {
        server.add_usage(&agent.id, day, used(0, updates)).await;
    }
    let page = ann.agent_page(&agent.id).await;
    assert!(page.contains(r#"<p class="figure">11</p>"#), "{page}");
    assert!(page.contains("there is no quota") && !page.contains("<meter"));
    let page = ann.page("/dashboard").await;
    assert!(page.contains(r#"<td class="number">11</td>"#), "{page}");
}

#[tokio::test]
async fn with_a_quota_what_is_counted_against_it_is_shown() {
    let server = at_end_of_march(Setup::new().monthly_quota(5)).start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    for _ in 0..2 {
        agent.tells(&user("ada"), HELLO).await;
    }
    let page = ann.agent_page(&agent.id).await;
    assert!(
        page.contains(r#"<p class="figure">2 <small>of 5</small></p>"#),
        "{page}"
    );
    assert!(page.contains(r#"<meter min="0" max="5" value="2""#));
    let page = ann.page("/dashboard").await;
    assert!(page.contains(r#"<td class="number">2 of 5</td>"#), "{page}");
}

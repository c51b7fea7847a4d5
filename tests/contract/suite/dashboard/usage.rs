//! Usage of agents, as shown to their developer.

use std::sync::Arc;

use ctxmem_server::store::Usage;
use ctxmem_types::{Scope, ScopeSet};

use crate::suite::support::{Developer, HELLO, Setup, TestClock, Text as _, between, user};

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
    page.assert_has_all([
        r#"aria-label="Calls per day, 2 Mar to 31 Mar: 53 in all, at most 32 on 2 Mar""#,
        "<title>Calls per day, 2 Mar to 31 Mar: 53 in all, at most 32 on 2 Mar</title>",
        "<title>2 Mar: Injects 20, Updates 4, Filtered 7, Denied 0, Errors 1</title>",
        "Injects <strong>30</strong>",
        "Updates <strong>7</strong>",
        "Denied <strong>0</strong>",
        r#"<time datetime="2026-03-31">31 Mar</time></th><td class="number">10</td><td class="number">3</td>"#,
        r#"<time datetime="2026-03-15">15 Mar</time></th><td class="number">0</td>"#,
        "<summary>Calls in numbers</summary>",
        r#"<option value="30" selected>Last 30 days</option>"#,
    ]);
    // Nothing was called in this test, so no time is known.
    assert_eq!(page.matches(r#"<svg class="chart" role="img""#).count(), 1);
    assert_eq!(page.matches(r#"<rect class="bar-1" x"#).count(), 2);
    assert_eq!(page.matches(r#"<rect class="bar-4" x"#).count(), 0);
    let path = format!("/dashboard/agents/{}?days=", agent.id);
    let page = ann.get(&format!("{path}90")).await;
    page.assert_has("to 31 Mar: 1061 in all, at most 1008 on 1 Mar");
    page.assert_lacks(r#"<select name="agent">"#);
    let refused = ann
        .request("GET", &format!("{path}31"))
        .gets_error(400)
        .await;
    assert_eq!(refused, "days: expected 7, 30, 90 or 365");

    ann.get("/dashboard").await.assert_has_all([
        "Calls per day, 2 Mar to 31 Mar: 63 in all, at most 32 on 2 Mar",
        "Injects <strong>31</strong>",
        "Updates <strong>8</strong>",
    ]);
    let of_other = format!("/dashboard?days=7&agent={}", other.id);
    let page = ann.get(&of_other).await;
    page.assert_has("25 Mar to 31 Mar: 10 in all, at most 10 on 31 Mar");
    let chosen = format!(r#"<option value="{}" selected>"#, other.id);
    assert!(page.contains(&chosen) && page.contains(r#"<option value="7" selected>"#));
    // One of somebody else, or one that is gone, is all.
    let of_stranger = format!("/dashboard?agent={}", stranger.id);
    ann.get(&of_stranger).await.assert_has("63 in all");
    // What a deleted agent did was done.
    let fields = [("agent_id", &*other.id), ("name", "an agent")];
    let page = ann.submit("/dashboard/agents/delete", &fields).await;
    page.assert_has("Injects <strong>31</strong>");
}

#[tokio::test]
async fn a_month_is_summed_up_without_a_quota() {
    let server = at_end_of_march(Setup::new()).start().await;
    let (agent, ann) = Developer::with_agent(&server).await;
    for (day, updates) in [("2026-02-28", 1_000), ("2026-03-01", 5), ("2026-03-31", 6)] {
        server.add_usage(&agent.id, day, used(0, updates)).await;
    }
    let page = ann.agent_page(&agent.id).await;
    page.assert_has(r#"<p class="figure">11</p>"#);
    assert!(page.contains("there is no quota") && !page.contains("<meter"));
    let page = ann.get("/dashboard").await;
    page.assert_has(r#"<td class="number">11</td>"#);
}

#[tokio::test]
async fn with_a_quota_what_is_counted_against_it_is_shown() {
    let server = at_end_of_march(Setup::new().monthly_quota(5)).start().await;
    let (agent, ann) = Developer::with_agent(&server).await;
    for _ in 0..2 {
        agent.tells(&user("ada"), HELLO).await;
    }
    let page = ann.agent_page(&agent.id).await;
    page.assert_has(r#"<p class="figure">2 of 5</p>"#);
    page.assert_has(r#"<meter min="0" max="5" value="2""#);
    let page = ann.get("/dashboard").await;
    page.assert_has(r#"<td class="number">2 of 5</td>"#);
}

#[tokio::test]
async fn facts_that_are_refused_are_counted_as_users_read_of_them() {
    let server = at_end_of_march(Setup::new()).start().await;
    let (agent, ann) = Developer::with_agent(&server).await;
    let ada = user("ada");
    server.user_grants(&ada, &agent, Scope::Goals).await;
    let denied = async || {
        server.memory.flush_audit_buffer().await.unwrap();
        between(&ann.agent_page(&agent.id).await, "Denied <strong>", "<").to_owned()
    };
    assert_eq!(denied().await, "0");
    // Every fact of it is refused.
    let answer = agent.tells(&ada, HELLO).await;
    assert!(answer["denied_scopes"].is_array(), "{answer:?}");
    assert_eq!(denied().await, "1");
    // One is stored, the others are refused.
    let both = "My goal is to finish my thesis by May. I use Helix as my editor.";
    let answer = agent.tells(&ada, both).await;
    assert!(
        answer["denied_scopes"].is_array() && answer["delta"]["ongoing_tasks"].is_array(),
        "{answer:?}"
    );
    assert_eq!(denied().await, "2");
    // They were updates all the same.
    let page = ann.agent_page(&agent.id).await;
    page.assert_has("Updates <strong>2</strong>");
}

#[tokio::test]
async fn usage_can_be_downloaded_as_a_table() {
    let server = at_end_of_march(Setup::new()).start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let stranger = server.agent_of("bob@example.com", ScopeSet::ALL).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    for (of, day) in [
        (&agent, "2026-03-31"),
        (&agent, "2025-12-01"),
        (&stranger, "2026-03-31"),
    ] {
        server.add_usage(&of.id, day, used(10, 3)).await;
    }
    let table = ann.request("GET", "/dashboard/usage.csv").gets(200).await;
    assert_eq!(
        table.header("content-type"),
        Some("text/csv; charset=utf-8")
    );
    let name = "attachment; filename=\"ctxmem-usage.csv\"";
    assert_eq!(table.header("content-disposition"), Some(name));
    let id = &agent.id;
    let expected = format!(
        "day,agent_id,injects,updates,filtered,denied,errors\r\n2025-12-01,{id},10,3,7,0,1\r\n\
         2026-03-31,{id},10,3,7,0,1\r\n"
    );
    assert_eq!(table.body, expected);
}

#[tokio::test]
async fn a_quota_of_which_most_is_used_is_told() {
    let server = at_end_of_march(Setup::new().monthly_quota(5)).start().await;
    let (agent, ann) = Developer::with_agent(&server).await;
    let agents = format!("/dashboard/agents/{}", agent.id);
    for (used, told) in [
        (3, None),
        (
            4,
            Some("<bdi>an agent</bdi> has used 4 of the 5 updates of this month (80%)"),
        ),
        (
            5,
            Some("<bdi>an agent</bdi> has used all 5 updates of this month"),
        ),
    ] {
        let is_used = format!(r#"max="5" value="{used}""#);
        while !ann.get(&agents).await.contains(&is_used) {
            agent.tells(&user("ada"), HELLO).await;
        }
        for path in ["/dashboard", &agents] {
            let page = ann.get(path).await;
            match told {
                Some(told) => assert!(page.contains(told), "{told} in {page}"),
                None => assert!(!page.contains("updates of this month"), "{page}"),
            }
        }
    }
}

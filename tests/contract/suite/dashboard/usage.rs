//! Usage of agents, as shown to their developer.

use std::sync::Arc;

use ctxmem_server::store::Usage;
use ctxmem_types::{Scope, ScopeSet};

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
    assert!(page.contains(r#"<p class="figure">2 of 5</p>"#), "{page}");
    assert!(page.contains(r#"<meter min="0" max="5" value="2""#));
    let page = ann.page("/dashboard").await;
    assert!(page.contains(r#"<td class="number">2 of 5</td>"#), "{page}");
}

#[tokio::test]
async fn facts_that_are_refused_are_counted_as_users_read_of_them() {
    let server = at_end_of_march(Setup::new()).start().await;
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    let ada = user("ada");
    server.user_grants(&ada, &agent, Scope::Goals).await;
    let denied = async || {
        server.core().memory.flush_audit_buffer().await.unwrap();
        let page = ann.agent_page(&agent.id).await;
        let (_, rest) = page.split_once(r#"aria-label="Denied per day, "#).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    assert!(denied().await.ends_with(": none"));
    // Every fact of it is refused.
    let answer = agent.tells(&ada, HELLO).await;
    assert!(answer["denied_scopes"].is_array(), "{answer:?}");
    assert!(denied().await.contains(": 1 in all"));
    // One is stored, the others are refused.
    let both = "My goal is to finish my thesis by May. I use Helix as my editor.";
    let answer = agent.tells(&ada, both).await;
    assert!(
        answer["denied_scopes"].is_array() && answer["delta"]["ongoing_tasks"].is_array(),
        "{answer:?}"
    );
    assert!(denied().await.contains(": 2 in all"));
    // They were updates all the same.
    let page = ann.agent_page(&agent.id).await;
    assert!(page.contains(r#"aria-label="Updates per day, 2 Mar to 31 Mar: 2 in all"#));
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
    let table = ann.request("GET", "/dashboard/usage.csv").send().await;
    assert_eq!(table.status, 200);
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
    let agent = server.agent_of("ann@example.com", ScopeSet::ALL).await;
    let ann = Developer::existing(&server, "ann@example.com").await;
    let agents = format!("/dashboard/agents/{}", agent.id);
    for (used, told) in [
        (3, None),
        (
            4,
            Some("<bdi>an agent</bdi> has used 4 of the 5 updates of this month (80 %)"),
        ),
        (
            5,
            Some("<bdi>an agent</bdi> has used all 5 updates of this month"),
        ),
    ] {
        let is_used = format!(r#"max="5" value="{used}""#);
        while !ann.page(&agents).await.contains(&is_used) {
            agent.tells(&user("ada"), HELLO).await;
        }
        for path in ["/dashboard", &agents] {
            let page = ann.page(path).await;
            match told {
                Some(told) => assert!(page.contains(told), "{told} in {page}"),
                None => assert!(!page.contains("updates of this month"), "{page}"),
            }
        }
    }
}

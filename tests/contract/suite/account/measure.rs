use super::browser::Browser;
use crate::suite::support::{HELLO, Setup};

#[tokio::test]
async fn measure() {
    let server = Setup::new().endless_lists().start().await;
    let browser = Browser::of_ada(&server).await;
    let agent = server.agent_named("Agent One").await;
    agent.tells(&browser.user, HELLO).await;
    let words = std::fs::read_to_string("/usr/share/dict/words").unwrap_or_default();
    let words: Vec<&str> = words.lines().collect();
    for n in 0..337_usize {
        let kind = ["knowledge", "goals", "history", "relationships"][n % 4];
        let text = if words.is_empty() {
            format!(
                "Has worked on project number {n} with {} colleagues since {}",
                n * 7919 % 97,
                1990 + n % 35
            )
        } else {
            let at = |k: usize| words[(n * 7919 + k * 104_729) % words.len()];
            format!("{} {} {} {} {}", at(1), at(2), at(3), at(4), at(5))
        };
        browser
            .post("/account/facts/add", &[("scope", kind), ("value", &text)])
            .await;
    }
    std::fs::write("/tmp/w3-account.html", browser.page().await).unwrap();
    std::fs::write(
        "/tmp/w3-facts.html",
        browser.get("/account/facts?sort=newest&page=3").await,
    )
    .unwrap();
    server.store.add_history(10_000).await;
    let id = agent.id.clone();
    for path in [
        "/account/history".to_owned(),
        "/account/history?oldest=1".to_owned(),
        format!("/account/history?agent={id}&kind=access"),
        "/account/history?day=2026-11-22".to_owned(),
        "/account/history.csv".to_owned(),
        "/account".to_owned(),
        "/account/facts?page=4".to_owned(),
    ] {
        let mut times = Vec::new();
        for _ in 0..15 {
            let began = std::time::Instant::now();
            browser.get(&path).await;
            times.push(began.elapsed().as_micros());
        }
        times.sort_unstable();
        println!(
            "MEASURE {path}: median {} us, max {} us",
            times[7], times[14]
        );
    }
}

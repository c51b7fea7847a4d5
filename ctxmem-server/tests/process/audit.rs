//! The audit buffer when a process ends.

use crate::process::{Home, user};

const INJECTS: i64 = 100;

#[tokio::test]
async fn what_happened_right_before_sigterm_is_in_the_log() {
    let home = Home::new();
    let serving = home.serve("--rate-limit 0 --log warn").await;
    let client = serving.client(None);
    for n in 0..INJECTS {
        let ada = user(&format!("ada-{}", n % 10));
        client.inject(&ada, "Be brief.").await.unwrap();
    }
    assert_eq!(serving.stop().await, "");
    let logged = "SELECT SUM(times) FROM audit WHERE action = 'inject'";
    let requests = "SELECT SUM(unlogged) + (SELECT COUNT(*) FROM request_log) FROM request_days";
    let used = "SELECT COUNT(*) FROM grants WHERE last_used_at IS NOT NULL";
    let mut connection = home.connect().await;
    for (what, count) in [
        (logged, INJECTS),
        ("SELECT SUM(injects) FROM usage_days", INJECTS),
        ("SELECT SUM(times) FROM request_days", INJECTS),
        (requests, INJECTS),
        (used, 10),
    ] {
        let found = sqlx::query_scalar(what).fetch_one(&mut connection);
        assert_eq!(found.await.ok(), Some(count), "{what}");
    }
}

#[test]
fn for_how_long_a_log_is_kept_is_a_number_of_days() {
    for flag in ["--audit-days", "--request-log-days"] {
        Home::new().refused(&["serve", flag, "long"], 2, flag);
    }
}

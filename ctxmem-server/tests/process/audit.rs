//! The audit buffer when a process ends.

use sqlx::Connection as _;

use crate::process::{Home, user};

const INJECTS: i64 = 100;

#[tokio::test]
async fn what_happened_right_before_sigterm_is_in_the_log() {
    let home = Home::new();
    let mut serving = home.serve(&["--rate-limit", "0", "--log", "warn"]).await;
    let client = serving.client(None);
    for n in 0..INJECTS {
        let ada = user(&format!("ada-{}", n % 10));
        client.inject(&ada, "Be brief.").await.unwrap();
    }
    serving.signal("TERM");
    assert!(serving.ended().await.success());
    assert_eq!(serving.stderr(), "");
    let url = format!("sqlite://{}", home.database().display());
    let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
    for (what, count) in [
        (
            "SELECT SUM(times) FROM audit WHERE action = 'inject'",
            INJECTS,
        ),
        ("SELECT SUM(injects) FROM usage_days", INJECTS),
        ("SELECT SUM(times) FROM request_days", INJECTS),
        (
            "SELECT SUM(unlogged) + (SELECT COUNT(*) FROM request_log) FROM request_days",
            INJECTS,
        ),
        (
            "SELECT COUNT(*) FROM grants WHERE last_used_at IS NOT NULL",
            10,
        ),
    ] {
        let found: i64 = sqlx::query_scalar(what)
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(found, count, "{what}");
    }
}

#[test]
fn for_how_long_a_log_is_kept_is_a_number_of_days() {
    for flag in ["--audit-days", "--request-log-days"] {
        let refused = Home::new().run(&["serve", flag, "long"]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(refused.stderr.contains(flag), "{}", refused.stderr);
    }
}

//! Postgres behind TLS, with a certificate that the server checks.

use std::process::Command;

use ctxmem_test_postgres::Cluster;

use crate::process::{Args as _, CommandOutput, Home, user};

#[tokio::test]
async fn the_connection_is_encrypted_and_the_certificate_checked() {
    let postgres = Cluster::start_with_tls(|folder| {
        let made = Command::new("openssl")
            .args("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".list())
            .args("-addext subjectAltName=DNS:localhost,IP:127.0.0.1".list())
            .args("-addext basicConstraints=critical,CA:FALSE".list())
            .args("-keyout server.key -out server.crt".list())
            .current_dir(folder)
            .output()
            .expect("openssl is needed: apt-get install openssl");
        let made = CommandOutput::of(made);
        assert!(made.status.success(), "{}", made.stderr);
    });
    let certificate = postgres.path("server.crt");
    let url = postgres.url("postgres");
    let unknown = format!("{url}?sslmode=verify-full");
    let checked = format!("{unknown}&sslrootcert={}", certificate.display());
    let serving = Home::on(&checked).serve("").await;
    let client = serving.client(None);
    client.inject(&user("ada"), "Hello").await.unwrap();
    assert_eq!(encrypted_connections(&url).await, (true, true));

    // Somebody else's certificate is not good enough.
    Home::on(&unknown).refused("migrate", 1, "");
}

/// Whether ours has connections, and all of them are encrypted.
async fn encrypted_connections(url: &str) -> (bool, bool) {
    use sqlx::Connection as _;
    let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
    sqlx::query_as(
        "SELECT count(*) > 0, coalesce(bool_and(s.ssl), FALSE)
         FROM pg_stat_activity a JOIN pg_stat_ssl s ON s.pid = a.pid
         WHERE a.application_name = 'ctxmem-server'",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap()
}

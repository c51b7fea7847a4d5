//! The quota over two processes on one Postgres.

use futures_util::future::join_all;

use crate::process::{Home, user};

const LIMIT: usize = 50;
const UPDATES: usize = 200;

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_admit_exactly_the_quota() {
    let home = Home::migrated_on_postgres().await;
    let flags = format!("--rate-limit 0 --monthly-quota {LIMIT} --log warn");
    let one = home.serve(&flags).await;
    let other = home.serve(&flags).await;
    let clients = [one.client(None), other.client(Some(one.key()))];
    let updates = (0..UPDATES).map(|n| {
        let client = &clients[n % 2];
        async move {
            let ada = user(&format!("ada-{}", n % 20));
            let answer = client.update(&ada, "My name is Ada.", "Hello Ada.").await;
            answer.unwrap().limit_reached != Some(true)
        }
    });
    let admitted = join_all(updates).await.into_iter();
    let admitted = admitted.filter(|&yes| yes).count();
    println!(
        "figure: quota {LIMIT} on Postgres: {UPDATES} concurrent updates over two processes, \
         {admitted} admitted"
    );
    assert_eq!(admitted, LIMIT);
}

//! kill -9 while updates are acknowledged: what was acknowledged is there after a restart.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::load::{Load, Outcome};
use crate::model;
use crate::process::{Home, count};

const WRITERS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_updates_survive_kill_9() {
    let kills = count(50, 1_000);
    let home = Home::new();
    let model = model::model(Duration::from_millis(1)).await;
    let flags = "--rate-limit 0 --facts-per-list 0 --log warn";
    let flags = format!("{} {flags}", model.flags());
    // All of them write to the same list.
    let users = vec!["ada".to_owned(); WRITERS];

    let mut key: Option<String> = None;
    let mut all = Outcome::default();
    let mut caught_in_flight = 0;
    for round in 0..kills {
        let mut serving = home.serve(&flags).await;
        let key = &*key.get_or_insert_with(|| serving.key().to_owned());
        let load = Load::start(&[serving.client(Some(key))], &users, round);
        // A kill before that would prove nothing.
        load.until_acknowledged(1).await;
        // Another moment of the writers' work in every round.
        let moment = (round * 37) % 120;
        tokio::time::sleep(Duration::from_millis(moment as u64)).await;
        let in_flight = load.in_flight.load(Ordering::SeqCst);
        serving.kill();
        caught_in_flight += usize::from(in_flight > 0);
        all.add(load.stop().await);
    }

    let serving = home.serve(&flags).await;
    let client = serving.client(key.as_deref());
    let (lost, invented) = all.lost_and_invented(&client).await;
    let acknowledged = all.count();
    println!(
        "figure: kill -9 on SQLite: {kills} kills, {caught_in_flight} with updates in flight, {acknowledged} \
         acknowledged, {lost} lost, {invented} never sent"
    );
    assert_eq!((lost, invented), (0, 0));
    assert!(
        caught_in_flight * 100 >= kills * 95,
        "too few kills hit anything"
    );
    assert!(
        acknowledged >= kills,
        "too little was acknowledged to prove anything"
    );
    drop(serving);
    assert_eq!(home.integrity().await, "ok");
}

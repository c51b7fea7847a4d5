//! Power cuts. A server runs under strace while clients make first calls, updates and erasures.
//! From what it wrote and flushed come the files as a power cut would have left them: what was
//! flushed is there, and of the rest any part. A server must start on them, know whatever was
//! acknowledged, and show nothing of those whose erasure was acknowledged.
//!
//! `CTXMEM_POWER_CUT_IMAGES` sets how many images are checked, `CTXMEM_POWER_CUT_SEED` what is
//! called, where the power is cut and what survives. Threads run as they like all the same, so
//! files on which a check failed are kept.

mod calls;
mod cuts;
mod image;
mod operations;
mod tally;
mod trace;
mod traced;
mod workload;

use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use crate::history::Verdict;
use crate::model;
use crate::process::{count, setting};
use cuts::Cut;
use image::Disk;
use tally::Tally;
use trace::Trace;
use workload::Load;

/// How many images come from the work of the same servers.
const IMAGES_PER_TRACE: usize = 50;

/// Every how many traces one has so many updates that the log is copied into the file.
const FILLING: usize = 5;

/// Every how many images the power is cut a second time.
const AGAIN: usize = 5;

fn seed() -> u64 {
    setting("CTXMEM_POWER_CUT_SEED").unwrap_or_else(rand::random)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_power_cut_takes_nothing_that_was_acknowledged() {
    let images = setting("CTXMEM_POWER_CUT_IMAGES");
    let images = images.map_or(count(20, 500), |images| images.try_into().unwrap());
    let seed = seed();
    println!("seed {seed}");
    let model = model::model(Duration::ZERO).await;
    let mut random = StdRng::seed_from_u64(seed);
    let (mut tally, mut acknowledged, mut erased) = (Tally::default(), 0, 0);
    for number in 0..images.div_ceil(IMAGES_PER_TRACE) {
        let second = if number % FILLING == FILLING - 1 {
            Load::FILLING
        } else {
            Load::ERASING
        };
        let trace = Trace::record(&model, &[Load::ERASING, second], random.random()).await;
        let (operations, histories) = (&trace.operations, &trace.histories);
        acknowledged += cuts::updates(histories).len();
        erased += cuts::erasures(histories).len();
        for image in 0..IMAGES_PER_TRACE.min(images - number * IMAGES_PER_TRACE) {
            let cut = Cut::random(image, operations, histories, &mut random);
            let files = tally.cut(&trace, cut, Disk::Honest, &mut random).await;
            if image % AGAIN == 0 {
                tally.cut_again(&trace, cut, &files, &mut random).await;
            }
        }
    }
    println!(
        "figure: power cuts on SQLite (seed {seed}): {acknowledged} updates and {erased} erasures \
         acknowledged, {tally}"
    );
    assert_eq!(tally.failures, Vec::<String>::new());
    assert_eq!(tally.sum, Verdict::default());
    assert!(tally.unwritten > 0, "nothing was lost that was not flushed");
}

#[tokio::test(flavor = "multi_thread")]
async fn flushes_that_do_nothing_would_be_noticed() {
    let images = count(20, 100);
    let seed = seed();
    println!("seed {seed}");
    let model = model::model(Duration::ZERO).await;
    let mut random = StdRng::seed_from_u64(seed);
    let trace = Trace::record(&model, &[Load::ERASING], random.random()).await;
    let (operations, histories) = (&trace.operations, &trace.histories);
    let mut tally = Tally::default();
    for image in 0..images {
        let calls = match image % 2 {
            0 => cuts::updates(histories),
            _ => cuts::erasures(histories),
        };
        let call = calls.choose(&mut random).unwrap();
        let cut = Cut::after_answer(operations, call).unwrap();
        // Everything since the call was sent is lost, or any part of it.
        let since = operations.first_since(call.sent).unwrap().began;
        let disk = match image % 4 {
            0 | 1 => Disk::Forgetful { since },
            _ => Disk::Lying { since },
        };
        tally.cut(&trace, cut, disk, &mut random).await;
    }
    println!("figure: power cuts with flushes that do nothing (seed {seed}): {tally}");
    assert!(tally.sum.lost > 0, "the test above could not fail");
    assert!(tally.sum.readable > 0, "the test above could not fail");
}

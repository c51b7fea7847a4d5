//! Servers at work on one folder, and everything they did to its files.

use std::sync::Arc;
use std::time::SystemTime;

use ctxmem_test_outside::FakeModel;

use super::operations::Operations;
use super::traced::Traced;
use super::workload::Load;
use crate::aftermath::{FLAGS, Known};
use crate::database_files::DatabaseFolder;
use crate::evidence::Copies;
use crate::history::History;
use crate::process::Home;

pub(super) struct Trace {
    pub(super) operations: Operations,
    pub(super) histories: Vec<History>,
    /// Of users who were erased, from before.
    pub(super) copies: Copies,
    key: String,
    /// When the key was here.
    announced: SystemTime,
}

impl Trace {
    /// Runs a server for each load, one after the other.
    pub(super) async fn record(model: &FakeModel, loads: &[Load], seed: u64) -> Self {
        let folder = Arc::new(DatabaseFolder::new());
        let home = Home::on(&folder.url());
        let flags = format!("{} {FLAGS}", model.flags());
        let mut trace = Self {
            operations: Operations::default(),
            histories: Vec::new(),
            copies: Copies::default(),
            key: String::new(),
            announced: SystemTime::now(),
        };
        for (number, load) in loads.iter().enumerate() {
            let traced = Traced::start(&home, number, &flags).await.unwrap();
            if number == 0 {
                traced.serving.key().clone_into(&mut trace.key);
                trace.announced = SystemTime::now();
            }
            let client = traced.serving.client(Some(&trace.key));
            let seed = seed.wrapping_add(number as u64 * 1_000);
            let (histories, copies) = load.run(&client, &folder, number, seed).await;
            trace.histories.extend(histories);
            trace.copies.add(copies);
            trace.operations.record(&folder, &traced.stop().await);
        }
        trace
    }

    /// What was known at a moment.
    pub(super) fn known_at(&self, moment: SystemTime) -> Known<'_> {
        Known {
            interrupted: moment,
            key: (self.announced < moment).then_some(&self.key),
            histories: &self.histories,
        }
    }
}

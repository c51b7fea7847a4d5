//! Old copies of Postgres databases, as docs/erasure.md describes them, row by row: a physical
//! backup that was made before an erasure, the archive of the log, and the tables.

use std::collections::BTreeSet;

use ctxmem_test_postgres::Cluster;

use crate::deployment::{ARCHIVING, Databases, Deployment, archive_log};
use crate::evidence::{Copies, files_below};
use crate::history::History;

/// Two users, of whom the first was erased after the copies had been made, and the second was not.
struct Erased {
    deployment: Deployment,
    before: Copies,
    ada: String,
    bob: String,
}

impl Erased {
    /// `back_up` is called before the erasure, which is answered at the end. Then the server is
    /// killed: it has no time to rewrite anything.
    async fn on(databases: Databases, back_up: impl FnOnce(&Databases)) -> Self {
        let mut deployment = Deployment::on(databases).await;
        let [mut ada, mut bob] = [0, 1].map(|number| History::new(0, 0, number));
        let mut serving = deployment.start().await;
        let client = serving.client(None);
        ada.update(&client).await.unwrap();
        bob.update(&client).await.unwrap();
        let before = deployment.copies().await;
        // Postgres does so by itself, when much has changed: it keeps values of columns.
        deployment.collect_statistics().await;
        tokio::task::block_in_place(|| back_up(&deployment.databases));
        ada.erase(&client).await.unwrap();
        serving.kill();
        Self {
            deployment,
            before,
            ada: ada.name().to_owned(),
            bob: bob.name().to_owned(),
        }
    }

    fn both(&self) -> BTreeSet<String> {
        [self.ada.clone(), self.bob.clone()].into()
    }

    fn only_bob(&self) -> BTreeSet<String> {
        [self.bob.clone()].into()
    }

    /// The files of the tables hold the destroyed key until they were rewritten, and no longer.
    async fn assert_that_a_rewrite_removes_the_key(&mut self) {
        let files = self.deployment.files_with_keys().await;
        assert_eq!(self.before.keys_in(files), self.both());
        let mut serving = self.deployment.start().await;
        self.deployment.until_rewritten().await;
        serving.kill();
        let files = self.deployment.files_with_keys().await;
        assert_eq!(self.before.readable_with(&files), self.only_bob());
        assert_eq!(self.before.keys_in(&files), self.only_bob());
    }
}

fn clusters(databases: &Databases) -> (&Cluster, &Cluster) {
    match databases {
        Databases::Postgres { main, keys } => (main, keys.as_ref().unwrap_or(main)),
        Databases::Sqlite(_) => panic!("it is on Postgres"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_keys_elsewhere_a_backup_and_the_archive_are_unreadable_at_once() {
    let databases = Databases::Postgres {
        main: Box::new(Cluster::start(&ARCHIVING)),
        keys: Some(Box::new(Cluster::start(&[]))),
    };
    let mut erased = Erased::on(databases, |databases| {
        let (main, keys) = clusters(databases);
        main.back_up();
        keys.back_up();
    })
    .await;
    let (main, keys) = clusters(&erased.deployment.databases);
    archive_log(main).await;
    let before = &erased.before;
    // Rows, log, archive and backup of the database: the rows are there, and no key is.
    for part in ["data/base", "data/pg_wal", "archive", "backup"] {
        let files = files_below(&main.path(part));
        assert_eq!(before.rows_in(&files), erased.both(), "{part}");
    }
    let files = files_below(&main.path(""));
    assert_eq!(before.readable_with(&files), BTreeSet::new());
    assert_eq!(before.keys_in(&files), BTreeSet::new());
    // The keys that are left open bob's row and not ada's.
    let left = erased.deployment.copies().await;
    assert_eq!(left.names(), erased.only_bob());
    // A copy of the keys is as good as the keys.
    let backup = files_below(&keys.path("backup"));
    assert_eq!(before.readable_with(&backup), erased.both());
    erased.assert_that_a_rewrite_removes_the_key().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_keys_in_the_same_database_a_backup_and_the_archive_can_be_read_until_they_go() {
    let databases = Databases::Postgres {
        main: Box::new(Cluster::start(&ARCHIVING)),
        keys: None,
    };
    let mut erased = Erased::on(databases, |databases| {
        clusters(databases).0.back_up();
    })
    .await;
    let (main, _) = clusters(&erased.deployment.databases);
    archive_log(main).await;
    // The log that Postgres itself still has is such a copy too.
    for part in ["data/pg_wal", "archive", "backup"] {
        let files = files_below(&main.path(part));
        assert_eq!(erased.before.readable_with(&files), erased.both(), "{part}");
    }
    erased.assert_that_a_rewrite_removes_the_key().await;
}

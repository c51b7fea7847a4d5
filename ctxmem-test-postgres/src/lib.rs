//! A real Postgres for the tests of ctxmem.
//!
//! [`fresh_database`] answers the URL of a database of its own, on a server that this
//! process shares and that ends with it. Where `CTXMEM_TEST_POSTGRES_URL` names a server, it
//! is used instead. [`Cluster`] is a server that a test has to itself, to stop and to kill, with
//! standbys if need be, and [`PgBouncer`] a pooler in front of one. [`CitusCluster`] is several of them
//! with the extension Citus, and [`fresh_citus_database`] answers a database on such a cluster.
//!
//! A missing program fails the test with the words how to get it.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "a test that can't have its database fails, and says why"
)]

mod citus;
mod cluster;
mod database;
mod pgbouncer;
mod programs;
mod supervised;

pub use citus::{CitusCluster, CitusDatabase, empty_citus_database, fresh_citus_database};
pub use cluster::Cluster;
pub use database::{Database, empty_database, fresh_database};
pub use pgbouncer::PgBouncer;
pub use programs::postgres_program;

//! A database on Postgres that the extension Citus distributes over several machines.
//!
//! The coordinator is the machine where the schema is changed, and workers have the rows. Every machine
//! knows which worker has which rows, so a server may connect to any of them, and each statement goes
//! to the machine that has its user (decision 057).
//!
//! - Tables of users are distributed by the key of the user. What belongs to a user lies on one
//!   machine, so a unit of work about one user is a local transaction there.
//! - Small tables that the others are joined with are reference tables: every machine has them, and a
//!   change of one is a change on all machines, by a commit in two phases.
//! - Tables that are looked up by something else are distributed by that.
//! - The keys of users stay at the coordinator, or in a database of their own.

mod tables;
#[cfg(test)]
mod tests;

use sqlx::{Connection as _, PgConnection};

use super::{OpenError, Result};
use tables::{How, TABLES};

/// Settings of every connection to a distributed database, besides those of all.
///
/// Every statement is planned each time: of a plan that is used again, Citus 13.2 keeps 25 KB for each
/// run on a shard of its own machine, for as long as the connection lives. A worker that is away is
/// noticed sooner than a caller gives up. What changes many shards goes over one connection to each
/// worker: over several, the same transaction could not change a reference table that theirs refers to.
pub(super) const SETTINGS: &str = "
    SET plan_cache_mode = force_custom_plan; SET citus.node_connection_timeout = '1500ms';
    SET citus.multi_shard_modify_mode = 'sequential'";

/// The function that stores an update, and how it is found by Citus.
const STORE_UPDATE: &str = include_str!("store_update.sql");
const STORE_UPDATE_SIGNATURE: &str = "ctxmem_store_update_1(bytea, bigint, text, text, bigint, \
     bigint, bigint, text, text, text, bigint, text, bigint, text, bytea, bytea, bigint[], bytea[], \
     bytea[], text[], bigint[], bigint[], text[], bigint[], bytea[], bigint[], bigint[], bytea[])";

/// What a migration calls first that processes of the version before can't live with, where their
/// connections may be to any machine.
const RAISE_COMPATIBILITY: &str = include_str!("raise_compatibility.sql");

/// One process distributes at a time.
const LOCK: &str = "SELECT pg_advisory_lock(7167270164561420035)";
const UNLOCK: &str = "SELECT pg_advisory_unlock(7167270164561420035)";

const HAS_EXTENSION: &str = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')";
const COUNT_WORKERS: &str = "
    SELECT COUNT(*) FROM pg_dist_node
    WHERE groupid <> 0 AND noderole = 'primary' AND isactive AND shouldhaveshards";
const KNOWS_COORDINATOR: &str = "
    SELECT EXISTS (SELECT 1 FROM pg_dist_node WHERE groupid = 0 AND isactive)";
const LACKS_METADATA: &str = "
    SELECT EXISTS (SELECT 1 FROM pg_dist_node
                   WHERE noderole = 'primary' AND NOT (hasmetadata AND metadatasynced))";
const FIND_COORDINATOR: &str = "
    SELECT nodename, nodeport FROM pg_dist_node
    WHERE groupid = 0 AND noderole = 'primary'
      AND NOT EXISTS (SELECT 1 FROM pg_dist_local_group WHERE groupid = 0)";
const IS_DISTRIBUTED: &str = "
    SELECT EXISTS (SELECT 1 FROM pg_dist_partition
                   WHERE logicalrelid = to_regclass('users') AND partmethod = 'h')";
const IS_TABLE_DISTRIBUTED: &str = "
    SELECT EXISTS (SELECT 1 FROM pg_dist_partition
                   WHERE logicalrelid = to_regclass($1)
                     AND (partmethod = 'h' OR repmodel = 't'))";
const IS_FUNCTION_DISTRIBUTED: &str = "
    SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_object
                   WHERE classid = 'pg_proc'::regclass AND objid = to_regprocedure($1)
                     AND distribution_argument_index IS NOT NULL)";
const DISTRIBUTE_FUNCTION: &str = "
    SELECT create_distributed_function(to_regprocedure($1), 'of_user', colocate_with := 'users')";
const END_CONNECTIONS: &str = "
    SELECT COALESCE(bool_and(pg_terminate_backend(pid, 10000)), TRUE) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'ctxmem-server'
      AND pid <> pg_backend_pid()";

pub(super) async fn is_distributed(connection: &mut PgConnection) -> Result<bool> {
    Ok(is(connection, HAS_EXTENSION).await? && is(connection, IS_DISTRIBUTED).await?)
}

/// Host and port of the coordinator, if this is another machine of the cluster.
pub(super) async fn other_coordinator(
    connection: &mut PgConnection,
) -> Result<Option<(String, u16)>, OpenError> {
    if !is(connection, HAS_EXTENSION).await? {
        return Ok(None);
    }
    let found: Option<(String, i32)> = sqlx::query_as(FIND_COORDINATOR)
        .fetch_optional(&mut *connection)
        .await?;
    let Some((host, port)) = found else {
        return Ok(None);
    };
    let port = u16::try_from(port).map_err(|_| OpenError::Url)?;
    Ok(Some((host, port)))
}

/// Fails with what is missing for a database to be distributed.
pub(super) async fn check_cluster(connection: &mut PgConnection) -> Result<(), OpenError> {
    if !is(connection, HAS_EXTENSION).await? {
        return Err(OpenError::NoCluster(
            "it has no extension Citus; run CREATE EXTENSION citus in it on every machine, and make \
             the workers known to the coordinator by citus_add_node",
        ));
    }
    let workers: i64 = sqlx::query_scalar(COUNT_WORKERS)
        .fetch_one(&mut *connection)
        .await?;
    if workers == 0 {
        return Err(OpenError::NoCluster(
            "its coordinator knows no worker; make them known by citus_add_node",
        ));
    }
    if !is(connection, KNOWS_COORDINATOR).await? {
        return Err(OpenError::NoCluster(
            "the workers don't know the coordinator; make it known by citus_set_coordinator_host",
        ));
    }
    if is(connection, LACKS_METADATA).await? {
        return Err(OpenError::NoCluster(
            "not every machine has the metadata; synchronise it by \
             start_metadata_sync_to_all_nodes",
        ));
    }
    Ok(())
}

/// Distributes what is not distributed yet, and removes what was left of it at the coordinator. Each
/// table is distributed in a transaction of its own, so what was interrupted goes on from there.
pub(super) async fn distribute(
    connection: &mut PgConnection,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), OpenError> {
    let was_distributed = is_distributed(connection).await?;
    complete(connection, tell).await?;
    for table in TABLES {
        tables::remove_copy(connection, table, tell).await?;
    }
    if !was_distributed {
        // Processes that know the database as it was get no other connection.
        sqlx::raw_sql(END_CONNECTIONS).execute(connection).await?;
    }
    Ok(())
}

/// Distributes what is not distributed yet, such as tables of a migration, and makes the functions.
pub(super) async fn complete(
    connection: &mut PgConnection,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), OpenError> {
    if is_complete(connection).await? {
        return Ok(());
    }
    sqlx::raw_sql(LOCK).execute(&mut *connection).await?;
    let completed = complete_alone(connection, tell).await;
    sqlx::raw_sql(UNLOCK).execute(connection).await?;
    completed
}

async fn is_complete(connection: &mut PgConnection) -> Result<bool> {
    for table in TABLES {
        if !is_table_distributed(connection, table.name).await? {
            return Ok(false);
        }
    }
    is_function_distributed(connection).await
}

async fn complete_alone(
    connection: &mut PgConnection,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), OpenError> {
    for table in TABLES {
        if !is_table_distributed(connection, table.name).await? {
            tell(&match table.how {
                How::Everywhere => format!("{}: to every machine", table.name),
                How::By { column, .. } => format!("{}: by {column}", table.name),
            });
            tables::distribute(connection, table).await?;
        }
    }
    if !is_function_distributed(connection).await? {
        tell("functions: to every machine");
        let mut tx = connection.begin().await?;
        for sql in [STORE_UPDATE, RAISE_COMPATIBILITY] {
            sqlx::raw_sql(sql).execute(&mut *tx).await?;
        }
        sqlx::query(DISTRIBUTE_FUNCTION)
            .bind(STORE_UPDATE_SIGNATURE)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn is_table_distributed(connection: &mut PgConnection, name: &str) -> Result<bool> {
    let asked = sqlx::query_scalar(IS_TABLE_DISTRIBUTED).bind(name);
    Ok(asked.fetch_one(connection).await?)
}

async fn is_function_distributed(connection: &mut PgConnection) -> Result<bool> {
    let asked = sqlx::query_scalar(IS_FUNCTION_DISTRIBUTED).bind(STORE_UPDATE_SIGNATURE);
    Ok(asked.fetch_one(connection).await?)
}

async fn is(connection: &mut PgConnection, question: &'static str) -> Result<bool> {
    Ok(sqlx::query_scalar(question).fetch_one(connection).await?)
}

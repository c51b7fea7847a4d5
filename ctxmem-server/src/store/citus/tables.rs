//! The distribution of tables on Citus: which table is distributed how, and the statements that do it.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::OpenError;

/// A table, and how Citus has it.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) how: How,
}

pub(super) enum How {
    /// Every machine has all of it.
    Everywhere,
    /// Each row is on the machine that this column leads to. Rows of tables that are distributed like
    /// each other and have equal values there are on the same machine.
    By {
        column: &'static str,
        like: &'static str,
    },
}

/// Nobody's distribution is followed.
const ALONE: &str = "none";

const fn everywhere(name: &'static str) -> Table {
    let how = How::Everywhere;
    Table { name, how }
}

const fn by(column: &'static str, name: &'static str, like: &'static str) -> Table {
    let how = How::By { column, like };
    Table { name, how }
}

/// All tables but those of keys and the list of migrations, in the order in which they are
/// distributed: `users` is the last of the tables by which is seen that the database is distributed.
pub(super) const TABLES: &[Table] = &[
    everywhere("meta"),
    everywhere("compatibility"),
    everywhere("developers"),
    everywhere("agents"),
    everywhere("agent_profiles"),
    everywhere("api_keys"),
    everywhere("second_factors"),
    everywhere("recovery_codes"),
    everywhere("team_invitations"),
    // What an agent did: a unit of work stores it for one agent.
    by("agent_id", "quota", ALONE),
    by("agent_id", "usage_days", "quota"),
    by("agent_id", "request_log", "quota"),
    by("agent_id", "request_days", "quota"),
    // What a secret leads to, which is all that is known of who presents it.
    by("token_hash", "sign_in_links", ALONE),
    by("token_hash", "sessions", "sign_in_links"),
    by("token_hash", "developer_sessions", "sign_in_links"),
    by("state_hash", "oidc_sign_ins", "sign_in_links"),
    by("key_hash", "idempotency_claims", ALONE),
    // What belongs to a user.
    by("user_key", "users", ALONE),
    by("user_key", "grants", "users"),
    by("user_key", "facts", "users"),
    by("user_key", "audit", "users"),
    by("user_key", "consent_requests", "users"),
    by("user_key", "oauth_connections", "users"),
    by("user_key", "keys_to_destroy", "users"),
    by("about", "idempotency_keys", "users"),
];

/// Recorded answers are found by the user from now on. Of those whose user is no longer known, a
/// claim about nobody is left: such a request is refused when it is sent again, and nothing is done
/// twice.
const PREPARE_RECORDS: &str = "
    LOCK TABLE idempotency_keys IN ACCESS EXCLUSIVE MODE;
    INSERT INTO idempotency_claims (agent_id, key_hash, about, created_at)
        SELECT agent_id, key_hash, COALESCE(user_key, ''), created_at FROM idempotency_keys
        ON CONFLICT DO NOTHING;
    UPDATE idempotency_keys SET about = user_key WHERE user_key IS NOT NULL;
    ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pkey;
    ALTER TABLE idempotency_keys ADD PRIMARY KEY (about, agent_id, key_hash)";

/// Distributes a table with what is in it. Nobody writes to it meanwhile.
pub(super) async fn distribute(
    connection: &mut PgConnection,
    table: &Table,
) -> Result<(), OpenError> {
    let mut tx = connection.begin().await?;
    if table.name == "idempotency_keys" {
        sqlx::raw_sql(PREPARE_RECORDS).execute(&mut *tx).await?;
    }
    match table.how {
        How::Everywhere => {
            sqlx::query("SELECT create_reference_table($1::regclass)")
                .bind(table.name)
                .execute(&mut *tx)
                .await?;
        }
        How::By { column, like } => {
            sqlx::query("SELECT create_distributed_table($1::regclass, $2, colocate_with := $3)")
                .bind(table.name)
                .bind(column)
                .bind(like)
                .execute(&mut *tx)
                .await?;
        }
    }
    Ok(tx.commit().await?)
}

/// Removes the rows that the coordinator had before the table was distributed. Nobody sees them any
/// more, but their bytes would outlive every deletion.
pub(super) async fn remove_copy(
    connection: &mut PgConnection,
    table: &Table,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), OpenError> {
    let size = "SELECT pg_relation_size($1::regclass)";
    let asked = sqlx::query_scalar(size).bind(table.name);
    let size: i64 = asked.fetch_one(&mut *connection).await?;
    if size > 0 {
        tell(&format!(
            "{}: removing the coordinator's former rows",
            table.name
        ));
        let remove = format!(
            "SELECT truncate_local_data_after_distributing_table('{}'::regclass)",
            table.name
        );
        let remove = AssertSqlSafe(remove);
        sqlx::raw_sql(remove).execute(connection).await?;
    }
    Ok(())
}

//! Second factors of developers: secrets of one-time codes, and recovery codes.

use super::arg::args;
use super::statement::statements;
use super::{Hash, MemberId, Result, Tx};

/// A second factor.
#[derive(Clone)]
pub struct SecondFactorRow {
    /// The sealed secret.
    pub sealed: Vec<u8>,
    /// Whether signing in needs it.
    pub is_confirmed: bool,
    /// The step of the last code that was accepted.
    pub last_step: i64,
}

statements! {
    FIND_SECOND_FACTOR:
        "SELECT sealed, confirmed_at, last_step FROM second_factors WHERE developer_id = $1";
    // One that is confirmed is not replaced.
    BEGIN_SECOND_FACTOR changes Nothing:
        "INSERT INTO second_factors (developer_id, sealed, last_step) VALUES ($1, $2, 0)
         ON CONFLICT (developer_id) DO UPDATE SET sealed = excluded.sealed, last_step = 0
         WHERE second_factors.confirmed_at IS NULL";
    // Of two requests with the same code one finds the step gone. A code says nothing of a factor that
    // was begun, confirmed or removed since its secret was read.
    USE_SECOND_FACTOR changes Nothing:
        "UPDATE second_factors SET last_step = $2, confirmed_at = COALESCE(confirmed_at, $3)
         WHERE developer_id = $1 AND last_step < $2 AND sealed = $4
           AND CASE WHEN confirmed_at IS NULL THEN 0 ELSE 1 END = CAST($5 AS BIGINT)";
    END_SECOND_FACTOR changes Nothing: "DELETE FROM second_factors WHERE developer_id = $1";
    INSERT_RECOVERY_CODE changes Nothing:
        "INSERT INTO recovery_codes (developer_id, code_hash) VALUES ($1, $2)";
    COUNT_RECOVERY_CODES: "SELECT COUNT(*) AS n FROM recovery_codes WHERE developer_id = $1";
    USE_RECOVERY_CODE changes Nothing:
        "DELETE FROM recovery_codes WHERE developer_id = $1 AND code_hash = $2";
    END_RECOVERY_CODES changes Nothing: "DELETE FROM recovery_codes WHERE developer_id = $1";
}

impl Tx {
    /// The second factor of a developer, confirmed or not.
    pub async fn second_factor(&mut self, developer: &MemberId) -> Result<Option<SecondFactorRow>> {
        self.find_with(FIND_SECOND_FACTOR, args![developer], |row| {
            Ok(SecondFactorRow {
                sealed: row.bytes("sealed")?,
                is_confirmed: row.int_or_null("confirmed_at")?.is_some(),
                last_step: row.int("last_step")?,
            })
        })
        .await
    }

    /// Stores a new second factor, which is not confirmed yet. Returns false where one is.
    pub async fn begin_second_factor(
        &mut self,
        developer: &MemberId,
        sealed: &[u8],
    ) -> Result<bool> {
        let args = args![developer, sealed];
        Ok(self.execute(BEGIN_SECOND_FACTOR, args).await? > 0)
    }

    /// Accepts the code of a step, which confirms the factor that was `read`. Returns false where this
    /// step or a later one was accepted before, and where the factor is another one by now.
    pub async fn use_second_factor(
        &mut self,
        developer: &MemberId,
        read: &SecondFactorRow,
        step: i64,
        now: i64,
    ) -> Result<bool> {
        let args = args![developer, step, now, &read.sealed, read.is_confirmed];
        Ok(self.execute(USE_SECOND_FACTOR, args).await? > 0)
    }

    /// Removes a developer's second factor and recovery codes.
    pub async fn end_second_factor(&mut self, developer: &MemberId) -> Result<()> {
        let args = args![developer];
        self.run(END_RECOVERY_CODES, args).await?;
        self.run(END_SECOND_FACTOR, args).await
    }

    /// Stores the hash of a recovery code.
    pub async fn insert_recovery_code(&mut self, developer: &MemberId, code: &Hash) -> Result<()> {
        self.run(INSERT_RECOVERY_CODE, args![developer, code]).await
    }

    /// How many recovery codes a developer has left.
    pub async fn recovery_codes(&mut self, developer: &MemberId) -> Result<i64> {
        let row = self.find(COUNT_RECOVERY_CODES, args![developer]).await?;
        row.map_or(Ok(0), |row| row.int("n"))
    }

    /// Uses a recovery code, and returns whether there was this one.
    pub async fn use_recovery_code(&mut self, developer: &MemberId, code: &Hash) -> Result<bool> {
        let args = args![developer, code];
        Ok(self.execute(USE_RECOVERY_CODE, args).await? > 0)
    }
}

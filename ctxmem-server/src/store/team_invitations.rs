//! Invitations to a team. Of the secret in the link only a hash is stored.

use super::arg::args;
use super::row::{Row, from_row};
use super::statement::statements;
use super::{DeveloperId, Hash, Result, Tx};

/// An invitation that was not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationRow {
    /// Its id, which is no secret.
    pub id: String,
    /// For whom it is, as the owner wrote it.
    pub label: String,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
    /// When it stops working.
    pub expires_at: i64,
}

statements! {
    INSERT_INVITATION changes Nothing:
        "INSERT INTO team_invitations (id, team_id, token_hash, label, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)";
    LIST_INVITATIONS:
        "SELECT id, label, created_at, expires_at FROM team_invitations
         WHERE team_id = $1 AND expires_at > $2 ORDER BY created_at, id";
    FIND_INVITATION:
        "SELECT team_id FROM team_invitations
         WHERE token_hash = $1 AND expires_at > $2 AND created_at <= $3";
    // One statement checks and uses it, so of many requests at once only one succeeds.
    USE_INVITATION changes Nothing:
        "DELETE FROM team_invitations
         WHERE token_hash = $1 AND expires_at > $2 AND created_at <= $3 RETURNING team_id";
    WITHDRAW_INVITATION changes Nothing:
        "DELETE FROM team_invitations WHERE id = $1 AND team_id = $2";
    DROP_OLD_INVITATIONS changes Nothing: "DELETE FROM team_invitations WHERE expires_at <= $1";
}

from_row! { InvitationRow in "team_invitations": id, label, created_at, expires_at }

impl Tx {
    /// Stores an invitation to this account.
    pub async fn insert_invitation(
        &mut self,
        account: &DeveloperId,
        token: &Hash,
        invitation: &InvitationRow,
    ) -> Result<()> {
        let args = args![
            &invitation.id,
            account,
            token,
            &invitation.label,
            invitation.created_at,
            invitation.expires_at
        ];
        self.run(INSERT_INVITATION, args).await
    }

    /// The invitations to this account that work at an instant, the oldest first.
    pub async fn invitations(
        &mut self,
        account: &DeveloperId,
        now: i64,
    ) -> Result<Vec<InvitationRow>> {
        self.list_as(LIST_INVITATIONS, args![account, now]).await
    }

    /// The account to which an invitation leads that works at an instant and was made at `latest` or
    /// before. It remains unused.
    pub async fn invitation(
        &mut self,
        token: &Hash,
        now: i64,
        latest: i64,
    ) -> Result<Option<DeveloperId>> {
        let args = args![token, now, latest];
        self.find_with(FIND_INVITATION, args, account).await
    }

    /// Uses an invitation, and answers the account to which it leads; `None` if there is no such
    /// invitation, or it was used before, was withdrawn, has expired or was made after `latest`.
    pub async fn use_invitation(
        &mut self,
        token: &Hash,
        now: i64,
        latest: i64,
    ) -> Result<Option<DeveloperId>> {
        let args = args![token, now, latest];
        self.find_with(USE_INVITATION, args, account).await
    }

    /// Withdraws an invitation to this account, and answers whether there was one.
    pub async fn withdraw_invitation(&mut self, account: &DeveloperId, id: &str) -> Result<bool> {
        let args = args![id, account];
        Ok(self.execute(WITHDRAW_INVITATION, args).await? > 0)
    }

    /// Deletes invitations that expired at this instant or before.
    pub async fn drop_old_invitations(&mut self, now: i64) -> Result<()> {
        self.run(DROP_OLD_INVITATIONS, args![now]).await
    }
}

fn account(row: &Row) -> Result<DeveloperId> {
    row.text("team_id").map(DeveloperId::new)
}

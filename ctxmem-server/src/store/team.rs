//! The members of a team: who they are, and how they come and go.
//!
//! A member is a row of `developers`, not of a table of its own: sessions, passwords and second
//! factors work for such rows already, and older servers can read them.

use super::arg::args;
use super::row::{FromRow, Row};
use super::statement::statements;
use super::{Developer, DeveloperId, MemberId, Result, Role, Tx};

/// A member as others see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRow {
    /// The member.
    pub developer: Developer,
    /// When they joined, in milliseconds since 1970.
    pub joined_at: i64,
    /// Whether signing in needs a second factor.
    pub has_second_factor: bool,
}

statements! {
    LIST_MEMBERS:
        "SELECT d.id, d.team_id, d.email, d.name, d.role, d.created_at, f.confirmed_at
         FROM developers d LEFT JOIN second_factors f ON f.developer_id = d.id
         WHERE (d.id = $1 OR d.team_id = $1) AND d.role <> 'gone' ORDER BY d.created_at, d.id";
    FIND_MEMBER:
        "SELECT id, team_id, email, name, role FROM developers
         WHERE id = $1 AND (id = $2 OR team_id = $2) AND role <> 'gone'";
    // A unit that removes the member waits until this one has ended.
    LOCK_MEMBER: {
        sqlite: "SELECT id, team_id, email, name, role FROM developers
                 WHERE id = $1 AND (id = $2 OR team_id = $2) AND role <> 'gone'",
        postgres: "SELECT id, team_id, email, name, role FROM developers
                   WHERE id = $1 AND (id = $2 OR team_id = $2) AND role <> 'gone' FOR SHARE",
    };
    INSERT_MEMBER:
        "INSERT INTO developers (id, email, password_hash, created_at, team_id, role, name)
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    SET_ROLE: "UPDATE developers SET role = $2 WHERE id = $1";
    SET_CONTACT: "UPDATE developers SET contact = $2 WHERE id = $1";
    // No address is like an id, so nobody signs in with it and it is in nobody's way.
    RETIRE_FOUNDER:
        "UPDATE developers SET contact = COALESCE(contact, email), email = id, name = NULL,
                               password_hash = NULL, role = 'gone'
         WHERE id = $1 AND team_id IS NULL";
    // What a server without teams let a member create for themselves is the team's.
    ADOPT_AGENTS: "UPDATE agents SET developer_id = $2 WHERE developer_id = $1";
    DELETE_MEMBER: "DELETE FROM developers WHERE id = $1 AND team_id IS NOT NULL";
}

impl Tx {
    /// The members of an account, the one who joined first at the top.
    pub async fn members(&mut self, account: &DeveloperId) -> Result<Vec<MemberRow>> {
        self.list_as(LIST_MEMBERS, args![account]).await
    }

    /// The member of this account with this id.
    pub async fn member(&mut self, account: &DeveloperId, id: &str) -> Result<Option<Developer>> {
        self.find_as(FIND_MEMBER, args![id, account]).await
    }

    /// The same, who stays a member until the unit of work ends.
    pub async fn lock_member(
        &mut self,
        account: &DeveloperId,
        id: &MemberId,
    ) -> Result<Option<Developer>> {
        self.find_as(LOCK_MEMBER, args![id, account]).await
    }

    /// Adds a person to an account that somebody else began. It fails where somebody has this address.
    pub async fn insert_member(
        &mut self,
        member: &Developer,
        password_hash: Option<&str>,
        now: i64,
    ) -> Result<()> {
        let args = args![
            &member.member,
            &member.email,
            password_hash,
            now,
            &member.id,
            member.role.as_str(),
            &member.name
        ];
        self.run(INSERT_MEMBER, args).await
    }

    /// Sets what a person is in their team.
    pub async fn set_role(&mut self, id: &MemberId, role: Role) -> Result<()> {
        let args = args![id, role.as_str()];
        self.run_one(SET_ROLE, args, "developers", id).await
    }

    /// Sets the address that users see with the agents of an account.
    pub async fn set_contact(&mut self, account: &DeveloperId, contact: &str) -> Result<()> {
        let args = args![account, contact];
        self.run_one(SET_CONTACT, args, "developers", account).await
    }

    /// Removes a person with their sessions, password and second factor. The agents stay.
    pub async fn remove_member(&mut self, member: &Developer) -> Result<()> {
        let id = member.member.as_str();
        self.end_developer_sessions(&member.member).await?;
        self.end_second_factor(&member.member).await?;
        if id == member.id.as_str() {
            return self
                .run_one(RETIRE_FOUNDER, args![id], "developers", id)
                .await;
        }
        self.run(ADOPT_AGENTS, args![id, &member.id]).await?;
        self.run_one(DELETE_MEMBER, args![id], "developers", id)
            .await
    }
}

impl FromRow for MemberRow {
    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            developer: Developer::from_row(row)?,
            joined_at: row.int("created_at")?,
            has_second_factor: row.int_or_null("confirmed_at")?.is_some(),
        })
    }
}

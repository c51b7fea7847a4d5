//! Developers: those who own agents. A row is a person, and the first row of a team is its account as
//! well (`team.rs`). A person who has left is in no answer here.

use super::arg::{Arg, args};
use super::row::{FromColumn, FromRow, Row, named};
use super::statement::statements;
use super::{Result, Tx};

/// The id of a developer, a UUID: what belongs to one is asked for with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeveloperId(String);

impl DeveloperId {
    /// A developer's id, as it is stored.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The id of a person, a UUID: sessions, passwords and second factors are stored under it. The person
/// with whom an account began has the account's id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemberId(String);

impl MemberId {
    /// A person's id, as it is stored.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromColumn for DeveloperId {
    fn from_column(row: &Row, _: &'static str, column: &'static str) -> Result<Self> {
        row.text(column).map(Self)
    }
}

impl<'a> From<&'a DeveloperId> for Arg<'a> {
    fn from(id: &'a DeveloperId) -> Self {
        id.as_str().into()
    }
}

impl<'a> From<&'a MemberId> for Arg<'a> {
    fn from(id: &'a MemberId) -> Self {
        id.as_str().into()
    }
}

named! {
    /// What a person is in their team.
    Role {
        /// Decides who is a member. Each team has exactly one.
        Owner = "owner",
        /// Does everything but decide who is a member.
        Member = "member",
    }
}

/// One developer: a person, and the account of their team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Developer {
    /// The id of the account, under which everything of the team is stored.
    pub id: DeveloperId,
    /// The id of the person.
    pub member: MemberId,
    /// The address with which the person signs in, in lower case.
    pub email: String,
    /// What other members call the person.
    pub name: Option<String>,
    /// What the person is in the team.
    pub role: Role,
}

statements! {
    FIND_DEVELOPER:
        "SELECT id, team_id, email, name, role FROM developers WHERE email = $1 AND role <> 'gone'";
    FIND_DEVELOPER_BY_ID:
        "SELECT id, team_id, email, name, role FROM developers WHERE id = $1 AND role <> 'gone'";
    FIND_PASSWORD:
        "SELECT id, team_id, email, name, role, password_hash FROM developers
         WHERE email = $1 AND role <> 'gone'";
    // A unit that sets another password waits until this one has ended.
    LOCK_PASSWORD: {
        sqlite: "SELECT id, team_id, email, name, role, password_hash FROM developers
                 WHERE email = $1 AND role <> 'gone'",
        postgres: "SELECT id, team_id, email, name, role, password_hash FROM developers
                   WHERE email = $1 AND role <> 'gone' FOR UPDATE",
    };
    FIND_OLDEST_DEVELOPER:
        "SELECT o.id, o.team_id, o.email, o.name, o.role
         FROM developers t JOIN developers o ON (o.id = t.id OR o.team_id = t.id) AND o.role = 'owner'
         WHERE t.team_id IS NULL ORDER BY t.created_at, t.id LIMIT 1";
    FIND_CONTACT: "SELECT COALESCE(contact, email) AS contact FROM developers WHERE id = $1";
    LIST_DEVELOPERS:
        "SELECT d.id, d.team_id, d.email, d.name, d.role, d.created_at,
                (SELECT COUNT(*) FROM agents a
                 WHERE a.developer_id = COALESCE(d.team_id, d.id) AND a.deleted_at IS NULL) AS agents
         FROM developers d WHERE d.role <> 'gone' ORDER BY d.created_at, d.id";
    INSERT_DEVELOPER: "INSERT INTO developers (id, email, created_at) VALUES ($1, $2, $3)";
    SET_PASSWORD: "UPDATE developers SET password_hash = $2 WHERE email = $1 RETURNING id";
    END_DEMO:
        "UPDATE developers SET first_fact_at = $2
         WHERE first_fact_at IS NULL AND id = (SELECT developer_id FROM agents WHERE id = $1)";

    // SQLite has one writer at a time anyway. The number is arbitrary, but used nowhere else. Citus
    // has a lock on a row of a reference table hold on all machines, and an advisory lock on one.
    LOCK_ACCOUNTS: {
        sqlite: "SELECT 1",
        postgres: "SELECT pg_advisory_xact_lock(7203847510)",
        citus: "SELECT number FROM compatibility FOR UPDATE",
    };
}

impl Tx {
    /// Locks the table of developers until the unit of work ends. A unit that adds a developer
    /// takes this lock before it checks that there is none yet.
    pub async fn lock_accounts(&mut self) -> Result<()> {
        self.find(LOCK_ACCOUNTS, &[]).await?;
        Ok(())
    }

    /// All developers, each with the instant of their creation (milliseconds since 1970) and how many
    /// agents their team has.
    pub async fn developers(&mut self) -> Result<Vec<(Developer, i64, i64)>> {
        self.list_with(LIST_DEVELOPERS, &[], |row| {
            let created_at = row.int("created_at")?;
            Ok((Developer::from_row(row)?, created_at, row.int("agents")?))
        })
        .await
    }

    /// The developer with this address.
    pub async fn developer(&mut self, email: &str) -> Result<Option<Developer>> {
        self.find_as(FIND_DEVELOPER, args![email]).await
    }

    /// The person with this id.
    pub async fn developer_by_id(&mut self, id: &MemberId) -> Result<Option<Developer>> {
        self.find_as(FIND_DEVELOPER_BY_ID, args![id]).await
    }

    /// The developer with this address, and the hash of their password if they have one.
    pub async fn password(&mut self, email: &str) -> Result<Option<(Developer, Option<String>)>> {
        self.find_with(FIND_PASSWORD, args![email], with_password)
            .await
    }

    /// The same, which stays so until the unit of work ends. A unit that acts because a password was
    /// right takes this lock: a password that is set at the same time comes before or after all of it.
    pub async fn lock_password(
        &mut self,
        email: &str,
    ) -> Result<Option<(Developer, Option<String>)>> {
        self.find_with(LOCK_PASSWORD, args![email], with_password)
            .await
    }

    /// The address that users see with the agents of an account.
    pub async fn contact(&mut self, id: &DeveloperId) -> Result<Option<String>> {
        self.find_with(FIND_CONTACT, args![id], |row| row.text("contact"))
            .await
    }

    /// The owner of the account that was added first.
    pub async fn oldest_developer(&mut self) -> Result<Option<Developer>> {
        self.find_as(FIND_OLDEST_DEVELOPER, &[]).await
    }

    /// Adds a developer with an account of their own. It fails where another one has this address.
    pub async fn insert_developer(&mut self, developer: &Developer, now: i64) -> Result<()> {
        let args = args![&developer.id, &developer.email, now];
        self.run(INSERT_DEVELOPER, args).await
    }

    /// Sets a developer's password hash and answers the developer's id; `None` if there is no such
    /// developer.
    pub async fn set_password(&mut self, email: &str, hash: &str) -> Result<Option<MemberId>> {
        self.find_with(SET_PASSWORD, args![email, hash], |row| {
            Ok(MemberId(row.text("id")?))
        })
        .await
    }

    /// Ends the demo for all agents of the developer who owns this one.
    pub async fn end_demo(&mut self, agent_id: &str, now: i64) -> Result<()> {
        self.run(END_DEMO, args![agent_id, now]).await
    }
}

fn with_password(row: &Row) -> Result<(Developer, Option<String>)> {
    let hash = row.text_or_null("password_hash")?;
    Ok((Developer::from_row(row)?, hash))
}

impl Developer {
    /// A person with an account of their own.
    pub fn alone(id: impl Into<String>, email: impl Into<String>) -> Self {
        let id = id.into();
        Self {
            id: DeveloperId(id.clone()),
            member: MemberId(id),
            email: email.into(),
            name: None,
            role: Role::Owner,
        }
    }
}

impl FromRow for Developer {
    fn from_row(row: &Row) -> Result<Self> {
        let id = row.text("id")?;
        let account = row.text_or_null("team_id")?;
        Ok(Self {
            id: DeveloperId(account.unwrap_or_else(|| id.clone())),
            member: MemberId(id),
            email: row.text("email")?,
            name: row.text_or_null("name")?,
            role: Role::from_column(row, "developers", "role")?,
        })
    }
}

//! Developers: those who own agents.

use super::row::Row;
use super::statement::statements;
use super::{StoreError, Tx};

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

/// One developer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Developer {
    /// The id under which everything of theirs is stored.
    pub id: DeveloperId,
    /// The address with which the developer signs in, in lower case.
    pub email: String,
}

statements! {
    FIND_DEVELOPER: "SELECT id, email FROM developers WHERE email = $1";
    FIND_DEVELOPER_BY_ID: "SELECT id, email FROM developers WHERE id = $1";
    FIND_PASSWORD: "SELECT id, email, password_hash FROM developers WHERE email = $1";
    FIND_OLDEST_DEVELOPER: "SELECT id, email FROM developers ORDER BY created_at, id LIMIT 1";
    INSERT_DEVELOPER: "INSERT INTO developers (id, email, created_at) VALUES ($1, $2, $3)";
    SET_PASSWORD: "UPDATE developers SET password_hash = $2 WHERE email = $1 RETURNING id";
    END_DEMO:
        "UPDATE developers SET first_fact_at = $2
         WHERE first_fact_at IS NULL AND id = (SELECT developer_id FROM agents WHERE id = $1)";

    // SQLite has one writer at a time anyway. The number is arbitrary, but used nowhere else.
    LOCK_ACCOUNTS: {
        sqlite: "SELECT 1",
        postgres: "SELECT pg_advisory_xact_lock(7203847510)",
    };
}

impl Tx {
    /// Locks the table of developers until the unit of work ends. A unit that adds a developer
    /// takes this lock before it checks that there is none yet.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn lock_accounts(&mut self) -> Result<(), StoreError> {
        self.find(LOCK_ACCOUNTS, &[]).await?;
        Ok(())
    }

    /// The developer with this address.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn developer(&mut self, email: &str) -> Result<Option<Developer>, StoreError> {
        let row = self.find(FIND_DEVELOPER, &[email.into()]).await?;
        row.as_ref().map(Developer::from_row).transpose()
    }

    /// The developer with this id.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn developer_by_id(
        &mut self,
        id: &DeveloperId,
    ) -> Result<Option<Developer>, StoreError> {
        let row = self
            .find(FIND_DEVELOPER_BY_ID, &[id.as_str().into()])
            .await?;
        row.as_ref().map(Developer::from_row).transpose()
    }

    /// The developer with this address, and the hash of their password if they have one.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn password(
        &mut self,
        email: &str,
    ) -> Result<Option<(Developer, Option<String>)>, StoreError> {
        let row = self.find(FIND_PASSWORD, &[email.into()]).await?;
        row.map(|row| {
            Ok((
                Developer::from_row(&row)?,
                row.text_or_null("password_hash")?,
            ))
        })
        .transpose()
    }

    /// The developer who was added first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn oldest_developer(&mut self) -> Result<Option<Developer>, StoreError> {
        let row = self.find(FIND_OLDEST_DEVELOPER, &[]).await?;
        row.as_ref().map(Developer::from_row).transpose()
    }

    /// Adds a developer.
    ///
    /// # Errors
    ///
    /// When another developer has this address, or the database fails.
    pub async fn insert_developer(
        &mut self,
        developer: &Developer,
        now: i64,
    ) -> Result<(), StoreError> {
        self.run(
            INSERT_DEVELOPER,
            &[
                developer.id.as_str().into(),
                (&developer.email).into(),
                now.into(),
            ],
        )
        .await?;
        Ok(())
    }

    /// Sets a developer's password hash and answers the developer's id; `None` if there is no such
    /// developer.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn set_password(
        &mut self,
        email: &str,
        hash: &str,
    ) -> Result<Option<DeveloperId>, StoreError> {
        let row = self
            .find(SET_PASSWORD, &[email.into(), hash.into()])
            .await?;
        row.map(|row| Ok(DeveloperId(row.text("id")?))).transpose()
    }

    /// Ends the demo for all agents of the developer who owns this one.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn end_demo(&mut self, agent_id: &str, now: i64) -> Result<(), StoreError> {
        self.run(END_DEMO, &[agent_id.into(), now.into()]).await?;
        Ok(())
    }
}

impl Developer {
    fn from_row(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: DeveloperId(row.text("id")?),
            email: row.text("email")?,
        })
    }
}

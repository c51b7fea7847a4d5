//! Facts, and the one statement that answers all that a prompt or a context needs.

use ctxmem_types::{Scope, ScopeSet, SourceType, UserId};

use super::statement::{Row, statement};
use super::{GrantRow, Hash, Statement, StoreError, Tx};

/// One stored fact.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredFact {
    /// The scope that it belongs to.
    pub scope: Scope,
    /// What a newer fact replaces: the name in maps (with the normalised value, where the name
    /// holds several), the normalised value elsewhere.
    pub slot: String,
    /// The name, in maps.
    pub name: Option<String>,
    /// What is known.
    pub value: String,
    /// How it came to be known.
    pub source_type: SourceType,
    /// Whether the user asked for it to be remembered, in so many words.
    pub requested: bool,
    /// Where it stands in its slice.
    pub position: i64,
    /// When this value was first stored, in milliseconds since 1970. It tells one version of
    /// a fact from the next.
    pub first_stored_at: i64,
    /// When it was last stored or confirmed, in milliseconds since 1970.
    pub confirmed_at: i64,
}

/// Everything that answers an inject or a read, as of one instant.
pub struct Capsule {
    /// The newest grant between the agent and the user, whatever its state.
    pub grant: Option<GrantRow>,
    /// Whether an agent of this developer ever stored a fact.
    pub developer_stored: bool,
    /// When the user's stored content last changed, in milliseconds since 1970.
    pub last_updated: Option<i64>,
    /// Every fact of the user, in prompt order.
    pub facts: Vec<StoredFact>,
}

impl Capsule {
    /// The scopes that hold a fact.
    pub fn scopes(&self) -> ScopeSet {
        scopes(&self.facts)
    }
}

/// The scopes that hold one of these facts.
pub fn scopes(facts: &[StoredFact]) -> ScopeSet {
    facts.iter().map(|fact| fact.scope).collect()
}

pub(super) const STATEMENTS: &[Statement] = &[
    FIND_CAPSULE,
    FIND_FACT,
    LIST_FACTS,
    PUT_FACT,
    REMOVE_FACT,
    COUNT_FACTS,
    DROP_STALEST,
];

// The newest grant and each fact of the user, one row a fact; without a fact one row.
statement!(
    FIND_CAPSULE,
    "SELECT d.first_fact_at, u.last_updated,
            g.id, g.agent_id, g.scopes, g.made_by, g.created_at, g.expires_at, g.expires_text,
            g.revoked_at,
            f.scope, f.slot, f.name, f.value, f.source_type, f.requested, f.position,
            f.first_stored_at, f.confirmed_at
     FROM agents a
     JOIN developers d ON d.id = a.developer_id
     LEFT JOIN users u ON u.user_key = $2
     LEFT JOIN grants g ON g.user_key = $2 AND g.agent_id = a.id AND g.latest = 1
     LEFT JOIN facts f ON f.user_key = $2
     WHERE a.id = $1 AND a.deleted_at IS NULL
     ORDER BY f.scope, f.position"
);
statement!(
    FIND_FACT,
    "SELECT scope, slot, name, value, source_type, requested, position, first_stored_at,
            confirmed_at
     FROM facts WHERE user_key = $1 AND scope = $2 AND slot = $3"
);
statement!(
    LIST_FACTS,
    "SELECT scope, slot, name, value, source_type, requested, position, first_stored_at,
            confirmed_at
     FROM facts WHERE user_key = $1 AND scope = $2 ORDER BY position"
);
// A replaced value keeps its place in the slice.
statement!(
    PUT_FACT,
    Facts,
    "INSERT INTO facts (user_key, scope, slot, name, value, source_type, agent_id, requested,
                        position, first_stored_at, confirmed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ON CONFLICT (user_key, scope, slot) DO UPDATE SET
         name = excluded.name, value = excluded.value, source_type = excluded.source_type,
         agent_id = excluded.agent_id, requested = excluded.requested,
         first_stored_at = excluded.first_stored_at, confirmed_at = excluded.confirmed_at"
);
statement!(
    REMOVE_FACT,
    Facts,
    "DELETE FROM facts WHERE user_key = $1 AND scope = $2 AND slot = $3"
);
// The primary key's index answers it.
statement!(
    COUNT_FACTS,
    "SELECT COUNT(*) AS facts FROM facts WHERE user_key = $1 AND scope = $2"
);
statement!(
    DROP_STALEST,
    Facts,
    "DELETE FROM facts WHERE user_key = $1 AND scope = $2 AND slot IN (
         SELECT slot FROM facts WHERE user_key = $1 AND scope = $2
                                  AND (name IS NULL OR name <> $4)
         ORDER BY confirmed_at, position LIMIT $3)
     RETURNING slot"
);

impl Tx {
    /// Everything that answers an inject or a read of this agent for this user; `None` when
    /// the agent does not exist (any more).
    pub async fn capsule(
        &mut self,
        agent_id: &str,
        user_id: &UserId,
    ) -> Result<Option<Capsule>, StoreError> {
        let key = self.user_key(user_id);
        let rows = self
            .list(FIND_CAPSULE, &[agent_id.into(), (&key).into()])
            .await?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        Ok(Some(Capsule {
            grant: GrantRow::read_joined(first)?,
            developer_stored: first.int_or_null("first_fact_at")?.is_some(),
            last_updated: first.int_or_null("last_updated")?,
            facts: match first.int_or_null("scope")? {
                Some(_) => rows.iter().map(read).collect::<Result<_, _>>()?,
                None => Vec::new(),
            },
        }))
    }

    /// The fact in a slot.
    pub async fn fact(
        &mut self,
        user_id: &UserId,
        scope: Scope,
        slot: &str,
    ) -> Result<Option<StoredFact>, StoreError> {
        let key = self.user_key(user_id);
        self.fact_of(&key, scope, slot).await
    }

    pub(super) async fn fact_of(
        &mut self,
        key: &Hash,
        scope: Scope,
        slot: &str,
    ) -> Result<Option<StoredFact>, StoreError> {
        let row = self
            .find(FIND_FACT, &[key.into(), number(scope).into(), slot.into()])
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// The facts of a scope, in the order in which they were first stored.
    pub async fn facts(
        &mut self,
        user_id: &UserId,
        scope: Scope,
    ) -> Result<Vec<StoredFact>, StoreError> {
        let key = self.user_key(user_id);
        let rows = self
            .list(LIST_FACTS, &[(&key).into(), number(scope).into()])
            .await?;
        rows.iter().map(read).collect()
    }

    /// Stores a fact, in place of the one in its slot where there is one.
    pub async fn put_fact(
        &mut self,
        user_id: &UserId,
        agent_id: &str,
        fact: &StoredFact,
    ) -> Result<(), StoreError> {
        let key = self.user_key(user_id);
        self.put_fact_of(&key, agent_id, fact).await
    }

    pub(super) async fn put_fact_of(
        &mut self,
        key: &Hash,
        agent_id: &str,
        fact: &StoredFact,
    ) -> Result<(), StoreError> {
        self.run(
            PUT_FACT,
            &[
                key.into(),
                number(fact.scope).into(),
                (&fact.slot).into(),
                fact.name.as_deref().into(),
                (&fact.value).into(),
                fact.source_type.as_str().into(),
                agent_id.into(),
                i64::from(fact.requested).into(),
                fact.position.into(),
                fact.first_stored_at.into(),
                fact.confirmed_at.into(),
            ],
        )
        .await?;
        Ok(())
    }

    /// Removes the fact in a slot.
    pub async fn remove_fact(
        &mut self,
        user_id: &UserId,
        scope: Scope,
        slot: &str,
    ) -> Result<(), StoreError> {
        let key = self.user_key(user_id);
        self.remove_fact_of(&key, scope, slot).await
    }

    pub(super) async fn remove_fact_of(
        &mut self,
        key: &Hash,
        scope: Scope,
        slot: &str,
    ) -> Result<(), StoreError> {
        self.run(
            REMOVE_FACT,
            &[key.into(), number(scope).into(), slot.into()],
        )
        .await?;
        Ok(())
    }

    /// How many facts a scope holds.
    pub async fn count_facts(&mut self, user_id: &UserId, scope: Scope) -> Result<i64, StoreError> {
        let key = self.user_key(user_id);
        self.count_facts_of(&key, scope).await
    }

    pub(super) async fn count_facts_of(
        &mut self,
        key: &Hash,
        scope: Scope,
    ) -> Result<i64, StoreError> {
        let row = self
            .find(COUNT_FACTS, &[key.into(), number(scope).into()])
            .await?;
        row.map_or(Ok(0), |row| row.int("facts"))
    }

    /// Removes so many facts of a scope, those first that were longest not confirmed and none
    /// of the name that is spared, and answers their slots.
    pub async fn drop_stalest(
        &mut self,
        user_id: &UserId,
        scope: Scope,
        count: i64,
        spared: Option<&str>,
    ) -> Result<Vec<String>, StoreError> {
        let key = self.user_key(user_id);
        let rows = self
            .list(
                DROP_STALEST,
                &[
                    (&key).into(),
                    number(scope).into(),
                    count.into(),
                    spared.unwrap_or_default().into(),
                ],
            )
            .await?;
        rows.iter().map(|row| row.text("slot")).collect()
    }
}

/// Scopes are stored as their position in prompt order, so that rows sort like prompts.
pub(super) fn number(scope: Scope) -> i64 {
    scope as i64
}

/// The scope of a row of this table.
pub(super) fn scope(row: &Row) -> Result<Scope, StoreError> {
    scope_at(row.int("scope")?)
}

/// The scope that is stored as this number.
pub(super) fn scope_at(number: i64) -> Result<Scope, StoreError> {
    usize::try_from(number)
        .ok()
        .and_then(|number| Scope::ALL.get(number).copied())
        .ok_or(StoreError::Corrupt("facts.scope"))
}

pub(super) fn read(row: &Row) -> Result<StoredFact, StoreError> {
    Ok(StoredFact {
        scope: scope(row)?,
        slot: row.text("slot")?,
        name: row.text_or_null("name")?,
        value: row.text("value")?,
        source_type: row.text("source_type")?.into(),
        requested: row.int("requested")? != 0,
        position: row.int("position")?,
        first_stored_at: row.int("first_stored_at")?,
        confirmed_at: row.int("confirmed_at")?,
    })
}

//! Records of developers, their agents, and the keys and counts of these.

use std::collections::BTreeMap;

use ctxmem_types::ScopeSet;
use serde::{Deserialize, Serialize};

use super::{ImportOutcome, Record};
use crate::store::agent_profiles::{needs_from_text, needs_to_text};
use crate::store::arg::args;
use crate::store::row::{FromRow, Row, stored};
use crate::store::statement::statements;
use crate::store::{Hash, Result, Tx, Usage};

/// A developer. Instants are milliseconds since 1970, as in all records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeveloperRecord {
    /// A UUID.
    pub id: String,
    /// The address with which the person signs in.
    pub email: String,
    /// The password's hash, as argon2 writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_hash: Option<String>,
    /// When the developer was created.
    pub created_at: i64,
    /// When an agent of theirs first stored a fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_fact_at: Option<i64>,
    /// The account of the team, for those who joined one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<String>,
    /// `owner`, `member` or `gone`.
    pub role: String,
    /// What other members call the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The address that users see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// The sealed secret of one-time codes. Only a database with the same index key can use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_factor: Option<SealedBytes>,
    /// When the second factor was confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_factor_confirmed_at: Option<i64>,
    /// The step of the last code that was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_factor_last_step: Option<i64>,
    /// The hashes of the recovery codes, in hexadecimal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recovery_codes: Vec<String>,
}

/// An agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRecord {
    /// A UUID.
    pub id: String,
    /// The developer who owns it.
    pub developer_id: String,
    /// What people call it.
    pub name: String,
    /// When it was created.
    pub created_at: i64,
    /// When it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<i64>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// A page about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its privacy policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy_url: Option<String>,
    /// Where users go back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_url: Option<String>,
    /// The scopes that it needs, by their names, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub needs: BTreeMap<String, String>,
}

/// An API key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRecord {
    /// A UUID.
    pub id: String,
    /// The agent that it belongs to.
    pub agent_id: String,
    /// The SHA-256 of the key, in hexadecimal.
    #[serde(with = "hex::serde")]
    pub hash: Hash,
    /// The first characters of the key.
    pub prefix: String,
    /// The scopes that it allows.
    pub scopes: ScopeSet,
    /// When it was created.
    pub created_at: i64,
    /// When it was last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<i64>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<i64>,
    /// What its developer calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it stops working.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// The key that takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

/// How much of a month's quota an agent used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaRecord {
    /// The agent.
    pub agent_id: String,
    /// The month in UTC, such as 2026-03.
    pub month: String,
    /// How many updates.
    pub used: i64,
}

/// What an agent did on a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageRecord {
    /// The agent.
    pub agent_id: String,
    /// The day in UTC, such as 2026-03-01.
    pub day: String,
    /// How much was used.
    #[serde(flatten)]
    pub usage: Usage,
}

/// What is sealed for a database, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SealedBytes(#[serde(with = "hex::serde")] pub(super) Vec<u8>);

statements! {
    // A person who joined a team refers to the first person of it, so that row comes first.
    EXPORT_DEVELOPERS:
        "SELECT d.id, d.email, d.password_hash, d.created_at, d.first_fact_at, d.team_id, d.role,
                d.name, d.contact, f.sealed, f.confirmed_at, f.last_step
         FROM developers d LEFT JOIN second_factors f ON f.developer_id = d.id
         ORDER BY CASE WHEN d.team_id IS NULL THEN 0 ELSE 1 END, d.created_at, d.id";
    EXPORT_RECOVERY_CODES: "SELECT code_hash FROM recovery_codes WHERE developer_id = $1";
    EXPORT_AGENTS:
        "SELECT a.id, a.developer_id, a.name, a.created_at, a.deleted_at, p.purpose, p.url,
                p.privacy_url, p.return_url, p.needs
         FROM agents a LEFT JOIN agent_profiles p ON p.agent_id = a.id ORDER BY a.created_at, a.id";
    EXPORT_KEYS:
        "SELECT id, agent_id, hash, prefix, scopes, created_at, last_used_at, revoked_at, name,
                expires_at, replaced_by
         FROM api_keys ORDER BY created_at, id";
    EXPORT_QUOTA: "SELECT agent_id, month, used FROM quota ORDER BY agent_id, month";
    EXPORT_USAGE:
        "SELECT agent_id, day, injects, updates, filtered, denied, errors FROM usage_days
         ORDER BY agent_id, day";
    IMPORT_DEVELOPER:
        "INSERT INTO developers (id, email, password_hash, created_at, first_fact_at, team_id, role,
                                 name, contact)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING";
    IMPORT_SECOND_FACTOR:
        "INSERT INTO second_factors (developer_id, sealed, confirmed_at, last_step)
         VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    IMPORT_RECOVERY_CODE:
        "INSERT INTO recovery_codes (developer_id, code_hash) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    IMPORT_AGENT:
        "INSERT INTO agents (id, developer_id, name, created_at, deleted_at)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    IMPORT_PROFILE:
        "INSERT INTO agent_profiles (agent_id, purpose, url, privacy_url, return_url, needs)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
    IMPORT_KEY:
        "INSERT INTO api_keys (id, agent_id, hash, prefix, scopes, created_at, last_used_at,
                               revoked_at, name, expires_at, replaced_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING";
    IMPORT_QUOTA:
        "INSERT INTO quota (agent_id, month, used) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    IMPORT_USAGE:
        "INSERT INTO usage_days (agent_id, day, injects, updates, filtered, denied, errors)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
    IS_DEVELOPER: "SELECT 1 AS found FROM developers WHERE id = $1";
    IS_AGENT: "SELECT 1 AS found FROM agents WHERE id = $1";
    // The id of a program that users let in over OAuth, which is that of its key, says what it is.
    IS_SAME_AGENT:
        "SELECT 1 AS found FROM agents
         WHERE id = $1 AND developer_id = $2 AND (created_at = $3 OR id IN (SELECT id FROM api_keys))";
}

/// An agent's record whose developer is not there: it belongs to another account with the address.
const NO_DEVELOPER: &str = "its developer is not in the database: the address is another's";
const NO_AGENT: &str = "its agent is not in the database";
const OTHER_AGENT: &str = "the database has another agent with this id";

impl Tx {
    /// Developers, agents, keys and their counts, each after what it refers to.
    pub async fn account_records(&mut self) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        let developers = self.list_as::<DeveloperRecord>(EXPORT_DEVELOPERS, &[]);
        for mut developer in developers.await? {
            let of = args![&developer.id];
            for code in self.list(EXPORT_RECOVERY_CODES, of).await? {
                let code = code.bytes("code_hash")?;
                developer.recovery_codes.push(hex::encode(code));
            }
            records.push(Record::Developer(developer));
        }
        let agents = self.list_as(EXPORT_AGENTS, &[]).await?;
        records.extend(agents.into_iter().map(Record::Agent));
        let keys = self.list_as(EXPORT_KEYS, &[]).await?;
        records.extend(keys.into_iter().map(Record::Key));
        let quota = self.list_as(EXPORT_QUOTA, &[]).await?;
        records.extend(quota.into_iter().map(Record::Quota));
        let usage = self.list_as(EXPORT_USAGE, &[]).await?;
        records.extend(usage.into_iter().map(Record::Usage));
        Ok(records)
    }

    /// Whether the database has an agent with this id, deleted ones included.
    pub async fn has_agent(&mut self, id: &str) -> Result<bool> {
        self.has_row(IS_AGENT, id).await
    }

    async fn has_row(&mut self, statement: crate::store::Statement, id: &str) -> Result<bool> {
        Ok(self.find(statement, args![id]).await?.is_some())
    }

    pub(super) async fn take_developer(
        &mut self,
        record: &DeveloperRecord,
    ) -> Result<ImportOutcome> {
        if !["owner", "member", "gone"].contains(&&*record.role) {
            return Ok(ImportOutcome::Refused(
                "a developer with a role that this version does not know",
            ));
        }
        if let Some(team) = &record.team_id
            && !self.has_row(IS_DEVELOPER, team).await?
        {
            return Ok(ImportOutcome::Refused(NO_DEVELOPER));
        }
        let args = args![
            &record.id,
            &record.email,
            &record.password_hash,
            record.created_at,
            record.first_fact_at,
            &record.team_id,
            &record.role,
            &record.name,
            &record.contact
        ];
        let rows = self.execute(IMPORT_DEVELOPER, args).await?;
        if rows == 0 {
            let is_there = self.has_row(IS_DEVELOPER, &record.id).await?;
            return Ok(if is_there {
                ImportOutcome::Known
            } else {
                ImportOutcome::Refused("another developer has this address already")
            });
        }
        self.put_second_factor_of(record).await?;
        Ok(ImportOutcome::Added)
    }

    /// Writes a developer's second factor, if there is one, and the recovery codes.
    pub(super) async fn put_second_factor_of(&mut self, record: &DeveloperRecord) -> Result<()> {
        if let Some(sealed) = &record.second_factor {
            let args = args![
                &record.id,
                &sealed.0,
                record.second_factor_confirmed_at,
                record.second_factor_last_step.unwrap_or(0)
            ];
            self.run(IMPORT_SECOND_FACTOR, args).await?;
        }
        for code in record.recovery_hashes() {
            let args = args![&record.id, &code];
            self.run(IMPORT_RECOVERY_CODE, args).await?;
        }
        Ok(())
    }

    pub(super) async fn take_agent(&mut self, record: &AgentRecord) -> Result<ImportOutcome> {
        if !self.has_row(IS_DEVELOPER, &record.developer_id).await? {
            return Ok(ImportOutcome::Refused(NO_DEVELOPER));
        }
        let args = args![
            &record.id,
            &record.developer_id,
            &record.name,
            record.created_at,
            record.deleted_at
        ];
        let rows = self.execute(IMPORT_AGENT, args).await?;
        if rows == 0 {
            let args = args![&record.id, &record.developer_id, record.created_at];
            let is_same = self.find(IS_SAME_AGENT, args).await?.is_some();
            return Ok(if is_same {
                ImportOutcome::Known
            } else {
                ImportOutcome::Refused(OTHER_AGENT)
            });
        }
        if let (Some(purpose), Some(url), Some(privacy_url)) =
            (&record.purpose, &record.url, &record.privacy_url)
        {
            let needs = needs_to_text(&record.needs)?;
            let args = args![
                &record.id,
                purpose,
                url,
                privacy_url,
                record.return_url.as_deref().unwrap_or_default(),
                &needs
            ];
            self.run(IMPORT_PROFILE, args).await?;
        }
        Ok(ImportOutcome::Added)
    }

    pub(super) async fn take_key(&mut self, record: &KeyRecord) -> Result<ImportOutcome> {
        if !self.has_agent(&record.agent_id).await? {
            return Ok(ImportOutcome::Refused(NO_AGENT));
        }
        self.import(IMPORT_KEY, &record.args()).await
    }

    pub(super) async fn take_quota(&mut self, record: &QuotaRecord) -> Result<ImportOutcome> {
        self.import(IMPORT_QUOTA, &record.args()).await
    }

    pub(super) async fn take_usage(&mut self, record: &UsageRecord) -> Result<ImportOutcome> {
        let args = record.usage.row(&record.agent_id, &record.day);
        self.import(IMPORT_USAGE, &args).await
    }
}

impl FromRow for DeveloperRecord {
    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            id: row.text("id")?,
            email: row.text("email")?,
            password_hash: row.text_or_null("password_hash")?,
            created_at: row.int("created_at")?,
            first_fact_at: row.int_or_null("first_fact_at")?,
            team_id: row.text_or_null("team_id")?,
            role: row.text("role")?,
            name: row.text_or_null("name")?,
            contact: row.text_or_null("contact")?,
            second_factor: row.bytes_or_null("sealed")?.map(SealedBytes),
            second_factor_confirmed_at: row.int_or_null("confirmed_at")?,
            second_factor_last_step: row.int_or_null("last_step")?,
            recovery_codes: Vec::new(),
        })
    }
}

impl DeveloperRecord {
    /// The account of the person's team.
    pub(super) fn team(&self) -> &str {
        self.team_id.as_deref().unwrap_or(&self.id)
    }

    /// What signing in needs besides the password, and since when.
    pub(super) fn confirmed_factor(&self) -> Option<(&SealedBytes, i64)> {
        let sealed = self.second_factor.as_ref();
        sealed.zip(self.second_factor_confirmed_at)
    }

    /// The hashes of the recovery codes. What is no hash is no code of anybody's.
    pub(super) fn recovery_hashes(&self) -> impl Iterator<Item = Hash> {
        let hash = |code: &String| {
            let mut hash = Hash::default();
            hex::decode_to_slice(code, &mut hash).ok().map(|()| hash)
        };
        self.recovery_codes.iter().filter_map(hash)
    }
}

impl FromRow for AgentRecord {
    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            id: row.text("id")?,
            developer_id: row.text("developer_id")?,
            name: row.text("name")?,
            created_at: row.int("created_at")?,
            deleted_at: row.int_or_null("deleted_at")?,
            purpose: row.text_or_null("purpose")?,
            url: row.text_or_null("url")?,
            privacy_url: row.text_or_null("privacy_url")?,
            return_url: row
                .text_or_null("return_url")?
                .filter(|url| !url.is_empty()),
            needs: match row.text_or_null("needs")? {
                Some(text) => needs_from_text(&text)?,
                None => BTreeMap::new(),
            },
        })
    }
}

stored! {
    KeyRecord in "api_keys":
    id, agent_id, hash, prefix, scopes, created_at, last_used_at, revoked_at, name, expires_at,
    replaced_by
}

stored! { QuotaRecord in "quota": agent_id, month, used }

impl FromRow for UsageRecord {
    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            agent_id: row.text("agent_id")?,
            day: row.text("day")?,
            usage: Usage::from_row(row)?,
        })
    }
}

//! Auto-delete: facts that nobody has said again for as long as their user chose are deleted, by scope.

use std::collections::BTreeMap;

use chrono::{DateTime, Months};
use ctxmem_types::{Scope, ScopeSet, UserId};
use serde::{Deserialize, Serialize};

use super::arg::args;
use super::erasure::open_user_id;
use super::row::{FromColumn, Row};
use super::statement::statements;
use super::{ByKey, Hash, Result, StoreError, Tx, Who, facts};

/// After how many months the facts of which scopes are deleted, counted from when they were last said.
/// Those of other scopes stay until somebody deletes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, u32>", into = "BTreeMap<String, u32>")]
pub struct AutoDelete(BTreeMap<Scope, u32>);

impl AutoDelete {
    /// Whether everything stays.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// After how many months facts of a scope are deleted; `None` where they stay.
    pub fn months(&self, scope: Scope) -> Option<u32> {
        self.0.get(&scope).copied()
    }

    /// Has the facts of a scope deleted after so many months.
    pub fn set(&mut self, scope: Scope, months: u32) {
        self.0.insert(scope, months);
    }

    /// When a fact of a scope that was last said at an instant is deleted, both in milliseconds since 1970;
    /// `None` where it stays.
    pub fn end(&self, scope: Scope, said_at: i64) -> Option<i64> {
        let months = Months::new(self.months(scope)?);
        let end = DateTime::from_timestamp_millis(said_at)?.checked_add_months(months)?;
        Some(end.timestamp_millis())
    }

    /// When what is said now is deleted at the earliest.
    fn next_end(&self, now: i64) -> Option<i64> {
        self.0
            .keys()
            .filter_map(|&scope| self.end(scope, now))
            .min()
    }

    fn to_text(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        serde_json::to_string(self).ok()
    }
}

impl FromColumn for AutoDelete {
    fn from_column(row: &Row, table: &'static str, column: &'static str) -> Result<Self> {
        let text = row.text_or_null(column)?;
        let chosen = text.map(|text| serde_json::from_str(&text));
        let chosen = chosen
            .transpose()
            .map_err(|_| StoreError::corrupt(table, column))?;
        Ok(chosen.unwrap_or_default())
    }
}

impl TryFrom<BTreeMap<String, u32>> for AutoDelete {
    type Error = &'static str;

    fn try_from(months: BTreeMap<String, u32>) -> Result<Self, Self::Error> {
        let pairs = months
            .into_iter()
            .map(|(name, months)| match Scope::from_name(&name) {
                Some(scope) if months > 0 => Ok((scope, months)),
                _ => Err("expected names of scopes, with a number of months each"),
            });
        pairs.collect::<Result<_, _>>().map(Self)
    }
}

impl From<AutoDelete> for BTreeMap<String, u32> {
    fn from(AutoDelete(months): AutoDelete) -> Self {
        let pairs = months.into_iter();
        pairs
            .map(|(scope, months)| (scope.name().to_owned(), months))
            .collect()
    }
}

/// What was old enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AutoDeleted {
    /// How many facts.
    pub facts: usize,
    /// The scopes that they were in.
    pub scopes: ScopeSet,
}

statements! {
    SET_AUTO_DELETE changes Facts:
        "UPDATE users SET auto_delete = $2, auto_delete_at = $3 WHERE user_key = $1";
    SET_AUTO_DELETE_AT changes Facts: "UPDATE users SET auto_delete_at = $2 WHERE user_key = $1";
    LOOK_AGAIN changes Facts:
        "UPDATE users SET auto_delete_at = 0 WHERE user_key = $1 AND auto_delete IS NOT NULL";
    LIST_DUE:
        "SELECT user_key FROM users WHERE auto_delete_at <= $1 AND user_key > $2
         ORDER BY user_key LIMIT $3";
    FIND_DUE:
        "SELECT key_slot, key_id, sealed_user_id, auto_delete FROM users WHERE user_key = $1";
    LIST_AGES: "SELECT scope, slot_hash, confirmed_at FROM facts WHERE user_key = $1";
}

impl Tx {
    /// Sets what the user has chosen. The user must have a row. Lock the user before, and delete what is old
    /// enough after it.
    pub async fn set_auto_delete(
        &mut self,
        who: impl Who,
        chosen: &AutoDelete,
        now: i64,
    ) -> Result<()> {
        let key = who.key(self);
        let text = chosen.to_text();
        let at = text.as_ref().map(|_| now);
        let args = args![&key, text.as_deref(), at];
        self.run_one(SET_AUTO_DELETE, args, "users", &key).await
    }

    /// Users of whom facts may be old enough by now, those who follow one by their keys; at most so many.
    pub async fn due_for_auto_delete(
        &mut self,
        now: i64,
        after: &[u8],
        at_most: u32,
    ) -> Result<Vec<Hash>> {
        let args = args![now, after, at_most];
        self.list_with(LIST_DUE, args, |row| row.hash("users", "user_key"))
            .await
    }

    /// Has the user looked at next: a fact may have come that is older than those that are there.
    pub async fn look_again_for_auto_delete(&mut self, user_id: &UserId) -> Result<()> {
        let key = self.user_key(user_id);
        self.run(LOOK_AGAIN, args![&key]).await
    }

    /// Deletes the facts of a user that are old enough by now, for good: what stays is sealed under a new
    /// key. Answers whose they were where there were any. It locks the user.
    pub async fn auto_delete_facts(
        &mut self,
        key: &Hash,
        now: i64,
    ) -> Result<Option<(UserId, AutoDeleted)>> {
        let Some(user) = self.lock_user(ByKey(key)).await? else {
            return Ok(None);
        };
        let row = self.find(FIND_DUE, args![key]).await?;
        let row = row.ok_or_else(|| StoreError::corrupt("users", "user_key").in_row(key))?;
        let chosen = AutoDelete::from_column(&row, "users", "auto_delete")?;
        let mut next = chosen.next_end(now);
        let mut deleted = AutoDeleted::default();
        for row in self.list(LIST_AGES, args![key]).await? {
            let scope = facts::scope(&row)?;
            let Some(end) = chosen.end(scope, row.int("confirmed_at")?) else {
                continue;
            };
            if end > now {
                next = Some(next.map_or(end, |next| next.min(end)));
                continue;
            }
            self.remove_slot(key, scope, &row.bytes("slot_hash")?)
                .await?;
            deleted.facts += 1;
            deleted.scopes = deleted.scopes.with(scope);
        }
        self.run_one(SET_AUTO_DELETE_AT, args![key, next], "users", key)
            .await?;
        let cipher = match deleted.facts {
            0 => None,
            _ => self.cipher_of_row(&row).await?,
        };
        let Some(cipher) = cipher else {
            return Ok(None);
        };
        let user_id = open_user_id(&row, key, &cipher)?;
        self.replace_key(&user_id).await?;
        self.touch_user(&user_id, now, user.next_position).await?;
        Ok(Some((user_id, deleted)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_is_one_text_by_the_names_of_scopes() {
        let mut chosen = AutoDelete::default();
        assert_eq!(chosen.to_text(), None);
        chosen.set(Scope::Goals, 3);
        chosen.set(Scope::CommunicationStyle, 18);
        let text = chosen.to_text().unwrap();
        assert_eq!(text, r#"{"communication_style":18,"goals":3}"#);
        assert_eq!(serde_json::from_str::<AutoDelete>(&text).unwrap(), chosen);
        for wrong in [r#"{"dreams":3}"#, r#"{"goals":0}"#, r#"{"goals":-3}"#] {
            assert!(
                serde_json::from_str::<AutoDelete>(wrong).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn months_are_those_of_the_calendar() {
        let at = |text: &str| {
            DateTime::parse_from_rfc3339(text)
                .unwrap()
                .timestamp_millis()
        };
        let mut chosen = AutoDelete::default();
        chosen.set(Scope::Goals, 3);
        for (said, end) in [
            ("2026-11-30T12:00:00Z", "2027-02-28T12:00:00Z"),
            ("2026-01-31T00:00:00Z", "2026-04-30T00:00:00Z"),
        ] {
            assert_eq!(chosen.end(Scope::Goals, at(said)), Some(at(end)), "{said}");
        }
        assert_eq!(chosen.end(Scope::History, 0), None);
    }
}

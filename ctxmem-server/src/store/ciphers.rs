//! The ciphers of users in a unit of work: under which key something of a user is sealed.

use std::sync::Arc;

use super::arg::{BYTES, INT, args};
use super::row::Row;
use super::statement::statements;
use super::user_keys::{KeyRef, UserCipher};
use super::{Hash, Result, StoreError, Tx};

/// How often something is read again because the user's key was replaced meanwhile.
pub(super) const READ_AGAIN: u32 = 5;

statements! {
    FIND_USER_KEY: "SELECT key_slot, key_id FROM users WHERE user_key = $1";
    // Each user is looked up alone, whatever the size of the table was when this was planned.
    FIND_USER_KEYS: {
        postgres: "SELECT asked.n, u.key_slot, u.key_id
                   FROM unnest($1::bigint[], $2::bytea[]) AS asked (n, user_key)
                   CROSS JOIN LATERAL (
                       SELECT key_slot, key_id FROM users
                       WHERE user_key = asked.user_key LIMIT 1) u",
    };
}

impl Tx {
    /// The cipher of a user whom the unit of work has locked; `None` for a user who has no key,
    /// because nothing was ever stored or everything was erased.
    pub(super) async fn cipher(&mut self, user_key: &Hash) -> Result<Option<Arc<UserCipher>>> {
        if let Some((of, cipher)) = &self.cipher
            && of == user_key
        {
            return Ok(Some(Arc::clone(cipher)));
        }
        let Some(row) = self.find(FIND_USER_KEY, args![user_key]).await? else {
            return Ok(None);
        };
        let cipher = self.cipher_of_row(&row).await?;
        if let Some(cipher) = &cipher {
            self.cipher = Some((*user_key, Arc::clone(cipher)));
        }
        Ok(cipher)
    }

    /// Where the key of a user lies whom the unit of work has locked.
    pub(super) async fn key_ref_of(&mut self, user_key: &Hash) -> Result<Option<KeyRef>> {
        let row = self.find(FIND_USER_KEY, args![user_key]).await?;
        row.map_or(Ok(None), |row| key_ref(&row))
    }

    /// Like [`Tx::cipher`], for a user who must have a key.
    pub(super) async fn cipher_to_write(&mut self, user_key: &Hash) -> Result<Arc<UserCipher>> {
        let cipher = self.cipher(user_key).await?;
        cipher.ok_or_else(|| StoreError::corrupt("users", "key_slot").in_row(user_key))
    }

    /// The cipher for which a row names the key; `None` where it names none.
    pub(super) async fn cipher_of_row(&mut self, row: &Row) -> Result<Option<Arc<UserCipher>>> {
        match key_ref(row)? {
            Some(at) => self.cipher_at(at).await.map(Some),
            None => Ok(None),
        }
    }

    pub(super) async fn cipher_at(&mut self, at: KeyRef) -> Result<Arc<UserCipher>> {
        let cipher = self.keys.cipher(at).await?;
        cipher.ok_or(StoreError::KeyReplaced)
    }

    /// Where the keys of these users lie, each in the place of its user.
    pub(super) async fn key_refs(&mut self, users: &[&Hash]) -> Result<Vec<Option<KeyRef>>> {
        if self.is_distributed() {
            let mut found = Vec::new();
            for user in users {
                found.push(self.key_ref_of(user).await?);
            }
            return Ok(found);
        }
        let asked = (0_i64..).zip(users);
        let asked: Vec<_> = asked.map(|(n, user)| [n.into(), (*user).into()]).collect();
        let mut found = vec![None; users.len()];
        for row in self.list_of(FIND_USER_KEYS, &asked, [INT, BYTES]).await? {
            let place = found.get_mut(row.number()?);
            *place.ok_or(StoreError::corrupt("asked", "n"))? = key_ref(&row)?;
        }
        Ok(found)
    }
}

pub(super) fn key_ref(row: &Row) -> Result<Option<KeyRef>> {
    match (row.int_or_null("key_slot")?, row.bytes_or_null("key_id")?) {
        (Some(slot), Some(id)) => Ok(Some(KeyRef {
            slot,
            id: id
                .try_into()
                .map_err(|_| StoreError::corrupt("users", "key_id"))?,
        })),
        _ => Ok(None),
    }
}

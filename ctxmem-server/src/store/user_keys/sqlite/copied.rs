//! The keys in a copy of the key database, which nobody changes.

use rusqlite::{Connection, OptionalExtension as _};

use super::tables;
use crate::store::user_keys::wrapping::{INDEX_SLOT, WrappingKeys};
use crate::store::user_keys::{KeyRef, MasterKey, UserCipher};
use crate::store::{OpenError, Result, StoreError};

/// A copy of the keys, open for reading.
pub(in crate::store) struct CopiedKeys {
    connection: Connection,
    wrapping: WrappingKeys,
}

impl CopiedKeys {
    /// Opens the wrapping keys, and the key of the index by them.
    pub(in crate::store) fn open(
        connection: Connection,
        master: Option<MasterKey>,
    ) -> Result<Self, OpenError> {
        let wrapping = WrappingKeys::open(&tables::wrapping_keys(&connection)?, master)?;
        let index = connection.query_row(tables::FIND_INDEX_KEY, [INDEX_SLOT], |row| {
            let (slot, id) = (INDEX_SLOT, row.get(0)?);
            Ok((KeyRef { slot, id }, row.get::<_, Vec<u8>>(1)?))
        });
        let index = index.optional().map_err(StoreError::from)?;
        let (at, wrapped) = index.ok_or_else(|| StoreError::corrupt("user_keys", "slot"))?;
        wrapping
            .unwrap(at, &wrapped)?
            .ok_or(StoreError::MasterKeyReplaced)?;
        Ok(Self {
            connection,
            wrapping,
        })
    }

    pub(in crate::store) fn cipher(&self, at: KeyRef) -> Result<Option<UserCipher>> {
        let Some(wrapped) = tables::find(&self.connection, at)? else {
            return Ok(None);
        };
        let key = self.wrapping.unwrap(at, &wrapped)?;
        let key = key.ok_or_else(|| StoreError::corrupt("user_keys", "sealed").in_row(at.slot))?;
        UserCipher::new(&key).map(Some)
    }
}

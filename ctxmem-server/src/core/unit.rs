//! Units of work of the core. They fail with its error, and borrow what they are given instead of cloning it: a unit
//! that writes may have to run again.

use std::sync::Arc;

use super::Error;
use crate::store::{Db, StoreError, Tx, Unit};

/// Runs a unit of work that only reads ([`Db::read`]).
pub(super) async fn read<G, T, E>(
    db: &Db,
    given: G,
    unit: impl for<'t> FnOnce(&'t mut Tx, &'t G) -> Unit<'t, T, E> + Send + 'static,
) -> Result<T, Error>
where
    G: Send + Sync + 'static,
    E: From<StoreError>,
    Error: From<E>,
{
    let read = db.read(|tx| Box::pin(async move { unit(tx, &given).await }));
    Ok(read.await?)
}

/// Runs a unit of work in a transaction ([`Db::write`]).
pub(super) async fn write<G, T, E>(
    db: &Db,
    given: G,
    unit: impl for<'t> Fn(&'t mut Tx, &'t G) -> Unit<'t, T, E> + Send + Sync + 'static,
) -> Result<T, Error>
where
    G: Send + Sync + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
    Error: From<E>,
{
    let lent = Arc::new((unit, given));
    let written = db.write(move |tx| {
        let lent = Arc::clone(&lent);
        Box::pin(async move { lent.0(tx, &lent.1).await })
    });
    Ok(written.await?)
}

/// Runs a unit of work that changes so many rows at most, until it has changed fewer: others want to write as well.
pub(super) async fn write_in_parts(
    db: &Db,
    at_most: u32,
    unit: impl for<'t> Fn(&'t mut Tx) -> Unit<'t, u64, StoreError> + Copy + Send + Sync + 'static,
) -> Result<(), Error> {
    while db.write(unit).await? >= at_most.into() {}
    Ok(())
}

//! Units of work of the core, which fail with its error. One that writes may have to run again, also when its caller has
//! left: it owns what it is given, and borrows it each time.

use std::sync::Arc;

use super::Error;
use crate::store::{Db, StoreError, Tx, Unit};

/// Runs a unit of work that only reads ([`Db::read`]).
pub(super) async fn read<T, E: From<StoreError>>(
    db: &Db,
    unit: impl AsyncFnOnce(&mut Tx) -> Result<T, E>,
) -> Result<T, Error>
where
    Error: From<E>,
{
    Ok(db.read(unit).await?)
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

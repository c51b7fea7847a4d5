//! Units of work of the core, which fail with its error. One that writes may have to run again, even after its caller has
//! gone: it owns what it needs, and is cloned each time.

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

/// What may be done on another thread, which an async closure by itself does not tell.
pub(super) trait Work<'t, T, E>: FnOnce(&'t mut Tx) -> Self::Doing {
    type Doing: Future<Output = Result<T, E>> + Send + 't;
}

impl<'t, T, E, F, D> Work<'t, T, E> for F
where
    F: FnOnce(&'t mut Tx) -> D,
    D: Future<Output = Result<T, E>> + Send + 't,
{
    type Doing = D;
}

/// Runs a unit of work in a transaction ([`Db::write`]).
pub(super) async fn write<T, E, F>(db: &Db, unit: F) -> Result<T, Error>
where
    F: AsyncFnOnce(&mut Tx) -> Result<T, E> + for<'t> Work<'t, T, E>,
    F: Clone + Send + Sync + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
    Error: From<E>,
{
    let written = db.write(move |tx| Box::pin(unit.clone()(tx)));
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

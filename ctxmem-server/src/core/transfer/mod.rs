//! Taking a deployment's data out, and into another: a line of JSON for each developer, agent, key,
//! user and entry of the audit log.
//!
//! It is how to go from SQLite to Postgres or back, and what nobody has to ask us for. What users see
//! of their own data is made by `core/export.rs`.

mod export;
mod foreign;
mod gate;
mod import;
mod line;
mod remember;

pub use foreign::{ForeignFormat, ForeignMemory, read_foreign};
pub use import::{Import, ImportError, Imported, Importer, NotTaken};
pub use line::{End, Header, Line};

/// The version of the format. A newer one is refused.
const FORMAT: u32 = 1;

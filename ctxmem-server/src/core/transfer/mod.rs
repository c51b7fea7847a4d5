//! Export and import of a deployment's data: a line of JSON for each developer, agent, key, user
//! and entry of the audit log.
//!
//! This is how to move from SQLite to Postgres or back, without having to ask us for anything. The export of a user's
//! own data is in `core/export.rs`.

mod export;
mod foreign;
mod gate;
mod import;
mod line;
mod remember;

pub use foreign::{ForeignFormat, ForeignMemory, read_foreign};
pub use import::{Import, ImportError, Imported, Importer, RejectedLine};
pub use line::{End, Header, Line};

/// The version of the format. A newer one is refused.
const FORMAT: u32 = 1;

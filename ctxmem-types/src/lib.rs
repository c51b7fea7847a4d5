//! Wire types of ctxmem, long-term memory for AI agents that belongs to the people it is
//! about.
//!
//! Every request and response of the interface has a type here, named after the thing and
//! living in the module of that name. The primary forms serialise to exactly the
//! documented JSON; the forms of other and older deployments parse as well. What this
//! version does not know is kept: unknown fields in `extra`, unknown names as text.
//!
//! `Debug` of these types shows no prompt, no fact and no user id, so that they can't end
//! up in logs by accident. There is no I/O here and no HTTP stack.
//!
//! ```
//! use ctxmem_types::{Context, Scope, json};
//!
//! let context: Context = json::from_slice(br#"{
//!     "userId": "u-1",
//!     "preferences": {"editor": {"value": "Helix", "source_type": "observed"}},
//!     "ongoing_tasks": ["ship the beta"]
//! }"#)?;
//! assert_eq!(context.preferences["editor"].value, "Helix");
//! assert_eq!(context.ongoing_tasks[0].value, "ship the beta");
//! assert_eq!(Scope::Goals.storage_key(), "ongoing_tasks");
//! # Ok::<(), ctxmem_types::JsonError>(())
//! ```

mod context;
mod delta;
mod error;
mod extra;
mod fact;
mod grants;
mod health;
mod inject;
pub mod json;
mod open_text;
pub mod path;
mod scope;
mod timestamp;
mod update;
mod user_id;

pub use context::{Context, DeleteResponse, EmotionalState, FactMap, HistoryEntry, Redacted};
pub use delta::{Delta, DeltaFact, DeltaValue};
pub use error::{ErrorBody, ErrorCode};
pub use extra::Extra;
pub use fact::{Fact, SourceType};
pub use grants::{Grant, GrantRequest, GrantResponse, RevokeResponse};
pub use health::Health;
pub use inject::{CacheHint, InjectReason, InjectRequest, InjectResponse};
pub use json::JsonError;
pub use scope::{Scope, ScopeName, ScopeSet, SliceKind, UnknownScope};
pub use timestamp::{InvalidTimestamp, Timestamp};
pub use update::{UpdateRequest, UpdateResponse};
pub use user_id::{InvalidUserId, UserId};

#![doc = include_str!("../README.md")]

mod calendar;
mod context;
mod delta;
mod error;
mod extra;
mod fact;
mod fact_record;
mod grants;
mod health;
mod inject;
pub mod json;
mod open_text;
#[cfg(feature = "openapi")]
mod openapi;
pub mod path;
mod scope;
mod sign_in_link;
mod timestamp;
mod update;
mod user_id;

pub use context::{
    Context, ContextFact, DeleteResponse, EmotionalState, FactMap, HistoryEntry, Redacted,
};
pub use delta::{Delta, DeltaFact, DeltaValue};
pub use error::{ErrorBody, ErrorCode};
pub use extra::Extra;
pub use fact::{Fact, SourceType};
pub use fact_record::{FactRecord, FactSearchRequest, FactsResponse};
pub use grants::{Grant, GrantRequest, GrantResponse, RevokeResponse};
pub use health::Health;
pub use inject::{CacheHint, InjectReason, InjectRequest, InjectResponse};
pub use json::JsonError;
pub use scope::{Scope, ScopeName, ScopeSet, SliceKind, UnknownScope};
pub use sign_in_link::{SignInLinkRequest, SignInLinkResponse};
pub use timestamp::{InvalidTimestamp, Timestamp};
pub use update::{UpdateOutcome, UpdateRequest, UpdateResponse};
pub use user_id::{InvalidUserId, UserId};

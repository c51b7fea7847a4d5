//! The OpenAPI schemas of types whose JSON is written by hand. They say what our server takes and
//! answers, not what other deployments may.

use std::borrow::Cow;

use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, KnownFormat, ObjectBuilder, SchemaFormat, Type,
};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::{Delta, Fact, Redacted, Scope, ScopeName, SliceKind, SourceType, Timestamp, UserId};

/// A text that is one of these.
pub(crate) fn one_of(texts: &[&str]) -> RefOr<Schema> {
    let object = ObjectBuilder::new().schema_type(Type::String);
    object.enum_values(Some(texts.to_vec())).into()
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

impl PartialSchema for UserId {
    fn schema() -> RefOr<Schema> {
        text()
            .description(Some(format!(
                "The operator's identifier of an end user: 1 to {} bytes of UTF-8 without NUL, \
                 other than `.` and `..`.",
                Self::MAX_BYTES
            )))
            .min_length(Some(1))
            .max_length(Some(Self::MAX_BYTES))
            // Without looking ahead, which the patterns of Go, Rust and RE2 can't.
            .pattern(Some(r"^(\.{0,2}[^.\u0000][^\u0000]*|\.{3}[^\u0000]*)$"))
            .examples(["ada"])
            .into()
    }
}

impl ToSchema for UserId {}

impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        text()
            .description(Some(
                "An instant of RFC 3339; answers have UTC with milliseconds.",
            ))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .examples(["2026-03-01T09:30:00.000Z"])
            .into()
    }
}

impl ToSchema for Timestamp {}

impl PartialSchema for ScopeName {
    fn schema() -> RefOr<Schema> {
        one_of(&Scope::ALL.map(Scope::name))
    }
}

impl ToSchema for ScopeName {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Scope")
    }
}

/// How a request may name a scope.
pub(crate) struct ScopeOrStorageKey;

impl PartialSchema for ScopeOrStorageKey {
    fn schema() -> RefOr<Schema> {
        let mut names = Scope::ALL.map(Scope::name).to_vec();
        for key in Scope::ALL.map(Scope::storage_key) {
            if !names.contains(&key) {
                names.push(key);
            }
        }
        one_of(&names)
    }
}

impl ToSchema for ScopeOrStorageKey {}

impl PartialSchema for Redacted {
    fn schema() -> RefOr<Schema> {
        text().into()
    }
}

impl ToSchema for Redacted {}

impl PartialSchema for Fact {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .description(Some("A fact, and where it comes from."))
            .property(
                "value",
                text().description(Some("The fact, in a few words.")),
            )
            .property("source_type", Ref::from_schema_name(SourceType::name()))
            .required("value")
            .required("source_type")
            .into()
    }
}

impl ToSchema for Fact {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((SourceType::name().into_owned(), SourceType::schema()));
    }
}

impl PartialSchema for Delta {
    fn schema() -> RefOr<Schema> {
        let fact = || Ref::from_schema_name(Fact::name());
        let mut delta = ObjectBuilder::new().description(Some(
            "Facts by the storage key of their scope; only what changed is there.",
        ));
        for scope in Scope::ALL {
            let slice: RefOr<Schema> = match scope.kind() {
                SliceKind::Text => text().into(),
                SliceKind::List => ArrayBuilder::new().items(fact()).into(),
                SliceKind::Map => ObjectBuilder::new()
                    .additional_properties(Some(AdditionalProperties::RefOr(fact().into())))
                    .into(),
            };
            delta = delta.property(scope.storage_key(), slice);
        }
        delta.into()
    }
}

impl ToSchema for Delta {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Fact::name().into_owned(), Fact::schema()));
        Fact::schemas(schemas);
    }
}

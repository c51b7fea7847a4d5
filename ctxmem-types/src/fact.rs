//! One remembered fact.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::open_text::open_text;

open_text! {
    /// Where a fact comes from.
    pub enum SourceType {
        /// Extracted from an interaction.
        Observed = "observed",
        /// Written or changed by the user.
        Edited = "edited",
        /// Imported in bulk.
        Imported = "imported",
        /// Part of the demo. Shown, but never stored.
        Demo = "demo",
    }
}

/// A fact: `{"value": …, "source_type": …}`, or a string in older deployments.
///
/// A fact without a source type and without unknown fields is written as a string.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Fact {
    /// The fact, in a few words.
    pub value: String,
    /// Where it comes from; absent in older deployments.
    pub source_type: Option<SourceType>,
    /// Fields that this version of the crate does not know.
    pub extra: Extra,
}

impl Fact {
    /// A fact with a source type.
    pub fn new(value: impl Into<String>, source_type: SourceType) -> Self {
        Self {
            value: value.into(),
            source_type: Some(source_type),
            extra: Extra::new(),
        }
    }

    /// A fact in the plain form of older deployments.
    pub fn plain(value: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            source_type: None,
            extra: Extra::new(),
        }
    }
}

/// `Debug` shows where a fact comes from but not its value, because it ends up in logs.
impl fmt::Debug for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fact")
            .field("source_type", &self.source_type)
            .finish_non_exhaustive()
    }
}

impl Serialize for Fact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.source_type.is_none() && self.extra.is_empty() {
            return serializer.serialize_str(&self.value);
        }
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("value", &self.value)?;
        if let Some(source_type) = &self.source_type {
            object.serialize_entry("source_type", source_type)?;
        }
        for (name, value) in &self.extra {
            object.serialize_entry(name, value)?;
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for Fact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FactVisitor)
    }
}

struct FactVisitor;

impl<'de> Visitor<'de> for FactVisitor {
    type Value = Fact;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a fact: a string, or an object with `value` and `source_type`")
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Fact, E> {
        Ok(Fact::plain(value))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Fact, E> {
        Ok(Fact::plain(value))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Fact, A::Error> {
        let fields = FactFields::deserialize(MapAccessDeserializer::new(object))?;
        Ok(Fact {
            value: fields.value,
            source_type: fields.source_type,
            extra: fields.extra,
        })
    }
}

#[derive(Deserialize)]
struct FactFields {
    value: String,
    #[serde(default)]
    source_type: Option<SourceType>,
    #[serde(flatten)]
    extra: Extra,
}

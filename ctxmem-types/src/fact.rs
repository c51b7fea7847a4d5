//! One remembered fact.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::Extra;
use crate::open_text::open_text;

open_text! {
    /// How a fact came to be known.
    pub enum SourceType {
        /// Extracted from an interaction.
        Observed = "observed",
        /// Written or changed by the user.
        Edited = "edited",
        /// Brought in by a bulk import.
        Imported = "imported",
        /// Part of the demo: shown, never stored.
        Demo = "demo",
    }
}

/// A fact: `{"value": …, "source_type": …}`, or in older deployments plain text.
///
/// A fact without a source type and without unknown fields is written as plain text.
#[derive(Clone, PartialEq)]
pub struct Fact {
    /// What is known, in a few words.
    pub value: String,
    /// How it came to be known; absent in older deployments.
    pub source_type: Option<SourceType>,
    /// Fields that this version does not know.
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

/// `Debug` shows where a fact comes from but not what it says: `Debug` ends up in logs.
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

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Fact, A::Error> {
        let mut value = None;
        let mut source_type = None;
        let mut extra = Extra::new();
        while let Some(name) = object.next_key::<String>()? {
            match name.as_str() {
                "value" => value = Some(object.next_value()?),
                "source_type" => source_type = object.next_value()?,
                _ => {
                    extra.insert(name, object.next_value()?);
                }
            }
        }
        Ok(Fact {
            value: value.ok_or_else(|| de::Error::missing_field("value"))?,
            source_type,
            extra,
        })
    }
}

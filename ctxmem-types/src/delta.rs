//! The delta of an update: what it wrote or removed.

use std::fmt;

use indexmap::IndexMap;
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use crate::{Fact, FactMap, Redacted, Scope};

/// Facts by storage key (`ongoing_tasks`, `general`, …), in the order of the JSON. Keys that
/// belong to no scope are kept.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Delta(pub IndexMap<String, DeltaValue>);

impl Delta {
    /// Whether there is no fact.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The slice of a scope.
    pub fn get(&self, scope: Scope) -> Option<&DeltaValue> {
        self.0.get(scope.storage_key())
    }

    /// Every fact with its storage key and, in maps, its name.
    pub fn facts(&self) -> impl Iterator<Item = DeltaFact<'_>> {
        self.0.iter().flat_map(|(key, value)| {
            let facts: Vec<(Option<&str>, &str)> = match value {
                DeltaValue::Text(text) => vec![(None, &**text)],
                DeltaValue::List(facts) => facts.iter().map(|fact| (None, &*fact.value)).collect(),
                DeltaValue::Map(facts) => facts
                    .iter()
                    .map(|(name, fact)| (Some(name.as_str()), &*fact.value))
                    .collect(),
                DeltaValue::Other(_) => Vec::new(),
            };
            facts.into_iter().map(move |(name, value)| DeltaFact {
                storage_key: key,
                name,
                value,
            })
        })
    }
}

/// One fact of a [`Delta`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeltaFact<'a> {
    /// The storage key of the slice.
    pub storage_key: &'a str,
    /// Its name, in maps.
    pub name: Option<&'a str>,
    /// Its value.
    pub value: &'a str,
}

impl fmt::Debug for DeltaFact<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeltaFact")
            .field("storage_key", &self.storage_key)
            .finish_non_exhaustive()
    }
}

/// One slice of a delta, in any of the forms that deployments use.
#[derive(Clone, PartialEq)]
pub enum DeltaValue {
    /// One text (`communication_style`).
    Text(Redacted),
    /// A list of facts, or of strings in older deployments.
    List(Vec<Fact>),
    /// Facts by name (`preferences`, `general`).
    Map(FactMap),
    /// Any other JSON, unchanged. A list or an object that contains anything but facts is kept
    /// here as a whole.
    Other(Value),
}

impl fmt::Debug for DeltaValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::List(facts) => f.debug_tuple("List").field(facts).finish(),
            Self::Map(facts) => f.debug_tuple("Map").field(&facts.values()).finish(),
            Self::Other(_) => f.write_str("Other(..)"),
        }
    }
}

impl Serialize for DeltaValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::List(facts) => facts.serialize(serializer),
            Self::Map(facts) => facts.serialize(serializer),
            Self::Other(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for DeltaValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = match Value::deserialize(deserializer)? {
            Value::String(text) => return Ok(Self::Text(text.into())),
            value => value,
        };
        Ok(if let Ok(facts) = Vec::deserialize(&value) {
            Self::List(facts)
        } else if let Ok(facts) = FactMap::deserialize(&value) {
            Self::Map(facts)
        } else {
            Self::Other(value)
        })
    }
}

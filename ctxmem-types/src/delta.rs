//! What one update wrote or removed.

use std::fmt;

use indexmap::IndexMap;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use crate::{Fact, FactMap, Redacted, Scope};

/// Facts by storage key (`ongoing_tasks`, `general`, …), in the order in which they came.
/// Keys that no scope has are kept.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Delta(pub IndexMap<String, DeltaValue>);

impl Delta {
    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The slice of a scope.
    pub fn get(&self, scope: Scope) -> Option<&DeltaValue> {
        self.0.get(scope.storage_key())
    }

    /// Every fact of the delta with its storage key and, in maps, its name.
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
pub struct DeltaFact<'a> {
    /// The storage key of the slice.
    pub storage_key: &'a str,
    /// The name under which it stands, in maps.
    pub name: Option<&'a str>,
    /// What was written.
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
    /// Any other JSON, as it came.
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
        deserializer.deserialize_any(DeltaVisitor)
    }
}

struct DeltaVisitor;

impl<'de> Visitor<'de> for DeltaVisitor {
    type Value = DeltaValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("written facts: a string, a list of facts, or an object of facts by name")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<DeltaValue, E> {
        Ok(DeltaValue::Text(text.into()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<DeltaValue, E> {
        Ok(DeltaValue::Text(text.into()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<DeltaValue, E> {
        Ok(DeltaValue::Other(Value::Null))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<DeltaValue, E> {
        Ok(DeltaValue::Other(value.into()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<DeltaValue, E> {
        Ok(DeltaValue::Other(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<DeltaValue, E> {
        Ok(DeltaValue::Other(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<DeltaValue, E> {
        Ok(DeltaValue::Other(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<DeltaValue, A::Error> {
        let mut facts = Vec::new();
        while let Some(fact) = list.next_element()? {
            facts.push(fact);
        }
        Ok(DeltaValue::List(facts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<DeltaValue, A::Error> {
        let mut facts = FactMap::new();
        while let Some((name, fact)) = object.next_entry()? {
            facts.insert(name, fact);
        }
        Ok(DeltaValue::Map(facts))
    }
}

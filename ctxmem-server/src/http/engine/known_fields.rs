//! Requests as the server reads them: without the fields that it does not know. Those of the types
//! keep them, in a tree that takes up to a hundred times what was sent.

use std::fmt;
use std::marker::PhantomData;

use ctxmem_types::json::{self, JsonError};
use ctxmem_types::{
    Extra, FactSearchRequest, GrantRequest, InjectRequest, SignInLinkRequest, UpdateRequest,
};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

pub(crate) trait Body: Sized {
    /// What stands in the place of one that is something else.
    const EXPECTED: &'static str;

    /// Reads the fields that are known, and checks the others.
    fn of_fields<'de, A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error>;
}

pub(crate) fn read<T: Body>(bytes: &[u8]) -> Result<T, JsonError> {
    json::from_slice::<Known<T>>(bytes).map(|known| known.0)
}

/// A body without its unknown fields.
struct Known<T>(T);

impl<'de, T: Body> Deserialize<'de> for Known<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

struct Fields<T>(PhantomData<T>);

impl<'de, T: Body> Visitor<'de> for Fields<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::of_fields(fields)
    }
}

/// Reads the name of a field: one of these, or any other.
struct NameOf(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for NameOf {
    type Value = Option<&'static str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for NameOf {
    type Value = Option<&'static str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().copied().find(|known| *known == name))
    }
}

/// Reads the value of a field into its place.
fn fill<'de, A: MapAccess<'de>, V: Deserialize<'de>>(
    place: &mut Option<V>,
    name: &'static str,
    fields: &mut A,
) -> Result<(), A::Error> {
    if place.is_some() {
        return Err(A::Error::duplicate_field(name));
    }
    *place = Some(fields.next_value()?);
    Ok(())
}

/// Has a request read by these fields: those that it must have, and those that it may have.
macro_rules! reads {
    ($request:ident: $($must:ident = $must_name:literal),+; $($may:ident = $may_name:literal),*) => {
        impl Body for $request {
            const EXPECTED: &'static str = concat!("struct ", stringify!($request));

            fn of_fields<'de, A: MapAccess<'de>>(mut fields: A) -> Result<Self, A::Error> {
                const NAMES: &[&str] = &[$($must_name,)+ $($may_name,)*];
                $(let mut $must = None;)+
                $(let mut $may = None;)*
                while let Some(name) = fields.next_key_seed(NameOf(NAMES))? {
                    match name {
                        $(Some($must_name) => fill(&mut $must, $must_name, &mut fields)?,)+
                        $(Some($may_name) => fill(&mut $may, $may_name, &mut fields)?,)*
                        _ => {
                            fields.next_value::<Checked>()?;
                        }
                    }
                }
                Ok(Self {
                    $($must: $must.ok_or_else(|| A::Error::missing_field($must_name))?,)+
                    $($may: $may.unwrap_or_default(),)*
                    extra: Extra::new(),
                })
            }
        }
    };
}

reads!(InjectRequest: user_id = "userId", base_prompt = "basePrompt";
    agent_id = "agentId", parts = "parts", message = "message");
reads!(UpdateRequest: user_id = "userId", user_message = "userMessage", agent_response = "agentResponse";
    agent_id = "agentId", at = "at");
reads!(FactSearchRequest: query = "query"; limit = "limit");
reads!(GrantRequest: user_id = "userId", agent_id = "agentId", scopes = "scopes";
    expires_at = "expiresAt");
reads!(SignInLinkRequest: user_id = "userId";);

/// Any JSON, of which nothing is kept. What serde skips by itself it does not look at closely.
struct Checked;

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Checked {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(Self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(Self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(Self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(Self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(Self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(Self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self, A::Error> {
        while fields.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::de::DeserializeOwned;

    use super::*;

    /// What the types read without the fields that they don't know is what the server reads, and what
    /// they refuse it refuses with the same words.
    fn is_read_alike<T: Body + DeserializeOwned + PartialEq + Debug>(
        request: &str,
        without_unknown: fn(&mut T),
    ) {
        let whole: serde_json::Value = serde_json::from_str(request).unwrap();
        let mut texts = vec![
            request.to_owned(),
            "7".to_owned(),
            "[]".to_owned(),
            "{".to_owned(),
        ];
        let fields = whole.as_object().unwrap();
        for name in fields.keys() {
            let mut changed = fields.clone();
            changed.remove(name);
            texts.push(serde_json::to_string(&changed).unwrap());
            for wrong in [
                serde_json::json!(7),
                serde_json::json!({}),
                serde_json::json!(null),
            ] {
                changed.insert(name.clone(), wrong);
                texts.push(serde_json::to_string(&changed).unwrap());
            }
            let twice = format!("{},{}", &request[..request.len() - 1], &request[1..]);
            texts.push(twice);
        }
        // An unknown field that is no JSON, or too deep, or a number that is none.
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for broken in [
            "[1",
            "{\"a\" 1}",
            "1e999",
            "tru",
            "\"\u{1}\"",
            "\"\\ud800\"",
            &deep,
        ] {
            for rest in [&request[1..], &*format!("\"userId\":7,{}", &request[1..])] {
                texts.push(format!("{{\"y\":{broken},{rest}"));
                texts.push(format!("{{\"y\":{{\"z\":[{broken}]}},{rest}"));
            }
        }
        // By its values, in the order of the fields.
        texts.push(serde_json::to_string(&fields.values().collect::<Vec<_>>()).unwrap());
        for text in texts {
            let mut by_types = json::from_slice::<T>(text.as_bytes());
            if let Ok(request) = &mut by_types {
                without_unknown(request);
            }
            assert_eq!(read::<T>(text.as_bytes()), by_types, "{text}");
        }
    }

    macro_rules! are_read_alike {
        ($($request:ident: $text:literal;)+) => {
            $(is_read_alike::<$request>($text, |request| request.extra = Extra::new());)+
        };
    }

    #[test]
    fn requests_are_read_as_the_types_say() {
        are_read_alike! {
            InjectRequest: r#"{"userId":"ada","basePrompt":"p","agentId":"a","parts":true,"message":"m","x":[[0]]}"#;
            UpdateRequest: r#"{"userId":"ada","userMessage":"m","agentResponse":"r","agentId":"a","at":"2026-01-01T00:00:00Z","x":[[0]]}"#;
            FactSearchRequest: r#"{"query":"q","limit":3,"x":[[0]]}"#;
            GrantRequest: r#"{"userId":"ada","agentId":"a","scopes":["goals"],"expiresAt":"2026-01-01T00:00:00Z","x":1}"#;
            SignInLinkRequest: r#"{"userId":"ada","x":{"y":1}}"#;
        }
    }
}

//! Requests as the server reads them: without the fields that it does not know. Those of the types
//! keep them, in a tree that takes up to a hundred times what was sent.

use std::fmt;

use ctxmem_types::json::{self, JsonError};
use ctxmem_types::{
    Extra, FactSearchRequest, GrantRequest, InjectRequest, ScopeName, SignInLinkRequest, Timestamp,
    UpdateRequest, UserId,
};
use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The body of a request.
pub(super) trait Body: DeserializeOwned {
    /// What is read of it.
    type Known: DeserializeOwned + Into<Self>;
}

/// Reads a body.
///
/// # Errors
///
/// Where it is wrong, and how.
pub(super) fn read<T: Body>(bytes: &[u8]) -> Result<T, JsonError> {
    // A list would be taken for the fields in their order.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return json::from_slice(bytes);
    }
    let known = json::from_slice::<T::Known>(bytes)?;
    // Of what is skipped nothing was looked at closely, and what is no JSON is refused wherever it is.
    json::from_slice::<Checked>(bytes)?;
    Ok(known.into())
}

/// Any JSON, of which nothing is kept.
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

/// Has a request read by these fields.
macro_rules! reads {
    ($request:ident, $known:ident, $fields:literal) => {
        #[derive(Deserialize)]
        pub(super) struct $known(#[serde(with = $fields)] $request);

        impl From<$known> for $request {
            fn from(read: $known) -> Self {
                read.0
            }
        }

        impl Body for $request {
            type Known = $known;
        }
    };
}

reads!(InjectRequest, KnownInject, "InjectFields");
reads!(UpdateRequest, KnownUpdate, "UpdateFields");
reads!(FactSearchRequest, KnownFactSearch, "FactSearchFields");
reads!(GrantRequest, KnownGrant, "GrantFields");
reads!(SignInLinkRequest, KnownSignInLink, "SignInLinkFields");

#[derive(Deserialize)]
#[serde(remote = "InjectRequest", rename_all = "camelCase")]
struct InjectFields {
    user_id: UserId,
    base_prompt: String,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    parts: bool,
    #[serde(default)]
    message: Option<String>,
    #[serde(skip)]
    extra: Extra,
}

#[derive(Deserialize)]
#[serde(remote = "UpdateRequest", rename_all = "camelCase")]
struct UpdateFields {
    user_id: UserId,
    user_message: String,
    agent_response: String,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    at: Option<Timestamp>,
    #[serde(skip)]
    extra: Extra,
}

#[derive(Deserialize)]
#[serde(remote = "FactSearchRequest", rename_all = "camelCase")]
struct FactSearchFields {
    query: String,
    #[serde(default)]
    limit: Option<u32>,
    #[serde(skip)]
    extra: Extra,
}

#[derive(Deserialize)]
#[serde(remote = "GrantRequest", rename_all = "camelCase")]
struct GrantFields {
    user_id: UserId,
    agent_id: String,
    scopes: Vec<ScopeName>,
    #[serde(default)]
    expires_at: Option<Timestamp>,
    #[serde(skip)]
    extra: Extra,
}

#[derive(Deserialize)]
#[serde(remote = "SignInLinkRequest", rename_all = "camelCase")]
struct SignInLinkFields {
    user_id: UserId,
    #[serde(skip)]
    extra: Extra,
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    /// What the types read without the fields that they don't know is what the server reads, and what
    /// they refuse it refuses with the same words.
    fn is_read_alike<T: Body + PartialEq + Debug>(request: &str, without_unknown: fn(&mut T)) {
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

    #[test]
    fn requests_are_read_as_the_types_say() {
        is_read_alike::<InjectRequest>(
            r#"{"userId":"ada","basePrompt":"p","agentId":"a","parts":true,"message":"m","x":[[0]]}"#,
            |request| request.extra = Extra::new(),
        );
        is_read_alike::<UpdateRequest>(
            r#"{"userId":"ada","userMessage":"m","agentResponse":"r","agentId":"a","at":"2026-01-01T00:00:00Z","x":[[0]]}"#,
            |request| request.extra = Extra::new(),
        );
        is_read_alike::<FactSearchRequest>(r#"{"query":"q","limit":3,"x":[[0]]}"#, |request| {
            request.extra = Extra::new();
        });
        is_read_alike::<GrantRequest>(
            r#"{"userId":"ada","agentId":"a","scopes":["goals"],"expiresAt":"2026-01-01T00:00:00Z","x":1}"#,
            |request| request.extra = Extra::new(),
        );
        is_read_alike::<SignInLinkRequest>(r#"{"userId":"ada","x":{"y":1}}"#, |request| {
            request.extra = Extra::new();
        });
    }
}

//! Typed fields of forms and queries. An error names the field and what was expected there,
//! never what was sent.

use ctxmem_types::{Scope, ScopeSet};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};

use crate::core::{Error, FactVersion, ScopeVersion};

/// Reads fields in the form encoding, from a body or a query. Unknown fields are ignored.
pub(crate) fn parse<T: DeserializeOwned>(encoded: &[u8]) -> Result<T, Error> {
    let fields = serde_html_form::Deserializer::from_bytes(encoded);
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let text = error.inner().to_string();
        if let Some(field) = text.strip_prefix("missing field ") {
            return missing(field.trim_matches('`'));
        }
        // Our own texts begin like this; those of libraries may quote what was sent.
        let is_own = text.starts_with("expected ");
        let problem = if is_own { &text } else { "expected one value" };
        Error::BadRequest(format!("{}: {problem}", error.path()))
    })
}

/// One field in the form encoding.
pub(crate) fn field(encoded: &[u8], name: &str) -> Result<String, Error> {
    let mut found = form_urlencoded::parse(encoded).filter(|(found, _)| found == name);
    match (found.next(), found.next()) {
        (Some((_, value)), None) => Ok(value.into_owned()),
        (None, _) => Err(missing(name)),
        _ => Err(Error::BadRequest(format!("{name}: expected one value"))),
    }
}

/// These fields but the empty ones, as the query of an address.
pub(crate) fn query(fields: &[(&str, &str)]) -> String {
    let given = fields.iter().filter(|(_, value)| !value.is_empty());
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(given).finish()
}

/// The address of a page with a query, which may be empty.
pub(crate) fn address(page: &str, query: &str) -> String {
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{page}{mark}{query}")
}

/// A field is absent that has to be there.
pub(crate) fn missing(field: &str) -> Error {
    Error::BadRequest(format!("{field}: a required field is missing"))
}

const A_SCOPE: &str = "expected one of the seven scopes";
const A_FACT: &str = "expected a fact as the page names it";
const FACTS: &str = "expected the facts as the page names them";

/// Reads a field from its text; `None` where it is empty.
pub(crate) fn or_none<'de, D: Deserializer<'de>, T>(
    field: D,
    read: impl FnOnce(&str) -> Option<T>,
    expected: &str,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(field)?;
    if text.is_empty() {
        return Ok(None);
    }
    let value = read(&text).ok_or_else(|| D::Error::custom(expected))?;
    Ok(Some(value))
}

/// A scope by its name.
pub(crate) fn scope<'de, D: Deserializer<'de>>(field: D) -> Result<Scope, D::Error> {
    scope_or_none(field)?.ok_or_else(|| D::Error::custom(A_SCOPE))
}

pub(crate) fn scope_or_none<'de, D: Deserializer<'de>>(
    field: D,
) -> Result<Option<Scope>, D::Error> {
    or_none(field, Scope::from_name, A_SCOPE)
}

/// A fact and which version of it is meant, as pages write it.
pub(crate) fn fact_version<'de, D: Deserializer<'de>>(field: D) -> Result<FactVersion, D::Error> {
    let version = or_none(field, FactVersion::from_text, A_FACT)?;
    version.ok_or_else(|| D::Error::custom(A_FACT))
}

/// Any number of these.
pub(crate) fn fact_versions<'de, D: Deserializer<'de>>(
    field: D,
) -> Result<Vec<FactVersion>, D::Error> {
    let texts = Vec::<String>::deserialize(field)?;
    let versions = texts.iter().map(|text| FactVersion::from_text(text));
    let versions = versions.collect::<Option<_>>();
    versions.ok_or_else(|| D::Error::custom(A_FACT))
}

/// All facts of a scope, and which version of them is meant, as pages write it.
pub(crate) fn scope_version<'de, D: Deserializer<'de>>(field: D) -> Result<ScopeVersion, D::Error> {
    scope_version_or_none(field)?.ok_or_else(|| D::Error::custom(FACTS))
}

pub(crate) fn scope_version_or_none<'de, D: Deserializer<'de>>(
    field: D,
) -> Result<Option<ScopeVersion>, D::Error> {
    or_none(field, ScopeVersion::from_text, FACTS)
}

/// The ticked scopes of a key: at least one, since a key without any can do nothing.
pub(crate) fn key_scopes(names: &[String]) -> Result<ScopeSet, Error> {
    let mut scopes = ScopeSet::EMPTY;
    for name in names {
        let scope = Scope::from_name(name).ok_or_else(|| {
            Error::BadRequest(format!("scope: expected any of {}", ScopeSet::ALL))
        })?;
        scopes = scopes.with(scope);
    }
    if scopes.is_empty() {
        return Err(Error::BadRequest(
            "scope: expected at least one; a key without any can do nothing".to_owned(),
        ));
    }
    Ok(scopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Fields {
        #[serde(deserialize_with = "scope")]
        scope: Scope,
        #[serde(deserialize_with = "scope_version")]
        seen: ScopeVersion,
        value: String,
        name: Option<String>,
        #[serde(default, rename = "tick")]
        ticked: Vec<String>,
    }

    fn problem(encoded: &str) -> String {
        let error = parse::<Fields>(encoded.as_bytes()).unwrap_err();
        assert!(!error.to_string().contains("quokka"), "{error}");
        error.to_string()
    }

    #[test]
    fn fields_come_in_any_order_and_some_may_be_absent_empty_or_repeated() {
        let fields = Fields {
            scope: Scope::Goals,
            seen: ScopeVersion::from_text("-7.a-b").unwrap(),
            value: "a&b c".to_owned(),
            name: None,
            ticked: Vec::new(),
        };
        assert_eq!(
            parse::<Fields>(b"value=a%26b+c&unknown=1&unknown=2&seen=-7.a-b&scope=goals").unwrap(),
            fields
        );
        let encoded = b"scope=goals&tick=x&seen=-7.a-b&value=&name=&tick=&tick=x";
        let parsed = parse::<Fields>(encoded).unwrap();
        assert_eq!(
            (parsed.value.as_str(), parsed.name.as_deref()),
            ("", Some(""))
        );
        assert_eq!(parsed.ticked, ["x", "", "x"]);
    }

    #[test]
    fn an_error_names_the_field_and_repeats_nothing() {
        for (encoded, expected) in [
            ("", "scope: a required field is missing"),
            ("scope=goals&seen=1", "value: a required field is missing"),
            ("scope=quokka", "scope: expected one of the seven scopes"),
            (
                "seen=quokka",
                "seen: expected the facts as the page names them",
            ),
            (
                "seen=1.quokka",
                "seen: expected the facts as the page names them",
            ),
            ("value=quokka&value=quokka", "value: expected one value"),
            ("name=quokka&name=quokka", "name: expected one value"),
            ("seen=1&seen=2", "seen: expected one value"),
        ] {
            assert_eq!(problem(encoded), expected, "{encoded}");
        }
    }

    #[test]
    fn a_key_has_scopes() {
        let scopes = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            key_scopes(&names).map_err(|error| error.to_string())
        };
        let both = ScopeSet::EMPTY.with(Scope::Goals).with(Scope::General);
        assert_eq!(scopes(&["goals", "general", "goals"]), Ok(both));
        assert!(
            scopes(&[])
                .unwrap_err()
                .starts_with("scope: expected at least one")
        );
        let unknown = scopes(&["goals", "quokka"]).unwrap_err();
        assert!(
            unknown.starts_with("scope: expected any of general,"),
            "{unknown}"
        );
        assert!(!unknown.contains("quokka"));
    }
}

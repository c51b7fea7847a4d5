//! `/api/docs`: the reference of the interface, made from its OpenAPI document. It is written in English
//! only, as the document is.

use std::sync::{LazyLock, OnceLock};

use askama::Template;
use bytes::Bytes;
use http::StatusCode;
use serde_json::Value;

use crate::http::api::openapi::document;
use crate::http::engine::{HandlerContext, HandlerResult, compression, reply};
use crate::http::words::{Language, escaped, filters};

static REFERENCE: LazyLock<Reference> = LazyLock::new(|| {
    let document = document().unwrap_or_default();
    Reference::of(&serde_json::from_str(&document).unwrap_or_default())
});

/// The page. Texts are HTML already: see [`inline`].
#[derive(Template)]
#[template(path = "reference.html")]
struct Reference {
    version: String,
    intro: String,
    groups: Vec<Group>,
    types: Vec<Type>,
}

/// Operations about one thing.
struct Group {
    about: String,
    operations: Vec<Operation>,
}

struct Operation {
    id: String,
    method: String,
    path: String,
    /// Where it can be tried in the playground.
    trial: Option<&'static str>,
    paragraphs: Vec<String>,
    callers: Vec<&'static str>,
    parameters: Vec<Field>,
    body: Option<Body>,
    answer: Option<Body>,
    statuses: Vec<(String, String)>,
}

/// What is sent or answered: a type, and an example of it.
struct Body {
    kind: String,
    example: Option<String>,
}

/// A type of the document.
struct Type {
    name: String,
    about: String,
    /// What it is, if it has no fields.
    kind: Option<String>,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    kind: String,
    is_required: bool,
    /// Whether other deployments of the interface don't have it.
    is_addition: bool,
    about: String,
}

/// The page, in each language that the frame around it speaks. All answers share its bytes: a copy each
/// would be held for as long as a client takes to read it.
static PAGES: [OnceLock<Bytes>; Language::ALL.len()] =
    [const { OnceLock::new() }; Language::ALL.len()];

/// `GET /api/docs`.
pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let request = &ctx.request;
    let language = request.language();
    let page = PAGES[language as usize].get_or_init(|| {
        let written = REFERENCE.render_with_values(&**request);
        written.unwrap_or_default().into()
    });
    let page = reply::html(StatusCode::OK, page.clone());
    Ok(compression::finish(&ctx.state, request, page).await)
}

impl Reference {
    fn of(document: &Value) -> Self {
        let groups = items(&document["tags"]).map(|tag| {
            let name = text(&tag["name"]);
            let paths = entries(&document["paths"]);
            let operations = paths.flat_map(|(path, methods)| {
                entries(methods).map(move |(method, operation)| (path, method, operation))
            });
            let own = operations.filter(|(.., operation)| {
                let mut tags = items(&operation["tags"]);
                tags.any(|tag| tag.as_str() == Some(name))
            });
            Group {
                about: inline(text(&tag["description"])),
                operations: own
                    .map(|(path, method, operation)| {
                        Operation::of(document, path, method, operation)
                    })
                    .collect(),
            }
        });
        let types = entries(&document["components"]["schemas"]);
        Self {
            version: text(&document["info"]["version"]).to_owned(),
            intro: inline(text(&document["info"]["description"])),
            groups: groups.collect(),
            types: types.map(|(name, schema)| Type::of(name, schema)).collect(),
        }
    }
}

impl Operation {
    fn of(document: &Value, path: &str, method: &str, operation: &Value) -> Self {
        let about = [&operation["summary"], &operation["description"]];
        let callers = items(&operation["security"]).flat_map(entries);
        let answers = entries(&operation["responses"]);
        let parameters = items(&operation["parameters"]).map(|parameter| {
            let place = match text(&parameter["in"]) {
                "path" => "in the path",
                "query" => "in the query",
                _ => "a header",
            };
            let mut field = Field::of(text(&parameter["name"]), &parameter["schema"]);
            field.is_required = parameter["required"] == true;
            field.kind = format!("{}, {place}", field.kind);
            field.about = inline(text(&parameter["description"]));
            field
        });
        Self {
            id: text(&operation["operationId"]).to_owned(),
            trial: trial(text(&operation["operationId"])),
            method: method.to_uppercase(),
            path: path.to_owned(),
            paragraphs: about
                .into_iter()
                .filter_map(Value::as_str)
                .map(inline)
                .collect(),
            callers: callers.map(|(scheme, _)| caller(scheme)).collect(),
            parameters: parameters.collect(),
            body: Body::of(document, &operation["requestBody"]),
            answer: Body::of(document, &operation["responses"]["200"]),
            statuses: answers
                .map(|(status, answer)| (status.clone(), inline(text(&answer["description"]))))
                .collect(),
        }
    }
}

/// Where the playground has this call.
fn trial(operation_id: &str) -> Option<&'static str> {
    match operation_id {
        "inject" => Some("try-inject"),
        "update" => Some("try-update"),
        "readContext" | "listFacts" | "searchFacts" => Some("try-read"),
        _ => None,
    }
}

impl Body {
    /// `None` where nothing is sent.
    fn of(document: &Value, message: &Value) -> Option<Self> {
        let schema = &message["content"]["application/json"]["schema"];
        if schema.is_null() {
            return None;
        }
        let named = schema["$ref"]
            .as_str()
            .and_then(|name| name.rsplit('/').next());
        let schemas = &document["components"]["schemas"];
        let example = named.map(|name| &schemas[name]["examples"][0]);
        let example = example.filter(|example| !example.is_null());
        Some(Self {
            kind: kind(schema),
            example: example.and_then(|example| serde_json::to_string_pretty(example).ok()),
        })
    }
}

impl Type {
    fn of(name: &str, schema: &Value) -> Self {
        let properties = entries(&schema["properties"]);
        let fields: Vec<Field> = properties
            .map(|(name, property)| Field {
                is_required: items(&schema["required"]).any(|required| *required == **name),
                ..Field::of(name, property)
            })
            .collect();
        Self {
            name: name.to_owned(),
            about: inline(text(&schema["description"])),
            kind: fields.is_empty().then(|| kind(schema)),
            fields,
        }
    }
}

impl Field {
    fn of(name: &str, schema: &Value) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind(schema),
            is_required: false,
            is_addition: schema["x-addition"] == true,
            about: inline(text(&schema["description"])),
        }
    }
}

/// Whose credential a security scheme is.
fn caller(scheme: &str) -> &'static str {
    match scheme {
        "agentKey" => "an agent, with its key",
        "userSession" => "a user who is signed in",
        "signInSecret" => "the operator's application, with the sign-in secret",
        _ => "whoever has the credential",
    }
}

/// What a schema allows, in a few words, as HTML.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or_default();
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    let choices = ["oneOf", "anyOf"]
        .into_iter()
        .flat_map(|of| items(&schema[of]));
    let choices: Vec<String> = choices.map(kind).collect();
    if !choices.is_empty() {
        return choices.join(" or ");
    }
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().filter_map(Value::as_str);
        let values: Vec<String> = values.map(|value| inline(&format!("`{value}`"))).collect();
        return values.join(", ");
    }
    let names = match &schema["type"] {
        Value::String(name) => vec![name.as_str()],
        several => items(several).filter_map(Value::as_str).collect(),
    };
    let names = names.into_iter().map(|name| match name {
        "array" => format!("list of {}", kind(&schema["items"])),
        "object" => match &schema["additionalProperties"] {
            Value::Object(_) => format!("map to {}", kind(&schema["additionalProperties"])),
            _ => "object".to_owned(),
        },
        "null" => "null".to_owned(),
        name => schema["format"].as_str().unwrap_or(name).to_owned(),
    });
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        "anything".to_owned()
    } else {
        names.join(" or ")
    }
}

/// Text of the document as HTML. What stands between backticks is code.
fn inline(text: &str) -> String {
    let mut html = String::new();
    for (place, part) in text.split('`').enumerate() {
        let part = escaped(part);
        match place % 2 {
            0 => html.push_str(&part),
            _ => html.extend(["<code>", &part, "</code>"]),
        }
    }
    html
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_type_and_field_is_on_the_page() {
        let document: Value = serde_json::from_str(&document().unwrap()).unwrap();
        let page = &*REFERENCE;
        let operations: Vec<&Operation> =
            page.groups.iter().flat_map(|it| &it.operations).collect();
        let mut expected = 0;
        for (path, methods) in entries(&document["paths"]) {
            for (method, operation) in entries(methods) {
                expected += 1;
                let found = operations
                    .iter()
                    .find(|it| it.id == operation["operationId"]);
                let found = found.unwrap();
                assert_eq!(found.path, *path);
                assert_eq!(found.method, method.to_uppercase());
                assert_eq!(found.body.is_some(), !operation["requestBody"].is_null());
                assert!(
                    !found.paragraphs.is_empty() && !found.statuses.is_empty(),
                    "{path}"
                );
            }
        }
        assert_eq!(operations.len(), expected);
        assert!(expected > 10, "{expected}");
        for (name, schema) in entries(&document["components"]["schemas"]) {
            let found = page.types.iter().find(|it| it.name == *name).unwrap();
            let fields: Vec<&String> = found.fields.iter().map(|field| &field.name).collect();
            let properties = entries(&schema["properties"]).map(|(name, _)| name);
            assert_eq!(fields, properties.collect::<Vec<_>>(), "{name}");
        }
    }

    #[test]
    fn a_schema_is_said_in_a_few_words() {
        for (schema, expected) in [
            (r#"{"type":["string","null"]}"#, "string or null"),
            (r##"{"$ref":"#/x/Scope"}"##, "<a href=\"#Scope\">Scope</a>"),
            (
                r#"{"type":"array","items":{"type":"string"}}"#,
                "list of string",
            ),
            (r#"{"enum":["a","b"]}"#, "<code>a</code>, <code>b</code>"),
            (
                r#"{"type":"object","additionalProperties":{"type":"integer","format":"int64"}}"#,
                "map to int64",
            ),
            ("{}", "anything"),
        ] {
            assert_eq!(kind(&serde_json::from_str(schema).unwrap()), expected);
        }
        assert_eq!(inline("a `<b>` c"), "a <code>&#60;b&#62;</code> c");
    }
}

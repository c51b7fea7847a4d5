//! The OpenAPI document, and the page that shows it.

use std::collections::BTreeSet;

use ctxmem_server::http::{ROUTES, openapi_document};
use ctxmem_types::UserId;
use serde_json::{Value, json};

use crate::suite::support::Server;
use crate::suite::support::documented::Validator;

fn document() -> Value {
    serde_json::from_str(&openapi_document().unwrap()).unwrap()
}

/// Every object below, with where it is.
fn objects<'v>(value: &'v Value, at: &str, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(fields) => {
            found.push((at.to_owned(), value));
            for (name, value) in fields {
                objects(value, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                objects(item, &format!("{at}/{place}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn the_document_has_the_routes_of_the_interface_and_no_others() {
    let document = document();
    let mut documented = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            documented.insert((method.to_uppercase(), path.clone()));
        }
    }
    let is_of_it = |path: &str| {
        let is_about_it = path == "/api/openapi.json" || path.starts_with("/api/docs");
        (path.starts_with("/api/") && !is_about_it) || path.ends_with('z')
    };
    let routed: BTreeSet<_> = ROUTES
        .iter()
        .filter(|route| is_of_it(route.template()))
        .map(|route| (route.method().to_owned(), route.template().to_owned()))
        .collect();
    assert_eq!(documented, routed);
}

#[test]
fn everything_is_described_and_nothing_refers_to_code() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    let mut found = Vec::new();
    objects(&document, "", &mut found);
    for (at, object) in &found {
        if let Some(text) = object["description"].as_str() {
            assert!(!text.contains("](") && !text.contains("::"), "{at}: {text}");
        }
        if let Some(there) = object["$ref"].as_str() {
            let place = there.strip_prefix('#').unwrap();
            assert!(document.pointer(place).is_some(), "{at}: {there}");
        }
        let is_operation = object.get("responses").is_some() && object.get("operationId").is_some();
        if is_operation {
            assert!(object["summary"].is_string(), "{at}");
            assert!(object["description"].is_string(), "{at}");
        }
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            let storage_keys = ["Delta"];
            let one_of = property["oneOf"].as_array().into_iter().flatten();
            let is_said = property["description"].is_string()
                || one_of.into_iter().any(|one| one["description"].is_string())
                || storage_keys.contains(&&**name)
                || (name == "Fact" && field == "source_type");
            assert!(is_said, "{name}.{field}: {property}");
        }
    }
}

#[test]
fn every_body_has_an_example_that_is_as_documented() {
    let document = document();
    let mut found = Vec::new();
    objects(&document["paths"], "", &mut found);
    let schemas = found.iter().filter_map(|(at, object)| {
        let schema = object.get("schema")?;
        at.ends_with("application/json").then_some((at, schema))
    });
    let mut checked = 0;
    for (at, schema) in schemas {
        let place = schema["$ref"].as_str().unwrap().strip_prefix('#').unwrap();
        let definition = document.pointer(place).unwrap();
        let example = &definition["examples"][0];
        assert!(example.is_object(), "{at}");
        let whole = json!({"allOf": [schema], "components": document["components"]});
        let error = Validator::new(whole).error(example);
        assert_eq!(error, None, "{at}");
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn additions_of_ours_are_marked() {
    let document = document();
    let marked = |place: &str| document.pointer(place).unwrap()["x-addition"] == true;
    let schema = "/components/schemas";
    for place in [
        "/paths/~1api~1context~1{userId}~1facts/get",
        "/paths/~1api~1context~1{userId}~1facts~1{factId}/delete",
        "/paths/~1api~1sign-in-links/post",
        "/paths/~1livez/get",
        &format!("{schema}/InjectRequest/properties/parts"),
        &format!("{schema}/InjectResponse/properties/consent_url"),
        &format!("{schema}/InjectResponse/properties/context"),
        &format!("{schema}/UpdateResponse/properties/removed"),
        &format!("{schema}/UpdateResponse/properties/outcome"),
        &format!("{schema}/ErrorBody/properties/consent_url"),
        &format!("{schema}/Health/properties/version"),
    ] {
        assert!(marked(place), "{place}");
    }
    for place in [
        "/paths/~1api~1context~1inject/post",
        &format!("{schema}/InjectResponse/properties/cacheHint"),
        &format!("{schema}/UpdateResponse/properties/denied_scopes"),
    ] {
        assert!(!marked(place), "{place}");
    }
}

#[tokio::test]
async fn the_document_is_served() {
    let server = Server::start().await;
    let answer = server.get("/api/openapi.json").gets(200).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.json(), document());
}

#[tokio::test]
async fn the_reference_is_small_and_served_with_and_without_compression() {
    let server = Server::start().await;
    let page = server.get("/api/docs").send().await;
    assert_eq!((page.status, page.header("content-encoding")), (200, None));
    assert!(page.body.len() < 60 << 10, "{}", page.body.len());
    for (path, methods) in document()["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let call = format!("{} {path}", method.to_uppercase());
            assert!(page.body.contains(&call), "{call}");
        }
    }
    let packed = server.get("/api/docs").header("accept-encoding", "gzip");
    let packed = packed.send().await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let length: usize = packed.header("content-length").unwrap().parse().unwrap();
    assert!(length < 12 << 10, "{length}");
}

#[test]
fn the_schema_of_user_ids_takes_what_is_taken() {
    let document = document();
    let schema = json!({
        "$ref": "#/components/schemas/UserId",
        "components": document["components"],
    });
    let schema = Validator::new(schema);
    for id in [
        "", ".", "..", "...", "..a", ".a", "a.", "a..", "a\0", "\0", ".\n", "\n", "é", "....",
    ] {
        let is_taken = UserId::new(id).is_ok();
        assert_eq!(schema.error(&json!(id)).is_none(), is_taken, "{id:?}");
    }
}

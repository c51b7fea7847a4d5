//! Validation against the OpenAPI document: everything that the suite sends to the interface and gets from it is
//! checked.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas};
use ctxmem_server::http::{ROUTES, openapi_document};
use serde_json::{Value, json};

/// Headers of answers that HTTP itself defines, or that all answers of the server have.
const COMMON: [&str; 9] = [
    "allow",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "strict-transport-security",
    "transfer-encoding",
    "x-content-type-options",
];

/// What was sent and answered.
pub(crate) struct Exchange<'e> {
    pub(crate) method: &'e str,
    pub(crate) path: &'e str,
    pub(crate) request: &'e [u8],
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) answer: &'e [u8],
}

struct Operation {
    method: String,
    template: String,
    request: Option<Validator>,
    /// By status.
    answers: HashMap<String, Answer>,
}

struct Answer {
    headers: BTreeSet<String>,
    content_type: String,
    body: Validator,
}

static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let document: Value = serde_json::from_str(&openapi_document().unwrap()).unwrap();
    operations(&document)
});

/// Fails with what is not as the document says. Requests that were refused may be of any form, and
/// those that were not may have fields that nobody knows.
#[track_caller]
pub(crate) fn check(exchange: &Exchange<'_>) {
    let found = problems(&OPERATIONS, exchange);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn problems(operations: &[Operation], exchange: &Exchange<'_>) -> Vec<String> {
    let path = exchange.path.split('?').next().unwrap();
    let route = ROUTES
        .iter()
        .find(|route| route.method() == exchange.method && route.matches(path));
    let operation = operations.iter().find(|operation| {
        route.is_some_and(|route| {
            (route.method(), route.template()) == (&operation.method, &operation.template)
        })
    });
    let Some(operation) = operation else {
        return Vec::new();
    };
    let status = exchange.status;
    let name = format!("{} {}: {status}", operation.method, operation.template);
    let Some(answer) = operation.answers.get(&status.to_string()) else {
        return vec![format!("{name} is not documented")];
    };
    let mut problems = Vec::new();
    for (header, value) in &exchange.headers {
        let header = header.to_lowercase();
        if header == "content-type" && !value.starts_with(&answer.content_type) {
            problems.push(format!("{name}: {value} is not documented"));
        }
        if !COMMON.contains(&&*header) && !answer.headers.contains(&header) {
            problems.push(format!("{name}: the header {header} is not documented"));
        }
    }
    if answer.content_type == "application/json" {
        problems.extend(not_as(
            &format!("{name}: the answer"),
            &answer.body,
            exchange.answer,
        ));
    }
    if let Some(request) = &operation.request
        && status == 200
    {
        problems.extend(not_as(
            &format!("{name}: the request"),
            request,
            exchange.request,
        ));
    }
    problems
}

fn not_as(name: &str, schema: &Validator, body: &[u8]) -> Vec<String> {
    let body: Value = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(error) => return vec![format!("{name} is no JSON: {error}")],
    };
    let error = schema.error(&body);
    error
        .map(|error| format!("{name}: {error}"))
        .into_iter()
        .collect()
}

fn operations(document: &Value) -> Vec<Operation> {
    let mut closed = document["components"].clone();
    close(&mut closed);
    let mut operations = Vec::new();
    for (template, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let request = &operation["requestBody"]["content"]["application/json"]["schema"];
            let answers = operation["responses"].as_object().unwrap().iter();
            operations.push(Operation {
                method: method.to_uppercase(),
                template: template.clone(),
                request: (!request.is_null()).then(|| validator(request, &document["components"])),
                answers: answers
                    .map(|(status, answer)| (status.clone(), Answer::of(answer, &closed)))
                    .collect(),
            });
        }
    }
    operations
}

impl Answer {
    fn of(answer: &Value, components: &Value) -> Self {
        let (content_type, content) = answer["content"]
            .as_object()
            .unwrap()
            .iter()
            .next()
            .unwrap();
        let headers = answer["headers"].as_object().unwrap().keys();
        Self {
            headers: headers.map(|name| name.to_lowercase()).collect(),
            content_type: content_type.clone(),
            body: validator(&content["schema"], components),
        }
    }
}

fn validator(schema: &Value, components: &Value) -> Validator {
    Validator::new(json!({"allOf": [schema], "components": components}))
}

/// A schema of the document, in JSON Schema 2020-12, as OpenAPI 3.1 prescribes.
pub(crate) struct Validator {
    schemas: Schemas,
    root: SchemaIndex,
}

impl Validator {
    pub(crate) fn new(schema: Value) -> Self {
        let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
        compiler.add_resource("schema.json", schema).unwrap();
        let root = compiler.compile("schema.json", &mut schemas).unwrap();
        Self { schemas, root }
    }

    /// What is not as the schema says.
    pub(crate) fn error(&self, value: &Value) -> Option<String> {
        let error = self.schemas.validate(value, self.root).err()?;
        Some(format!("{error:#}"))
    }
}

/// Nothing may be in an answer but what is documented.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("properties").is_some_and(Value::is_object)
                && !fields.contains_key("additionalProperties")
            {
                fields.insert("additionalProperties".to_owned(), false.into());
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[test]
fn what_is_not_documented_is_found() {
    let answer = json!({"grant": {
        "id": "g", "user_id": "ada", "agent_id": "a", "scopes": ["goals"],
        "expires_at": null, "revoked": false,
    }});
    let request = json!({"userId": "ada", "agentId": "a", "scopes": ["goals"], "more": 1});
    let found = |status, request: &Value, answer: &Value, header: &str| {
        let headers = [("content-type", "application/json"), (header, "x")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        problems(
            &OPERATIONS,
            &Exchange {
                method: "POST",
                path: "/api/grants",
                request: request.to_string().as_bytes(),
                status,
                headers: headers.into(),
                answer: answer.to_string().as_bytes(),
            },
        )
    };
    assert_eq!(found(200, &request, &answer, "x-request-id"), [""; 0]);
    assert_eq!(found(200, &request, &answer, "x-other").len(), 1);
    assert_eq!(found(418, &request, &answer, "x-request-id").len(), 1);
    let mut more = answer.clone();
    more["grant"]["more"] = 1.into();
    assert_eq!(found(200, &request, &more, "x-request-id").len(), 1);
    let mut other = answer.clone();
    other["grant"]["scopes"] = json!(["elsewhere"]);
    assert_eq!(found(200, &request, &other, "x-request-id").len(), 1);
    let mut less = answer;
    less["grant"].as_object_mut().unwrap().remove("revoked");
    assert_eq!(found(200, &request, &less, "x-request-id").len(), 1);
    let refused = json!({"error": "e", "code": "BAD_REQUEST"});
    assert_eq!(found(400, &json!(7), &refused, "x-request-id"), [""; 0]);
}

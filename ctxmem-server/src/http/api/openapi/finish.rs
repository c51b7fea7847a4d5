//! Cross-cutting parts of the document: headers of answers, links from an answer to the calls that
//! it makes possible, and marks on what other deployments don't have.

use serde_json::{Map, Value, json};

/// What a description says of an addition of ours.
const ADDITION: &str = "Our addition to the interface.";

/// Which answers have a header.
#[derive(Clone, Copy, PartialEq)]
enum On {
    Every,
    /// Those to a known agent.
    Key,
    /// Repeated answers.
    Replay,
    /// Those that say when to come back.
    Later,
    /// Those that ask for a key or secret.
    Unauthorized,
}

const HEADERS: [(&str, On, &str, &str); 7] = [
    (
        "X-Request-Id",
        On::Every,
        "string",
        "Names this request in the server's log.",
    ),
    (
        "X-RateLimit-Limit",
        On::Key,
        "integer",
        "How many requests the key may send in a minute.",
    ),
    (
        "X-RateLimit-Remaining",
        On::Key,
        "integer",
        "How many it may send now.",
    ),
    (
        "X-RateLimit-Reset",
        On::Key,
        "integer",
        "In a 429, when the next request is admitted; otherwise, when all may be sent again. In \
         seconds since 1970.",
    ),
    (
        "Idempotent-Replayed",
        On::Replay,
        "string",
        "`true` on the answer to a request that was carried out before.",
    ),
    (
        "WWW-Authenticate",
        On::Unauthorized,
        "string",
        "How the key is shown: `Bearer realm=\"ctxmem\"`.",
    ),
    (
        "Retry-After",
        On::Later,
        "integer",
        "In how many seconds to try again.",
    ),
];

/// Parameters of a call, and where they are from.
type Parameters = &'static [(&'static str, &'static str)];

/// The user of the request.
const USER_IN_BODY: Parameters = &[("userId", "$request.body#/userId")];
const USER_IN_PATH: Parameters = &[("userId", "$request.path.userId")];
const GRANT: Parameters = &[("grantId", "$response.body#/grant/id")];
/// The first of the facts that are answered.
const FIRST_FACT: Parameters = &[
    ("userId", "$request.path.userId"),
    ("factId", "$response.body#/facts/0/id"),
];

/// Which call an answer leads to: the operation that answers, and the one that it leads to.
const LINKS: [(&str, &str, Parameters); 9] = [
    ("inject", "readContext", USER_IN_BODY),
    ("update", "readContext", USER_IN_BODY),
    ("update", "listFacts", USER_IN_BODY),
    ("update", "deleteContext", USER_IN_BODY),
    ("createGrant", "readContext", USER_IN_BODY),
    ("createGrant", "revokeGrant", GRANT),
    ("deleteContext", "readContext", USER_IN_PATH),
    ("searchFacts", "deleteFact", FIRST_FACT),
    ("listFacts", "deleteFact", FIRST_FACT),
];

/// Adds the headers, the links and the marks.
pub(super) fn finish(document: &mut Value) {
    // The type has no such field: what other deployments call so may be anything.
    document["components"]["schemas"]["Health"]["properties"]["version"] = json!({
        "type": "string",
        "description": format!("The version of the server. {ADDITION}"),
    });
    mark_additions(document);
    let headers: Map<String, Value> = HEADERS
        .into_iter()
        .map(|(name, _, kind, text)| {
            let header = json!({"description": text, "schema": {"type": kind}});
            (name.to_owned(), header)
        })
        .collect();
    document["components"]["headers"] = headers.into();
    let paths = document["paths"].as_object_mut();
    for operation in paths
        .into_iter()
        .flat_map(Map::values_mut)
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut)
    {
        let links: Map<String, Value> = LINKS
            .into_iter()
            .filter(|(from, ..)| operation["operationId"] == **from)
            .map(|(_, to, parameters)| {
                let parameters: Map<String, Value> = parameters
                    .iter()
                    .map(|(name, place)| ((*name).to_owned(), (*place).into()))
                    .collect();
                let link = json!({"operationId": to, "parameters": parameters});
                (to.to_owned(), link)
            })
            .collect();
        if !links.is_empty() {
            operation["responses"]["200"]["links"] = links.into();
        }
        let takes_key = operation["security"]
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one.get("agentKey").is_some()));
        let parameters = operation["parameters"].as_array();
        let repeats =
            parameters.is_some_and(|all| all.iter().any(|one| one["name"] == "Idempotency-Key"));
        let responses = operation["responses"].as_object_mut();
        for (status, response) in responses.into_iter().flatten() {
            let has = |on| match on {
                On::Every => true,
                On::Key => takes_key && status != "401",
                On::Replay => repeats && status == "200",
                On::Later => status == "429" || status == "503",
                On::Unauthorized => status == "401",
            };
            let headers: Map<String, Value> = HEADERS
                .into_iter()
                .filter(|(_, on, ..)| has(*on))
                .map(|(name, ..)| {
                    let there = json!({"$ref": format!("#/components/headers/{name}")});
                    (name.to_owned(), there)
                })
                .collect();
            response["headers"] = headers.into();
        }
    }
}

fn mark_additions(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let says_so = fields
                .get("description")
                .and_then(Value::as_str)
                .is_some_and(|text| {
                    let words: Vec<&str> = text.split_whitespace().collect();
                    words.join(" ").contains(ADDITION)
                });
            if says_so {
                fields.insert("x-addition".to_owned(), true.into());
            }
            fields.values_mut().for_each(mark_additions);
        }
        Value::Array(items) => items.iter_mut().for_each(mark_additions),
        _ => {}
    }
}

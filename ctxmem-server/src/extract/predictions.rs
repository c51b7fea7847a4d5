//! Prints what the rules find in a labelled set, for scoring by hand:
//! `CTXMEM_SET=in.jsonl CTXMEM_PREDICTIONS=out.jsonl cargo test -p ctxmem-server predictions -- --ignored`

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::first_stage::{Verdict, judge};
use super::{Op, admit, rules};

#[test]
#[ignore = "needs a labelled set"]
fn predictions() {
    let set = std::env::var("CTXMEM_SET").expect("CTXMEM_SET names the labelled set");
    let out = std::env::var("CTXMEM_PREDICTIONS").expect("CTXMEM_PREDICTIONS names the output");
    let mut lines = String::new();
    for line in std::fs::read_to_string(set).expect("readable").lines() {
        let item: Value = serde_json::from_str(line).expect("a JSON object a line");
        let message = item["userMessage"].as_str().expect("a message");
        let filtered = judge(message) != Verdict::Extract;
        let facts: Vec<Value> = if filtered {
            Vec::new()
        } else {
            admit(rules::read(message))
                .into_iter()
                .filter(|fact| fact.op == Op::Set)
                .map(|fact| json!({"scope": fact.scope.name(), "key": fact.key, "value": fact.value}))
                .collect()
        };
        let prediction = json!({"id": item["id"], "facts": facts, "filtered": filtered});
        writeln!(lines, "{prediction}").expect("written");
    }
    std::fs::write(out, lines).expect("written");
}

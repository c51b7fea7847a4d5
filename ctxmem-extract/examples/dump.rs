use std::io::Read;
use chrono::NaiveDate;
use ctxmem_extract::{Interaction, extract_without_model};
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    for line in text.lines() {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let m = v["text"].as_str().unwrap_or_default();
        let m = ctxmem_extract::composed(m);
        let e = extract_without_model(&Interaction{user_message:&m,agent_response:"",known:&[],today:NaiveDate::from_ymd_opt(2026,11,25).unwrap()});
        if std::env::var("P").is_ok() { let p = ctxmem_extract::Prose::of(&m); let r = ctxmem_extract::Reading::of(&p); r.show(); }
        let facts: Vec<_> = e.facts.iter().map(|f| serde_json::json!({"scope":f.scope.name(),"key":f.key,"value":f.value,"op":format!("{:?}",f.op),"requested":f.requested})).collect();
        println!("{}", serde_json::json!({"id":v["id"],"filtered":e.filtered.map(|r|r.name()),"facts":facts}));
    }
}

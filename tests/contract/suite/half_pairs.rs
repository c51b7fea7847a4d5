//! Halves of surrogate pairs in JSON: JavaScript sends them where it cuts a text in the middle of a
//! picture.

use serde_json::{Value, json};

use crate::suite::mcp::request::{ToolAnswer, call};
use crate::suite::mcp::with_agent;
use crate::suite::support::{HELLO, Text as _, user};

#[tokio::test]
async fn half_a_pair_loses_no_turn() {
    let (_server, agent) = with_agent().await;
    let sends = async |path: &str, body: &Value| {
        let request = agent.raw("POST", path).json(body);
        request.replacing("HALF", r"\ud83d").send().await
    };
    // The last fact ends where the text was cut.
    let said =
        json!({"userId": "ada", "userMessage": format!("{HELLO} HALF"), "agentResponse": "HALF"});
    let updated = sends("/api/context/update", &said).await;
    assert_eq!(updated.status, 200, "{}", updated.body);
    updated.body.assert_has("Helix");

    let asked = json!({"userId": "ada", "basePrompt": "You help. HALF"});
    let injected = sends("/api/context/inject", &asked).await;
    assert_eq!(injected.status, 200, "{}", injected.body);
    let prompt = injected.json()["injectedPrompt"]
        .as_str()
        .unwrap()
        .to_owned();
    prompt.assert_has("Helix");
    assert!(prompt.ends_with("You help. \u{FFFD}"), "{prompt}");
    // Whole pairs and backslashes stay what they are.
    let asked = json!({"userId": "ada", "basePrompt": "WHOLE C:\\ud83d"});
    let asked = agent.raw("POST", "/api/context/inject").json(&asked);
    let answer = asked.replacing("WHOLE", r"\ud83d\ude00").send().await;
    let prompt = answer.json()["injectedPrompt"].as_str().unwrap().to_owned();
    assert!(prompt.ends_with("😀 C:\\ud83d"), "{prompt}");

    let request = agent.raw("POST", "/mcp");
    let text = json!({ "text": "I live in Porto. HALF" });
    let request = call(request, "eve", "remember", &text).replacing("HALF", r"\ud83d");
    let remembered = ToolAnswer::of(&request.send().await);
    assert!(remembered.text().contains("Porto"), "{}", remembered.text());
    let eve = agent.reads(&user("eve")).await;
    assert_eq!(eve["general"]["location"]["value"], "Porto");
}

//! Requests of the newest revision of the protocol, built by hand.

use serde_json::{Value, json};

use crate::suite::support::{Agent, RawRequest, RawResponse, Server};

/// The newest revision.
pub(crate) const VERSION: &str = "2026-07-28";

/// The request with this method and these parameters, in this user's name; without one in nobody's.
pub(crate) fn of(request: RawRequest, user: &str, method: &str, params: Value) -> RawRequest {
    in_version(request, user, method, params, VERSION)
}

/// The same in another revision.
pub(crate) fn in_version(
    request: RawRequest,
    user: &str,
    method: &str,
    mut params: Value,
    version: &str,
) -> RawRequest {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params.get("name").or(params.get("uri"));
    let name = name.and_then(Value::as_str).map(ToOwned::to_owned);
    let mut request = request
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", version)
        .header("mcp-method", method)
        .json(&json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }));
    if !user.is_empty() {
        request = request.header("x-ctxmem-user-id", user);
    }
    if let Some(name) = name {
        request = request.header("mcp-name", &name);
    }
    request
}

/// A call of a tool.
pub(crate) fn call(request: RawRequest, user: &str, tool: &str, arguments: &Value) -> RawRequest {
    let params = json!({ "name": tool, "arguments": arguments });
    of(request, user, "tools/call", params)
}

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct ToolAnswer(Value);

impl ToolAnswer {
    #[track_caller]
    pub(crate) fn of(answer: &RawResponse) -> Self {
        assert_eq!(answer.status, 200, "{}", answer.body);
        let answer = answer.json();
        assert_eq!(answer["id"], 7, "{answer}");
        assert!(answer["result"]["content"].is_array(), "{answer}");
        Self(answer["result"].clone())
    }

    pub(crate) fn text(&self) -> &str {
        self.0["content"][0]["text"].as_str().unwrap()
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.0["isError"] == true
    }

    /// What it tells programs.
    #[track_caller]
    pub(crate) fn data(&self) -> &Value {
        assert!(!self.is_refused(), "{}", self.text());
        &self.0["structuredContent"]
    }

    /// The words of a refusal.
    #[track_caller]
    pub(crate) fn refusal(&self) -> &str {
        assert!(self.is_refused(), "{}", self.text());
        // Clients check whatever is there against the schema of a success.
        assert_eq!(self.0.get("structuredContent"), None);
        self.text()
    }
}

impl Server {
    /// What a tool answers this agent about this user.
    pub(crate) async fn tool(
        &self,
        agent: &Agent,
        user: &str,
        tool: &str,
        arguments: &Value,
    ) -> ToolAnswer {
        let request = self.raw("POST", "/mcp").key(&agent.key);
        ToolAnswer::of(&call(request, user, tool, arguments).send().await)
    }

    /// The answer to any other request of this agent about this user.
    pub(crate) async fn mcp(
        &self,
        agent: &Agent,
        user: &str,
        method: &str,
        params: Value,
    ) -> Value {
        let request = self.raw("POST", "/mcp").key(&agent.key);
        let answer = of(request, user, method, params).gets(200).await;
        answer.json()
    }
}

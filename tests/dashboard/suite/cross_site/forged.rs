//! Requests that a page of somebody else's makes the victim's browser send. Each is well
//! formed: from a page of ours it would be done. It even has the mark of whom the form would be made
//! for, which nobody else can know.

use ctxmem_server::http::Route;
use reqwest::Url;
use serde_json::{Value, json};

use super::victim::Victim;
use crate::suite::support::{HELLO, RawRequest, Server};

pub(super) struct Forged {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) body: Body,
}

pub(super) enum Body {
    Form(Vec<(&'static str, String)>),
    Json(Value),
}

/// Whether a route heeds no session at all: it is for agents, or for the operator's application.
pub(super) fn is_without_session(route: &Route) -> bool {
    let path = route.template();
    let is_of_agents = path.starts_with("/api/context/") && !path.contains("/facts");
    is_of_agents || path == "/api/sign-in-links" || is_of_mcp(route)
}

/// Whether clients of the Model Context Protocol call it, which are no browsers.
pub(super) fn is_of_mcp(route: &Route) -> bool {
    route.template().starts_with("/mcp")
}

pub(super) fn is_off(route: &Route) -> bool {
    route.template().starts_with("/oauth/")
}

fn form(fields: &[(&'static str, &str)]) -> Body {
    let fields = fields.iter();
    let fields = fields.map(|&(name, value)| (name, value.to_owned()));
    Body::Form(fields.collect())
}

/// What a route about a victim takes, less the mark of whom its form was made for.
fn body(route: &Route, victim: &Victim) -> Body {
    let user_id = victim.user.as_str();
    let agent_id = &victim.agent.id;
    let fact = &victim.fact;
    let scope = fact.fact.scope.name();
    let seen = &*victim.of_scope;
    let version = fact.version().to_text();
    match route.template() {
        "/api/context/inject" => Body::Json(json!({"userId": user_id, "basePrompt": "Hi."})),
        "/api/context/update" => Body::Json(json!({
            "userId": user_id,
            "userMessage": "I use Emacs as my editor.",
            "agentResponse": "Ok.",
        })),
        "/api/context/{userId}/facts/search" => Body::Json(json!({"query": "editor"})),
        "/api/sign-in-links" => Body::Json(json!({"userId": user_id})),
        "/mcp" | "/mcp/" | "/mcp/users/{userId}" => Body::Json(json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "remember", "arguments": {"text": "I use Emacs as my editor."}},
        })),
        "/api/grants" => Body::Json(json!({
            "userId": user_id,
            "agentId": agent_id,
            "scopes": ["goals"],
        })),
        "/language" => form(&[("language", "de")]),
        "/sign-in" => form(&[("token", &victim.link_of_attacker)]),
        "/account/allow" | "/dashboard/keys" => form(&[("agent_id", agent_id), ("scope", "goals")]),
        "/account/revoke" => form(&[("agent_id", agent_id)]),
        "/account/facts/add" => form(&[("scope", "goals"), ("value", "Forged")]),
        "/account/facts/correct" => form(&[("fact", &version), ("value", "Forged")]),
        "/account/facts/delete" => form(&[("fact", &version), ("confirm", "yes")]),
        "/account/facts/delete-scope" => {
            form(&[("scope", scope), ("seen", seen), ("confirm", "yes")])
        }
        "/account/erase" => form(&[("confirm", "erase")]),
        "/account/facts/restore" | "/account/facts/keep-out" => {
            form(&[("deleted", &victim.deleted)])
        }
        "/account/pause" => form(&[("pause", "yes")]),
        "/account/ask-first" => form(&[("ask", "yes")]),
        "/account/auto-delete" => form(&[("goals", "3")]),
        "/consent/{agentId}" => form(&[("decision", "allow"), ("scope", "goals"), ("until", "30")]),
        "/dashboard/agents/profile" => form(&[("agent_id", agent_id), ("purpose", "Forged")]),
        "/dashboard/sign-in" => form(&[
            ("email", &victim.developer.email),
            ("password", &victim.developer.password),
        ]),
        "/dashboard/agents" => form(&[("name", "Forged"), ("scope", "goals")]),
        "/dashboard/agents/rename" => form(&[("agent_id", agent_id), ("name", "Forged")]),
        "/dashboard/agents/delete" => form(&[("agent_id", agent_id), ("name", "Agent")]),
        "/dashboard/keys/rotate" => form(&[("key_id", &victim.agent.key_id), ("grace", "24")]),
        "/dashboard/keys/revoke" => form(&[("key_id", &victim.agent.key_id)]),
        "/dashboard/playground" => form(&[
            ("key_id", &victim.agent.key_id),
            ("user", "test"),
            ("action", "update"),
            ("message", HELLO),
            ("answer", "Noted."),
        ]),
        "/dashboard/settings/code/confirm"
        | "/dashboard/settings/code/end"
        | "/dashboard/sign-in/code" => form(&[("code", "123456")]),
        "/dashboard/settings/password" => form(&[
            ("current", &victim.developer.password),
            ("new", "the attacker's choice"),
            ("repeated", "the attacker's choice"),
        ]),
        "/dashboard/team/withdraw" => form(&[("invitation_id", &victim.invitation_id)]),
        "/dashboard/team/remove" | "/dashboard/team/hand-over" => {
            form(&[("member_id", &victim.colleague)])
        }
        "/dashboard/join" => form(&[
            ("token", &victim.invitation_of_attacker),
            ("name", "Forged"),
            ("email", &format!("forged-{user_id}@example.com")),
            ("password", "the attacker's choice"),
            ("repeated", "the attacker's choice"),
        ]),
        "/dashboard/playground/erase" => form(&[("user", "test")]),
        // A route that needs fields has to be added above: a test says so.
        _ => form(&[]),
    }
}

impl Forged {
    /// The request of a route about a victim.
    pub(super) fn new(route: &Route, victim: &Victim) -> Self {
        let mut body = body(route, victim);
        let [of_user, of_developer] = &victim.marks;
        if let Body::Form(fields) = &mut body {
            let is_of_developer = route.template().starts_with("/dashboard");
            let mark = if is_of_developer {
                of_developer
            } else {
                of_user
            };
            fields.push(("made_for", mark.clone()));
        }
        let path = route.template().replace("{userId}", victim.user.as_str());
        let path = path.replace("{agentId}", &victim.agent.id);
        let path = path.replace("{keyId}", &victim.agent.key_id);
        let path = path.replace("{factId}", &victim.fact.version().to_text());
        Self {
            method: route.method(),
            path: path.replace("{grantId}", &victim.grant_id),
            body,
        }
    }

    /// The body and its type, as they go over the wire.
    pub(super) fn encoded(&self) -> (&'static str, String) {
        match &self.body {
            Body::Json(body) => ("application/json", body.to_string()),
            Body::Form(_) => ("application/x-www-form-urlencoded", self.query()),
        }
    }

    /// The fields of the form, as they stand in an address.
    pub(super) fn query(&self) -> String {
        let Body::Form(fields) = &self.body else {
            return String::new();
        };
        let address = Url::parse_with_params("http://form", fields).unwrap();
        address.query().unwrap_or_default().to_owned()
    }

    /// It by hand, with the victim's session.
    pub(super) fn raw(&self, server: &Server, victim: &Victim) -> RawRequest {
        let (content_type, body) = self.encoded();
        server
            .raw(self.method, &self.path)
            .cookie(&victim.cookie)
            .header("content-type", content_type)
            .body(body)
    }

    /// A page that sends it by itself, as a form: all that a form can do.
    pub(super) fn page(&self, server: &Server) -> String {
        let (address, path) = (&server.url, &self.path);
        let (encoding, fields) = match &self.body {
            Body::Form(fields) => ("application/x-www-form-urlencoded", fields.clone()),
            // In plain text a form can write nearly any JSON.
            Body::Json(body) => {
                let text = body.to_string();
                let start = text.trim_end_matches('}').to_owned();
                ("text/plain", vec![("", format!("{start},\"x\":\"=\"}}"))])
            }
        };
        let input = |(name, value): &(&str, String)| {
            let value = value.replace('&', "&amp;").replace('\'', "&#39;");
            format!("<input name='{name}' value='{value}'>")
        };
        let fields: String = fields.iter().map(input).collect();
        format!(
            "<!doctype html><title>Win a prize</title>
             <form method='post' enctype='{encoding}' action='{address}{path}'>{fields}</form>
             <script>document.forms[0].submit()</script>"
        )
    }
}

//! A small deployment that keeps every rule of the interface, in the primary or the older forms,
//! and can break one on request.

use std::collections::HashMap;
use std::sync::Mutex;

use chrono::{DateTime, Utc};
use ctxmem_conformance::Args;
use ctxmem_types::Scope;
use ctxmem_types::path::decode_user_id;
use serde_json::{Map, Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

pub(crate) const KEY: &str = "ctxm_fake_key_of_agent_a_0123456789";
const SECOND_KEY: &str = "ctxm_fake_key_of_agent_b_0123456789";
const AGENT: &str = "8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";
const SECOND_AGENT: &str = "1f0c6f6e-3b52-4f7e-a1d4-0c7f9e6a5b2d";
const COOKIE: &str = "session=fake_session_0123456789";
const SESSION_USER: &str = "3f0e0a52-6f0c-4f43-9f4c-2a1d1b7f9f10";

/// What the fake understands: words in a message, and the fact that they express.
const FACTS: [(&str, &str, &str, &str); 8] = [
    ("Ada Marlow", "general", "name", "Ada Marlow"),
    ("Lisbon", "general", "location", "Lisbon"),
    ("Helix", "preferences", "editor", "Helix"),
    ("billing service", "goals", "", "A billing service"),
    ("Grace Lin", "relationships", "", "Grace Lin, manager"),
    ("Rust", "knowledge", "", "Rust"),
    (
        "answers short",
        "communication_style",
        "",
        "Keep answers short",
    ),
    ("Postgres", "history", "", "Moved to Postgres"),
];

/// A rule to break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    OtherUnauthorizedText,
    AlwaysRecommended,
    OtherRetention,
    NoBlankLine,
    DeleteKeepsEverything,
    DeleteSparesOtherAgents,
    ErrorsWithoutCode,
    WrongCode,
    HtmlErrors,
    KeyEchoed,
    KeyInHeader,
    DeniedIsStored,
    DeniedIsMerged,
    DeltaByScope,
    ExtractsNothing,
    SecondsOnly,
    AnyAgentId,
    MissingFieldsTaken,
    KeyRevokes,
    RevokeDoesNothing,
    GrantIgnoresScopes,
    OtherExpiry,
    DecodesTwice,
    HealthNeedsKey,
    QuotaUsedUp,
    RelevantUnasked,
    MessageInPrompt,
    TimeRefused,
    TimeNotNamed,
    SearchFindsNothing,
    SearchIgnoresLimit,
    SearchIgnoresGrants,
    SearchIgnoresScopes,
    AnySearch,
}

#[derive(Default)]
pub(crate) struct Fake {
    older: bool,
    fault: Option<Fault>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    users: HashMap<String, User>,
    stored_once: bool,
    ids: u32,
}

#[derive(Default)]
struct User {
    /// Positions in `FACTS`.
    facts: Vec<usize>,
    /// By agent.
    grants: HashMap<String, Grant>,
}

#[derive(Clone)]
struct Grant {
    id: String,
    scopes: Vec<String>,
    expires_at: Option<String>,
    revoked: bool,
}

impl Grant {
    fn is_active(&self) -> bool {
        let ended = |end: &String| end.parse::<DateTime<Utc>>().unwrap() <= Utc::now();
        !self.revoked && !self.expires_at.as_ref().is_some_and(ended)
    }
}

pub(crate) struct Running {
    pub(crate) url: String,
    _server: MockServer,
}

impl Running {
    /// All facts about the user.
    pub(crate) fn args(&self) -> Args {
        Args {
            url: Some(self.url.clone()),
            key: Some(KEY.into()),
            agent_id: Some(AGENT.to_owned()),
            second_key: Some(SECOND_KEY.into()),
            second_agent_id: Some(SECOND_AGENT.to_owned()),
            session_cookie: Some(COOKIE.into()),
            session_user: Some(SESSION_USER.to_owned()),
            ..Args::default()
        }
    }
}

pub(crate) fn secrets() -> [&'static str; 3] {
    [KEY, SECOND_KEY, "fake_session_0123456789"]
}

/// Status and code of an error.
type Refusal = (u16, &'static str);

const BAD_REQUEST: Refusal = (400, "BAD_REQUEST");
const UNAUTHORIZED: Refusal = (401, "UNAUTHORIZED");
const FORBIDDEN: Refusal = (403, "FORBIDDEN");
const NOT_FOUND: Refusal = (404, "NOT_FOUND");

type Answer = Result<Value, Refusal>;

impl Fake {
    /// A deployment that keeps every rule in the primary form.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A deployment that answers in the older forms.
    pub(crate) fn older() -> Self {
        Self {
            older: true,
            ..Self::default()
        }
    }

    pub(crate) fn with(fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..Self::default()
        }
    }

    pub(crate) async fn start(self) -> Running {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(self).mount(&server).await;
        Running {
            url: server.uri(),
            _server: server,
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn or<'a>(&self, fault: Fault, broken: &'a str, right: &'a str) -> &'a str {
        if self.has(fault) { broken } else { right }
    }

    fn answer(&self, request: &Request) -> Answer {
        let path = request.url.path();
        let method = request.method.as_str();
        if path == "/api/health" {
            return self.health(request);
        }
        let state = &mut *self.state.lock().unwrap();
        let session = header(request, "cookie") == COOKIE;
        let agent = agent(request);
        if let Some(id) = path.strip_prefix("/api/grants/") {
            return self.revoke(state, id, session, agent.is_some());
        }
        if path == "/api/grants" && method == "POST" && session && agent.is_none() {
            let body = self.body(request, &["userId", "agentId", "scopes"])?;
            return self.grant(state, &body, Some(SESSION_USER), None);
        }
        let Some(agent) = agent else {
            return Err(UNAUTHORIZED);
        };
        match (method, path) {
            ("POST", "/api/context/inject") => {
                let body = self.body(request, &["userId", "basePrompt"])?;
                self.inject(state, agent, &body)
            }
            ("POST", "/api/context/update") => {
                let body = self.body(request, &["userId", "userMessage", "agentResponse"])?;
                self.update(state, agent, &body)
            }
            ("POST", "/api/grants") => {
                let body = self.body(request, &["userId", "agentId", "scopes"])?;
                self.grant(state, &body, None, Some(agent))
            }
            ("POST", _) if path.ends_with("/facts/search") && !self.older => {
                let user = self.user_in(path.trim_end_matches("/facts/search"))?;
                self.search(state, agent, &user, request)
            }
            ("GET" | "DELETE", _) if path.starts_with("/api/context/") => {
                let user = self.user_in(path)?;
                if method == "GET" {
                    self.read(state, agent, &user)
                } else {
                    self.delete(state, agent, &user)
                }
            }
            _ => Err(NOT_FOUND),
        }
    }

    fn health(&self, request: &Request) -> Answer {
        if self.has(Fault::HealthNeedsKey) && agent(request).is_none() {
            return Err(UNAUTHORIZED);
        }
        Ok(if self.older {
            json!({"ok": true})
        } else {
            json!({"status": "ok", "checks": {"db": "ok"}, "timestamp": "2026-03-01T09:30:00Z"})
        })
    }

    /// The body, if it has these fields with the right types.
    fn body(&self, request: &Request, fields: &[&str]) -> Result<Map<String, Value>, Refusal> {
        let body: Value = serde_json::from_slice(&request.body).map_err(|_| BAD_REQUEST)?;
        let mut body = body.as_object().ok_or(BAD_REQUEST)?.clone();
        for field in fields {
            let value = body.get(*field);
            let right = match (*field, value) {
                ("scopes", Some(Value::Array(names))) => {
                    names.iter().all(|name| scope(name).is_some())
                }
                ("scopes", _) => false,
                _ => value.is_some_and(Value::is_string),
            };
            if !right && !self.has(Fault::MissingFieldsTaken) {
                return Err(BAD_REQUEST);
            }
            if !right {
                body.insert((*field).to_owned(), json!("any"));
            }
        }
        // In the older form user ids are UUIDs.
        let is_uuid = |user: &str| user.len() == 36 && !user.contains(['/', ' ', '%']);
        let user = body.get("userId").and_then(Value::as_str);
        if self.older && !user.is_some_and(is_uuid) {
            return Err(BAD_REQUEST);
        }
        Ok(body)
    }

    fn user_in(&self, path: &str) -> Result<String, Refusal> {
        let segment = path.strip_prefix("/api/context/").unwrap();
        let once = decode_user_id(segment).map_err(|_| BAD_REQUEST)?;
        let twice = decode_user_id(once.as_str());
        Ok(match twice {
            Ok(twice) if self.has(Fault::DecodesTwice) => twice.as_str().to_owned(),
            _ => once.as_str().to_owned(),
        })
    }

    fn check_agent(&self, agent: &str, body: &Map<String, Value>) -> Result<(), Refusal> {
        let named = body.get("agentId").is_none_or(|id| id == agent);
        if named || self.has(Fault::AnyAgentId) {
            Ok(())
        } else {
            Err(FORBIDDEN)
        }
    }

    fn inject(&self, state: &mut State, agent: &str, body: &Map<String, Value>) -> Answer {
        self.check_agent(agent, body)?;
        let base = body["basePrompt"].as_str().unwrap_or_default();
        let stored_once = state.stored_once;
        let (user, grant) = state.called(agent, &body["userId"]);
        let scopes = &grant.scopes;
        let known: Vec<usize> = if self.has(Fault::DeniedIsMerged) {
            user.facts.clone()
        } else {
            let granted = |fact: &&usize| scopes.iter().any(|scope| scope == FACTS[**fact].1);
            user.facts.iter().filter(granted).copied().collect()
        };
        let reason = if !grant.is_active() {
            Some("no_grant")
        } else if scopes.is_empty() {
            Some("no_scopes")
        } else if user.facts.is_empty() {
            Some(if stored_once { "empty" } else { "seeded_demo" })
        } else if known.is_empty() {
            Some("empty_capsule")
        } else {
            None
        };
        let known: Vec<&str> = known.iter().map(|fact| FACTS[*fact].3).collect();
        let block = match reason {
            None => known.join("\n"),
            Some("seeded_demo") if !self.older => "A demo fact".to_owned(),
            Some(_) => String::new(),
        };
        let between = self.or(Fault::NoBlankLine, "\n", "\n\n");
        let message = body.get("message").and_then(Value::as_str);
        let prompt = if let Some(message) = message.filter(|_| self.has(Fault::MessageInPrompt)) {
            format!("System:\n{message}{between}{base}")
        } else if block.is_empty() {
            base.to_owned()
        } else {
            format!("System:\n{block}{between}{base}")
        };
        if self.older {
            return Ok(json!({"injectedPrompt": prompt}));
        }
        let retention = self.or(Fault::OtherRetention, "1h", "24h");
        let mut answer = json!({
            "injectedPrompt": prompt,
            "cacheHint": {
                "recommended": reason.is_none() || self.has(Fault::AlwaysRecommended),
                "retention": retention,
                "reason": "Because.",
                "providerParam": {"prompt_cache_retention": "24h"},
            },
        });
        if message.is_some() || self.has(Fault::RelevantUnasked) {
            answer["relevant"] = "Notes on the user".into();
        }
        if let Some(reason) = reason {
            answer["reason"] = reason.into();
            answer["notice"] = "Call update first.".into();
        }
        if reason == Some("seeded_demo") {
            answer["seeded"] = true.into();
        }
        Ok(answer)
    }

    fn update(&self, state: &mut State, agent: &str, body: &Map<String, Value>) -> Answer {
        self.check_agent(agent, body)?;
        if let Some(at) = body.get("at").filter(|_| !self.older) {
            let at = at.as_str().and_then(|at| at.parse::<DateTime<Utc>>().ok());
            let is_past = at.is_some_and(|at| at <= Utc::now());
            if !is_past || self.has(Fault::TimeRefused) {
                return Err(BAD_REQUEST);
            }
        }
        if self.has(Fault::QuotaUsedUp) {
            return Ok(json!({"updated": false, "limitReached": true}));
        }
        let said = body["userMessage"].as_str().unwrap_or_default();
        let (user, grant) = state.called(agent, &body["userId"]);
        if !grant.is_active() {
            return Err(FORBIDDEN);
        }
        let (mut delta, mut denied) = (Map::new(), Vec::new());
        for (n, (words, scope, name, value)) in FACTS.iter().enumerate() {
            if !said.contains(words) || self.has(Fault::ExtractsNothing) {
                continue;
            }
            let granted = grant.scopes.iter().any(|granted| granted == scope);
            if !granted && !denied.contains(scope) {
                denied.push(*scope);
            }
            if !granted && !self.has(Fault::DeniedIsStored) || user.facts.contains(&n) {
                continue;
            }
            user.facts.push(n);
            let key = self.or(Fault::DeltaByScope, scope, storage_key(scope));
            if granted {
                put(&mut delta, key, name, self.fact(value));
            }
        }
        state.stored_once |= !delta.is_empty();
        let updated = denied.is_empty() || !delta.is_empty() || !self.older;
        let mut answer = json!({"updated": updated, "delta": delta});
        if !denied.is_empty() {
            answer["denied_scopes"] = json!(denied);
            answer["notice"] = "Not granted.".into();
        }
        Ok(answer)
    }

    fn fact(&self, value: &str) -> Value {
        if self.older {
            value.into()
        } else {
            json!({"value": value, "source_type": "observed"})
        }
    }

    fn read(&self, state: &mut State, agent: &str, id: &str) -> Answer {
        let user = state.users.entry(id.to_owned()).or_default();
        if self.older && user.facts.is_empty() {
            return Err(NOT_FOUND);
        }
        if !user.grants.get(agent).is_some_and(Grant::is_active) {
            return Err(FORBIDDEN);
        }
        let mut context = Map::new();
        context.insert("userId".to_owned(), id.into());
        for key in Scope::ALL.map(Scope::storage_key) {
            if self.older && matches!(key, "raw_history" | "general") {
                continue;
            }
            let empty = match key {
                "communication_style" => json!(""),
                "preferences" | "general" => json!({}),
                _ => json!([]),
            };
            context.insert(key.to_owned(), empty);
        }
        for fact in &user.facts {
            let (_, scope, name, value) = FACTS[*fact];
            let key = storage_key(scope);
            // The older form stores facts in other slices if it lacks theirs.
            let key = match (context.contains_key(key), name) {
                (true, _) => key,
                (false, "") => "domain_expertise",
                (false, _) => "preferences",
            };
            put(&mut context, key, name, self.fact(value));
        }
        if self.older {
            let state = json!({"recent_sentiment": "calm"});
            context.insert("emotional_state".to_owned(), state);
        }
        let millis = self.or(Fault::SecondsOnly, "", ".120");
        let updated = format!("2026-03-01T09:30:00{millis}Z");
        context.insert("last_updated".to_owned(), updated.into());
        Ok(context.into())
    }

    fn search(&self, state: &mut State, agent: &str, id: &str, request: &Request) -> Answer {
        let body = self.body(request, &["query"])?;
        let query = body["query"].as_str().unwrap_or_default();
        let limit = body.get("limit").map_or(Some(10), Value::as_u64);
        let is_valid = !query.trim().is_empty() && limit.is_some_and(|n| (1..=100).contains(&n));
        if !is_valid && !self.has(Fault::AnySearch) {
            return Err(BAD_REQUEST);
        }
        let user = state.users.entry(id.to_owned()).or_default();
        let grant = user.grants.get(agent).filter(|grant| grant.is_active());
        if grant.is_none() && !self.has(Fault::SearchIgnoresGrants) {
            return Err(FORBIDDEN);
        }
        let is_granted = |scope: &str| {
            let scopes = grant.map(|grant| &grant.scopes);
            let granted = scopes.is_some_and(|scopes| scopes.iter().any(|own| own == scope));
            granted || self.has(Fault::SearchIgnoresScopes)
        };
        let facts: Vec<Value> = user
            .facts
            .iter()
            .map(|fact| (fact, FACTS[*fact]))
            .filter(|(_, (words, scope, ..))| query.contains(words) && is_granted(scope))
            .filter(|_| !self.has(Fault::SearchFindsNothing))
            .map(|(n, (_, scope, _, value))| {
                json!({"id": format!("{n}"), "scope": scope, "value": value})
            })
            .take(match limit {
                Some(limit) if !self.has(Fault::SearchIgnoresLimit) => limit.try_into().unwrap(),
                _ => usize::MAX,
            })
            .collect();
        Ok(json!({"facts": facts}))
    }

    fn delete(&self, state: &mut State, agent: &str, id: &str) -> Answer {
        let user = state.users.entry(id.to_owned()).or_default();
        if !user.grants.get(agent).is_some_and(Grant::is_active) {
            return Err(if self.older { NOT_FOUND } else { FORBIDDEN });
        }
        if !self.has(Fault::DeleteKeepsEverything) {
            user.facts.clear();
            for (holder, grant) in &mut user.grants {
                grant.revoked |= holder == agent || !self.has(Fault::DeleteSparesOtherAgents);
            }
        }
        Ok(json!({"deleted": true}))
    }

    fn grant(
        &self,
        state: &mut State,
        body: &Map<String, Value>,
        by_user: Option<&str>,
        by_agent: Option<&str>,
    ) -> Answer {
        if let Some(agent) = by_agent {
            self.check_agent(agent, body)?;
        }
        let user = body["userId"].as_str().unwrap_or_default();
        if by_user.is_some_and(|signed_in| signed_in != user) {
            return Err(FORBIDDEN);
        }
        let expires_at = match body.get("expiresAt").and_then(Value::as_str) {
            Some(end) if !self.older => {
                end.parse::<DateTime<Utc>>().map_err(|_| BAD_REQUEST)?;
                let end = self.or(Fault::OtherExpiry, "2100-01-01T00:00:00.000Z", end);
                Some(end.to_owned())
            }
            _ => None,
        };
        let names = body["scopes"].as_array().cloned().unwrap_or_default();
        let scopes: Vec<String> = if self.has(Fault::GrantIgnoresScopes) {
            Scope::ALL.map(|scope| scope.name().to_owned()).to_vec()
        } else {
            names.iter().filter_map(scope).map(str::to_owned).collect()
        };
        let id = state.new_id();
        let agent = body["agentId"].as_str().unwrap_or_default();
        let known = state.users.entry(user.to_owned()).or_default();
        let last = known.grants.get(agent);
        if by_agent.is_some() && last.is_some_and(|grant| grant.revoked) {
            return Err(FORBIDDEN);
        }
        let grant = Grant {
            id,
            scopes,
            expires_at,
            revoked: false,
        };
        known.grants.insert(agent.to_owned(), grant.clone());
        Ok(json!({"grant": {
            "id": grant.id,
            "user_id": user,
            "agent_id": agent,
            "scopes": grant.scopes,
            "expires_at": grant.expires_at,
            "revoked": false,
        }}))
    }

    fn revoke(&self, state: &mut State, id: &str, session: bool, key: bool) -> Answer {
        let allowed = session || (key && self.has(Fault::KeyRevokes));
        if !allowed {
            return Err(UNAUTHORIZED);
        }
        let users = state.users.values_mut();
        let mut grants = users.flat_map(|user| user.grants.values_mut());
        let grant = grants.find(|grant| grant.id == id);
        let grant = grant.ok_or(NOT_FOUND)?;
        if self.older && grant.revoked {
            return Err(NOT_FOUND);
        }
        grant.revoked |= !self.has(Fault::RevokeDoesNothing);
        Ok(json!({"revoked": true}))
    }

    fn error(&self, status: u16, code: &'static str, request: &Request) -> ResponseTemplate {
        let text = match status {
            401 if self.has(Fault::OtherUnauthorizedText) => "Who are you?".to_owned(),
            401 => "Invalid API key.".to_owned(),
            400 if !self.has(Fault::TimeNotNamed) && has_time(request) => {
                "at: expected a time in the past".to_owned()
            }
            _ if self.has(Fault::KeyEchoed) => {
                format!("Not with {}", header(request, "authorization"))
            }
            _ => "Refused.".to_owned(),
        };
        let answer = ResponseTemplate::new(status);
        if self.has(Fault::HtmlErrors) && status == 404 {
            return answer.set_body_string("<html>Not here</html>");
        }
        let wrong = self.has(Fault::WrongCode) && status == 404;
        let code = if wrong { "BAD_REQUEST" } else { code };
        answer.set_body_json(if self.has(Fault::ErrorsWithoutCode) && status == 400 {
            json!({"error": text})
        } else {
            json!({"error": text, "code": code})
        })
    }
}

impl Respond for Fake {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let answer = match self.answer(request) {
            Ok(body) => ResponseTemplate::new(200).set_body_json(body),
            Err((status, code)) => self.error(status, code, request),
        };
        match header(request, "authorization").strip_prefix("Bearer ") {
            Some(key) if self.has(Fault::KeyInHeader) => answer.insert_header("x-your-key", key),
            _ => answer,
        }
    }
}

impl State {
    /// The user and the calling agent's grant, which is made if there never was one.
    fn called(&mut self, agent: &str, user: &Value) -> (&mut User, Grant) {
        let id = self.new_id();
        let user = user.as_str().unwrap_or_default().to_owned();
        let user = self.users.entry(user).or_default();
        let grant = user.grants.entry(agent.to_owned());
        let grant = grant.or_insert_with(|| Grant {
            id,
            scopes: Scope::ALL.map(|scope| scope.name().to_owned()).to_vec(),
            expires_at: None,
            revoked: false,
        });
        let grant = grant.clone();
        (user, grant)
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.ids)
    }
}

fn header(request: &Request, name: &str) -> String {
    let value = request.headers.get(name);
    value.map_or_else(String::new, |value| value.to_str().unwrap().to_owned())
}

fn has_time(request: &Request) -> bool {
    let body = request.body_json::<Value>();
    body.is_ok_and(|body| body.get("at").is_some())
}

fn agent(request: &Request) -> Option<&'static str> {
    match header(request, "authorization").strip_prefix("Bearer ")? {
        KEY => Some(AGENT),
        SECOND_KEY => Some(SECOND_AGENT),
        _ => None,
    }
}

/// The scope with this name or storage key.
fn scope(name: &Value) -> Option<&'static str> {
    let scope: Scope = name.as_str()?.parse().ok()?;
    Some(scope.name())
}

fn storage_key(scope: &str) -> &'static str {
    Scope::from_name(scope).unwrap().storage_key()
}

/// Adds a fact to its slice.
fn put(slices: &mut Map<String, Value>, key: &str, name: &str, fact: Value) {
    if key == "communication_style" {
        let text = fact.get("value").unwrap_or(&fact).clone();
        slices.insert(key.to_owned(), text);
    } else if name.is_empty() {
        let list = slices.entry(key).or_insert(json!([]));
        list.as_array_mut().unwrap().push(fact);
    } else {
        let map = slices.entry(key).or_insert(json!({}));
        map.as_object_mut().unwrap().insert(name.to_owned(), fact);
    }
}

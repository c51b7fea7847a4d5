//! The request of each route. All are well-formed, so that only access decides the answer.

use ctxmem_server::core::OAuthClient;
use reqwest::Url;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::objects::{Kind, Whose, World};
use crate::suite::mcp::request;
use crate::suite::support::{RawRequest, Server, fields};

/// What is sent to each route but those of MCP and of single facts: the query of a `GET`, the fields of a form, or JSON. [`filled`] says what
/// stands for the words in braces; a parameter of the path is the row's object.
const REQUESTS: &str = r#"
GET    /
GET    /about
GET    /livez
GET    /readyz
GET    /style.css
GET    /script.js
GET    /favicon.svg
GET    /.well-known/security.txt
GET    /.well-known/oauth-protected-resource
GET    /.well-known/oauth-protected-resource/mcp
GET    /.well-known/oauth-authorization-server
POST   /language                             language=de
GET    /sign-in                              token={object}
POST   /sign-in                              token={object}
GET    /sign-in/oidc
GET    /sign-in/oidc/callback                code=made-up&state=made-up
POST   /sign-out
GET    /api/health
GET    /api/openapi.json
GET    /api/docs
POST   /api/context/inject                   {"basePrompt": "Be brief."}
POST   /api/context/update                   {"userMessage": "I use Helix as my editor.", "agentResponse": "Ok."}
GET    /api/context/{userId}
DELETE /api/context/{userId}
GET    /api/context/{userId}/facts
POST   /api/context/{userId}/facts/search    {"query": "Lisbon"}
POST   /api/grants                           {"scopes": ["goals"]}
DELETE /api/grants/{grantId}
POST   /api/sign-in-links                    {"userId": "{object}"}
POST   /oauth/register                       {"redirect_uris": ["https://client.example/"]}
POST   /oauth/token                          grant_type=refresh_token&client_id={client}&refresh_token=ctxr_made-up
POST   /oauth/revoke                         token=ctxr_made-up
GET    /oauth/authorize                      {asks}
POST   /oauth/authorize                      request={asks}&decision=allow&until=never&scope=goals
GET    /account
GET    /account/
GET    /account/apps
GET    /account/data
GET    /account/facts
GET    /account/history
GET    /account/history.csv
GET    /account/export.json
GET    /account/context.json
GET    /account/erase
GET    /account/preview                      agent={object}
GET    /account/receipt                      id={object}
GET    /account/receipt.txt                  id={object}
GET    /account/facts/edit                   fact={object}
POST   /account/facts/find                   words=something
POST   /account/facts/let-in
POST   /account/facts/restore                deleted=sealed
POST   /account/facts/keep-out               deleted=sealed
POST   /account/facts/add                    user_id={other}&scope=goals&value=Something else&seen={goals}&confirm=yes
POST   /account/facts/correct                user_id={other}&fact={object}-{goal}&value=Something else&confirm=yes
POST   /account/facts/delete                 user_id={other}&fact={object}-{goal}&value=Something else&confirm=yes
POST   /account/facts/delete-scope           user_id={other}&scope=goals&value=Something else&seen={goals}&confirm=yes
POST   /account/erase                        user_id={other}&scope=goals&value=Something else&seen={goals}&confirm=erase
POST   /account/allow                        user_id={other}&agent_id={object}&scope=goals
POST   /account/revoke                       user_id={other}&agent_id={object}
POST   /account/pause                        pause=yes
POST   /account/ask-first                    ask=yes
POST   /account/auto-delete                  goals=36
POST   /account/access-seen                  user_id={other}
POST   /account/sign-out-everywhere          user_id={other}
GET    /consent/{agentId}
POST   /consent/{agentId}                    user_id={other}&decision=allow&scope=goals&until=never
GET    /dashboard
GET    /dashboard/
GET    /dashboard/usage.csv
GET    /dashboard/settings
GET    /dashboard/team
GET    /dashboard/playground
GET    /dashboard/sign-in/code
GET    /dashboard/sign-in/oidc
POST   /dashboard/sign-in                    email={stranger}&password={wrong}
POST   /dashboard/sign-in/code               code=123456
POST   /dashboard/sign-out
GET    /dashboard/agents/{agentId}
POST   /dashboard/agents                     name=A new agent&scope=goals
POST   /dashboard/agents/rename              agent_id={object}&name=A new name
POST   /dashboard/agents/profile             agent_id={object}&purpose=Another purpose
POST   /dashboard/agents/delete              agent_id={object}&name={name}
GET    /dashboard/keys/{keyId}
POST   /dashboard/keys                       agent_id={object}&scope=goals
POST   /dashboard/keys/revoke                key_id={object}
POST   /dashboard/keys/rotate                key_id={object}&grace=24
GET    /dashboard/requests                   agent={object}
GET    /dashboard/requests.csv               agent={object}
POST   /dashboard/settings/code
POST   /dashboard/settings/code/confirm      code=123456
POST   /dashboard/settings/code/end          code=123456
POST   /dashboard/settings/password          current={wrong}&new={new}&repeated={new}
POST   /dashboard/playground                 key_id={object}&user=test&action=inject&base_prompt=Be brief.
POST   /dashboard/playground/erase           user=test
POST   /dashboard/team/invite                label=Somebody
POST   /dashboard/team/withdraw              invitation_id={object}
POST   /dashboard/team/remove                member_id={object}
POST   /dashboard/team/hand-over             member_id={object}
POST   /dashboard/team/leave
GET    /dashboard/join                       token={object}
GET    /dashboard/join/oidc                  token={object}
POST   /dashboard/join                       token={object}&name=Nobody&email={stranger}&password={right}&repeated={right}
"#;

/// The request of a world's row by its principal.
pub(super) fn request(server: &Server, world: &World<'_>) -> RawRequest {
    let (method, template) = (world.row.method, world.row.template);
    let bare = |path: &str| world.credential.on(server.raw(method, path));
    let path = match template.split_once('{') {
        Some((before, rest)) => {
            let (_, after) = rest.split_once('}').unwrap();
            format!("{before}{}{after}", world.object())
        }
        None => template.to_owned(),
    };
    if template.starts_with("/mcp") {
        return by_mcp(bare(&path), world);
    }
    if template.ends_with("{factId}") {
        return bare(&path_of_fact(world));
    }
    let mut requests = REQUESTS.lines().filter_map(|line| {
        let (listed, rest) = line.split_once(' ')?;
        let rest = rest.trim_start();
        let (route, sent) = rest.split_once(' ').unwrap_or((rest, ""));
        ((listed, route) == (method, template)).then_some(sent.trim_start())
    });
    let Some(sent) = requests.next() else {
        panic!("no request is written for {method} {template}");
    };
    if sent.is_empty() || method == "GET" {
        let query = filled(sent, server, world);
        return marked(bare([path, query].join("?").trim_end_matches('?')), world);
    }
    if sent.starts_with("{\"") {
        let body = filled(sent, server, world);
        let body: Value = serde_json::from_str(&body).unwrap();
        return bare(&path).json(&named(world, body));
    }
    let fields = fields(sent).into_iter();
    let form = fields.fold(bare(&path).form(&[]), |form, (name, value)| {
        form.and(name, &filled(value, server, world))
    });
    marked(form, world)
}

/// Adds the principal's mark to a form, unless it is sent by an OAuth client or by somebody who is signing in or joining.
fn marked(request: RawRequest, world: &World<'_>) -> RawRequest {
    let template = world.row.template;
    let is_of_a_client = template.starts_with("/oauth/") && template != "/oauth/authorize";
    let is_to_come_in = template.ends_with("/sign-in") || template == "/dashboard/join";
    if world.row.method == "POST" && !is_of_a_client && !is_to_come_in {
        world.credential.mark(request)
    } else {
        request
    }
}

/// A text of the table with what stands for its words in this world.
fn filled(text: &str, server: &Server, world: &World<'_>) -> String {
    let (own, other) = (&world.own, &world.other);
    let stranger = format!("{}@example.com", world.absent_user.as_str());
    let name = match world.row.whose {
        Whose::Other => other.granted.name,
        Whose::Own | Whose::Absent => own.granted.name,
    };
    let words = [
        ("{object}", world.object()),
        // The session alone decides whose account it is.
        ("{other}", other.user.as_str()),
        ("{goal}", &own.goal_mark),
        ("{goals}", &own.goals),
        // Nobody's, and in each world another.
        ("{stranger}", &stranger),
        ("{right}", "correct horse battery"),
        ("{wrong}", "wrong horse battery"),
        ("{new}", "another horse battery"),
        // What confirms that the row's agent is to be deleted, so that nothing but whose it is decides.
        ("{name}", name),
    ];
    let mut filled = text.to_owned();
    for (word, with) in words {
        filled = filled.replace(word, with);
    }
    // These are made anew, so only where they are sent.
    if filled.contains("{client}") {
        filled = filled.replace("{client}", &client_id(server));
    }
    if filled.contains("{asks}") {
        filled = filled.replace("{asks}", &asks(server));
    }
    filled
}

fn path_of_fact(world: &World<'_>) -> String {
    let (own, object) = (world.own.user.as_str(), world.object());
    let (user, fact) = match (world.row.kind, world.row.whose) {
        (Kind::Record, _) => (own, object),
        (_, Whose::Other) => (object, &*world.other.record_id),
        _ => (object, &*world.own.record_id),
    };
    format!("/api/context/{user}/facts/{fact}")
}

/// Where the users of a client are sent back to.
const CLIENT: &str = "https://client.example/";

/// The id of a client.
fn client_id(server: &Server) -> String {
    let client = OAuthClient::register(None, &[CLIENT.to_owned()]).unwrap();
    let id = server.oauth.client_id(&client).unwrap();
    id.expose_secret().to_owned()
}

/// How a client asks a user over OAuth.
fn asks(server: &Server) -> String {
    let client_id = client_id(server);
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let fields = [
        ("client_id", &*client_id),
        ("redirect_uri", CLIENT),
        ("response_type", "code"),
        ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
    ];
    let url = Url::parse_with_params("http://query", fields).unwrap();
    url.query().unwrap_or_default().to_owned()
}

/// What the row's user is asked about by MCP.
fn by_mcp(request: RawRequest, world: &World<'_>) -> RawRequest {
    let user = world.object();
    let call = |tool, arguments| request::call(request.clone(), user, tool, &arguments);
    match world.row.kind {
        Kind::GetContext => call("get_context", json!({})),
        Kind::GetScope => call("get_context", json!({ "scope": "general" })),
        Kind::Remember => call("remember", json!({ "text": "I use Helix as my editor." })),
        Kind::ListFacts => call("list_facts", json!({})),
        Kind::Forget => call("forget", json!({ "fact_id": world.record_id() })),
        Kind::ReadResource => {
            let uri = json!({ "uri": "ctxmem://context/general" });
            request::of(request, user, "resources/read", uri)
        }
        _ => {
            let turn = json!({ "name": "turn", "arguments": { "message": "Hello" } });
            request::of(request, user, "prompts/get", turn)
        }
    }
}

/// A body that names the row's user, or the own user and the row's agent, where it has to name one.
fn named(world: &World<'_>, mut body: Value) -> Value {
    let names_a_user = ["/api/context/inject", "/api/context/update", "/api/grants"];
    if !names_a_user.contains(&world.row.template) {
        return body;
    }
    let (own, object) = (&world.own, world.object());
    if world.row.kind == Kind::Agent {
        body["userId"] = own.user.as_str().into();
        body["agentId"] = object.into();
    } else {
        body["userId"] = object.into();
        if world.row.template == "/api/grants" {
            body["agentId"] = (&*own.granted.agent.id).into();
        }
    }
    body
}

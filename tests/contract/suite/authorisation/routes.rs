//! The request of each route. All are well-formed, so that only access decides the answer.

use ctxmem_server::core::OAuthClient;
use reqwest::Url;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::objects::{Kind, Whose, World};
use crate::suite::mcp::request;
use crate::suite::support::{RawRequest, Server};

/// The request of a world's row by its principal.
pub(super) fn request(server: &Server, world: &World<'_>) -> RawRequest {
    let (method, template) = (world.row.method, world.row.template);
    let request = of_the_interface(server, world)
        .or_else(|| of_the_account(server, world))
        .or_else(|| of_the_dashboard(server, world))
        .unwrap_or_else(|| panic!("no request is written for {method} {template}"));
    let is_form =
        method == "POST" && !template.starts_with("/api/") && !template.starts_with("/mcp");
    let is_of_a_client = template.starts_with("/oauth/") && template != "/oauth/authorize";
    if is_form
        && !is_of_a_client
        && !template.ends_with("/sign-in")
        && template != "/dashboard/join"
    {
        world.credential.mark(request)
    } else {
        request
    }
}

fn of_the_interface(server: &Server, world: &World<'_>) -> Option<RawRequest> {
    let (row, object) = (world.row, world.object());
    let bare = |path: &str| world.credential.on(server.raw(row.method, path));
    Some(match (row.method, row.template) {
        ("POST", path @ "/api/context/inject") => {
            bare(path).json(&named(world, json!({"basePrompt": "Be brief."})))
        }
        ("POST", path @ "/api/context/update") => {
            let said = json!({"userMessage": "I use Helix as my editor.", "agentResponse": "Ok."});
            bare(path).json(&named(world, said))
        }
        ("GET" | "DELETE", "/api/context/{userId}") => bare(&format!("/api/context/{object}")),
        ("GET", "/api/context/{userId}/facts") => bare(&format!("/api/context/{object}/facts")),
        ("POST", "/api/context/{userId}/facts/search") => {
            bare(&format!("/api/context/{object}/facts/search")).json(&json!({"query": "Lisbon"}))
        }
        ("DELETE", "/api/context/{userId}/facts/{factId}") => {
            let own = world.own.user.as_str();
            let (user, fact) = match (row.kind, row.whose) {
                (Kind::Record, _) => (own, object),
                (_, Whose::Other) => (object, &*world.other.record_id),
                _ => (object, &*world.own.record_id),
            };
            bare(&format!("/api/context/{user}/facts/{fact}"))
        }
        ("POST", path @ "/api/grants") => {
            let mut body = named(world, json!({"scopes": ["goals"]}));
            if row.kind == Kind::User {
                body["agentId"] = (&*world.own.granted.agent.id).into();
            }
            bare(path).json(&body)
        }
        ("DELETE", "/api/grants/{grantId}") => bare(&format!("/api/grants/{object}")),
        ("POST", path @ "/api/sign-in-links") => bare(path).json(&json!({"userId": object})),
        ("GET", path @ "/sign-in/oidc/callback") => {
            bare(&format!("{path}?code=made-up&state=made-up"))
        }
        ("POST", path @ ("/mcp" | "/mcp/")) => by_mcp(bare(path), world),
        ("POST", "/mcp/users/{userId}") => by_mcp(bare(&format!("/mcp/users/{object}")), world),
        ("POST", path @ "/oauth/register") => {
            bare(path).json(&json!({ "redirect_uris": [CLIENT] }))
        }
        ("POST", path @ "/oauth/token") => bare(path).form(&[
            ("grant_type", "refresh_token"),
            ("client_id", &*client_id(server)),
            ("refresh_token", "ctxr_made-up"),
        ]),
        ("POST", path @ "/oauth/revoke") => bare(path).form(&[("token", "ctxr_made-up")]),
        ("GET", path @ "/oauth/authorize") => bare(&format!("{path}?{}", asks(server))),
        ("POST", path @ "/oauth/authorize") => bare(path).form(&[
            ("request", &*asks(server)),
            ("decision", "allow"),
            ("until", "never"),
            ("scope", "goals"),
        ]),
        ("POST", path @ "/language") => bare(path).form(&[("language", "de")]),
        ("GET", "/sign-in") => bare(&format!("/sign-in?token={object}")),
        ("POST", path @ "/sign-in") => bare(path).form(&[("token", object)]),
        (
            "GET" | "POST",
            path @ ("/api/health"
            | "/api/openapi.json"
            | "/api/docs"
            | "/livez"
            | "/readyz"
            | "/sign-out"
            | "/sign-in/oidc"
            | "/style.css"
            | "/script.js"
            | "/favicon.svg"
            | "/"
            | "/account/"
            | "/dashboard/"
            | "/about"
            | "/.well-known/security.txt"
            | "/.well-known/oauth-protected-resource"
            | "/.well-known/oauth-protected-resource/mcp"
            | "/.well-known/oauth-authorization-server"),
        ) => bare(path),
        _ => return None,
    })
}

/// Where the users of a client are sent back to.
const CLIENT: &str = "https://client.example/";

/// The id of a client.
fn client_id(server: &Server) -> String {
    let client = OAuthClient::register(None, &[CLIENT.to_owned()]).unwrap();
    let id = server.core().oauth.client_id(&client).unwrap();
    id.expose_secret().to_owned()
}

/// How a client asks a user over OAuth.
fn asks(server: &Server) -> String {
    let client_id = client_id(server);
    let fields = [
        ("client_id", &*client_id),
        ("redirect_uri", CLIENT),
        ("response_type", "code"),
        (
            "code_challenge",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        ),
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

/// The session alone decides whose account it is.
fn of_the_account(server: &Server, world: &World<'_>) -> Option<RawRequest> {
    let (row, object) = (world.row, world.object());
    let bare = |path: &str| world.credential.on(server.raw(row.method, path));
    Some(match (row.method, row.template) {
        ("POST", path @ "/account/allow") => bare(path).form(&[
            ("user_id", world.other.user.as_str()),
            ("agent_id", object),
            ("scope", "goals"),
        ]),
        ("POST", path @ "/account/revoke") => {
            bare(path).form(&[("user_id", world.other.user.as_str()), ("agent_id", object)])
        }
        ("POST", path @ "/account/pause") => bare(path).form(&[("pause", "yes")]),
        ("POST", path @ "/account/ask-first") => bare(path).form(&[("ask", "yes")]),
        ("POST", path @ ("/account/facts/restore" | "/account/facts/keep-out")) => {
            bare(path).form(&[("deleted", "sealed")])
        }
        ("POST", path @ "/account/auto-delete") => bare(path).form(&[("goals", "36")]),
        ("POST", path @ ("/account/access-seen" | "/account/sign-out-everywhere")) => {
            bare(path).form(&[("user_id", world.other.user.as_str())])
        }
        ("GET", "/consent/{agentId}") => bare(&format!("/consent/{object}")),
        ("POST", "/consent/{agentId}") => bare(&format!("/consent/{object}")).form(&[
            ("user_id", world.other.user.as_str()),
            ("decision", "allow"),
            ("scope", "goals"),
            ("until", "never"),
        ]),
        ("GET", path @ "/account/facts/edit") => bare(&format!("{path}?fact={object}")),
        ("GET", path @ "/account/preview") => bare(&format!("{path}?agent={object}")),
        ("GET", path @ ("/account/receipt" | "/account/receipt.txt")) => {
            bare(&format!("{path}?id={object}"))
        }
        ("POST", path @ ("/account/facts/correct" | "/account/facts/delete")) => {
            bare(path).form(&[
                ("user_id", world.other.user.as_str()),
                ("fact", &format!("{object}-{}", world.own.goal_mark)),
                ("value", "Something else"),
                ("confirm", "yes"),
            ])
        }
        ("POST", path @ "/account/facts/find") => bare(path).form(&[("words", "something")]),
        (
            "POST",
            path @ ("/account/facts/add" | "/account/facts/delete-scope" | "/account/erase"),
        ) => bare(path).form(&[
            ("user_id", world.other.user.as_str()),
            ("scope", "goals"),
            ("value", "Something else"),
            ("seen", &world.own.goals),
            (
                "confirm",
                if path == "/account/erase" {
                    "erase"
                } else {
                    "yes"
                },
            ),
        ]),
        (
            "GET" | "POST",
            path @ ("/account"
            | "/account/facts"
            | "/account/apps"
            | "/account/data"
            | "/account/facts/let-in"
            | "/account/history"
            | "/account/history.csv"
            | "/account/export.json"
            | "/account/context.json"
            | "/account/erase"),
        ) => bare(path),
        _ => return None,
    })
}

fn of_the_dashboard(server: &Server, world: &World<'_>) -> Option<RawRequest> {
    let (row, object) = (world.row, world.object());
    let bare = |path: &str| world.credential.on(server.raw(row.method, path));
    Some(match (row.method, row.template) {
        ("POST", path @ "/dashboard/sign-in") => {
            // Nobody's, and in each world another.
            let email = format!("{}@example.com", world.absent_user.as_str());
            bare(path).form(&[("email", &email), ("password", "wrong horse battery")])
        }
        ("POST", path @ "/dashboard/agents") => {
            bare(path).form(&[("name", "A new agent"), ("scope", "goals")])
        }
        ("POST", path @ "/dashboard/agents/rename") => {
            bare(path).form(&[("agent_id", object), ("name", "A new name")])
        }
        ("POST", path @ "/dashboard/agents/profile") => {
            bare(path).form(&[("agent_id", object), ("purpose", "Another purpose")])
        }
        ("POST", path @ "/dashboard/agents/delete") => {
            bare(path).form(&[("agent_id", object), ("name", typed_name(world))])
        }
        ("GET", "/dashboard/agents/{agentId}") => bare(&format!("/dashboard/agents/{object}")),
        ("POST", path @ "/dashboard/keys") => {
            bare(path).form(&[("agent_id", object), ("scope", "goals")])
        }
        ("POST", path @ "/dashboard/keys/revoke") => bare(path).form(&[("key_id", object)]),
        ("POST", path @ "/dashboard/keys/rotate") => {
            bare(path).form(&[("key_id", object), ("grace", "24")])
        }
        ("GET", path @ ("/dashboard/requests" | "/dashboard/requests.csv")) => {
            bare(&format!("{path}?agent={object}"))
        }
        ("GET", "/dashboard/keys/{keyId}") => bare(&format!("/dashboard/keys/{object}")),
        (
            "POST",
            path @ ("/dashboard/settings/code/confirm"
            | "/dashboard/settings/code/end"
            | "/dashboard/sign-in/code"),
        ) => bare(path).form(&[("code", "123456")]),
        ("POST", path @ "/dashboard/settings/password") => bare(path).form(&[
            ("current", "wrong horse battery"),
            ("new", "another horse battery"),
            ("repeated", "another horse battery"),
        ]),
        ("POST", path @ "/dashboard/playground") => bare(path).form(&[
            ("key_id", object),
            ("user", "test"),
            ("action", "inject"),
            ("base_prompt", "Be brief."),
        ]),
        ("POST", path @ "/dashboard/playground/erase") => bare(path).form(&[("user", "test")]),
        ("POST", path @ ("/dashboard/team/remove" | "/dashboard/team/hand-over")) => {
            bare(path).form(&[("member_id", object)])
        }
        ("POST", path @ "/dashboard/team/withdraw") => {
            bare(path).form(&[("invitation_id", object)])
        }
        ("POST", path @ "/dashboard/team/invite") => bare(path).form(&[("label", "Somebody")]),
        ("GET", path @ ("/dashboard/join" | "/dashboard/join/oidc")) => {
            bare(&format!("{path}?token={object}"))
        }
        ("POST", path @ "/dashboard/join") => bare(path).form(&[
            ("token", object),
            ("name", "Nobody"),
            (
                "email",
                &format!("{}@example.com", world.absent_user.as_str()),
            ),
            ("password", "correct horse battery"),
            ("repeated", "correct horse battery"),
        ]),
        (
            "GET" | "POST",
            path @ ("/dashboard"
            | "/dashboard/team"
            | "/dashboard/team/leave"
            | "/dashboard/sign-out"
            | "/dashboard/usage.csv"
            | "/dashboard/sign-in/code"
            | "/dashboard/settings/code"
            | "/dashboard/settings"
            | "/dashboard/playground"
            | "/dashboard/sign-in/oidc"),
        ) => bare(path),
        _ => return None,
    })
}

/// A body that names the row's user, or the own user and the row's agent.
fn named(world: &World<'_>, mut body: Value) -> Value {
    let object = world.object();
    if world.row.kind == Kind::Agent {
        body["userId"] = world.own.user.as_str().into();
        body["agentId"] = object.into();
    } else {
        body["userId"] = object.into();
    }
    body
}

/// What confirms that the row's agent is to be deleted: its name, so that nothing but whose it
/// is decides.
fn typed_name<'w>(world: &'w World<'_>) -> &'w str {
    match world.row.whose {
        Whose::Other => world.other.granted.name,
        Whose::Own | Whose::Absent => world.own.granted.name,
    }
}

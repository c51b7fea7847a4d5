//! A server, and sessions of the official client with it.

use std::collections::HashMap;
use std::process::Stdio;

use ctxmem_test_server::TestServer;
use http::HeaderName;
use rmcp::ClientLifecycleMode;
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use secrecy::ExposeSecret as _;
use serde_json::Value;
use tokio::process::{Child, Command};

/// A server that speaks the protocol, and an agent's key.
pub(crate) struct Service {
    pub(crate) url: String,
    pub(crate) key: String,
    _server: TestServer,
}

impl Service {
    pub(crate) async fn start() -> Self {
        let server = TestServer::start_changed(|config| config.mcp = true).await;
        let scopes =
            "general,communication_style,preferences,knowledge,relationships,history,goals";
        let agent = server.agent("an agent", scopes).await;
        Self {
            url: server.url.clone(),
            key: agent.key.api_key.expose_secret().to_owned(),
            _server: server,
        }
    }

    /// A session in this user's name.
    pub(crate) async fn session(&self, way: Way, user: &str) -> Session {
        match way.transport {
            Transport::Stdio => {
                Session::over_stdio(program(&self.url, &self.key, user), way.era).await
            }
            Transport::Http => self.session_over_http(user, way.era).await,
        }
    }

    async fn session_over_http(&self, user: &str, era: Era) -> Session {
        let mut config = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", self.url));
        config.auth_header = Some(self.key.clone());
        config.custom_headers = HashMap::from([(
            HeaderName::from_static("x-ctxmem-user-id"),
            user.parse().unwrap(),
        )]);
        let transport = StreamableHttpClientTransport::from_config(config);
        let running = ().serve_with_lifecycle(transport, era.lifecycle()).await.unwrap();
        Session {
            running,
            _program: None,
        }
    }
}

/// How a client reaches the memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) transport: Transport,
    pub(crate) era: Era,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

/// Which revisions of the protocol a client speaks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Era {
    /// Those that begin with a handshake.
    Legacy,
    /// Those in which each request stands for itself.
    Modern,
}

impl Era {
    fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Legacy => ClientLifecycleMode::Initialize,
            Self::Modern => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        }
    }
}

/// Every way there is.
pub(crate) const WAYS: [Way; 4] = {
    const fn way(transport: Transport, era: Era) -> Way {
        Way { transport, era }
    }
    [
        way(Transport::Stdio, Era::Legacy),
        way(Transport::Stdio, Era::Modern),
        way(Transport::Http, Era::Legacy),
        way(Transport::Http, Era::Modern),
    ]
};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_ctxmem-mcp");

/// The program as a host starts it.
pub(crate) fn program(url: &str, key: &str, user: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .env("CTXMEM_BASE_URL", url)
        .env("CTXMEM_API_KEY", key)
        .env("CTXMEM_USER_ID", user)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// A session of the official client.
pub(crate) struct Session {
    pub(crate) running: RunningService<RoleClient, ()>,
    _program: Option<Child>,
}

impl Session {
    pub(crate) async fn over_stdio(mut program: Command, era: Era) -> Self {
        let mut program = program.spawn().unwrap();
        let transport = (
            program.stdout.take().unwrap(),
            program.stdin.take().unwrap(),
        );
        let running = ().serve_with_lifecycle(transport, era.lifecycle()).await.unwrap();
        Self {
            running,
            _program: Some(program),
        }
    }

    pub(crate) async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        self.running
            .call_tool(params(tool, arguments))
            .await
            .unwrap()
    }
}

pub(crate) fn params(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[track_caller]
pub(crate) fn refusal(result: &CallToolResult) -> &str {
    assert_eq!(result.is_error, Some(true), "{result:?}");
    text(result)
}

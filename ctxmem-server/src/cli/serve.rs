//! `ctxmem-server [serve]`.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use ipnet::IpNet;
use reqwest::Url;
use secrecy::ExposeSecret as _;
use serde_json::json;
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind};
use tokio::task::JoinSet;

use super::config::{Source, in_force};
use super::extractor::ExtractorArgs;
use super::oidc::OidcArgs;
use super::operator::OperatorArgs;
use super::output::Output;
use super::sign_in_secret::SignInSecretArgs;
use super::webhook::WebhookArgs;
use super::{CliError, Common, address, descriptors, printed, public_url, reload};
use crate::app::App;
use crate::config::{Config, DEFAULT_LISTEN, DbConfig, ExtractorConfig};
use crate::core::{Core, Demo, FirstGrant, FirstStart, OnModelFailure, Settings, is_local};
use crate::store::Db;
use crate::telemetry::{self, LogFormat};

/// Logged when a server starts without a model.
const NO_MODEL_HINT: &str = "without a model the users' own sentences are kept as a small classifier \
    picks them; a model picks better: OPENAI_API_KEY=… ctxmem-server --model openai:NAME, or --model ollama:NAME \
    for one of your own, after trying it by `ctxmem-server check-model --model …`";

/// How many connections wait to be accepted at most. One that finds no room tries again a second
/// later.
const BACKLOG: u32 = 4096;

/// How much of its answers the system keeps for a client that does not read, in bytes. Left to
/// itself it takes megabytes. Linux doubles it, and says that there is room again when a third is free:
/// a client that takes that much within the write timeout is not cut off, and no slow one should be.
const SEND_BUFFER: u32 = 64 << 10;

const DEFAULT_LOG: &str = "info";

/// How much longer than the model a request may take.
const TIMEOUT_MARGIN: Duration = Duration::from_secs(15);

/// The value of a flag that turns something on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

// Every flag is optional here and gets its default in `config`, so that a flag before or after
// the word `serve` can be told from a default.
/// The arguments of the server.
#[derive(Clone, Debug, Args)]
pub(super) struct ServeArgs {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, env = "CTXMEM_LISTEN", value_name = "HOST:PORT", value_parser = address::listen)]
    listen: Option<String>,
    /// Address and port of a separate listener for /metrics, in Prometheus' format [default: none]
    #[arg(
        long,
        env = "CTXMEM_METRICS_LISTEN",
        value_name = "HOST:PORT",
        value_parser = address::listen
    )]
    metrics_listen: Option<String>,
    /// Base URL of a collector of traces, which takes OTLP over HTTP, such as
    /// `http://127.0.0.1:4318` [default: none]
    #[arg(long, env = "CTXMEM_OTLP_URL", value_name = "URL", value_parser = collector)]
    otlp_url: Option<Url>,
    #[command(flatten)]
    extractor: ExtractorArgs,
    /// What becomes of an update whose model fails: what is built in reads the message, and the answer says so
    /// (builtin), or the agent gets an error and may try again (error) [default: error]
    #[arg(
        long,
        env = "CTXMEM_ON_MODEL_FAILURE",
        value_enum,
        value_name = "builtin|error"
    )]
    on_model_failure: Option<OnModelFailure>,
    /// Address or prefix of a proxy whose X-Forwarded-For names its client; repeat it, or separate
    /// several by commas [default: none]
    #[arg(
        long,
        env = "CTXMEM_TRUSTED_PROXIES",
        value_name = "ADDRESS_OR_PREFIX",
        value_delimiter = ',',
        value_parser = address_or_prefix
    )]
    trusted_proxy: Option<Vec<IpNet>>,
    /// Requests per minute and API key, 0 for no limit [default: 600]
    #[arg(long, env = "CTXMEM_RATE_LIMIT", value_name = "N")]
    rate_limit: Option<u32>,
    /// Erasures per minute and API key, 0 for no limit [default: 60]
    #[arg(long, env = "CTXMEM_ERASURE_LIMIT", value_name = "N")]
    erasure_limit: Option<u32>,
    /// Updates per calendar month and agent, 0 for no limit [default: 0]
    #[arg(long, env = "CTXMEM_MONTHLY_QUOTA", value_name = "N")]
    monthly_quota: Option<u32>,
    /// Tokens that the block of facts in a prompt may take, as models count them [default: 2000]
    #[arg(long, env = "CTXMEM_TOKEN_BUDGET", value_name = "N", value_parser = clap::value_parser!(u32).range(50..=100_000))]
    token_budget: Option<u32>,
    /// Facts per user in each scope that is a list, twice as many in history, 0 for no limit [default: 100]
    #[arg(long, env = "CTXMEM_FACTS_PER_LIST", value_name = "N")]
    facts_per_list: Option<u32>,
    /// Days to keep the audit log, 0 for ever [default: 365]
    #[arg(long, env = "CTXMEM_AUDIT_DAYS", value_name = "N")]
    audit_days: Option<u32>,
    /// Days to keep the log of requests that developers see, 0 for no such log [default: 7]
    #[arg(long, env = "CTXMEM_REQUEST_LOG_DAYS", value_name = "N")]
    request_log_days: Option<u32>,
    /// Which agents get access by their first call, without asking the user: all (auto), those of
    /// developers whom the user knows (own), or none (ask) [default: auto]
    #[arg(
        long,
        env = "CTXMEM_FIRST_GRANT",
        value_enum,
        value_name = "auto|own|ask"
    )]
    first_grant: Option<FirstGrant>,
    /// Whether prompts have made-up demo facts until a developer's first fact is stored; turn it off
    /// where users are real [default: on]
    #[arg(long, env = "CTXMEM_DEMO", value_enum, value_name = "on|off")]
    demo: Option<Demo>,
    /// Whether the Model Context Protocol is spoken at /mcp; see docs/mcp.md [default: off]
    #[arg(
        long,
        env = "CTXMEM_MCP",
        value_enum,
        value_name = "on|off",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    mcp: Option<Switch>,
    /// Whether users let clients of that protocol in by themselves, such as assistants on the web: OAuth
    /// 2.1; see docs/mcp.md [default: off]
    #[arg(
        long,
        env = "CTXMEM_MCP_OAUTH",
        value_enum,
        value_name = "on|off",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    mcp_oauth: Option<Switch>,
    /// Whether the extension Citus is to distribute the database over its workers, as
    /// `ctxmem-server migrate --distribute` does; see docs/operating/citus.md [default: off]
    #[arg(
        long,
        env = "CTXMEM_DISTRIBUTE",
        value_enum,
        value_name = "on|off",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    distribute: Option<Switch>,
    /// MiB of memory for caching the answers to injects, 0 for no cache [default: 64]
    #[arg(long, env = "CTXMEM_CACHE_MIB", value_name = "N")]
    cache_mib: Option<u32>,
    #[command(flatten)]
    sign_in_secret: SignInSecretArgs,
    #[command(flatten)]
    webhook: WebhookArgs,
    #[command(flatten)]
    oidc: OidcArgs,
    #[command(flatten)]
    operator: OperatorArgs,
    /// The format of log lines [default: text]
    #[arg(long, env = "CTXMEM_LOG_FORMAT", value_enum)]
    log_format: Option<LogFormat>,
    /// What to log: a level, or directives such as `info,ctxmem_server=debug` [default: info]
    #[arg(long, env = "CTXMEM_LOG", value_name = "FILTER")]
    log: Option<String>,
}

impl ServeArgs {
    pub(super) fn log_filter(&self) -> &str {
        self.log.as_deref().unwrap_or(DEFAULT_LOG)
    }

    pub(super) fn config(self, database: DbConfig, public_url: Url) -> Result<Config, CliError> {
        if let Some(url) = &self.otlp_url
            && address::has_user(url)
        {
            let elsewhere = "--otlp-url: it must hold no password; what the collector asks for is \
                             named by OTEL_EXPORTER_OTLP_HEADERS";
            return Err(CliError::Usage(elsewhere.to_owned()));
        }
        let mut config = Config::new(database, public_url);
        let switch = |given: Option<Switch>, default| given.map_or(default, |it| it == Switch::On);
        config.mcp = switch(self.mcp, config.mcp);
        config.mcp_oauth = switch(self.mcp_oauth, config.mcp_oauth);
        if config.mcp && !cfg!(feature = "mcp") {
            let without = "--mcp: this program was built without the feature `mcp`";
            return Err(CliError::Usage(without.to_owned()));
        }
        if config.mcp_oauth && !config.mcp {
            let alone = "--mcp-oauth: it needs --mcp, whose clients it lets in";
            return Err(CliError::Usage(alone.to_owned()));
        }
        let public_url = &config.public_url;
        if config.mcp_oauth && public_url.scheme() != "https" && !is_local(public_url) {
            let in_the_clear = "--mcp-oauth: it needs a --public-url of https, or on this machine";
            return Err(CliError::Usage(in_the_clear.to_owned()));
        }
        let timeout = self.extractor.timeout();
        config.limits.request_timeout = config.limits.request_timeout.max(timeout + TIMEOUT_MARGIN);
        config.trusted_proxies = self.trusted_proxy.unwrap_or_default();
        // 0 turns it off.
        let unless_zero = |given: Option<u32>, default| given.map_or(default, NonZeroU32::new);
        config.rate_limit = unless_zero(self.rate_limit, config.rate_limit);
        config.erasure_limit = unless_zero(self.erasure_limit, config.erasure_limit);
        let defaults = config.settings;
        config.settings = Settings {
            monthly_quota: unless_zero(self.monthly_quota, defaults.monthly_quota),
            token_budget: self
                .token_budget
                .map_or(defaults.token_budget, |budget| budget as usize),
            list_cap: unless_zero(self.facts_per_list, defaults.list_cap),
            audit_days: unless_zero(self.audit_days, defaults.audit_days),
            request_log_days: unless_zero(self.request_log_days, defaults.request_log_days),
            first_grant: self.first_grant.unwrap_or(defaults.first_grant),
            demo: self.demo.unwrap_or(defaults.demo),
            cache_bytes: self
                .cache_mib
                .map_or(defaults.cache_bytes, |mib| u64::from(mib) << 20),
            on_model_failure: self.on_model_failure.unwrap_or(defaults.on_model_failure),
            password_cost: defaults.password_cost,
        };
        config.extractor = self.extractor.config()?;
        config.sign_in_secret = self.sign_in_secret.config()?;
        config.webhook = self.webhook.config()?;
        config.oidc = self.oidc.config()?;
        config.operator = self.operator.config()?;
        Ok(config)
    }

    pub(super) fn listens_at(&self) -> &str {
        self.listen.as_deref().unwrap_or(DEFAULT_LISTEN)
    }

    /// Checks the flags as a start does, without one.
    pub(super) fn check(self, common: &Common) -> Result<(), CliError> {
        telemetry::check(self.log_filter()).map_err(CliError::Usage)?;
        let public_url = public_url(common, self.listens_at())?;
        self.config(common.database.config()?, public_url).map(drop)
    }
}

pub(super) async fn run(
    common: &Common,
    args: ServeArgs,
    source: Source,
    output: &Output,
) -> Result<(), CliError> {
    let settings = in_force(&source);
    let mut log = telemetry::init(
        args.log_format.unwrap_or(LogFormat::Text),
        args.log_filter(),
        args.otlp_url.as_ref(),
    )
    .map_err(CliError::Usage)?;
    let (listener, address) = bind("--listen", args.listens_at()).await?;
    let metrics = match args.metrics_listen.as_deref() {
        Some(listen) => Some(bind("--metrics-listen", listen).await?),
        None => None,
    };
    let public_url = public_url(common, &address.to_string())?;
    warn_of_plain_http(address, &public_url);
    let shutdown = shutdown_signal()?;
    let hangups = signal(SignalKind::hangup(), "SIGHUP")?;
    let distribute = args.distribute == Some(Switch::On);
    let mut config = args.config(common.database.config()?, public_url)?;
    if distribute {
        let tell = |step: &str| tracing::info!(step, "the database is being distributed");
        Db::distribute(&config.database, &tell).await?;
    }
    let by_rules = matches!(config.extractor, ExtractorConfig::Builtin);
    log_settings(&config);
    descriptors::fit(&mut config.limits, descriptors::raise_limit(), !by_rules);
    let app = App::open(config).await?;
    complete_erasures(&app).await;
    if by_rules {
        tracing::info!("{NO_MODEL_HINT}");
    } else {
        tokio::spawn(warn_of_silent_model(Arc::clone(app.core())));
    }
    let first_start = app.core().console.first_start().await?;
    let metrics_url = metrics
        .as_ref()
        .map(|(_, address)| format!("http://{address}/metrics"));
    let commands = printed::Commands::new(common, address);
    announce(
        address,
        metrics_url.as_deref(),
        &first_start,
        &commands,
        output,
    )?;
    let mut beside = JoinSet::new();
    if let Some((listener, _)) = metrics {
        beside.spawn(app.serve_metrics(listener, settings));
    }
    beside.spawn(log.report_dropped_lines());
    let (reloader, filter) = (app.reloader(), log.filter());
    beside.spawn(reload::at_each(hangups, reloader, filter, source.given));
    app.run(listener, shutdown).await;
    beside.abort_all();
    log.finish_traces().await;
    Ok(())
}

/// On an unencrypted connection, anyone in between can read keys and memories.
fn warn_of_plain_http(address: SocketAddr, public_url: &Url) {
    if !address.ip().is_loopback() && public_url.scheme() != "https" {
        tracing::warn!(
            %address,
            "the server can be reached from other machines, without encryption as far as it knows: \
             put an https proxy in front of it, such as \
             `caddy reverse-proxy --from memory.example.com --to :8080`, and name its address by \
             --public-url https://memory.example.com"
        );
    }
}

/// The server starts anyway: injects need no model.
async fn warn_of_silent_model(core: Arc<Core>) {
    if core.operator.model_answers().await == Some(false) {
        tracing::warn!(
            "the model endpoint can't be reached or does not answer: until it does, updates that need \
             it are refused; try it with `ctxmem-server check-model`"
        );
    }
}

/// Logs the limits and retention periods in force. `ctxmem-server config show` shows every setting.
pub(super) fn log_settings(config: &Config) {
    let number = |limit: Option<NonZeroU32>| limit.map_or(0, NonZeroU32::get);
    let settings = &config.settings;
    tracing::info!(
        public_url = %config.public_url,
        rate_limit = number(config.rate_limit),
        erasure_limit = number(config.erasure_limit),
        monthly_quota = number(settings.monthly_quota),
        first_grant = ?settings.first_grant,
        demo = ?settings.demo,
        mcp = config.mcp,
        mcp_oauth = config.mcp_oauth,
        token_budget = settings.token_budget,
        facts_per_list = number(settings.list_cap),
        audit_days = number(settings.audit_days),
        request_log_days = number(settings.request_log_days),
        "settings in force; 0 is no limit"
    );
}

fn collector(text: &str) -> Result<Url, String> {
    let expected = || "expected an address such as http://127.0.0.1:4318".to_owned();
    let url = Url::parse(text).map_err(|_| expected())?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(expected());
    }
    Ok(url)
}

fn address_or_prefix(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse()
        .or_else(|_| address())
        .map_err(|_| "expected an IP address, or a prefix such as 10.0.0.0/8".to_owned())
}

/// Completes erasures that were interrupted, before anybody is answered. Those that can't be
/// completed yet don't keep the server from starting: their rows are gone, and it tries again.
async fn complete_erasures(app: &App) {
    match app.core().memory.complete_erasures().await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "completed erasures that were interrupted"),
        Err(error) => {
            tracing::warn!(%error, "erasures could not be completed; it will be tried again");
        }
    }
}

async fn bind(flag: &str, address: &str) -> Result<(TcpListener, SocketAddr), CliError> {
    let io = || CliError::io(format!("{flag} {address}"));
    let listener = listen(address).await.map_err(io())?;
    let bound = listener.local_addr().map_err(io())?;
    Ok((listener, bound))
}

/// Listens at the first of the addresses that can be had.
async fn listen(address: &str) -> std::io::Result<TcpListener> {
    let mut failure = None;
    for address in tokio::net::lookup_host(address).await? {
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.unwrap_or_else(|| std::io::ErrorKind::AddrNotAvailable.into()))
}

fn listen_at(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // Without it a server that was stopped a moment ago keeps the port.
    socket.set_reuseaddr(true)?;
    // Connections get it from the listener.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Installs the handler of a signal, which would end the server without it.
fn signal(kind: SignalKind, name: &str) -> Result<Signal, CliError> {
    tokio::signal::unix::signal(kind).map_err(CliError::io(name))
}

/// A future that resolves at the first SIGTERM or Ctrl-C. The signal handlers are installed when
/// this function returns.
fn shutdown_signal() -> Result<impl Future<Output = ()>, CliError> {
    let mut terminate = signal(SignalKind::terminate(), "SIGTERM")?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    })
}

fn announce(
    address: SocketAddr,
    metrics_url: Option<&str>,
    first_start: &FirstStart,
    commands: &printed::Commands,
    output: &Output,
) -> Result<(), CliError> {
    let url = format!("http://{address}");
    let version = env!("CTXMEM_VERSION");
    let mut listening = format!("ctxmem-server {version} listens on {url}");
    let mut value = json!({ "url": url });
    if let Some(metrics_url) = metrics_url {
        listening = format!("{listening}, for metrics on {metrics_url}");
        value["metrics_url"] = metrics_url.into();
    }
    let created = match first_start {
        FirstStart::Created(created) => created,
        FirstStart::KeyNeverUsed { agent_id } => {
            value["agent_id"] = agent_id.as_str().into();
            let text = format!(
                "{listening}

No API key has been used yet. A key is shown once; if you have none, make another:

  {}
",
                commands.command(&["key", "create", "--agent", agent_id]),
            );
            return output.print(&value, &text);
        }
        FirstStart::InUse => return output.print(&value, &listening),
    };
    let (agent, key) = (&created.agent, created.key.api_key.expose_secret());
    for (name, field) in [
        ("developer", json!(created.developer)),
        ("agent_id", json!(agent.id)),
        ("name", json!(agent.name)),
        ("key_id", json!(created.key.id)),
        ("api_key", json!(key)),
        ("scopes", json!(created.scopes)),
    ] {
        value[name] = field;
    }
    let text = format!(
        "{listening}

The database was empty. Created, and shown this once:

  developer  {developer}
  agent      {name}, {agent_id}
  API key    {key}

Is it up?

  curl {url}/api/health

A prompt before anything is known (demo facts are merged until the first real one, unless you start
the server with --demo off):

  curl {url}/api/context/inject -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' -d '{{\"userId\":\"ada\",\"basePrompt\":\"You are a helpful assistant.\"}}'

Learn from a turn, then see the prompt again and all that is remembered:

  curl {url}/api/context/update -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' -d '{{\"userId\":\"ada\",\"userMessage\":\"My name is Ada and I live in Lisbon. I use Helix as my editor.\",\"agentResponse\":\"Nice to meet you, Ada.\"}}'

  curl {url}/api/context/inject -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' -d '{{\"userId\":\"ada\",\"basePrompt\":\"You are a helpful assistant.\"}}'

  curl {url}/api/context/ada -H 'Authorization: Bearer {key}'

See what its user sees (a link that works once), and sign in to {url}/dashboard:

  {sign_in_link}
  {set_password}

Narrow what this agent may see, and erase it all:

  curl {url}/api/grants -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' -d '{{\"userId\":\"ada\",\"agentId\":\"{agent_id}\",\"scopes\":[\"general\"]}}'

  curl -X DELETE {url}/api/context/ada -H 'Authorization: Bearer {key}'
",
        developer = created.developer,
        sign_in_link = commands.command_with_address(&["user", "sign-in-link", "ada"]),
        set_password =
            commands.command(&["developer", "set-password", "--email", &created.developer]),
        name = agent.name,
        agent_id = agent.id,
    );
    output.print(&value, &text)
}

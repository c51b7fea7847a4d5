//! A server in the process.

use std::sync::Arc;

use ctxmem_server::core::{Clock, Core, NewAgent, PasswordCost, SystemClock};
use ctxmem_server::{App, Config};
use ctxmem_test_outside::sign_in;
use ctxmem_types::UserId;
use reqwest::Url;
use secrecy::ExposeSecret as _;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server that runs in this process. It stops when this value is dropped.
pub struct TestServer {
    /// Where it listens.
    pub url: String,
    core: Arc<Core>,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
    /// Removed with the server, unless the database is somewhere else.
    _database: Option<TempDir>,
}

impl TestServer {
    /// Starts a server with the default settings, on a SQLite database in a temporary folder.
    pub async fn start() -> Self {
        Self::start_changed(|_| ()).await
    }

    /// The same, after `change` has adjusted the settings.
    pub async fn start_changed(change: impl FnOnce(&mut Config)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite://{}", folder.path().join("ctxmem.db").display());
        let configure = |url| {
            let mut config = Config::new(database, url);
            config.settings.password_cost = PasswordCost::LEAST;
            change(&mut config);
            config
        };
        let server = Self::start_with(configure, Arc::new(SystemClock)).await;
        Self {
            _database: Some(folder),
            ..server
        }
    }

    /// Starts a server with the configuration that `configure` makes for the address on which it
    /// will listen.
    pub async fn start_with(configure: impl FnOnce(Url) -> Config, clock: Arc<dyn Clock>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let config = configure(url.parse().unwrap());
        let app = App::open_at(config, clock).await.unwrap();
        let core = Arc::clone(app.core());
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(app.run(listener, async {
            let _ = stopped.await;
        }));
        Self {
            url,
            core,
            stop,
            running,
            _database: None,
        }
    }

    /// What operators do on the same database.
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Creates an agent with a key for these scopes, such as `goals,general`.
    pub async fn agent(&self, name: &str, scopes: &str) -> NewAgent {
        let scopes = scopes.parse().unwrap();
        let created = self
            .core
            .console
            .create_agent(name.to_owned(), None, scopes);
        created.await.unwrap()
    }

    /// Creates a sign-in link for a user and returns its token.
    pub async fn sign_in_token(&self, user: &UserId) -> String {
        let link = self.core.sign_in.sign_in_link(user.clone()).await.unwrap();
        link.token.expose_secret().to_owned()
    }

    /// Signs a user in by a link and returns the session cookie.
    pub async fn sign_in(&self, user: &UserId) -> String {
        let token = self.sign_in_token(user).await;
        sign_in(&self.url, &token).await
    }

    /// Stops the server and waits until it has finished what it was doing.
    pub async fn stop(self) {
        let _ = self.stop.send(());
        self.running.await.unwrap();
    }
}

//! A server in this process, on a temporary database, for the examples.

use std::sync::Arc;

use ctxmem_server::core::{Core, NewAgent};
use ctxmem_server::{App, Config};
use tempfile::TempDir;
use tokio::net::TcpListener;

/// What an example needs of a server. It ends with the example, and so does its database.
pub(crate) struct Local {
    pub(crate) url: String,
    pub(crate) core: Arc<Core>,
    _folder: TempDir,
}

impl Local {
    pub(crate) async fn start() -> Result<Self, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let database = format!("sqlite://{}", folder.path().join("ctxmem.db").display());
        let app = App::open(Config::new(database, url.parse()?)).await?;
        let core = Arc::clone(app.core());
        tokio::spawn(app.run(listener, std::future::pending()));
        Ok(Self {
            url,
            core,
            _folder: folder,
        })
    }

    /// An agent with a key for these scopes, such as `goals,general`.
    pub(crate) async fn agent(
        &self,
        name: &str,
        scopes: &str,
    ) -> Result<NewAgent, Box<dyn std::error::Error>> {
        let created = self
            .core
            .create_agent(name.to_owned(), None, scopes.parse()?);
        Ok(created.await?)
    }
}

//! The client for programs without an asynchronous runtime (feature `blocking`).
//!
//! The methods are those of [`crate::Client`], which does the work on a runtime of one
//! thread that all clones share. Don't use it inside an asynchronous runtime: as with all
//! blocking calls, that runtime's thread would stand still, and Tokio panics.
//!
//! ```no_run
//! use ctxmem_client::{UserId, blocking};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let memory = blocking::Client::new(ctxmem_client::Client::from_env()?)?;
//! let user = UserId::new("ada")?;
//! let system = memory.inject_or_base(&user, "You are a helpful assistant.");
//! println!("{}", system.prompt());
//! memory.update(&user, "I moved to Lisbon.", "Enjoy it!")?;
//! # Ok(())
//! # }
//! ```

mod updates;

use std::sync::Arc;

use ctxmem_types::{
    Context, DeleteResponse, Grant, GrantRequest, Health, RevokeResponse, UpdateResponse, UserId,
};
use tokio::runtime::{Handle, Runtime};

pub use updates::Updates;

use crate::{Error, Injected, Interaction, UpdatesBuilder};

/// A client whose calls wait for their answers. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Client {
    client: crate::Client,
    runtime: Arc<Background>,
}

impl Client {
    /// Starts a thread for the client's network traffic. The error is the operating
    /// system's, when it gives no thread.
    pub fn new(client: crate::Client) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("ctxmem-client")
            .enable_all()
            .build()?;
        Ok(Self {
            client,
            runtime: Arc::new(Background {
                handle: runtime.handle().clone(),
                runtime: Some(runtime),
            }),
        })
    }

    /// See [`crate::Client::inject`].
    pub fn inject(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
    ) -> Result<Injected, Error> {
        self.wait(self.client.inject(user_id, base_prompt))
    }

    /// See [`crate::Client::inject_or_base`].
    pub fn inject_or_base(&self, user_id: &UserId, base_prompt: impl Into<String>) -> Injected {
        self.wait(self.client.inject_or_base(user_id, base_prompt))
    }

    /// See [`crate::Client::update`].
    pub fn update(
        &self,
        user_id: &UserId,
        user_message: impl Into<String>,
        agent_response: impl Into<String>,
    ) -> Result<UpdateResponse, Error> {
        self.wait(self.client.update(user_id, user_message, agent_response))
    }

    /// See [`crate::Client::update_with`].
    pub fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error> {
        self.wait(self.client.update_with(interaction))
    }

    /// See [`crate::Client::context`].
    pub fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        self.wait(self.client.context(user_id))
    }

    /// See [`crate::Client::delete_context`].
    pub fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        self.wait(self.client.delete_context(user_id))
    }

    /// See [`crate::Client::create_grant`].
    pub fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        self.wait(self.client.create_grant(request))
    }

    /// See [`crate::Client::revoke_grant`].
    pub fn revoke_grant(&self, grant_id: impl AsRef<str>) -> Result<RevokeResponse, Error> {
        self.wait(self.client.revoke_grant(grant_id))
    }

    /// See [`crate::Client::health`].
    pub fn health(&self) -> Result<Health, Error> {
        self.wait(self.client.health())
    }

    /// A queue of updates in the background, sent by this client. The closure may change its
    /// settings.
    ///
    /// ```no_run
    /// # fn example(memory: ctxmem_client::blocking::Client) {
    /// let updates = memory.updates(|settings| settings.max_items(100));
    /// # }
    /// ```
    pub fn updates(&self, settings: impl FnOnce(UpdatesBuilder) -> UpdatesBuilder) -> Updates {
        let builder = settings(crate::Updates::builder(self.client.clone()));
        let updates = self.wait(async { builder.start() });
        Updates::new(updates, Arc::clone(&self.runtime))
    }

    fn wait<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.wait(call)
    }
}

/// The runtime, which ends with the last client.
#[derive(Debug)]
struct Background {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl Background {
    fn wait<T>(&self, call: impl Future<Output = T>) -> T {
        self.handle.block_on(call)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // Dropping a runtime waits for its threads, which is not allowed inside another
        // runtime; nobody waits for this one any more.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

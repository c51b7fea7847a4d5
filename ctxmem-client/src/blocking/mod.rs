//! The client for programs without an asynchronous runtime (feature `blocking`).
//!
//! It is for agents: the methods are those of [`crate::Client`], which does the work on a runtime with one
//! thread that all clones share. Don't use it inside an asynchronous runtime: it would block
//! that runtime's thread, and Tokio panics.
//!
//! ```no_run
//! use ctxmem_client::{UserId, blocking};
//!
//! # fn ask_the_model(system: &str, said: &str) -> std::io::Result<String> { Ok(said.into()) }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let memory = blocking::Client::from_env()?;
//! let turns = memory.turns(|settings| settings);
//! let user = UserId::new("ada")?;
//! let said = "I moved to Lisbon.";
//! let answer = turns.run(&user, "You are a helpful assistant.", said, |system| {
//!     ask_the_model(system.prompt(), said)
//! })?;
//! println!("{answer}");
//! turns.updates().shutdown(std::time::Duration::from_secs(5));
//! # Ok(())
//! # }
//! ```

mod turns;
mod updates;

use std::sync::Arc;

use ctxmem_types::{
    Context, DeleteResponse, FactRecord, Grant, GrantRequest, Health, UpdateResponse, UserId,
};
use tokio::runtime::{Handle, Runtime};

pub use turns::Turns;
pub use updates::Updates;

use crate::updates::UpdatesBuilder;
use crate::{BuildError, CallOptions, Error, Injected, Interaction};

/// A client whose calls block until their answer has come. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Client {
    client: crate::Client,
    runtime: Arc<SharedRuntime>,
}

impl Client {
    /// Wraps a client, and starts a thread for its network traffic.
    ///
    /// # Errors
    ///
    /// The operating system's error if it can't start the thread.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, blocking};
    ///
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = blocking::Client::new(Client::from_env()?)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(client: crate::Client) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("ctxmem-client")
            .enable_all()
            .build()?;
        Ok(Self {
            client,
            runtime: Arc::new(SharedRuntime {
                handle: runtime.handle().clone(),
                runtime: Some(runtime),
            }),
        })
    }

    /// A client with the settings in the environment: see [`crate::Client::from_env`].
    ///
    /// # Errors
    ///
    /// A [`BuildError`] that names the variable which is missing or can't be used.
    ///
    /// ```no_run
    /// use ctxmem_client::blocking;
    ///
    /// # fn example() -> Result<(), ctxmem_client::BuildError> {
    /// let client = blocking::Client::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_env() -> Result<Self, BuildError> {
        Self::new(crate::Client::from_env()?).map_err(BuildError::Thread)
    }

    /// See [`crate::Client::with_options`].
    #[must_use]
    pub fn with_options(&self, options: CallOptions) -> Self {
        Self {
            client: self.client.with_options(options),
            runtime: Arc::clone(&self.runtime),
        }
    }

    /// See [`crate::Client::warm_up`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::warm_up`].
    pub fn warm_up(&self) -> Result<(), Error> {
        self.block_on(self.client.warm_up())
    }

    /// See [`crate::Client::check_key`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::check_key`].
    pub fn check_key(&self) -> Result<(), Error> {
        self.block_on(self.client.check_key())
    }

    /// See [`crate::Client::inject`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::inject`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// let system = client.inject(&user, "Be brief.")?;
    /// println!("{}", system.prompt());
    /// # Ok(())
    /// # }
    /// ```
    pub fn inject(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
    ) -> Result<Injected, Error> {
        self.block_on(self.client.inject(user_id, base_prompt))
    }

    /// See [`crate::Client::inject_or_base`].
    ///
    /// ```no_run
    /// use ctxmem_client::{UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) {
    /// let system = client.inject_or_base(&user, "Be brief.");
    /// println!("{}", system.prompt());
    /// # }
    /// ```
    pub fn inject_or_base(&self, user_id: &UserId, base_prompt: impl Into<String>) -> Injected {
        self.block_on(self.client.inject_or_base(user_id, base_prompt))
    }

    /// See [`crate::Client::inject_for`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::inject_for`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// let said = "Where do I find my notes on bees?";
    /// let system = client.inject_for(&user, "Be brief.", said)?;
    /// println!("{}\n\n{}", system.prompt(), system.user_message(said));
    /// # Ok(())
    /// # }
    /// ```
    pub fn inject_for(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
        message: impl Into<String>,
    ) -> Result<Injected, Error> {
        self.block_on(self.client.inject_for(user_id, base_prompt, message))
    }

    /// See [`crate::Client::inject_for_or_base`].
    pub fn inject_for_or_base(
        &self,
        user_id: &UserId,
        base_prompt: impl Into<String>,
        message: impl Into<String>,
    ) -> Injected {
        let prompt = self
            .client
            .inject_for_or_base(user_id, base_prompt, message);
        self.block_on(prompt)
    }

    /// See [`crate::Client::update`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::update`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// let learned = client.update(&user, "I moved to Lisbon.", "Enjoy it!")?;
    /// println!("{} facts", learned.delta.unwrap_or_default().facts().count());
    /// # Ok(())
    /// # }
    /// ```
    pub fn update(
        &self,
        user_id: &UserId,
        user_message: impl Into<String>,
        agent_response: impl Into<String>,
    ) -> Result<UpdateResponse, Error> {
        self.block_on(self.client.update(user_id, user_message, agent_response))
    }

    /// See [`crate::Client::update_with`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::update_with`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, Interaction, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// let interaction = Interaction::new(user, "I moved to Lisbon.", "Enjoy it!");
    /// client.update_with(&interaction)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error> {
        self.block_on(self.client.update_with(interaction))
    }

    /// See [`crate::Client::context`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::context`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// let context = client.context(&user)?;
    /// println!("{} preferences", context.preferences.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn context(&self, user_id: &UserId) -> Result<Context, Error> {
        self.block_on(self.client.context(user_id))
    }

    /// See [`crate::Client::delete_context`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::delete_context`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// client.delete_context(&user)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_context(&self, user_id: &UserId) -> Result<DeleteResponse, Error> {
        self.block_on(self.client.delete_context(user_id))
    }

    /// See [`crate::Client::facts`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::facts`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// println!("{} facts", client.facts(&user)?.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, Error> {
        self.block_on(self.client.facts(user_id))
    }

    /// See [`crate::Client::search_facts`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::search_facts`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// let found = client.search_facts(&user, "Which food should I avoid?", Some(5))?;
    /// println!("{} facts", found.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_facts(
        &self,
        user_id: &UserId,
        query: impl Into<String>,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, Error> {
        self.block_on(self.client.search_facts(user_id, query, limit))
    }

    /// See [`crate::Client::delete_fact`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::delete_fact`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// for fact in client.facts(&user)? {
    ///     client.delete_fact(&user, &fact.id)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_fact(
        &self,
        user_id: &UserId,
        fact_id: impl AsRef<str>,
    ) -> Result<DeleteResponse, Error> {
        self.block_on(self.client.delete_fact(user_id, fact_id))
    }

    /// See [`crate::Client::create_grant`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::create_grant`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, GrantRequest, Scope, UserId, blocking};
    ///
    /// # fn example(client: blocking::Client, user: UserId) -> Result<(), Error> {
    /// let agent_id = "8d7f5a0e-52a3-4c4e-8a55-9f6a3f0a4b1c";
    /// let request = GrantRequest::new(user, agent_id, [Scope::Goals]);
    /// let grant = client.create_grant(&request)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_grant(&self, request: &GrantRequest) -> Result<Grant, Error> {
        self.block_on(self.client.create_grant(request))
    }

    /// See [`crate::Client::health`].
    ///
    /// # Errors
    ///
    /// As for [`crate::Client::health`].
    ///
    /// ```no_run
    /// use ctxmem_client::{Error, blocking};
    ///
    /// # fn example(client: blocking::Client) -> Result<(), Error> {
    /// println!("well: {}", client.health()?.is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn health(&self) -> Result<Health, Error> {
        self.block_on(self.client.health())
    }

    /// Starts a queue that sends updates in the background. The closure may change its
    /// settings.
    ///
    /// ```no_run
    /// # fn example(client: ctxmem_client::blocking::Client) {
    /// let updates = client.updates(|settings| settings.max_items(100));
    /// # }
    /// ```
    pub fn updates(&self, settings: impl FnOnce(UpdatesBuilder) -> UpdatesBuilder) -> Updates {
        let builder = settings(crate::Updates::builder(self.client.clone()));
        let updates = self.block_on(async { builder.start() });
        Updates::new(updates, Arc::clone(&self.runtime))
    }

    /// Wraps whole turns, with a queue as [`updates`](Self::updates) starts it.
    ///
    /// ```no_run
    /// # fn example(client: ctxmem_client::blocking::Client) {
    /// let turns = client.turns(|settings| settings.max_items(100));
    /// # }
    /// ```
    pub fn turns(&self, settings: impl FnOnce(UpdatesBuilder) -> UpdatesBuilder) -> Turns {
        Turns::new(self.updates(settings))
    }

    fn block_on<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.block_on(call)
    }
}

/// The runtime. It ends with the last client or queue that uses it.
#[derive(Debug)]
struct SharedRuntime {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl SharedRuntime {
    fn block_on<T>(&self, call: impl Future<Output = T>) -> T {
        self.handle.block_on(call)
    }
}

impl Drop for SharedRuntime {
    fn drop(&mut self) {
        // Dropping a runtime waits for its threads, which Tokio forbids inside another
        // runtime. This one is no longer in use, so it need not be waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

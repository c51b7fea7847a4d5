//! A whole turn of an agent: inject, the model call, update.

use std::fmt;

use ctxmem_types::UserId;

use crate::updates::{SendError, Updates};
use crate::{Injected, Interaction, Memory};

/// Wraps an agent's turns: it asks for the prompt before the model call, and sends the update
/// in the background after it.
///
/// Memory never breaks a turn or slows it down: if the service does not answer in time, the
/// model gets the base prompt, and the turn does not wait for the update.
///
/// ```no_run
/// use std::time::Duration;
/// use ctxmem_client::{Client, Turns, UserId};
///
/// # #[derive(Debug)] struct ModelError;
/// # impl std::fmt::Display for ModelError { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("") } }
/// # impl std::error::Error for ModelError {}
/// # async fn ask_the_model(system: &str, said: &str) -> Result<String, ModelError> { Ok(said.into()) }
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let turns = Turns::start(Client::from_env()?);
/// let user = UserId::new("ada")?;
/// let said = "I moved to Lisbon. What's the weather like?";
/// let answer = turns
///     .run(&user, "You are a helpful assistant.", said, async |system| {
///         ask_the_model(system.prompt(), said).await
///     })
///     .await?;
/// println!("{answer}");
/// // Before the process ends:
/// turns.updates().shutdown(Duration::from_secs(5)).await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Turns {
    updates: Updates,
}

impl Turns {
    /// Turns with a queue of their own, at its defaults.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Turns};
    ///
    /// # async fn example(client: Client) {
    /// let turns = Turns::start(client);
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// Panics outside a Tokio runtime, as [`tokio::spawn`] does.
    pub fn start(memory: impl Memory + 'static) -> Self {
        Self::new(Updates::builder(memory).start())
    }

    /// Turns that send their updates through this queue, and ask the queue's memory for their
    /// prompts.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Turns, Updates};
    ///
    /// # async fn example(client: Client) {
    /// let turns = Turns::new(Updates::builder(client).concurrency(64).start());
    /// # }
    /// ```
    pub fn new(updates: Updates) -> Self {
        Self { updates }
    }

    /// The queue, to flush it or shut it down.
    ///
    /// ```no_run
    /// # async fn example(turns: ctxmem_client::Turns) {
    /// turns.updates().shutdown(std::time::Duration::from_secs(5)).await;
    /// # }
    /// ```
    pub fn updates(&self) -> &Updates {
        &self.updates
    }

    /// Runs a whole turn. The closure, `async |system| { … }`, gets the prompt with its cache hint and
    /// calls the model. The model's answer is returned, and sent to be learned from in the background.
    ///
    /// The service is told the message, so `system.user_message(…)` has what bears on it, where the
    /// prompt has no room for everything.
    ///
    /// If the compiler can't tell the error of a closure that uses `?`, name it at the end of the
    /// closure: `Ok::<_, MyError>(answer)`.
    ///
    /// # Errors
    ///
    /// The error of the closure. Nothing is learned then.
    ///
    /// ```no_run
    /// use ctxmem_client::{Turns, UserId};
    ///
    /// # async fn ask_the_model(prompt: &str) -> std::io::Result<String> { Ok(prompt.into()) }
    /// # async fn example(turns: Turns, user: UserId) -> std::io::Result<()> {
    /// let answer = turns
    ///     .run(&user, "Be brief.", "I moved to Lisbon.", async |system| {
    ///         ask_the_model(system.prompt()).await
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    // Two bounds in place of `AsyncFnOnce`, which would not take `|system| async move { … }`, too.
    pub async fn run<A, E, F>(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        user_message: impl Into<String>,
        model: impl FnOnce(Injected) -> F,
    ) -> Result<A, E>
    where
        A: AsRef<str>,
        F: Future<Output = Result<A, E>>,
    {
        let mut turn = self.begin(user_id, base_prompt, user_message).await;
        let answer = match model(turn.system.clone()).await {
            Ok(answer) => answer,
            Err(error) => {
                // Who called the model learns of its error.
                turn.is_finished = true;
                return Err(error);
            }
        };
        // The queue's callback learns of a rejection. The turn has its answer either way.
        let _ = turn.finish_with(answer.as_ref());
        Ok(answer)
    }

    /// Begins a turn: asks for the prompt. It is for streamed answers, and for agents whose
    /// model call does not fit into a closure.
    ///
    /// ```no_run
    /// use ctxmem_client::{Turns, UserId};
    ///
    /// # async fn next_piece(prompt: &str) -> Option<String> { None }
    /// # async fn example(turns: Turns, user: UserId) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut turn = turns.begin(&user, "Be brief.", "I moved to Lisbon.").await;
    /// while let Some(piece) = next_piece(turn.prompt()).await {
    ///     turn.push(&piece);
    /// }
    /// turn.finish()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn begin(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        user_message: impl Into<String>,
    ) -> Turn {
        let user_message = user_message.into();
        let memory = self.updates.memory();
        Turn {
            system: memory
                .inject_for_or_base(user_id, base_prompt, &user_message)
                .await,
            updates: self.updates.clone(),
            user_id: user_id.clone(),
            user_message,
            answer: String::new(),
            is_finished: false,
        }
    }
}

/// A turn that has begun. Nothing is learned from it until it is finished; one that is dropped before that is
/// logged as a warning, without its text.
///
/// ```no_run
/// # use ctxmem_client::{Turns, UserId};
/// # async fn stream(system: &str) -> Vec<String> { Vec::new() }
/// # async fn example(turns: Turns, user: UserId) -> Result<(), Box<dyn std::error::Error>> {
/// let mut turn = turns.begin(&user, "You are a helpful assistant.", "Hello!").await;
/// for piece in stream(turn.prompt()).await {
///     print!("{piece}");
///     turn.push(&piece);
/// }
/// turn.finish()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is learned from a turn that is not finished"]
pub struct Turn {
    system: Injected,
    updates: Updates,
    user_id: UserId,
    user_message: String,
    answer: String,
    is_finished: bool,
}

impl Turn {
    /// The system prompt with its cache hint and, if there is one, the fallback.
    pub fn system(&self) -> &Injected {
        &self.system
    }

    /// The system prompt's text.
    pub fn prompt(&self) -> &str {
        self.system.prompt()
    }

    /// Adds a piece of a streamed answer.
    pub fn push(&mut self, piece: &str) {
        self.answer.push_str(piece);
    }

    /// The page where the user can allow this agent, if the service has to ask them first. Show it
    /// to the user.
    pub fn consent_url(&self) -> Option<&str> {
        self.system.consent_url()
    }

    /// Ends the turn: queues the update with the pieces that were pushed. Never blocks.
    ///
    /// If the agent has no access to this user's memory ([`Access::Denied`](crate::Access::Denied),
    /// `MustAsk` or `NoScopes`), nothing is queued: the service would refuse the conversation, so
    /// it stays here.
    ///
    /// # Errors
    ///
    /// A [`SendError`] if the queue is full or shut down.
    pub fn finish(mut self) -> Result<(), SendError> {
        self.is_finished = true;
        if !self.system.access().may_learn() {
            tracing::debug!("nothing is learned from a turn without access");
            return Ok(());
        }
        self.updates.send(Interaction::new(
            self.user_id.clone(),
            std::mem::take(&mut self.user_message),
            std::mem::take(&mut self.answer),
        ))
    }

    /// Ends the turn with this answer instead of the pieces that were pushed. Never blocks.
    ///
    /// # Errors
    ///
    /// A [`SendError`] if the queue is full or shut down.
    ///
    /// ```no_run
    /// # async fn ask_the_model(prompt: &str) -> String { prompt.to_owned() }
    /// # async fn example(turn: ctxmem_client::Turn) -> Result<(), ctxmem_client::SendError> {
    /// let answer = ask_the_model(turn.prompt()).await;
    /// turn.finish_with(&answer)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn finish_with(mut self, answer: impl Into<String>) -> Result<(), SendError> {
        self.answer = answer.into();
        self.finish()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_finished && self.system.access().may_learn() {
            tracing::warn!("a turn was dropped before it was finished: nothing is learned from it");
        }
    }
}

/// `Debug` shows neither the user nor the conversation, because it ends up in logs.
impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("system", &self.system)
            .field("answer_bytes", &self.answer.len())
            .finish_non_exhaustive()
    }
}

//! A whole turn of an agent: inject, the model call, update.

use std::fmt;

use ctxmem_types::UserId;

use crate::updates::{Refused, Updates};
use crate::{Injected, Interaction};

/// Wraps an agent's turns: the prompt before the model call, the update after it in the
/// background.
///
/// Memory never breaks or slows a turn: without an answer of the service in time the model
/// gets the base prompt, and the update waits for nobody.
///
/// ```no_run
/// use std::time::Duration;
/// use ctxmem_client::{Client, Turns, Updates, UserId};
///
/// # #[derive(Debug)] struct ModelError;
/// # impl std::fmt::Display for ModelError { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("") } }
/// # impl std::error::Error for ModelError {}
/// # async fn ask_the_model(system: &str, said: &str) -> Result<String, ModelError> { Ok(said.into()) }
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let turns = Turns::new(Updates::builder(Client::from_env()?).start());
/// let user = UserId::new("ada")?;
/// let said = "I moved to Lisbon. What's the weather like?";
/// let answer = turns
///     .run(&user, "You are a helpful assistant.", said, |system| async move {
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
    /// Turns whose updates go out by this queue, and whose prompts come from where it sends
    /// to.
    pub fn new(updates: Updates) -> Self {
        Self { updates }
    }

    /// The queue, to flush it or shut it down.
    pub fn updates(&self) -> &Updates {
        &self.updates
    }

    /// One whole turn. The closure gets the prompt with its cache hint and calls the model;
    /// its answer is returned, and learned from in the background. An error of the model is
    /// returned, and nothing is learned.
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
        let turn = self.begin(user_id, base_prompt, user_message).await;
        let answer = model(turn.system.clone()).await?;
        // A refusal is told to the queue's callback; the turn has its answer.
        let _ = turn.finish_with(answer.as_ref());
        Ok(answer)
    }

    /// The first half of a turn: asks for the prompt. For streamed answers, and wherever a
    /// closure is in the way.
    pub async fn begin(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        user_message: impl Into<String>,
    ) -> Turn {
        Turn {
            system: self
                .updates
                .memory()
                .inject_or_base(user_id, base_prompt)
                .await,
            updates: self.updates.clone(),
            user_id: user_id.clone(),
            user_message: user_message.into(),
            answer: String::new(),
        }
    }
}

/// A turn under way. Unless it is finished, nothing is learned from it.
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
}

impl Turn {
    /// The system prompt, with its cache hint and, where there is one, the fallback.
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

    /// The answer is complete: queues the update with what was pushed. Never blocks.
    pub fn finish(self) -> Result<(), Refused> {
        self.updates.send(Interaction::new(
            self.user_id,
            self.user_message,
            self.answer,
        ))
    }

    /// Queues the update with this answer instead of what was pushed. Never blocks.
    pub fn finish_with(mut self, answer: impl Into<String>) -> Result<(), Refused> {
        self.answer = answer.into();
        self.finish()
    }
}

/// `Debug` does not show who talked of what: `Debug` ends up in logs.
impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("system", &self.system)
            .field("answer_bytes", &self.answer.len())
            .finish_non_exhaustive()
    }
}

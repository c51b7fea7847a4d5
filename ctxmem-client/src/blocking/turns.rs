//! Complete turns for programs without an asynchronous runtime.

use ctxmem_types::UserId;

use super::Updates;
use crate::{Injected, Turn};

/// [`crate::Turns`] that blocks while it asks for the prompt. The update goes out in the background
/// all the same.
#[derive(Clone, Debug)]
pub struct Turns {
    updates: Updates,
}

impl Turns {
    pub(super) fn new(updates: Updates) -> Self {
        Self { updates }
    }

    /// The queue, to flush it or shut it down.
    pub fn updates(&self) -> &Updates {
        &self.updates
    }

    /// Runs a whole turn. See [`crate::Turns::run`].
    ///
    /// # Errors
    ///
    /// The error of the closure. Nothing is learned then.
    ///
    /// ```no_run
    /// use ctxmem_client::{UserId, blocking};
    ///
    /// # fn ask_the_model(prompt: &str) -> std::io::Result<String> { Ok(prompt.into()) }
    /// # fn example(turns: blocking::Turns, user: UserId) -> std::io::Result<()> {
    /// let answer = turns.run(&user, "Be brief.", "I moved to Lisbon.", |system| {
    ///     ask_the_model(system.prompt())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn run<A: AsRef<str>, E>(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        user_message: impl Into<String>,
        model: impl FnOnce(Injected) -> Result<A, E>,
    ) -> Result<A, E> {
        let turn = self.begin(user_id, base_prompt, user_message);
        let answer = model(turn.system().clone())?;
        // The queue's callback learns of a rejection. The turn has its answer either way.
        let _ = turn.finish_with(answer.as_ref());
        Ok(answer)
    }

    /// Begins a turn: asks for the prompt. See [`crate::Turns::begin`].
    ///
    /// ```no_run
    /// use ctxmem_client::{UserId, blocking};
    ///
    /// # fn ask_the_model(prompt: &str) -> String { prompt.into() }
    /// # fn example(turns: blocking::Turns, user: UserId) -> Result<(), Box<dyn std::error::Error>> {
    /// let turn = turns.begin(&user, "Be brief.", "I moved to Lisbon.");
    /// let answer = ask_the_model(turn.prompt());
    /// turn.finish_with(answer)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn begin(
        &self,
        user_id: &UserId,
        base_prompt: &str,
        user_message: impl Into<String>,
    ) -> Turn {
        let turns = crate::Turns::new(self.updates.shared().clone());
        self.updates
            .block_on(turns.begin(user_id, base_prompt, user_message))
    }
}

//! One interaction in, the facts that it taught out.

use ctxmem_types::{UpdateRequest, UpdateResponse, UserId, path};

use crate::client::{Auth, Call, Kind};
use crate::{Client, Error, Interaction};

impl Client {
    /// Lets the service learn from one interaction: what the user said and what the agent
    /// answered.
    ///
    /// An interaction that taught nothing is a success, and so is one over the monthly
    /// quota: look at `limit_reached`. Facts in scopes that the user did not grant were
    /// dropped; `denied_scopes` names them. Why nothing was stored stands in `outcome`, where
    /// the service tells it:
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UpdateOutcome, UserId};
    ///
    /// # async fn example(memory: Client, user: UserId) -> Result<(), ctxmem_client::Error> {
    /// let learned = memory.update(&user, "My password is hunter2.", "Keep it to yourself.").await?;
    /// match learned.outcome {
    ///     None => println!("something was stored, or denied"),
    ///     Some(UpdateOutcome::Refused) => println!("{}", learned.notice.unwrap_or_default()),
    ///     Some(_) => println!("nothing to remember"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Call it after the answer has gone out, or leave it to [`Updates`](crate::Updates):
    /// where the service extracts with a language model, it takes as long as that model.
    pub async fn update(
        &self,
        user_id: &UserId,
        user_message: impl Into<String>,
        agent_response: impl Into<String>,
    ) -> Result<UpdateResponse, Error> {
        let interaction = Interaction::new(user_id.clone(), user_message, agent_response);
        self.update_with(&interaction).await
    }

    /// [`update`](Self::update) with an interaction that carries its own idempotency key:
    /// sent again, it is not learned from again.
    pub async fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error> {
        let mut request = UpdateRequest::new(
            interaction.user_id.clone(),
            &interaction.user_message,
            &interaction.agent_response,
        );
        request.agent_id = self.agent_id();
        let call = Call::post(path::UPDATE, Auth::Key, &request)?
            .kind(Kind::Update)
            .with_idempotency_key(interaction.idempotency_key())?;
        self.send(call).await?.json()
    }
}

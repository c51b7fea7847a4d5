//! Update: sends an interaction and returns the facts that the service learned from it.

use ctxmem_types::{UpdateRequest, UpdateResponse, UserId, path};

use crate::client::{ApiRequest, Auth, Operation};
use crate::interaction::cut_to_fit;
use crate::{Client, Error, Interaction};

impl Client {
    /// Lets the service learn from one interaction: what the user said and what the agent
    /// answered.
    ///
    /// An interaction from which nothing was learned is a success, and so is one over the
    /// monthly quota: check `limit_reached`. Facts in scopes that the user has not granted are
    /// dropped; `denied_scopes` names them. `removed` has what the message took back, `evicted` what
    /// made room in a full scope, and `outcome` says why nothing was stored, in deployments that
    /// support them.
    ///
    /// Call it after the answer has gone out, or leave it to [`Updates`](crate::Updates): if
    /// the service extracts facts with a language model, it takes as long as that model.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with the code [`Forbidden`](crate::ErrorCode::Forbidden) if the user has
    /// revoked the agent's access; any other [`Error`] if the call fails.
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
    pub async fn update(
        &self,
        user_id: &UserId,
        user_message: impl Into<String>,
        agent_response: impl Into<String>,
    ) -> Result<UpdateResponse, Error> {
        let mut interaction = Interaction::new(user_id.clone(), user_message, agent_response);
        if let Some(key) = self.idempotency_key() {
            interaction = interaction.with_idempotency_key(key)?;
        }
        self.update_with(&interaction).await
    }

    /// [`update`](Self::update) with an interaction that carries its own idempotency key: if
    /// you send it again, the service does not learn from it again.
    ///
    /// # Errors
    ///
    /// As for [`update`](Self::update); and an [`Error::Api`] with the code
    /// [`BadRequest`](crate::ErrorCode::BadRequest) if the key was used for another
    /// interaction before.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, Interaction, UserId};
    ///
    /// # async fn example(client: Client, user: UserId) -> Result<(), Box<dyn std::error::Error>> {
    /// let interaction = Interaction::new(user, "I moved to Lisbon.", "Enjoy it!")
    ///     .with_idempotency_key("message-4711")?;
    /// let first = client.update_with(&interaction).await?;
    /// // The answer is the same, and nothing is learned twice.
    /// assert_eq!(client.update_with(&interaction).await?, first);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn update_with(&self, interaction: &Interaction) -> Result<UpdateResponse, Error> {
        let (mut said, mut answer) = (
            interaction.user_message.clone(),
            interaction.agent_response.clone(),
        );
        cut_to_fit(&mut said, &mut answer);
        let mut request = UpdateRequest::new(interaction.user_id.clone(), said, answer);
        request.agent_id = self.agent_id();
        request.at.clone_from(&interaction.at);
        let api_request = ApiRequest::post(path::UPDATE, Auth::Own, &request)?
            .operation(Operation::Update)
            .with_idempotency_key(interaction.idempotency_key())?;
        self.call(api_request).await
    }
}

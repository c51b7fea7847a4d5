//! One interaction in, the facts that it taught out.

use ctxmem_types::{UpdateRequest, UpdateResponse, UserId, path};

use crate::client::{Auth, Call};
use crate::{Client, Error};

impl Client {
    /// Lets the service learn from one interaction: what the user said and what the agent
    /// answered.
    ///
    /// An interaction that taught nothing is a success, and so is one over the monthly
    /// quota: look at `limit_reached`. Facts in scopes that the user did not grant were
    /// dropped; `denied_scopes` names them.
    ///
    /// Call it after the answer has gone out: where the service extracts with a language
    /// model, it takes as long as that model.
    pub async fn update(
        &self,
        user_id: &UserId,
        user_message: impl Into<String>,
        agent_response: impl Into<String>,
    ) -> Result<UpdateResponse, Error> {
        let mut request = UpdateRequest::new(user_id.clone(), user_message, agent_response);
        request.agent_id = self.agent_id();
        let call = Call::post(path::UPDATE, Auth::Key, &request)?;
        self.send(call).await?.json()
    }
}

//! The memory service reached over HTTP, by the client of the SDK.

use async_trait::async_trait;
use ctxmem_client::{Error, Interaction, Memory};
use ctxmem_types::{FactRecord, InjectResponse, Timestamp, UpdateResponse, UserId};

use crate::service::{CallError, MemoryService};

#[async_trait]
impl<M: Memory> MemoryService for M {
    async fn inject(
        &self,
        user_id: &UserId,
        message: Option<&str>,
    ) -> Result<InjectResponse, CallError> {
        let injected = match message {
            Some(message) => self.inject_for(user_id, "", message).await?,
            None => Memory::inject(self, user_id, "").await?,
        };
        Ok(injected.into_response())
    }

    async fn update(
        &self,
        user_id: &UserId,
        said: String,
        at: Option<Timestamp>,
    ) -> Result<UpdateResponse, CallError> {
        let mut interaction = Interaction::new(user_id.clone(), said, "");
        interaction.at = at;
        Ok(self.update_with(&interaction).await?)
    }

    async fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, CallError> {
        Ok(Memory::facts(self, user_id).await?)
    }

    async fn search_facts(
        &self,
        user_id: &UserId,
        query: &str,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, CallError> {
        Ok(Memory::search_facts(self, user_id, query, limit).await?)
    }

    async fn delete_fact(&self, user_id: &UserId, fact_id: &str) -> Result<(), CallError> {
        Memory::delete_fact(self, user_id, fact_id).await?;
        Ok(())
    }
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        Self {
            status: error.status(),
            message: error.message().map(ToOwned::to_owned),
            consent_url: error.consent_url().map(ToOwned::to_owned),
            retry_after: error.retry_after(),
            summary: error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ctxmem_client::ErrorCode;
    use ctxmem_client::error::{ApiError, TransportError};

    use super::*;

    #[test]
    fn an_error_keeps_what_a_model_can_be_told() {
        let page = "https://memory.example.com/consent/a";
        let mut error = ApiError::new(403, Some(ErrorCode::Forbidden));
        error.consent_url = Some(page.to_owned());
        error.message = Some("canary".to_owned());
        error.retry_after = Some(Duration::from_secs(7));
        let error = CallError::from(Error::from(error));
        assert_eq!(error.status, Some(403));
        assert_eq!(error.consent_url.as_deref(), Some(page));
        assert_eq!(error.message.as_deref(), Some("canary"));
        assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
        assert!(error.to_string().contains("403 FORBIDDEN"), "{error}");
        assert!(!format!("{error} {error:?}").contains("canary"));
        let down = CallError::from(Error::from(TransportError::unreachable()));
        assert_eq!(down.status, None);
        assert!(down.to_string().contains("could not connect"), "{down}");
    }
}

//! Single facts: listing, searching and deleting them.

use ctxmem_types::{DeleteResponse, FactRecord, FactSearchRequest, FactsResponse, UserId, path};

use crate::client::{ApiRequest, Auth, is_segment};
use crate::error::InvalidCall;
use crate::{Client, Error};

impl Client {
    /// Lists the facts about a user one by one, in the scopes that the agent is granted, each with
    /// the id by which it can be deleted. A [`UserClient`](crate::UserClient) lists all.
    ///
    /// This is an addition of our server's; other deployments answer `NotFound`.
    ///
    /// # Errors
    ///
    /// [`Error::Api`] with the code [`Forbidden`](crate::ErrorCode::Forbidden) if the agent
    /// has no active grant from the user; any other [`Error`] if the call fails.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for fact in client.facts(&UserId::new("ada")?).await? {
    ///     let name = fact.name.as_deref().unwrap_or("-");
    ///     println!("{}: {name}: {} ({})", fact.scope, fact.value, fact.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn facts(&self, user_id: &UserId) -> Result<Vec<FactRecord>, Error> {
        let route = "/api/context/{userId}/facts";
        let request = ApiRequest::get(route, path::facts(user_id), Auth::Own);
        let answer: FactsResponse = self.call(request).await?;
        Ok(answer.facts)
    }

    /// Finds the facts about a user that bear on a query, those that bear on it most first, in the
    /// scopes that the agent is granted: `limit` of them at most, from 1 to 100, or 10 without it.
    /// They are compared by their words.
    ///
    /// The query has 1 to 1,000 characters, and is neither stored nor logged. This is an addition of
    /// our server's; other deployments answer `NotFound`.
    ///
    /// # Errors
    ///
    /// As for [`facts`](Self::facts); and [`Error::Api`] with the code
    /// [`BadRequest`](crate::ErrorCode::BadRequest) for a query or a limit that can't be.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let ada = UserId::new("ada")?;
    /// for fact in client.search_facts(&ada, "Which food should I avoid?", Some(5)).await? {
    ///     println!("{}: {}", fact.scope, fact.value);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn search_facts(
        &self,
        user_id: &UserId,
        query: impl Into<String>,
        limit: Option<u32>,
    ) -> Result<Vec<FactRecord>, Error> {
        let mut search = FactSearchRequest::new(query);
        search.limit = limit;
        let route = "/api/context/{userId}/facts/search";
        let path = path::facts_search(user_id);
        let request = ApiRequest::post_to(route, path, Auth::Own, &search)?;
        let answer: FactsResponse = self.call(request).await?;
        Ok(answer.facts)
    }

    /// Permanently deletes one fact, as it was when it was [listed](Self::facts). An agent can
    /// delete what it saved itself, a [`UserClient`](crate::UserClient) everything.
    ///
    /// This is an addition of our server's; other deployments answer `NotFound`.
    ///
    /// # Errors
    ///
    /// [`InvalidCall::InvalidFactId`] if the id can't be part of an address; [`Error::Api`] with
    /// the code [`NotFound`](crate::ErrorCode::NotFound) if there is no such fact, or it has
    /// changed since it was listed, and with [`Forbidden`](crate::ErrorCode::Forbidden) if the
    /// agent has no active grant from the user or did not save the fact; any other [`Error`] if
    /// the call fails.
    ///
    /// ```no_run
    /// use ctxmem_client::{Client, UserId};
    ///
    /// # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let ada = UserId::new("ada")?;
    /// let facts = client.facts(&ada).await?;
    /// if let Some(outdated) = facts.iter().find(|fact| fact.can_delete) {
    ///     client.delete_fact(&ada, &outdated.id).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn delete_fact(
        &self,
        user_id: &UserId,
        fact_id: impl AsRef<str>,
    ) -> Result<DeleteResponse, Error> {
        let fact_id = fact_id.as_ref();
        if !is_segment(fact_id) {
            return Err(InvalidCall::InvalidFactId.into());
        }
        let route = "/api/context/{userId}/facts/{factId}";
        self.delete(route, path::fact(user_id, fact_id)).await
    }
}

//! Sequences of calls for made-up users, made once and looked at by many rules.
//!
//! A scenario keeps the answers unchanged; the rules judge them. It runs when the first rule
//! asks for it.

use ctxmem_client::types::path;
use ctxmem_client::{GrantRequest, Scope, UserId};
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::calls::inject_body;
use crate::run::Run;
use crate::target::Agent;
use crate::verdict::Verdict;
use crate::wire::{Answer, Body, Caller};

/// Facts that any extractor should find, whether it uses rules or a model.
pub(crate) const CORE: &str = "My name is Ada Marlow. I live in Lisbon. I use Helix as my editor.";
/// The part of [`CORE`] in the scope `general`.
const IDENTITY: &str = "My name is Ada Marlow. I live in Lisbon.";
/// Words by which the facts of [`CORE`] can be recognised.
pub(crate) const CORE_WORDS: [&str; 3] = ["Ada Marlow", "Lisbon", "Helix"];
/// Facts in the other scopes.
const MORE: &str = "I'm working on a billing service. My manager is Grace Lin. I know Rust and \
                    SQL. Please keep your answers short. We decided to move to Postgres last week.";
/// What rules about updates need.
pub(crate) const QUOTA_LEFT: &str = "a monthly quota that is not used up";
const SMALL_TALK: &str = "Thanks, that helps!";

/// The answer of one call, or why there is none.
pub(crate) type Step = Result<Answer, Verdict>;

/// A user from the first inject to the deletion and after, as agent A sees it.
pub(crate) struct UserLifecycle {
    pub(crate) user: UserId,
    pub(crate) read_before: Step,
    pub(crate) search_before: Step,
    pub(crate) delete_before: Step,
    pub(crate) first_inject: Step,
    pub(crate) read_empty: Step,
    pub(crate) small_talk: Step,
    pub(crate) core: Step,
    /// An update with facts in the other scopes.
    pub(crate) more: Step,
    pub(crate) core_again: Step,
    pub(crate) inject: Step,
    /// The same inject, for a message.
    pub(crate) inject_for: Step,
    pub(crate) read: Step,
    /// A search for [`CORE_WORDS`], the same for one fact, one for nothing, and one for no facts.
    pub(crate) search: Step,
    pub(crate) search_one: Step,
    pub(crate) search_blank: Step,
    pub(crate) search_none: Step,
    /// The first inject for another user, after the developer has stored something.
    pub(crate) other_user: Step,
    /// What agent B gets while there is a context. `b_read_after` is after the deletion.
    pub(crate) b_inject: Step,
    pub(crate) delete: Step,
    pub(crate) b_read_after: Step,
    pub(crate) read_after: Step,
    pub(crate) delete_again: Step,
    pub(crate) inject_after: Step,
}

/// A user who granted agent A only `preferences`.
pub(crate) struct NarrowGrant {
    /// An update with facts in `general` and `preferences`.
    pub(crate) mixed: Answer,
    /// An update with facts in `general` only.
    pub(crate) identity: Answer,
    /// What agent B, which is granted everything, can read afterwards.
    pub(crate) b_read: Step,
    /// What agent A gets, and finds, after agent B has stored the facts in `general`.
    pub(crate) inject: Step,
    pub(crate) search: Step,
}

/// A grant that agent A made with its own key.
pub(crate) struct KeyGrant {
    pub(crate) user: UserId,
    pub(crate) scopes: [&'static str; 2],
    pub(crate) answer: Answer,
}

/// A signed-in user who grants, revokes and grants again.
pub(crate) struct SignedInUser {
    pub(crate) grant: Answer,
    pub(crate) read: Step,
    pub(crate) revoke: Step,
    pub(crate) read_revoked: Step,
    pub(crate) inject_revoked: Step,
    pub(crate) update_revoked: Step,
    pub(crate) revoke_again: Step,
    /// Whether facts were stored before the deletion.
    pub(crate) stored: bool,
    pub(crate) delete: Step,
    /// After the deletion and another grant.
    pub(crate) read_regranted: Step,
    pub(crate) inject_regranted: Step,
}

impl UserLifecycle {
    /// The delta of the update with [`CORE`]. Rules about stored facts need it.
    pub(crate) fn delta(&self) -> Result<&Map<String, Value>, Verdict> {
        let core = self.core.as_ref().map_err(Verdict::clone)?;
        if core.is_true("limitReached") {
            return Err(Verdict::without(QUOTA_LEFT));
        }
        let delta = core.delta().filter(|delta| !delta.is_empty());
        delta.ok_or_else(|| Verdict::without("a stored fact; see update.extracts"))
    }

    /// The words by which stored facts can be recognised in a text.
    pub(crate) fn words(&self) -> Result<Vec<&'static str>, Verdict> {
        let delta = Value::from(self.delta()?.clone()).to_string();
        let mut words = CORE_WORDS.to_vec();
        words.retain(|word| delta.contains(word));
        if words.is_empty() {
            let without = "a stored fact that keeps the user's words";
            return Err(Verdict::without(without));
        }
        Ok(words)
    }
}

impl Run {
    pub(crate) async fn health(&self) -> Result<&Answer, Verdict> {
        let ask = || {
            self.wire()
                .send(Method::GET, path::HEALTH, Caller::Nobody, Body::None)
        };
        let health = self.health.get_or_init(ask).await;
        health.as_ref().map_err(Verdict::clone)
    }

    pub(crate) async fn lifecycle(&self) -> &UserLifecycle {
        self.lifecycle.get_or_init(|| self.run_lifecycle()).await
    }

    async fn run_lifecycle(&self) -> UserLifecycle {
        let a = self.a().caller();
        let b = self.b().map(Agent::caller);
        let user = self.new_user();
        let mut for_message = inject_body(&user);
        for_message["message"] = "Where do I live?".into();
        let query = CORE_WORDS.join(" ");
        let all = json!({"query": query});
        UserLifecycle {
            read_before: self.raw_read(a, &user).await,
            search_before: self.raw_search(a, &user, &all).await,
            delete_before: self.raw_delete(a, &user).await,
            first_inject: self.raw_inject(a, &user).await,
            read_empty: self.raw_read(a, &user).await,
            small_talk: self.raw_update(a, &user, SMALL_TALK).await,
            core: self.raw_update(a, &user, CORE).await,
            more: self.raw_update(a, &user, MORE).await,
            core_again: self.raw_update(a, &user, CORE).await,
            inject: self.raw_inject(a, &user).await,
            inject_for: self.post(a, path::INJECT, &for_message).await,
            read: self.raw_read(a, &user).await,
            search: self.raw_search(a, &user, &all).await,
            search_one: {
                let one = json!({"query": query, "limit": 1});
                self.raw_search(a, &user, &one).await
            },
            search_blank: self.raw_search(a, &user, &json!({"query": " "})).await,
            search_none: {
                let none = json!({"query": query, "limit": 0});
                self.raw_search(a, &user, &none).await
            },
            other_user: self.raw_inject(a, &self.new_user()).await,
            b_inject: match &b {
                Ok(b) => self.raw_inject(*b, &user).await,
                Err(verdict) => Err(verdict.clone()),
            },
            delete: self.raw_delete(a, &user).await,
            b_read_after: match &b {
                Ok(b) => self.raw_read(*b, &user).await,
                Err(verdict) => Err(verdict.clone()),
            },
            read_after: self.raw_read(a, &user).await,
            delete_again: self.raw_delete(a, &user).await,
            inject_after: self.raw_inject(a, &user).await,
            user,
        }
    }

    pub(crate) async fn narrow_grant(&self) -> Result<&NarrowGrant, Verdict> {
        let run = self.narrow_grant.get_or_init(|| self.run_narrow_grant());
        run.await.as_ref().map_err(Verdict::clone)
    }

    async fn run_narrow_grant(&self) -> Result<NarrowGrant, Verdict> {
        let agent = self.a();
        let a = agent.caller();
        let user = self.new_user();
        let request = GrantRequest::new(user.clone(), agent.id()?, [Scope::Preferences]);
        self.create_grant(&agent.client, &request)
            .await
            .map_err(|_| Verdict::without("a grant of one scope; see grants.create"))?;
        let mixed = self.raw_update(a, &user, CORE).await?;
        let identity = self.raw_update(a, &user, IDENTITY).await?;
        let (b_read, inject, search) = match self.b().map(Agent::caller) {
            Ok(b) => {
                // The first call makes agent B's grant, with every scope of its key.
                let made = self.raw_inject(b, &user).await;
                let b_read = match made {
                    Ok(_) => self.raw_read(b, &user).await,
                    Err(verdict) => Err(verdict),
                };
                let stored = self.raw_update(b, &user, IDENTITY).await;
                let (inject, search) = match stored {
                    Ok(_) => {
                        let query = json!({"query": CORE_WORDS.join(" ")});
                        let inject = self.raw_inject(a, &user).await;
                        (inject, self.raw_search(a, &user, &query).await)
                    }
                    Err(verdict) => (Err(verdict.clone()), Err(verdict)),
                };
                (b_read, inject, search)
            }
            Err(verdict) => (Err(verdict.clone()), Err(verdict.clone()), Err(verdict)),
        };
        Ok(NarrowGrant {
            mixed,
            identity,
            b_read,
            inject,
            search,
        })
    }

    pub(crate) async fn key_grant(&self) -> Result<&KeyGrant, Verdict> {
        let run = self.key_grant.get_or_init(|| self.run_key_grant());
        run.await.as_ref().map_err(Verdict::clone)
    }

    async fn run_key_grant(&self) -> Result<KeyGrant, Verdict> {
        let agent = self.a();
        let user = self.new_user();
        let scopes = ["preferences", "goals"];
        let body = json!({"userId": user, "agentId": agent.id()?, "scopes": scopes});
        let answer = self.post(agent.caller(), path::GRANTS, &body).await?;
        Ok(KeyGrant {
            user,
            scopes,
            answer,
        })
    }

    pub(crate) async fn signed_in_user(&self) -> Result<&SignedInUser, Verdict> {
        let run = self
            .signed_in_user
            .get_or_init(|| self.run_signed_in_user());
        run.await.as_ref().map_err(Verdict::clone)
    }

    async fn run_signed_in_user(&self) -> Result<SignedInUser, Verdict> {
        let agent = self.a();
        let a = agent.caller();
        let session = self.session()?;
        let (user, by_user) = (&session.user, Caller::Session(&session.cookie));
        let scopes = Scope::ALL.map(Scope::name);
        let body = json!({"userId": user, "agentId": agent.id()?, "scopes": scopes});
        let grant = self.post(by_user, path::GRANTS, &body).await?;
        let stored = self.raw_update(a, user, CORE).await?;
        let stored = stored.delta().is_some_and(|delta| !delta.is_empty());
        let read = self.raw_read(a, user).await;
        let id = grant.field("grant").and_then(|grant| grant["id"].as_str());
        let path = path::grant(id.unwrap_or("the-grant-has-no-id"));
        let revoke = || {
            let wire = self.wire();
            wire.send(Method::DELETE, &path, by_user, Body::None)
        };
        let revoked = revoke().await;
        let read_revoked = self.raw_read(a, user).await;
        let inject_revoked = self.raw_inject(a, user).await;
        let update_revoked = self.raw_update(a, user, CORE).await;
        let revoke_again = revoke().await;
        self.post(by_user, path::GRANTS, &body).await?;
        let delete = self.raw_delete(a, user).await;
        self.post(by_user, path::GRANTS, &body).await?;
        Ok(SignedInUser {
            grant,
            read,
            revoke: revoked,
            read_revoked,
            inject_revoked,
            update_revoked,
            revoke_again,
            stored,
            delete,
            read_regranted: self.raw_read(a, user).await,
            inject_regranted: self.raw_inject(a, user).await,
        })
    }
}

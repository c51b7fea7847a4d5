//! What happens to made-up users, told once and looked at by many rules.
//!
//! A story keeps the answers as they came; judging them is the rules' business. Each is
//! told when the first rule asks for it.

use ctxmem_client::types::path;
use ctxmem_client::{GrantRequest, Scope, UserId};
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::rule::Verdict;
use crate::run::Run;
use crate::wire::{Answer, As, Body};

/// Facts that any extractor should find, whether it works by rules or by a model.
pub(crate) const CORE: &str = "My name is Ada Marlow. I live in Lisbon. I use Helix as my editor.";
/// The part of them that is in scope `general`.
const IDENTITY: &str = "My name is Ada Marlow. I live in Lisbon.";
/// Words of [`CORE`] by which its facts are found again.
pub(crate) const CORE_WORDS: [&str; 3] = ["Ada Marlow", "Lisbon", "Helix"];
/// Something for the other scopes.
const MORE: &str = "I'm working on a billing service. My manager is Grace Lin. I know Rust and \
                    SQL. Please keep your answers short. We decided to move to Postgres last week.";
/// What rules about updates can't do without.
pub(crate) const QUOTA_LEFT: &str = "a monthly quota that is not used up";
const SMALL_TALK: &str = "Thanks, that helps!";

/// An answer, or why there is none.
pub(crate) type Step = Result<Answer, Verdict>;

/// A user from the first inject to the erasure and after, as agent A sees it.
pub(crate) struct Lifetime {
    pub(crate) user: UserId,
    pub(crate) read_before: Step,
    pub(crate) delete_before: Step,
    pub(crate) first_inject: Step,
    pub(crate) read_empty: Step,
    pub(crate) small_talk: Step,
    pub(crate) core: Step,
    /// Facts for the other scopes.
    pub(crate) more: Step,
    pub(crate) core_again: Step,
    pub(crate) inject: Step,
    pub(crate) read: Step,
    /// The first inject for another user, when the developer has stored something.
    pub(crate) other_user: Step,
    /// What agent B gets while there is a context, and when it is erased.
    pub(crate) b_inject: Step,
    pub(crate) delete: Step,
    pub(crate) b_read_after: Step,
    pub(crate) read_after: Step,
    pub(crate) delete_again: Step,
    pub(crate) inject_after: Step,
}

/// A user of whom agent A is granted `preferences` only.
pub(crate) struct Narrow {
    /// An update with facts in `general` and `preferences`.
    pub(crate) mixed: Answer,
    /// One with facts in `general` only.
    pub(crate) identity: Answer,
    /// What agent B, granted everything, can read then.
    pub(crate) b_read: Step,
    /// What agent A gets once agent B has stored the facts in `general`.
    pub(crate) inject: Step,
}

/// A grant that agent A made with its own key.
pub(crate) struct Granted {
    pub(crate) user: UserId,
    pub(crate) scopes: [&'static str; 2],
    pub(crate) answer: Answer,
}

/// A signed-in user who grants, revokes and grants again.
pub(crate) struct Signed {
    pub(crate) grant: Answer,
    pub(crate) read: Step,
    pub(crate) revoke: Step,
    pub(crate) read_revoked: Step,
    pub(crate) inject_revoked: Step,
    pub(crate) update_revoked: Step,
    pub(crate) revoke_again: Step,
    /// Whether there were facts before the erasure.
    pub(crate) stored: bool,
    pub(crate) delete: Step,
    /// After the erasure and another grant.
    pub(crate) read_regranted: Step,
    pub(crate) inject_regranted: Step,
}

impl Lifetime {
    /// The delta of the update with plain facts; rules about stored facts need it.
    pub(crate) fn delta(&self) -> Result<&Map<String, Value>, Verdict> {
        let core = self.core.as_ref().map_err(Verdict::clone)?;
        if core.field("limitReached") == Some(&Value::Bool(true)) {
            return Err(Verdict::without(QUOTA_LEFT));
        }
        core.field("delta")
            .and_then(Value::as_object)
            .filter(|delta| !delta.is_empty())
            .ok_or_else(|| Verdict::without("a stored fact; see update.extracts"))
    }

    /// The words by which stored facts are found again in a text.
    pub(crate) fn words(&self) -> Result<Vec<&'static str>, Verdict> {
        let delta = Value::from(self.delta()?.clone()).to_string();
        let mut words = CORE_WORDS.to_vec();
        words.retain(|word| delta.contains(word));
        if words.is_empty() {
            return Err(Verdict::without(
                "a stored fact that keeps the user's words",
            ));
        }
        Ok(words)
    }
}

impl Run {
    pub(crate) async fn health(&self) -> Result<&Answer, Verdict> {
        let ask = || {
            self.wire()
                .send(Method::GET, path::HEALTH, As::Nobody, Body::None)
        };
        let health = self.health.get_or_init(ask).await;
        health.as_ref().map_err(Verdict::clone)
    }

    pub(crate) async fn lifetime(&self) -> &Lifetime {
        self.lifetime.get_or_init(|| self.tell_lifetime()).await
    }

    async fn tell_lifetime(&self) -> Lifetime {
        let a = As::Key(&self.a().key);
        let b = self.b();
        let b = b.as_ref().map(|agent| As::Key(&agent.key));
        let user = self.new_user();
        Lifetime {
            read_before: self.raw_read(a, &user).await,
            delete_before: self.raw_delete(a, &user).await,
            first_inject: self.raw_inject(a, &user).await,
            read_empty: self.raw_read(a, &user).await,
            small_talk: self.raw_update(a, &user, SMALL_TALK).await,
            core: self.raw_update(a, &user, CORE).await,
            more: self.raw_update(a, &user, MORE).await,
            core_again: self.raw_update(a, &user, CORE).await,
            inject: self.raw_inject(a, &user).await,
            read: self.raw_read(a, &user).await,
            other_user: self.raw_inject(a, &self.new_user()).await,
            b_inject: match &b {
                Ok(b) => self.raw_inject(*b, &user).await,
                Err(verdict) => Err((*verdict).clone()),
            },
            delete: self.raw_delete(a, &user).await,
            b_read_after: match &b {
                Ok(b) => self.raw_read(*b, &user).await,
                Err(verdict) => Err((*verdict).clone()),
            },
            read_after: self.raw_read(a, &user).await,
            delete_again: self.raw_delete(a, &user).await,
            inject_after: self.raw_inject(a, &user).await,
            user,
        }
    }

    pub(crate) async fn narrow(&self) -> Result<&Narrow, Verdict> {
        let narrow = self.narrow.get_or_init(|| self.tell_narrow()).await;
        narrow.as_ref().map_err(Verdict::clone)
    }

    async fn tell_narrow(&self) -> Result<Narrow, Verdict> {
        let agent = self.a();
        let a = As::Key(&agent.key);
        let user = self.new_user();
        let request = GrantRequest::new(user.clone(), agent.id()?, [Scope::Preferences]);
        self.create_grant(&agent.client, &request)
            .await
            .map_err(|_| Verdict::without("a grant of one scope; see grants.create"))?;
        let mixed = self.raw_update(a, &user, CORE).await?;
        let identity = self.raw_update(a, &user, IDENTITY).await?;
        let (b_read, inject) = match self.b() {
            Ok(b) => {
                // The first call makes agent B's grant, with every scope of its key.
                let made = self.raw_inject(As::Key(&b.key), &user).await;
                let b_read = match made {
                    Ok(_) => self.raw_read(As::Key(&b.key), &user).await,
                    Err(verdict) => Err(verdict),
                };
                let stored = self.raw_update(As::Key(&b.key), &user, IDENTITY).await;
                let inject = match stored {
                    Ok(_) => self.raw_inject(a, &user).await,
                    Err(verdict) => Err(verdict),
                };
                (b_read, inject)
            }
            Err(verdict) => (Err(verdict.clone()), Err(verdict)),
        };
        Ok(Narrow {
            mixed,
            identity,
            b_read,
            inject,
        })
    }

    pub(crate) async fn granted(&self) -> Result<&Granted, Verdict> {
        let granted = self.granted.get_or_init(|| self.tell_granted()).await;
        granted.as_ref().map_err(Verdict::clone)
    }

    async fn tell_granted(&self) -> Result<Granted, Verdict> {
        let agent = self.a();
        let user = self.new_user();
        let scopes = ["preferences", "goals"];
        let body = json!({"userId": user, "agentId": agent.id()?, "scopes": scopes});
        let answer = self.post(As::Key(&agent.key), path::GRANTS, &body).await?;
        Ok(Granted {
            user,
            scopes,
            answer,
        })
    }

    pub(crate) async fn signed(&self) -> Result<&Signed, Verdict> {
        let signed = self.signed.get_or_init(|| self.tell_signed()).await;
        signed.as_ref().map_err(Verdict::clone)
    }

    async fn tell_signed(&self) -> Result<Signed, Verdict> {
        let agent = self.a();
        let a = As::Key(&agent.key);
        let session = self.session()?;
        let (user, by_user) = (&session.user, As::Session(&session.cookie));
        let scopes = Scope::ALL.map(Scope::name);
        let body = json!({"userId": user, "agentId": agent.id()?, "scopes": scopes});
        let grant = self.post(by_user, path::GRANTS, &body).await?;
        let stored = self.raw_update(a, user, CORE).await?;
        let stored = stored
            .field("delta")
            .and_then(Value::as_object)
            .is_some_and(|delta| !delta.is_empty());
        let read = self.raw_read(a, user).await;
        let id = grant
            .json
            .as_ref()
            .and_then(|json| json["grant"]["id"].as_str());
        let id = id.unwrap_or("the-grant-has-no-id");
        let revoke = || {
            let path = path::grant(id);
            async move {
                self.wire()
                    .send(Method::DELETE, &path, by_user, Body::None)
                    .await
            }
        };
        let revoked = revoke().await;
        let read_revoked = self.raw_read(a, user).await;
        let inject_revoked = self.raw_inject(a, user).await;
        let update_revoked = self.raw_update(a, user, CORE).await;
        let revoke_again = revoke().await;
        self.post(by_user, path::GRANTS, &body).await?;
        let delete = self.raw_delete(a, user).await;
        self.post(by_user, path::GRANTS, &body).await?;
        Ok(Signed {
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

//! The playground: developers try their own agents, with test users only.

use ctxmem_types::UserId;

use super::manager::Manager;
use super::{Console, Error, Key, unit};
use crate::store::{Action, Developer, DeveloperId};

/// What the ids of test users begin with.
const PREFIX: &str = "playground:";
/// The longest name of a test user.
const MAX_NAME: usize = 64;

/// The id of a developer's test user. It always begins with the developer's own id, so nobody can
/// read a real person's facts from a dashboard.
pub fn test_user(developer: &DeveloperId, name: &str) -> Result<UserId, Error> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.@ ".contains(c);
    let name = name.trim();
    let fits = (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_plain);
    fits.then(|| UserId::new(format!("{PREFIX}{}:{name}", developer.as_str())))
        .and_then(Result::ok)
        .ok_or_else(|| {
            Error::BadRequest(format!(
                "user: expected a name of 1 to {MAX_NAME} bytes: letters, digits, spaces and any \
                 of - _ . @"
            ))
        })
}

pub(super) fn is_any_test_user(user_id: &UserId) -> bool {
    user_id.as_str().starts_with(PREFIX)
}

pub(super) fn is_test_user(developer: &DeveloperId, user_id: &UserId) -> bool {
    let name = user_id.as_str().strip_prefix(PREFIX);
    let name = name.and_then(|rest| rest.strip_prefix(developer.as_str()));
    name.is_some_and(|rest| rest.starts_with(':'))
}

impl Console {
    /// A live key of one of this developer's agents as the caller, with the key's prefix.
    pub async fn playground_key(
        &self,
        developer: &Developer,
        key_id: &str,
    ) -> Result<(Key, String), Error> {
        let before = self.grant_clock.now();
        let row = unit::read(&self.db, async |tx| {
            // Without a lock: a unit that only reads is not tried again, and this one keeps nobody waiting.
            let member = tx.member(&developer.id, developer.member.as_str()).await?;
            member.ok_or(Error::NotSignedIn)?;
            Manager::Developer(developer.clone()).key(tx, key_id).await
        })
        .await?;
        if !row.works_at(self.grant_clock.since(before)) {
            return Err(Error::BadRequest(
                "key: it no longer works; expected one that does".to_owned(),
            ));
        }
        let prefix = row.prefix.clone();
        Ok((self.grants.use_key(row, None), prefix))
    }

    /// Erases everything about a developer's test user. Deletes its grants too, so that the next
    /// call makes one: nobody can sign in as this user to grant access again.
    pub async fn erase_test_user(&self, developer: &Developer, name: &str) -> Result<(), Error> {
        let user_id = test_user(&developer.id, name)?;
        let now = self.clock.millis();
        let manager = Manager::Developer(developer.clone());
        let given = (user_id.clone(), manager);
        unit::write(&self.db, async move |tx| {
            let (user_id, manager) = &given;
            manager.begin(tx).await?;
            if tx.lock_user(user_id).await?.is_some() {
                tx.erase_user(user_id, now).await?;
                tx.drop_grants(user_id).await?;
                let event = manager.did(Action::Erase, now);
                tx.audit(Some(user_id), &event).await?;
            }
            Ok::<_, Error>(())
        })
        .await?;
        self.grants.access.forget(self.db.user_key(&user_id));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_user_is_always_the_developers_own() {
        let ann = DeveloperId::new("ann");
        let id = |name: &str| test_user(&ann, name).map(|id| id.as_str().to_owned());
        assert_eq!(id(" Ada ").unwrap(), "playground:ann:Ada");
        assert_eq!(
            id("ada@example.com").unwrap(),
            "playground:ann:ada@example.com"
        );
        let long = "a".repeat(65);
        for name in ["", "  ", ":", "bob:ada", "a/b", "a\nb", "a\0b", &long] {
            assert!(id(name).is_err(), "{name}");
        }
    }
}

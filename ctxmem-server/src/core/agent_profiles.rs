//! Agent profiles: what developers tell users about their agents, on the page where users decide.

use reqwest::Url;

use super::manager::Manager;
use super::{Console, Error, unit};
use crate::store::{Action, AgentProfile, Needs};

/// The longest purpose, in bytes.
const MAX_PURPOSE: usize = 300;
/// The longest reason for a scope, in bytes.
const MAX_REASON: usize = 200;
/// The longest address, in bytes.
const MAX_URL: usize = 500;

impl Console {
    /// What this manager's agent tells users.
    pub async fn agent_profile(
        &self,
        manager: Manager,
        agent_id: &str,
    ) -> Result<AgentProfile, Error> {
        unit::read(&self.db, async |tx| {
            let agent = manager.agent(tx, agent_id).await?;
            Ok::<_, Error>(tx.agent_profile(&agent.id).await?)
        })
        .await
    }

    /// Sets what an agent tells users, and answers it as it is stored. Empty texts tell nothing.
    pub async fn set_agent_profile(
        &self,
        manager: Manager,
        agent_id: &str,
        profile: AgentProfile,
    ) -> Result<AgentProfile, Error> {
        let now = self.clock.millis();
        let given = (manager, agent_id.to_owned(), checked(&profile)?);
        unit::write(&self.db, async move |tx| {
            let (manager, agent_id, profile) = &given;
            manager.begin(tx).await?;
            let agent = manager.agent(tx, agent_id).await?;
            tx.put_agent_profile(&agent.id, profile).await?;
            let event = manager.did(Action::ProfileAgent, now).agent(agent.id);
            tx.audit(None, &event).await?;
            Ok::<_, Error>(profile.clone())
        })
        .await
    }

    /// Notes whether the agent's website confirms it, which the caller has just found out.
    pub async fn set_website_verified(
        &self,
        agent_id: &str,
        url: &str,
        is_confirmed: bool,
    ) -> Result<(), Error> {
        let verified_at = is_confirmed.then(|| self.clock.millis());
        let given = (agent_id.to_owned(), url.to_owned());
        unit::write(&self.db, async move |tx| {
            let (agent_id, url) = &given;
            tx.set_website_verified(agent_id, url, verified_at).await
        })
        .await
    }
}

/// Text in one line, without the space around it.
pub(super) fn checked_line(field: &str, text: &str, max_bytes: usize) -> Result<String, Error> {
    let text = text.trim();
    if text.len() > max_bytes || text.chars().any(char::is_control) {
        return Err(Error::BadRequest(format!(
            "{field}: expected at most {max_bytes} bytes of text in one line"
        )));
    }
    Ok(text.to_owned())
}

fn checked(profile: &AgentProfile) -> Result<AgentProfile, Error> {
    Ok(AgentProfile {
        purpose: checked_line("purpose", &profile.purpose, MAX_PURPOSE)?,
        url: checked_url("url", &profile.url)?,
        privacy_url: checked_url("privacy_url", &profile.privacy_url)?,
        return_url: checked_return_url(&profile.return_url)?,
        verified_at: None,
        needs: checked_needs(&profile.needs)?,
    })
}

/// Whether an address leads to the machine of whoever follows it.
pub fn is_local(url: &Url) -> bool {
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// The scopes for which a reason is given. An empty reason says that a scope is not needed.
fn checked_needs(needs: &Needs) -> Result<Needs, Error> {
    let mut checked = Needs::new();
    for (scope, reason) in needs {
        let reason = checked_line(&format!("need_{scope}"), reason, MAX_REASON)?;
        if !reason.is_empty() {
            checked.insert(*scope, reason);
        }
    }
    Ok(checked)
}

/// An address that users go back to: over https, so that nobody on the way can lead them elsewhere, or
/// on the machine of whoever tries an agent out.
fn checked_return_url(text: &str) -> Result<String, Error> {
    const FIELD: &str = "return_url";
    let url = checked_url(FIELD, text)?;
    let is_safe = url.is_empty()
        || url.starts_with("https://")
        || Url::parse(&url).is_ok_and(|url| is_local(&url));
    is_safe.then_some(url).ok_or_else(|| {
        Error::BadRequest(format!(
            "{FIELD}: expected an https address, or one on localhost"
        ))
    })
}

/// An address of the web, or nothing. Users open it: a scheme that runs something is refused, and so
/// is a name before the host, which makes one site look like another.
pub(super) fn checked_url(field: &str, text: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(String::new());
    }
    let url = Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
    });
    let url = url.map(String::from).filter(|url| url.len() <= MAX_URL);
    url.ok_or_else(|| {
        Error::BadRequest(format!(
            "{field}: expected an address such as https://example.com, of at most {MAX_URL} bytes"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_taken() {
        for (text, stored) in [
            (" https://example.com/a?b#c ", "https://example.com/a?b#c"),
            ("http://example.com", "http://example.com/"),
            ("", ""),
            ("  ", ""),
        ] {
            assert_eq!(checked_url("url", text).unwrap(), stored, "{text}");
        }
        let long = format!("https://example.com/{}", "a".repeat(MAX_URL));
        for text in [
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://example.com",
            "example.com",
            "//example.com",
            "https://",
            "https://bank.example@evil.example/",
            &long,
        ] {
            let refused = checked_url("privacy_url", text).unwrap_err().to_string();
            assert!(refused.starts_with("privacy_url: expected"), "{refused}");
        }
    }

    #[test]
    fn users_go_back_over_https_or_on_their_own_machine() {
        for (text, stored) in [
            (
                "https://example.com/chat?from=memory",
                "https://example.com/chat?from=memory",
            ),
            ("http://localhost:3000/x", "http://localhost:3000/x"),
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000/"),
            ("http://[::1]:3000/", "http://[::1]:3000/"),
            ("", ""),
        ] {
            assert_eq!(checked_return_url(text).unwrap(), stored, "{text}");
        }
        for text in [
            "http://example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com/",
            "https://localhost@evil.example/",
            "javascript:alert(1)",
            "/account",
            "//example.com",
        ] {
            let refused = checked_return_url(text).unwrap_err().to_string();
            assert!(refused.starts_with("return_url: expected"), "{refused}");
        }
    }

    #[test]
    fn a_scope_is_needed_where_a_reason_is_given() {
        use ctxmem_types::Scope::{General, Goals, History};
        let needs = [(General, " To greet you. "), (Goals, "  ")];
        let needs = needs
            .map(|(scope, reason)| (scope, reason.to_owned()))
            .into();
        let checked = checked_needs(&needs).unwrap();
        assert_eq!(checked, [(General, "To greet you.".to_owned())].into());
        let long = [(History, "a".repeat(MAX_REASON + 1))].into();
        let refused = checked_needs(&long).unwrap_err().to_string();
        assert!(refused.starts_with("need_history: expected"), "{refused}");
    }

    #[test]
    fn a_purpose_is_one_short_line() {
        let profile = |purpose: &str| AgentProfile {
            purpose: purpose.to_owned(),
            ..AgentProfile::default()
        };
        assert_eq!(
            checked(&profile(" Plans trips. ")).unwrap().purpose,
            "Plans trips."
        );
        for wrong in ["a\nb".to_owned(), "a".repeat(MAX_PURPOSE + 1)] {
            assert!(checked(&profile(&wrong)).is_err(), "{wrong:?}");
        }
    }
}

//! Refusals: what a model is told when a call was refused or failed, in words that it can pass on to the person it
//! talks to.

use ctxmem_types::{InjectReason, InjectResponse};

use crate::service::CallError;

/// Text that says what was refused, and what can be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(String);

impl Refusal {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

const DENIED: &str = "The user has not given this agent access to their memory, or has taken it \
                      back. Go on without it. Only the user can change that, on their page of the \
                      memory service; do not ask them to again and again.";

const NO_SCOPES: &str = "The kinds of facts that the user allows this agent and those that its API \
                         key is for have none in common, so nothing can be read or stored. Whoever \
                         set this agent up can make a key for other scopes, and the user can allow \
                         others on their page of the memory service.";

/// The user has to be asked first, at this address.
fn must_ask(page: &str) -> Refusal {
    Refusal(format!(
        "The user has to allow this agent first. Nothing was read or stored. Give them this link, \
         where they can sign in and decide: {page} - and call again once they have allowed it."
    ))
}

/// Why an inject gave nothing; `None` where the agent has access.
pub(crate) fn of_access(injected: &InjectResponse) -> Option<Refusal> {
    match (&injected.reason, &injected.consent_url) {
        (Some(InjectReason::NoGrant), Some(page)) => Some(must_ask(page)),
        (Some(InjectReason::NoGrant), None) => Some(Refusal::new(DENIED)),
        (Some(InjectReason::NoScopes), _) => Some(Refusal::new(NO_SCOPES)),
        _ => None,
    }
}

pub(crate) fn of_error(error: &CallError) -> Refusal {
    if let Some(page) = &error.consent_url {
        return must_ask(page);
    }
    // The service's own words are for people, and say more than a status.
    let said = error
        .message
        .as_ref()
        .map(|message| format!(" The memory service said: {message}"))
        .unwrap_or_default();
    Refusal(match error.status {
        Some(401) => format!(
            "The memory service does not accept this agent's API key. Whoever set this agent up has \
             to give it another one.{said}"
        ),
        Some(403) => format!("{DENIED}{said}"),
        Some(429) => {
            let wait = error.retry_after.map_or_else(
                || "Try again in a minute.".to_owned(),
                |wait| format!("Try again in {} s.", wait.as_secs_f64().ceil()),
            );
            format!("This agent has sent too many requests to the memory service. {wait}")
        }
        Some(status @ 400..=499) => {
            format!("The memory service did not accept this ({status}).{said}")
        }
        _ => format!(
            "The memory service is not available: {error}. Go on without it. If something was to be \
             stored, it may not have been; to ask for it again later does no harm."
        ),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn answered(status: u16, change: impl FnOnce(&mut CallError)) -> String {
        let mut error = CallError {
            status: Some(status),
            ..CallError::default()
        };
        change(&mut error);
        of_error(&error).into_text()
    }

    #[test]
    fn who_has_to_be_asked_gets_the_link() {
        let page = "https://memory.example.com/consent/a";
        let told = answered(403, |error| error.consent_url = Some(page.to_owned()));
        assert!(told.contains(page) && told.contains("allow this agent first"));

        let mut response = InjectResponse::unchanged("");
        response.reason = Some("no_grant".into());
        response.consent_url = Some(page.to_owned());
        let refusal = of_access(&response).unwrap();
        assert!(refusal.text().contains(page));
    }

    #[test]
    fn each_refusal_says_what_it_is_and_what_can_be_done() {
        let limited = answered(429, |error| {
            error.retry_after = Some(Duration::from_millis(1_200));
        });
        assert!(limited.ends_with("Try again in 2 s."), "{limited}");
        assert!(answered(401, |_| ()).contains("API key"));
        assert!(answered(403, |_| ()).contains("taken it back"));
        let bad = answered(413, |error| {
            error.message = Some("body: too large".to_owned());
        });
        assert!(bad.contains("body: too large"), "{bad}");
        let down = of_error(&CallError {
            summary: "could not connect to the service".to_owned(),
            ..CallError::default()
        });
        assert!(down.text().contains("could not connect"), "{down:?}");
        assert!(down.text().contains("Go on without it"));
    }

    #[test]
    fn access_is_no_refusal() {
        for reason in [
            None,
            Some("empty"),
            Some("empty_capsule"),
            Some("seeded_demo"),
        ] {
            let mut response = InjectResponse::unchanged("");
            response.reason = reason.map(Into::into);
            assert_eq!(of_access(&response), None);
        }
    }
}

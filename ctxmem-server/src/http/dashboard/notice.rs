//! Notices on the dashboard about what a form has just done. The address carries a code and
//! no text, so a link can't make the page show a text of somebody else's.

use serde::Deserialize;

/// What a form has just done.
#[derive(Clone, Copy)]
pub(super) enum DashboardNotice {
    AgentRenamed,
    AgentDeleted,
    KeyRevoked,
    PasswordChanged,
    SecondFactorOff,
    TestUserErased,
}

impl DashboardNotice {
    const ALL: [Self; 6] = [
        Self::AgentRenamed,
        Self::AgentDeleted,
        Self::KeyRevoked,
        Self::PasswordChanged,
        Self::SecondFactorOff,
        Self::TestUserErased,
    ];

    /// The notice in an address.
    fn code(self) -> &'static str {
        match self {
            Self::AgentRenamed => "agent-renamed",
            Self::AgentDeleted => "agent-deleted",
            Self::KeyRevoked => "key-revoked",
            Self::PasswordChanged => "password-changed",
            Self::SecondFactorOff => "second-factor-off",
            Self::TestUserErased => "test-user-erased",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::AgentRenamed => "The agent has its new name.",
            Self::AgentDeleted => {
                "The agent is deleted. Its keys have stopped working; users still see its name."
            }
            Self::KeyRevoked => "The key is revoked. Requests with it are refused from now on.",
            Self::PasswordChanged => {
                "The password is changed. You are signed out in every other browser."
            }
            Self::SecondFactorOff => {
                "The second factor is off. Your recovery codes no longer work."
            }
            Self::TestUserErased => "The test user is erased, with everything stored about it.",
        }
    }

    /// The address of a page that shows the notice.
    pub(super) fn address_on(self, page: &str) -> String {
        format!("{page}?done={}", self.code())
    }

    /// The text for the code in a page's query; `None` if the code is unknown.
    pub(super) fn text_of(code: Option<&str>) -> Option<&'static str> {
        Self::ALL
            .into_iter()
            .find(|notice| Some(notice.code()) == code)
            .map(Self::text)
    }
}

/// The query of a page that shows a notice.
#[derive(Deserialize)]
pub(super) struct NoticeQuery {
    /// The code of the notice.
    pub(super) done: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_text_and_others_have_none() {
        for done in DashboardNotice::ALL {
            let address = done.address_on("/dashboard");
            let code = address.strip_prefix("/dashboard?done=");
            assert_eq!(DashboardNotice::text_of(code), Some(done.text()));
        }
        for code in [None, Some(""), Some("<b>"), Some("AGENT-RENAMED")] {
            assert_eq!(DashboardNotice::text_of(code), None);
        }
    }
}

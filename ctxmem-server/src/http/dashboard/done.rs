//! What a page says after a form was carried out. An address holds a code only, so nobody can
//! make a link by which a page says something else.

/// What was done.
#[derive(Clone, Copy)]
pub(super) enum Done {
    AgentRenamed,
    AgentDeleted,
    KeyRevoked,
    TestUserErased,
}

impl Done {
    const ALL: [Self; 4] = [
        Self::AgentRenamed,
        Self::AgentDeleted,
        Self::KeyRevoked,
        Self::TestUserErased,
    ];

    /// How it stands in an address.
    fn code(self) -> &'static str {
        match self {
            Self::AgentRenamed => "agent-renamed",
            Self::AgentDeleted => "agent-deleted",
            Self::KeyRevoked => "key-revoked",
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
            Self::TestUserErased => "The test user is erased, with all that was remembered.",
        }
    }

    /// The address of a page that says so.
    pub(super) fn on(self, page: &str) -> String {
        format!("{page}?done={}", self.code())
    }

    /// What the page says, by the code in its address; nothing by one that is unknown.
    pub(super) fn said(code: Option<&str>) -> Option<&'static str> {
        Self::ALL
            .into_iter()
            .find(|done| Some(done.code()) == code)
            .map(Self::text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_text_and_others_have_none() {
        for done in Done::ALL {
            let address = done.on("/dashboard");
            let code = address.strip_prefix("/dashboard?done=");
            assert_eq!(Done::said(code), Some(done.text()));
        }
        for code in [None, Some(""), Some("<b>"), Some("AGENT-RENAMED")] {
            assert_eq!(Done::said(code), None);
        }
    }
}

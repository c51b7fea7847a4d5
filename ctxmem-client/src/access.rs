//! The access of an agent to a user's memory, as an inject reports it.

use ctxmem_types::InjectReason;

use crate::Injected;

/// What an inject says about the agent's access. See [`Injected::access`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access<'a> {
    /// The agent has access, whether or not anything is stored.
    Granted,
    /// The user has not been asked yet. Show them this page, where they allow the agent or refuse;
    /// the agent has access from its next call on.
    MustAsk {
        /// The address of the page.
        page: &'a str,
    },
    /// The user refused, ended or paused the access, or it has expired. Don't ask again.
    Denied,
    /// The grant and the agent's key have no scope in common.
    NoScopes,
    /// The service did not say: see [`Injected::fallback`].
    Unknown,
}

impl Access<'_> {
    /// Whether what the user says may be sent to be learned from. Without access the service would
    /// refuse it.
    pub(crate) fn may_learn(self) -> bool {
        matches!(self, Self::Granted | Self::Unknown)
    }
}

impl Injected {
    /// Whether the agent has access to this user's memory, and if not, what can be done.
    ///
    /// ```
    /// use ctxmem_client::{Access, Injected};
    ///
    /// fn hint_for_the_user(system: &Injected) -> Option<String> {
    ///     match system.access() {
    ///         Access::MustAsk { page } => Some(format!("To let me remember you, visit {page}")),
    ///         _ => None,
    ///     }
    /// }
    /// ```
    pub fn access(&self) -> Access<'_> {
        if self.fallback().is_some() {
            return Access::Unknown;
        }
        match (self.reason(), self.consent_url()) {
            (Some(InjectReason::NoGrant), Some(page)) => Access::MustAsk { page },
            (Some(InjectReason::NoGrant), None) => Access::Denied,
            (Some(InjectReason::NoScopes), _) => Access::NoScopes,
            (Some(InjectReason::Other(_)), _) => Access::Unknown,
            _ => Access::Granted,
        }
    }
}

#[cfg(test)]
mod tests {
    use ctxmem_types::InjectResponse;

    use super::*;
    use crate::{Fallback, Outage};

    fn answered(reason: Option<&str>, consent_url: Option<&str>) -> Injected {
        let mut response = InjectResponse::unchanged("Be brief.");
        response.reason = reason.map(Into::into);
        response.consent_url = consent_url.map(Into::into);
        Injected::answered("Be brief.", response)
    }

    #[test]
    fn reasons_say_whether_there_is_access() {
        let page = "https://memory.example.com/consent/a";
        for (reason, url, expected) in [
            (None, None, Access::Granted),
            (Some("empty"), None, Access::Granted),
            (Some("empty_capsule"), None, Access::Granted),
            (Some("seeded_demo"), None, Access::Granted),
            (Some("no_grant"), None, Access::Denied),
            (Some("no_grant"), Some(page), Access::MustAsk { page }),
            (Some("no_scopes"), None, Access::NoScopes),
            (Some("on_holiday"), None, Access::Unknown),
        ] {
            let injected = answered(reason, url);
            assert_eq!(injected.access(), expected, "{reason:?}");
        }
        let base = Injected::base("Be brief.", Fallback::Outage(Outage::Incomplete));
        assert_eq!(base.access(), Access::Unknown);
    }

    #[test]
    fn without_access_nothing_is_sent_to_be_learned_from() {
        assert!(answered(None, None).access().may_learn());
        assert!(!answered(Some("no_grant"), None).access().may_learn());
        assert!(!answered(Some("no_scopes"), None).access().may_learn());
    }
}

//! Answers about grants.

use ctxmem_types::{GrantRequest, ScopeName, Timestamp};
use serde_json::json;
use wiremock::{Request, Respond, ResponseTemplate};

use super::{ServiceError, forms};

forms! {
    /// Answers to [`create_grant`](crate::Client::create_grant): the request is granted.
    GrantForm of CreateGrant {
        /// The grant expires when the request says, if it does.
        Granted,
        /// The grant expires when the request says, otherwise at the end of the year 2099.
        Expiring,
        /// Variant: the answer names scopes by their storage keys.
        StorageKeys,
    }
}

impl GrantForm {
    /// The id of the grant.
    pub const ID: &'static str = "1b4e28ba-2fa1-41d2-883f-0016d3cca427";

    /// The answer to this request.
    pub fn response(self, request: &GrantRequest) -> ResponseTemplate {
        let requested = request.expires_at.as_ref().map(Timestamp::as_str);
        let expires_at = match self {
            Self::Expiring => requested.or(Some("2099-12-31T23:59:59.000Z")),
            Self::Granted | Self::StorageKeys => requested,
        };
        let scopes = request.scopes.iter().map(|scope| self.scope(scope));
        let body = json!({"grant": {
            "id": Self::ID,
            "user_id": request.user_id,
            "agent_id": request.agent_id,
            "scopes": scopes.collect::<Vec<_>>(),
            "expires_at": expires_at,
            "revoked": false,
        }});
        ResponseTemplate::new(200).set_body_json(body)
    }

    fn scope(self, requested: &ScopeName) -> &str {
        match (self, requested.scope()) {
            (_, None) => requested.as_str(),
            (Self::StorageKeys, Some(scope)) => scope.storage_key(),
            (_, Some(scope)) => scope.name(),
        }
    }
}

impl Respond for GrantForm {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        match request.body_json::<GrantRequest>() {
            Ok(request) => self.response(&request),
            Err(_) => ServiceError::BadRequest.response(),
        }
    }
}

forms! {
    /// Answers to [`revoke_grant`](crate::Client::revoke_grant).
    RevokeForm of RevokeGrant {
        /// The grant is revoked.
        Revoked,
    }
}

impl RevokeForm {
    /// The answer.
    pub fn response(self) -> ResponseTemplate {
        ResponseTemplate::new(200).set_body_json(json!({"revoked": true}))
    }
}

impl Respond for RevokeForm {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        self.response()
    }
}

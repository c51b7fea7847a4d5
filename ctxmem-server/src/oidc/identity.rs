//! The identity in a verified ID token.

use serde_json::{Map, Value};

/// What the provider says about somebody: claims that were verified.
#[derive(Clone, PartialEq)]
pub struct Identity(pub(super) Map<String, Value>);

impl Identity {
    /// A claim, if it is a string.
    pub fn text(&self, claim: &str) -> Option<&str> {
        self.0.get(claim)?.as_str()
    }

    /// The e-mail address, if the provider has verified it.
    pub fn verified_email(&self) -> Option<&str> {
        let verified = self.0.get("email_verified") == Some(&Value::Bool(true));
        verified.then(|| self.text("email")).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(claims: Value) -> Identity {
        match claims {
            Value::Object(claims) => Identity(claims),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn any_claim_that_is_a_text_can_be_the_user() {
        let found = identity(serde_json::json!({
            "sub": "s-1",
            "preferred_username": "ada",
            "https://example.com/id": "7f3a",
            "email": "ada@example.com",
            "number": 7,
            "list": ["ada"],
        }));
        assert_eq!(found.text("sub"), Some("s-1"));
        assert_eq!(found.text("preferred_username"), Some("ada"));
        assert_eq!(found.text("https://example.com/id"), Some("7f3a"));
        assert_eq!(found.text("email"), Some("ada@example.com"));
        for claim in ["number", "list", "oid", ""] {
            assert_eq!(found.text(claim), None, "{claim}");
        }
    }

    #[test]
    fn only_a_verified_address_counts() {
        let email = "ada@example.com";
        let email_of = |claims| {
            let found = identity(claims);
            found.verified_email().map(ToOwned::to_owned)
        };
        let verified = serde_json::json!({"email": email, "email_verified": true});
        assert_eq!(email_of(verified).as_deref(), Some(email));
        for claims in [
            serde_json::json!({"email": email}),
            serde_json::json!({"email": email, "email_verified": false}),
            serde_json::json!({"email": email, "email_verified": "true"}),
            serde_json::json!({"email_verified": true}),
        ] {
            assert_eq!(email_of(claims.clone()), None, "{claims}");
        }
    }
}

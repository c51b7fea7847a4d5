//! The fields of forms and addresses.

use ctxmem_types::{Scope, ScopeSet};

use crate::core::Error;
use crate::http::call::Call;
use crate::http::error::HttpError;

/// The fields that were sent, in their order.
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    pub(super) async fn of(call: Call) -> Result<Self, HttpError> {
        Ok(Self(call.form().await?))
    }

    /// The first field of this name, where there is one.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut fields = self.0.iter();
        fields.find_map(|(found, value)| (found == name).then_some(value.as_str()))
    }

    /// The first field of this name.
    pub(super) fn field(&self, name: &str) -> Result<&str, Error> {
        self.get(name)
            .ok_or_else(|| Error::BadRequest(format!("{name}: a required field is missing")))
    }

    /// The scopes that are ticked: at least one, since a key without any is of no use.
    pub(super) fn scopes(&self) -> Result<ScopeSet, Error> {
        let mut scopes = ScopeSet::EMPTY;
        for (_, value) in self.0.iter().filter(|(name, _)| name == "scope") {
            let scope = Scope::from_name(value).ok_or_else(|| {
                Error::BadRequest(format!("scope: expected any of {}", ScopeSet::ALL))
            })?;
            scopes = scopes.with(scope);
        }
        if scopes.is_empty() {
            return Err(Error::BadRequest(
                "scope: expected at least one; a key without any can do nothing".to_owned(),
            ));
        }
        Ok(scopes)
    }
}

/// A field of the address.
pub(super) fn query(call: &Call, name: &str) -> Option<String> {
    let query = call.exchange.query();
    form_urlencoded::parse(query.as_bytes())
        .find_map(|(found, value)| (found == name).then(|| value.into_owned()))
}

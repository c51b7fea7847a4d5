//! Answers about single facts. A deployment without these calls answers
//! [`ServiceError::NotFound`].

use ctxmem_types::FactSearchRequest;
use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::{ServiceError, forms};

forms! {
    /// Answers to [`facts`](crate::Client::facts). Where a deployment has no such call, it answers
    /// [`ServiceError::NotFound`].
    FactsForm of Facts {
        /// A fact of the agent's own, and one that the user wrote.
        Listed,
        /// Nothing is remembered.
        Empty,
    }
}

impl FactsForm {
    /// The answer.
    pub fn response(self) -> ResponseTemplate {
        facts(&match self {
            Self::Listed => json!([goal(), allergy()]),
            Self::Empty => json!([]),
        })
    }
}

impl Respond for FactsForm {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        self.response()
    }
}

forms! {
    /// Answers to [`search_facts`](crate::Client::search_facts). Where a deployment has no such call,
    /// it answers [`ServiceError::NotFound`].
    SearchForm of SearchFacts {
        /// Both facts of [`FactsForm::Listed`], that of the user first.
        Found,
        /// Nothing bears on the query.
        Nothing,
    }
}

impl SearchForm {
    /// The answer.
    pub fn response(self) -> ResponseTemplate {
        facts(&match self {
            Self::Found => json!([allergy(), goal()]),
            Self::Nothing => json!([]),
        })
    }
}

impl Respond for SearchForm {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        match request.body_json::<FactSearchRequest>() {
            Ok(_) => self.response(),
            Err(_) => ServiceError::BadRequest.response(),
        }
    }
}

forms! {
    /// Answers to [`delete_fact`](crate::Client::delete_fact). Where a deployment has no such call, it
    /// answers [`ServiceError::NotFound`].
    DeleteFactForm of DeleteFact {
        /// The fact is deleted.
        Deleted,
    }
}

impl DeleteFactForm {
    /// The answer.
    pub fn response(self) -> ResponseTemplate {
        ResponseTemplate::new(200).set_body_json(json!({"deleted": true}))
    }
}

impl Respond for DeleteFactForm {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        self.response()
    }
}

fn facts(facts: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({"facts": facts}))
}

fn goal() -> Value {
    json!({
        "id": "6a-1",
        "scope": "goals",
        "value": "Ship the beta",
        "source_type": "observed",
        "storedAt": "2026-03-01T09:30:00.000Z",
        "canDelete": true,
    })
}

fn allergy() -> Value {
    json!({
        "id": "2c-7",
        "scope": "preferences",
        "name": "allergy",
        "value": "peanuts",
        "source_type": "edited",
        "storedAt": "2026-02-11T17:05:00.000Z",
        "canDelete": false,
    })
}

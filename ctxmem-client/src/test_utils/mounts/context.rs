//! Answers about a user's context.

use ctxmem_types::{UserId, path};
use serde_json::json;
use wiremock::{Request, Respond, ResponseTemplate};

use super::{ServiceError, forms};

forms! {
    /// Answers to [`context`](crate::Client::context), about the user of the request.
    /// (If nothing is stored about a user, other deployments answer
    /// [`ServiceError::NotFound`].)
    ContextForm of Context {
        /// Facts in every slice.
        Primary,
        /// Every slice is present and empty.
        Empty,
        /// Older: facts are plain strings; neither `raw_history` nor `general`.
        PlainStrings,
        /// Older: as `PlainStrings`, and how the user has felt lately.
        EmotionalState,
        /// `raw_history` contains more than facts.
        OddHistory,
        /// Only the user's id.
        OnlyUserId,
    }
}

impl ContextForm {
    /// The answer about this user.
    pub fn response(self, user_id: &UserId) -> ResponseTemplate {
        const CHANGED: &str = "2026-03-01T09:30:00.000Z";
        let fact = |value: &str| json!({"value": value, "source_type": "observed"});
        let plain = json!({
            "userId": user_id,
            "communication_style": "Short answers",
            "ongoing_tasks": ["Ship the beta"],
            "key_relationships": ["Noor leads the platform team"],
            "domain_expertise": ["Rust"],
            "preferences": {"editor": "Helix"},
            "last_updated": CHANGED,
        });
        let empty = json!({
            "userId": user_id,
            "communication_style": "",
            "ongoing_tasks": [],
            "key_relationships": [],
            "domain_expertise": [],
            "raw_history": [],
            "preferences": {},
            "general": {},
            "last_updated": CHANGED,
        });
        let body = match self {
            Self::Primary => json!({
                "userId": user_id,
                "communication_style": "Short answers",
                "ongoing_tasks": [fact("Ship the beta")],
                "key_relationships": [fact("Noor leads the platform team")],
                "domain_expertise": [fact("Rust")],
                "raw_history": [fact("Moved to gRPC")],
                "preferences": {"editor": fact("Helix")},
                "general": {"location": fact("Lisbon")},
                "last_updated": CHANGED,
            }),
            Self::Empty => empty,
            Self::PlainStrings => plain,
            Self::EmotionalState => {
                let mut body = plain;
                body["emotional_state"] = json!({"recent_sentiment": "hopeful"});
                body
            }
            Self::OddHistory => {
                let mut body = empty;
                body["raw_history"] = json!([
                    "Moved to Lisbon",
                    fact("Moved to gRPC"),
                    {"role": "user", "content": "Hello"},
                    7,
                    null,
                ]);
                body
            }
            Self::OnlyUserId => json!({"userId": user_id}),
        };
        ResponseTemplate::new(200).set_body_json(body)
    }
}

impl Respond for ContextForm {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let id = request.url.path().rsplit('/').next().unwrap_or_default();
        match path::decode_user_id(id) {
            Ok(user_id) => self.response(&user_id),
            Err(_) => ServiceError::BadRequest.response(),
        }
    }
}

forms! {
    /// Answers to [`delete_context`](crate::Client::delete_context).
    DeleteForm of DeleteContext {
        /// The context is deleted.
        Deleted,
    }
}

impl DeleteForm {
    /// The answer.
    pub fn response(self) -> ResponseTemplate {
        ResponseTemplate::new(200).set_body_json(json!({"deleted": true}))
    }
}

impl Respond for DeleteForm {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        self.response()
    }
}

//! Answers to update.

use ctxmem_types::UpdateRequest;
use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::{ServiceError, forms};

forms! {
    /// Answers to [`update`](crate::Client::update).
    UpdateForm of Update {
        /// Facts were written.
        Learned,
        /// The interaction contained nothing to remember. Not every deployment says why nothing
        /// was stored.
        Filtered,
        /// The interaction contained nothing new.
        NothingNew,
        /// The interaction contained something that is never stored.
        Refused,
        /// Older: nothing was learned, for whatever reason.
        Nothing,
        /// A fact was written, and one removed that is no longer true. Not every deployment does
        /// that.
        Removed,
        /// A fact was written, and another made room for it because its scope was full. Not every
        /// deployment does that.
        Evicted,
        /// Some facts were dropped because their scope is not granted.
        Denied,
        /// All facts were dropped because their scopes are not granted.
        AllDenied,
        /// Variant of `AllDenied`: the answer says that nothing was updated.
        AllDeniedNotUpdated,
        /// The monthly quota is used up.
        LimitReached,
        /// Older: facts are plain strings.
        PlainStrings,
    }
}

impl UpdateForm {
    /// The answer.
    pub fn response(self) -> ResponseTemplate {
        let fact = |value: &str| json!({"value": value, "source_type": "observed"});
        let denied = |updated: bool, delta: Value| {
            json!({
                "updated": updated,
                "delta": delta,
                "denied_scopes": ["relationships", "goals"],
                "notice": "Facts in scopes that are not granted were dropped.",
            })
        };
        let nothing_stored = |outcome| json!({"updated": true, "delta": {}, "outcome": outcome});
        let body = match self {
            Self::Learned => json!({
                "updated": true,
                "delta": {
                    "general": {"location": fact("Lisbon")},
                    "communication_style": "Short answers",
                    "preferences": {"editor": fact("Helix")},
                    "ongoing_tasks": [fact("Ship the beta")],
                },
            }),
            Self::Filtered => nothing_stored("filtered"),
            Self::NothingNew => nothing_stored("nothing_new"),
            Self::Refused => {
                let mut body = nothing_stored("refused");
                body["notice"] = "Nothing was stored: secrets are never stored.".into();
                body
            }
            Self::Nothing => json!({"updated": true, "delta": {}}),
            Self::Removed => json!({
                "updated": true,
                "delta": {"preferences": {"editor": fact("Zed")}},
                "removed": {"domain_expertise": [fact("Vim script")]},
            }),
            Self::Evicted => json!({
                "updated": true,
                "delta": {"ongoing_tasks": [fact("Ship the beta")]},
                "evicted": {"ongoing_tasks": [fact("Read a book")]},
            }),
            Self::Denied => denied(true, json!({"preferences": {"editor": fact("Helix")}})),
            Self::AllDenied => denied(true, json!({})),
            Self::AllDeniedNotUpdated => denied(false, json!({})),
            Self::LimitReached => json!({"updated": false, "limitReached": true}),
            Self::PlainStrings => json!({
                "updated": true,
                "delta": {
                    "communication_style": "Short answers",
                    "preferences": {"editor": "Helix"},
                    "ongoing_tasks": ["Ship the beta"],
                },
            }),
        };
        ResponseTemplate::new(200).set_body_json(body)
    }
}

impl Respond for UpdateForm {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        match request.body_json::<UpdateRequest>() {
            Ok(_) => self.response(),
            Err(_) => ServiceError::BadRequest.response(),
        }
    }
}

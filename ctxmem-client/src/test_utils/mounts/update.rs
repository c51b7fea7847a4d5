//! What interactions taught.

use ctxmem_types::UpdateRequest;
use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use super::{ServiceError, forms};

forms! {
    /// Answers to [`update`](crate::Client::update).
    UpdateForm of Update {
        /// Facts were written.
        Learned,
        /// The interaction held nothing durable. Not every deployment tells why nothing was
        /// stored.
        Filtered,
        /// The interaction taught nothing new.
        NothingNew,
        /// What there was to remember is never stored.
        Refused,
        /// Older: the interaction taught nothing, whatever the reason.
        Nothing,
        /// A fact was written, and one removed that no longer holds. Not every deployment
        /// has it.
        Removed,
        /// Some facts were dropped, because their scope is not granted.
        Denied,
        /// All facts were.
        AllDenied,
        /// Variant: all facts were, which counts as not updated.
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
        let unlearned = |outcome| json!({"updated": true, "delta": {}, "outcome": outcome});
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
            Self::Filtered => unlearned("filtered"),
            Self::NothingNew => unlearned("nothing_new"),
            Self::Refused => {
                let mut body = unlearned("refused");
                body["notice"] = "Nothing was stored: secrets are never stored.".into();
                body
            }
            Self::Nothing => json!({"updated": true, "delta": {}}),
            Self::Removed => json!({
                "updated": true,
                "delta": {"preferences": {"editor": fact("Zed")}},
                "removed": {"domain_expertise": [fact("Vim script")]},
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

//! Answers about the health of the service.

use serde_json::json;
use wiremock::{Request, Respond, ResponseTemplate};

use super::forms;

forms! {
    /// Answers to [`health`](crate::Client::health).
    HealthForm of Health {
        /// Everything is healthy.
        Status,
        /// Everything is healthy except the model, which does not answer.
        ModelDown,
        /// Status 503 and a report: the database does not answer.
        Degraded503,
        /// Older: `{"ok": true}`.
        OkTrue,
    }
}

impl HealthForm {
    /// The answer.
    pub fn response(self) -> ResponseTemplate {
        let report = |status: &str, database: &str, model: &str| {
            json!({
                "status": status,
                "checks": {"database": database, "model": model},
                "timestamp": "2026-03-01T09:30:00.000Z",
            })
        };
        let (status, body) = match self {
            Self::Status => (200, report("ok", "ok", "ok")),
            Self::ModelDown => (200, report("ok", "ok", "unavailable")),
            Self::Degraded503 => (503, report("degraded", "unavailable", "ok")),
            Self::OkTrue => (200, json!({"ok": true})),
        };
        ResponseTemplate::new(status).set_body_json(body)
    }
}

impl Respond for HealthForm {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        self.response()
    }
}

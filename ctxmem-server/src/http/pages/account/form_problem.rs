//! What is wrong with a form, as its page shows it.

use crate::core::Error;
use crate::http::engine::handler_context::HandlerContext;
use crate::http::words::Phrase;

/// What is wrong with a form: the field and the problem.
pub(super) struct FormProblem {
    field: String,
    text: Phrase,
}

impl FormProblem {
    /// From a refusal that names one of these fields, if a browser asked. Any other error is
    /// returned as it is.
    pub(super) fn of(error: Error, fields: &[&str], ctx: &HandlerContext) -> Result<Self, Error> {
        let Error::BadRequest(whole) = &error else {
            return Err(error);
        };
        match whole.split_once(": ") {
            Some((field, text)) if ctx.request.wants_page() && fields.contains(&field) => {
                Ok(Self {
                    field: field.to_owned(),
                    text: Phrase::refusal(text),
                })
            }
            _ => Err(error),
        }
    }

    /// The problem, if it is about this field.
    pub(super) fn with(&self, field: &str) -> Option<&Phrase> {
        (self.field == field).then_some(&self.text)
    }
}

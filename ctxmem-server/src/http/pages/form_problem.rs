//! What is wrong with a form, as its page shows it.

use crate::core::Error;
use crate::http::engine::HandlerContext;
use crate::http::words::Phrase;

/// What is wrong with a form, if anything is: the field and the problem.
#[derive(Default)]
pub(crate) struct FormProblem(Option<(String, Phrase)>);

impl FormProblem {
    /// From an error's text, which begins with the field's name. It is about this field where it doesn't.
    pub(crate) fn new(text: &str, field: &str) -> Self {
        let (field, text) = text.split_once(": ").unwrap_or((field, text));
        Self(Some((field.to_owned(), Phrase::refusal(text))))
    }

    /// From a refusal that names one of these fields, if a browser asked. Any other error is
    /// returned as it is.
    pub(crate) fn of(error: Error, fields: &[&str], ctx: &HandlerContext) -> Result<Self, Error> {
        let Error::BadRequest(text) = &error else {
            return Err(error);
        };
        match text.split_once(": ") {
            Some((field, _)) if ctx.request.wants_page() && fields.contains(&field) => {
                Ok(Self::new(text, field))
            }
            _ => Err(error),
        }
    }

    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// The problem, if it is with this field.
    pub(crate) fn with(&self, field: &str) -> Option<&Phrase> {
        let (about, text) = self.0.as_ref()?;
        (about == field).then_some(text)
    }
}

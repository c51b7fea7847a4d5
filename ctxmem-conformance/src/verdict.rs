//! Verdicts: the result of checking a rule.

use std::fmt;

use serde::Serialize;

/// The result of a check. `Err` is a verdict as well, for use with `?`.
pub(crate) type Finding = Result<Verdict, Verdict>;

/// Whether a deployment keeps a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// It keeps the rule, in the primary form.
    Pass {
        /// Which of several possibilities was found.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// It answers in another form that the interface allows.
    Variant {
        /// Which form.
        form: String,
    },
    /// It breaks the rule.
    Fail {
        /// What the rule requires.
        expected: String,
        /// What was found instead.
        came: String,
    },
    /// The rule could not be tested.
    NotTestable {
        /// What is missing.
        without: String,
    },
}

impl Verdict {
    pub(crate) const PASS: Self = Self::Pass { note: None };

    pub(crate) fn pass(note: impl Into<String>) -> Self {
        let note = Some(note.into());
        Self::Pass { note }
    }

    pub(crate) fn variant(form: impl Into<String>) -> Self {
        Self::Variant { form: form.into() }
    }

    pub(crate) fn fail(expected: impl Into<String>, came: impl fmt::Display) -> Self {
        Self::Fail {
            expected: expected.into(),
            came: came.to_string(),
        }
    }

    pub(crate) fn without(without: impl Into<String>) -> Self {
        let without = without.into();
        Self::NotTestable { without }
    }

    /// Passes if the rule is kept, otherwise fails with what was expected and what came.
    pub(crate) fn of(
        kept: bool,
        expected: impl Into<String>,
        came: impl fmt::Display,
    ) -> Result<Self, Self> {
        if kept {
            Ok(Self::PASS)
        } else {
            Err(Self::fail(expected, came))
        }
    }

    /// The same verdict with its texts changed.
    pub(crate) fn map(self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Pass { note } => Self::Pass {
                note: note.as_deref().map(change),
            },
            Self::Variant { form } => Self::variant(change(&form)),
            Self::Fail { expected, came } => Self::fail(change(&expected), change(&came)),
            Self::NotTestable { without } => Self::without(change(&without)),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass { note: None } => write!(f, "pass"),
            Self::Pass { note: Some(note) } => write!(f, "pass ({note})"),
            Self::Variant { form } => write!(f, "variant form ({form})"),
            Self::Fail { expected, came } => write!(f, "fail (expected {expected}; came {came})"),
            Self::NotTestable { without } => write!(f, "not testable without {without}"),
        }
    }
}

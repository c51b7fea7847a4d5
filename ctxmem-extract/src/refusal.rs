//! Refusals: the reasons for which the gate refuses a candidate.

/// Longest stored value, in characters.
pub(crate) const MAX_VALUE_CHARS: usize = 500;

/// Longest stored key, in bytes.
pub(crate) const MAX_KEY_BYTES: usize = 64;

/// Why something must not be stored. The texts begin with the name of the field and never repeat
/// its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The value is missing or has nothing that prints.
    #[error("value: write the fact")]
    NoValue,
    /// The name is missing or has no letter or digit.
    #[error("name: write a name of letters and digits, such as editor")]
    NoName,
    /// The value is too long.
    #[error("value: it is too long; at most {MAX_VALUE_CHARS} characters are stored")]
    LongValue,
    /// The name is too long.
    #[error("name: it is too long; a name has at most {MAX_KEY_BYTES} bytes")]
    LongName,
    /// The value looks like a secret.
    #[error("value: it looks like a password, key or card number; secrets are never stored")]
    SecretValue,
    /// The name is a secret or the name of one.
    #[error("name: it looks like a password, key or card number; secrets are never stored")]
    SecretName,
    /// The value tells a model what to do.
    #[error("value: it looks like a command to the AI rather than something about you")]
    ValueGivesOrders,
    /// The name tells a model what to do.
    #[error("name: it looks like a command to the AI; write a short name, such as editor")]
    NameGivesOrders,
}

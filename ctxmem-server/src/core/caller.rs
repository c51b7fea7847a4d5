//! The caller of an operation that both agents and users may perform.

use ctxmem_types::UserId;

use super::{Error, Key};

/// The caller. No key does what is left to the user alone.
#[derive(Clone, Debug)]
pub enum Caller {
    /// An agent, by any of its keys.
    Key(Key),
    /// A user who is signed in.
    User(UserId),
}

impl Caller {
    /// Refuses a signed-in user who names somebody else.
    pub(super) fn check_user(&self, user_id: &UserId) -> Result<(), Error> {
        match self {
            Self::User(own) if own != user_id => Err(Error::Forbidden(
                "userId: expected the user who is signed in.",
            )),
            _ => Ok(()),
        }
    }
}

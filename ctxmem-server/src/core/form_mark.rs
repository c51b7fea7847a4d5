//! Form marks, which bind a form to the account that it was made for. A tab may stay open while
//! somebody else signs in in the same browser, and what its forms say was decided by the person
//! before. So each form carries a mark of its owner, and is carried out only for the account that
//! the mark stands for.
//!
//! A mark is a keyed hash of the account's id: all processes on a database make the same one, it
//! says nothing about whom it stands for, and no other site can make one.

use ctxmem_types::UserId;

use super::SignIn;
use crate::store::MemberId;

/// How much of the hash a mark or a seal keeps, in bytes.
const BYTES: usize = 16;

impl SignIn {
    /// The mark of forms that are made for a user.
    pub fn user_form_mark(&self, user_id: &UserId) -> String {
        self.short_hash(&["form", "user", user_id.as_str()])
    }

    /// The mark of forms that are made for a developer.
    pub fn mark_of_developer(&self, member_id: &MemberId) -> String {
        self.short_hash(&["form", "developer", member_id.as_str()])
    }

    /// Shows that this server told this notice to the owner of this mark.
    pub fn notice_seal(&self, mark: &str, notice: &str) -> String {
        self.short_hash(&["notice", mark, notice])
    }

    fn short_hash(&self, texts: &[&str]) -> String {
        let texts: Vec<Option<&str>> = texts.iter().copied().map(Some).collect();
        hex::encode(&self.db.keyed_hash(&texts)[..BYTES])
    }
}

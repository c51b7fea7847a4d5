//! The pages: of users, of developers, and those that both come to.

pub(crate) mod about;
pub(crate) mod account;
pub(crate) mod assets;
pub(crate) mod authorize;
pub(crate) mod avatar;
pub(crate) mod choice;
pub(crate) mod consent;
pub(crate) mod csv;
pub(crate) mod dashboard;
pub(crate) mod error_page;
pub(crate) mod finish;
pub(crate) mod form_again;
pub(crate) mod form_problem;
pub(crate) mod home;
pub(crate) mod hooks;
pub(crate) mod language;
pub(crate) mod notice;
pub(crate) mod operator;
pub(crate) mod reference;
pub(crate) mod scopes;
pub(crate) mod security_txt;
pub(crate) mod sign_in;

pub(crate) use form_problem::FormProblem;
pub(crate) use notice::Notice;

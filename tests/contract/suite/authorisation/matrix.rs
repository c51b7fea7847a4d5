//! The table: who may do what, one row a route and object, one column a principal.

use super::objects::{Kind, Whose};
use super::principals::{KEYS, PRINCIPALS, Principal, SESSIONS};
use crate::suite::support::RawResponse;

/// What a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// 200.
    Yes,
    /// 200, and the call made the first grant between the agent and the user.
    Made,
    /// 200, and the tool refuses, in words for the model.
    Told,
    /// 303: to the provider.
    Away,
    /// 303: back to a page of one's account.
    Back,
    /// 303: to a page of the dashboard.
    Dash,
    /// 303, and the form made the first grant between the agent and the user.
    Let,
    /// 303: to a client, with a code, and the form made the first grant between its agent and the user.
    Code,
    /// 201: a client is registered.
    New,
    /// 400, in the form of OAuth: the code or token is none.
    Bad,
    /// 400: what the form brings was sealed for nobody's session.
    Odd,
    /// 401: no key, or none that is good.
    NoKey,
    /// 401: nobody is signed in.
    NoOne,
    /// 401, as a page.
    Page,
    /// 400, as a page: the form of somebody signed in, with a wrong password.
    Wrong,
    /// 401: not the secret of the operator's application.
    NoSec,
    /// 403.
    No,
    /// 403, as a page.
    Stop,
    /// 404.
    Not,
    /// 409: there is nothing to confirm.
    Late,
    /// 410, as a page: the link does not work, or no longer does.
    Gone,
}

/// A route and the object that its request names, with what each principal is answered.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) method: &'static str,
    pub(super) template: &'static str,
    pub(super) kind: Kind,
    pub(super) whose: Whose,
    pub(super) cells: [Cell; PRINCIPALS.len()],
}

macro_rules! matrix {
    ($($method:ident $template:literal $kind:ident $whose:ident $($cell:ident)+;)+) => {
        &[$(Row {
            method: stringify!($method),
            template: $template,
            kind: Kind::$kind,
            whose: Whose::$whose,
            cells: [$(Cell::$cell),+],
        }),+]
    };
}

// Two rows where it may surprise: an agent's first call for a user, or its first request for
// a grant, is what makes it that user's agent. And a user may let in any agent there is.
// Where there is an identity provider, as here, nobody joins a team by a form.
pub(super) const MATRIX: &[Row] = matrix! {
    //                                                     no      malfor- revoked key of  key of  key of  session session expired ended   develo- develo- member
    //                                                     one     med key key     A       B       C       of U    of V    session session per D   per E   M
    POST   "/api/context/inject"            User    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/inject"            User    Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/inject"            User    Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/inject"            Agent   Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/inject"            Agent   Other  NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/inject"            Agent   Absent NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    POST   "/api/context/update"            User    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/update"            User    Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/update"            User    Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/update"            Agent   Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/update"            Agent   Other  NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/api/context/update"            Agent   Absent NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    GET    "/api/context/{userId}"          User    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    GET    "/api/context/{userId}"          User    Other  NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    GET    "/api/context/{userId}"          User    Absent NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    DELETE "/api/context/{userId}"          User    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    DELETE "/api/context/{userId}"          User    Other  NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    DELETE "/api/context/{userId}"          User    Absent NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    GET    "/api/context/{userId}/facts"     User    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
    GET    "/api/context/{userId}/facts"     User    Other  NoKey   NoKey   NoKey   No      No      No      No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    GET    "/api/context/{userId}/facts"     User    Absent NoKey   NoKey   NoKey   No      No      No      No      No      NoOne   NoOne   NoKey   NoKey   NoKey;

    POST   "/api/context/{userId}/facts/search" User    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
    POST   "/api/context/{userId}/facts/search" User    Other  NoKey   NoKey   NoKey   No      No      No      No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    POST   "/api/context/{userId}/facts/search" User    Absent NoKey   NoKey   NoKey   No      No      No      No      No      NoOne   NoOne   NoKey   NoKey   NoKey;

    DELETE "/api/context/{userId}/facts/{factId}"  User    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
    DELETE "/api/context/{userId}/facts/{factId}"  User    Other  NoKey   NoKey   NoKey   No      No      No      No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    DELETE "/api/context/{userId}/facts/{factId}"  User    Absent NoKey   NoKey   NoKey   No      No      No      No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    DELETE "/api/context/{userId}/facts/{factId}"  Record  Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
    DELETE "/api/context/{userId}/facts/{factId}"  Record  Other  NoKey   NoKey   NoKey   Not     Not     Not     Not     Not     NoOne   NoOne   NoKey   NoKey   NoKey;
    DELETE "/api/context/{userId}/facts/{factId}"  Record  Absent NoKey   NoKey   NoKey   Not     Not     Not     Not     Not     NoOne   NoOne   NoKey   NoKey   NoKey;

    POST   "/api/grants"                    User    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
    POST   "/api/grants"                    User    Other  NoKey   NoKey   NoKey   Made    Made    Made    No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    POST   "/api/grants"                    User    Absent NoKey   NoKey   NoKey   Made    Made    Made    No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    POST   "/api/grants"                    Agent   Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
    POST   "/api/grants"                    Agent   Other  NoKey   NoKey   NoKey   No      No      No      Made    Made    NoOne   NoOne   NoKey   NoKey   NoKey;
    POST   "/api/grants"                    Agent   Absent NoKey   NoKey   NoKey   No      No      No      Not     Not     NoOne   NoOne   NoKey   NoKey   NoKey;

    DELETE "/api/grants/{grantId}"          Grant   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
    DELETE "/api/grants/{grantId}"          Grant   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    DELETE "/api/grants/{grantId}"          Grant   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/api/health"                    Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/api/openapi.json"               Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/api/docs"                       Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/livez"                         Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/readyz"                        Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;

    POST   "/api/sign-in-links"             User    Own    NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec;
    POST   "/api/sign-in-links"             User    Other  NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec;
    POST   "/api/sign-in-links"             User    Absent NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec;

    GET    "/sign-in"                       Link    Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/sign-in"                       Link    Other  Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone;
    GET    "/sign-in"                       Link    Absent Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone;

    POST   "/sign-in"                       Link    Own    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back;
    POST   "/sign-in"                       Link    Other  Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone;
    POST   "/sign-in"                       Link    Absent Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone;

    GET    "/sign-in/oidc"                  Nothing Own    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away;
    GET    "/dashboard/sign-in/oidc"        Nothing Own    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away;
    GET    "/sign-in/oidc/callback"         Nothing Own    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop;

    POST   "/sign-out"                      Nothing Own    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back;

    GET    "/account"                       Nothing Own    Page    Page    Page    Page    Page    Page    Yes     Yes     Page    Page    Page    Page    Page;

    POST   "/account/allow"                 Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/account/allow"                 Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Let     Let     NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/account/allow"                 Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/revoke"                Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/account/revoke"                Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/account/revoke"                Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/facts/add"             Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/facts/edit"            Fact    Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
    GET    "/account/facts/edit"            Fact    Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    GET    "/account/facts/edit"            Fact    Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/facts/correct"         Fact    Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/account/facts/correct"         Fact    Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/account/facts/correct"         Fact    Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/facts/delete"          Fact    Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/account/facts/delete"          Fact    Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/account/facts/delete"          Fact    Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/facts/delete-scope"    Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/history"               Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/preview"               Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
    GET    "/account/preview"               Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    GET    "/account/preview"               Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/export.json"           Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/context.json"          Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/apps"                  Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/data"                  Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/facts"                 Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/facts/find"            Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/facts/let-in"          Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/history.csv"           Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/receipt.txt"           Receipt Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
    GET    "/account/receipt.txt"           Receipt Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    GET    "/account/receipt.txt"           Receipt Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/erase"                 Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/erase"                 Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/account/receipt"               Receipt Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
    GET    "/account/receipt"               Receipt Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    GET    "/account/receipt"               Receipt Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/pause"                Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/ask-first"            Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/auto-delete"          Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/facts/restore"        Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Odd     Odd     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/facts/keep-out"       Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Odd     Odd     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/access-seen"          Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/account/sign-out-everywhere"  Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/consent/{agentId}"            Agent   Own    Page    Page    Page    Page    Page    Page    Yes     Yes     Page    Page    Page    Page    Page;
    GET    "/consent/{agentId}"            Agent   Other  Page    Page    Page    Page    Page    Page    Yes     Yes     Page    Page    Page    Page    Page;
    GET    "/consent/{agentId}"            Agent   Absent Page    Page    Page    Page    Page    Page    Not     Not     Page    Page    Page    Page    Page;

    POST   "/consent/{agentId}"            Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/consent/{agentId}"            Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Let     Let     NoOne   NoOne   NoOne   NoOne   NoOne;
    POST   "/consent/{agentId}"            Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;

    POST   "/dashboard/agents/profile"     Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;
    POST   "/dashboard/agents/profile"     Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    POST   "/dashboard/agents/profile"     Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    GET    "/dashboard"                     Nothing Own    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page    Yes     Yes     Yes;

    POST   "/dashboard/sign-in"             Nothing Own    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page;

    POST   "/dashboard/sign-out"            Nothing Own    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;

    POST   "/dashboard/agents"              Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;

    POST   "/dashboard/agents/rename"       Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;
    POST   "/dashboard/agents/rename"       Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    POST   "/dashboard/agents/rename"       Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    POST   "/dashboard/agents/delete"       Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;
    POST   "/dashboard/agents/delete"       Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    POST   "/dashboard/agents/delete"       Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    GET    "/dashboard/agents/{agentId}"    Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;
    GET    "/dashboard/agents/{agentId}"    Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    GET    "/dashboard/agents/{agentId}"    Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    POST   "/dashboard/keys"                Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;
    POST   "/dashboard/keys"                Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    POST   "/dashboard/keys"                Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    POST   "/dashboard/keys/revoke"         Key     Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;
    POST   "/dashboard/keys/revoke"         Key     Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    POST   "/dashboard/keys/revoke"         Key     Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    POST   "/dashboard/keys/rotate"         Key     Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;
    POST   "/dashboard/keys/rotate"         Key     Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    POST   "/dashboard/keys/rotate"         Key     Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    GET    "/dashboard/keys/{keyId}"        Key     Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;
    GET    "/dashboard/keys/{keyId}"        Key     Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    GET    "/dashboard/keys/{keyId}"        Key     Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    GET    "/dashboard/requests"           Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;
    GET    "/dashboard/requests"           Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    GET    "/dashboard/requests"           Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    GET    "/dashboard/requests.csv"       Agent   Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;
    GET    "/dashboard/requests.csv"       Agent   Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    GET    "/dashboard/requests.csv"       Agent   Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    GET    "/dashboard/usage.csv"          Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;

    GET    "/dashboard/settings"           Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;

    POST   "/dashboard/settings/password"  Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Wrong   Wrong   Wrong;

    POST   "/dashboard/settings/code"      Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;

    POST   "/dashboard/settings/code/confirm" Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Late    Late    Late;

    POST   "/dashboard/settings/code/end"  Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Wrong   Wrong   Wrong;

    GET    "/dashboard/sign-in/code"        Nothing Own    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;

    POST   "/dashboard/sign-in/code"        Nothing Own    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;

    GET    "/dashboard/team"                Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;

    POST   "/dashboard/team/invite"         Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    No;

    POST   "/dashboard/team/withdraw"       Invite  Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    No;
    POST   "/dashboard/team/withdraw"       Invite  Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     No;
    POST   "/dashboard/team/withdraw"       Invite  Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     No;

    POST   "/dashboard/team/remove"         Member  Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    No;
    POST   "/dashboard/team/remove"         Member  Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     No;
    POST   "/dashboard/team/remove"         Member  Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     No;

    POST   "/dashboard/team/hand-over"      Member  Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    No;
    POST   "/dashboard/team/hand-over"      Member  Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     No;
    POST   "/dashboard/team/hand-over"      Member  Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     No;

    POST   "/dashboard/team/leave"          Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Late    Late    Dash;

    GET    "/dashboard/join"                Ticket  Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/dashboard/join"                Ticket  Other  Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone;
    GET    "/dashboard/join"                Ticket  Absent Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone;

    POST   "/dashboard/join"                Ticket  Own    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;
    POST   "/dashboard/join"                Ticket  Other  Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;
    POST   "/dashboard/join"                Ticket  Absent Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;

    GET    "/dashboard/join/oidc"           Ticket  Own    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away;
    GET    "/dashboard/join/oidc"           Ticket  Other  Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;
    GET    "/dashboard/join/oidc"           Ticket  Absent Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;

    GET    "/dashboard/playground"          Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;

    POST   "/dashboard/playground"          Key     Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;
    POST   "/dashboard/playground"          Key     Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    POST   "/dashboard/playground"          Key     Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;

    POST   "/dashboard/playground/erase"    Nothing Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;

    GET    "/"                              Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/account/"                      Nothing Own    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back;
    GET    "/dashboard/"                    Nothing Own    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;
    GET    "/about"                         Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    POST   "/language"                      Nothing Own    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back;
    GET    "/.well-known/security.txt"      Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;

    POST   "/mcp"                           GetContext   Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           GetContext   Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           GetContext   Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    POST   "/mcp"                           GetScope     Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           GetScope     Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           GetScope     Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    POST   "/mcp"                           Remember     Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           Remember     Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           Remember     Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    POST   "/mcp"                           ListFacts    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           ListFacts    Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           ListFacts    Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    POST   "/mcp"                           Forget       Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           Forget       Other  NoKey   NoKey   NoKey   Told    Told    Told    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           Forget       Absent NoKey   NoKey   NoKey   Told    Told    Told    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    POST   "/mcp"                           ReadResource Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           ReadResource Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           ReadResource Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    POST   "/mcp"                           GetPrompt    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           GetPrompt    Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp"                           GetPrompt    Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    POST   "/mcp/users/{userId}"            GetContext   Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            GetContext   Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            GetContext   Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            GetScope     Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            GetScope     Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            GetScope     Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            Remember     Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            Remember     Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            Remember     Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            ListFacts    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            ListFacts    Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            ListFacts    Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            Forget       Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            Forget       Other  NoKey   NoKey   NoKey   Told    Told    Told    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            Forget       Absent NoKey   NoKey   NoKey   Told    Told    Told    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            ReadResource Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            ReadResource Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            ReadResource Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            GetPrompt    Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            GetPrompt    Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/users/{userId}"            GetPrompt    Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/"                          GetContext   Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/"                          GetContext   Other  NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    POST   "/mcp/"                          GetContext   Absent NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;

    GET    "/.well-known/oauth-protected-resource" Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/.well-known/oauth-protected-resource/mcp" Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/.well-known/oauth-authorization-server" Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    POST   "/oauth/register"                Nothing Own    New     New     New     New     New     New     New     New     New     New     New     New     New;
    POST   "/oauth/token"                   Nothing Own    Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad;
    POST   "/oauth/revoke"                  Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/oauth/authorize"               Account Own    Page    Page    Page    Page    Page    Page    Yes     Yes     Page    Page    Page    Page    Page;
    POST   "/oauth/authorize"               Account Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Code    Code    NoOne   NoOne   NoOne   NoOne   NoOne;

    GET    "/style.css"                     Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/script.js"                     Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    GET    "/favicon.svg"                   Nothing Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
};

/// Where somebody else's object is told from an absent one, and by whom. Everywhere else the
/// answers are the same to the byte.
pub(super) const TOLD_APART: &[(&str, &str, Kind, &[Principal])] = &[
    // The first call makes the grant; from then on the agent may read what is stored.
    ("POST", "/api/context/inject", Kind::User, KEYS),
    ("POST", "/mcp", Kind::GetContext, KEYS),
    ("POST", "/mcp", Kind::GetScope, KEYS),
    ("POST", "/mcp", Kind::ListFacts, KEYS),
    ("POST", "/mcp", Kind::ReadResource, KEYS),
    ("POST", "/mcp", Kind::GetPrompt, KEYS),
    ("POST", "/mcp/users/{userId}", Kind::GetContext, KEYS),
    ("POST", "/mcp/users/{userId}", Kind::GetScope, KEYS),
    ("POST", "/mcp/users/{userId}", Kind::ListFacts, KEYS),
    ("POST", "/mcp/users/{userId}", Kind::ReadResource, KEYS),
    ("POST", "/mcp/users/{userId}", Kind::GetPrompt, KEYS),
    ("POST", "/mcp/", Kind::GetContext, KEYS),
    // A user may let in any agent that exists, and hears that one does not.
    ("POST", "/api/grants", Kind::Agent, SESSIONS),
    ("POST", "/account/allow", Kind::Agent, SESSIONS),
    // People who are not signed in are also told which agent asks, and sign in to decide.
    ("GET", "/consent/{agentId}", Kind::Agent, &PRINCIPALS),
    ("POST", "/consent/{agentId}", Kind::Agent, SESSIONS),
];

impl Row {
    /// The cells with their principals.
    pub(super) fn columns(&self) -> impl Iterator<Item = (Principal, Cell)> {
        PRINCIPALS.into_iter().zip(self.cells)
    }

    /// Whether it is a route of the developers' dashboard.
    pub(super) fn is_of_the_dashboard(&self) -> bool {
        self.template.starts_with("/dashboard")
    }

    /// The user of whom the request could change something.
    pub(super) fn user(&self) -> Option<Whose> {
        match self.kind {
            Kind::User | Kind::Grant | Kind::Fact | Kind::Receipt => Some(self.whose),
            _ if self.kind.is_of_mcp() => Some(self.whose),
            // The path names the own user, whosever fact it names. And with a key or an agent of its
            // own goes what it could read.
            Kind::Record | Kind::Agent | Kind::Key | Kind::Account => Some(Whose::Own),
            _ => None,
        }
    }
}

impl Cell {
    pub(super) fn status(self) -> u16 {
        match self {
            Self::Yes | Self::Made | Self::Told => 200,
            Self::New => 201,
            Self::Wrong | Self::Bad | Self::Odd => 400,
            Self::Away | Self::Back | Self::Let | Self::Code | Self::Dash => 303,
            Self::NoKey | Self::NoOne | Self::NoSec | Self::Page => 401,
            Self::No | Self::Stop => 403,
            Self::Not => 404,
            Self::Late => 409,
            Self::Gone => 410,
        }
    }

    pub(super) fn is_refusal(self) -> bool {
        self.status() >= 400 || self == Self::Told
    }

    pub(super) fn makes_a_grant(self) -> bool {
        matches!(self, Self::Made | Self::Let | Self::Code)
    }

    /// Whether an answer is what the cell says.
    pub(super) fn is(self, answer: &RawResponse) -> bool {
        let error = match self {
            Self::Yes | Self::Made | Self::Told => {
                let is_told = answer.body.contains(r#""isError":true"#);
                let has_failed = answer.body.contains(r#""error":{"#);
                return answer.status == 200 && is_told == (self == Self::Told) && !has_failed;
            }
            Self::Back | Self::Let | Self::Dash => return self.leads_back(answer),
            Self::NoKey => (Some("Invalid API key."), "UNAUTHORIZED"),
            Self::NoOne => (Some("Not signed in."), "UNAUTHORIZED"),
            Self::NoSec => (Some("Invalid sign-in secret."), "UNAUTHORIZED"),
            Self::No => (None, "FORBIDDEN"),
            Self::Not => (None, "NOT_FOUND"),
            Self::Late | Self::Odd => (None, "BAD_REQUEST"),
            Self::Away => {
                let location = answer.header("location").unwrap_or_default();
                return answer.status == 303 && location.contains("/authorize?");
            }
            Self::Code => {
                let location = answer.header("location").unwrap_or_default();
                let is_there = location.starts_with("https://client.example/?code=ctxc_");
                return answer.status == 303 && is_there;
            }
            Self::New => {
                let is_one = answer.body.starts_with(r#"{"client_id":"ctxi_"#);
                return answer.status == 201 && is_one;
            }
            Self::Bad => {
                let is_one = answer.body.starts_with(r#"{"error":"invalid_grant""#);
                return answer.status == 400 && is_one;
            }
            Self::Page | Self::Stop | Self::Gone | Self::Wrong => {
                return answer.status == self.status()
                    && answer.header("content-type") == Some("text/html; charset=utf-8");
            }
        };
        let (text, code) = error;
        answer.status == self.status()
            && answer.header("content-type") == Some("application/json")
            && answer.json()["code"] == code
            && text.is_none_or(|text| answer.json()["error"] == text)
    }

    fn leads_back(self, answer: &RawResponse) -> bool {
        let location = answer.header("location").unwrap_or_default();
        let page = location.split(['?', '#']).next().unwrap_or_default();
        let is_there = match self {
            Self::Dash => page.starts_with("/dashboard"),
            // The receipt of an erasure is part of the account.
            // What was decided about an agent is told at the agent's page.
            _ => {
                matches!(
                    page,
                    "/account"
                        | "/account/facts"
                        | "/account/apps"
                        | "/account/data"
                        | "/account/receipt"
                ) || page.starts_with("/consent/")
            }
        };
        answer.status == self.status() && is_there
    }
}

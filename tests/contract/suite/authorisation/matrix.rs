//! The table: who may do what, one row a route and object, one column a principal.

use std::sync::LazyLock;

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

/// Routes that are answered alike, for each of these objects.
struct Group {
    method: &'static str,
    templates: &'static [&'static str],
    kinds: &'static [Kind],
    rows: &'static [(Objects, [Cell; PRINCIPALS.len()])],
}

/// Whose the objects of a line of the table are.
#[derive(Clone, Copy)]
enum Objects {
    Own,
    Other,
    Absent,
    /// Somebody else's and absent ones, which are answered alike.
    Others,
}

impl Objects {
    fn whose(self) -> &'static [Whose] {
        match self {
            Self::Own => &[Whose::Own],
            Self::Other => &[Whose::Other],
            Self::Absent => &[Whose::Absent],
            Self::Others => &[Whose::Other, Whose::Absent],
        }
    }
}

macro_rules! matrix {
    ($([$method:ident $($template:literal)+ for $($kind:ident)+] $($objects:ident $($cell:ident)+;)+)+) => {
        &[$(Group {
            method: stringify!($method),
            templates: &[$($template),+],
            kinds: &[$(Kind::$kind),+],
            rows: &[$((Objects::$objects, [$(Cell::$cell),+])),+],
        }),+]
    };
}

// Two rows where it may surprise: an agent's first call for a user, or its first request for
// a grant, is what makes it that user's agent. And a user may let in any agent there is.
// Where there is an identity provider, as here, nobody joins a team by a form.
const GROUPS: &[Group] = matrix! {
    //           no      malfor- revoked key of  key of  key of  session session expired ended   develo- develo- member
    //           one     med key key     A       B       C       of U    of V    session session per D   per E   M
    [POST "/api/context/inject" "/api/context/update" for User]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    [POST "/api/context/inject" "/api/context/update" for Agent]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    [GET "/api/context/{userId}" for User]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    [DELETE "/api/context/{userId}" for User]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   No      No      No      NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    [GET "/api/context/{userId}/facts" for User]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   No      No      No      No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    [POST "/api/context/{userId}/facts/search" for User]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   No      No      No      No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    [DELETE "/api/context/{userId}/facts/{factId}" for User]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   No      No      No      No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    [DELETE "/api/context/{userId}/facts/{factId}" for Record]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   Not     Not     Not     Not     Not     NoOne   NoOne   NoKey   NoKey   NoKey;
    [POST "/api/grants" for User]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   Made    Made    Made    No      No      NoOne   NoOne   NoKey   NoKey   NoKey;
    [POST "/api/grants" for Agent]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     Yes     Yes     NoOne   NoOne   NoKey   NoKey   NoKey;
        Other  NoKey   NoKey   NoKey   No      No      No      Made    Made    NoOne   NoOne   NoKey   NoKey   NoKey;
        Absent NoKey   NoKey   NoKey   No      No      No      Not     Not     NoOne   NoOne   NoKey   NoKey   NoKey;
    [DELETE "/api/grants/{grantId}" for Grant]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    [GET "/api/health" "/api/openapi.json" "/api/docs" "/livez" "/readyz" "/" "/about"
     "/.well-known/security.txt" "/.well-known/oauth-protected-resource"
     "/.well-known/oauth-protected-resource/mcp" "/.well-known/oauth-authorization-server" "/style.css"
     "/script.js" "/favicon.svg" for Nothing]
        Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    [POST "/api/sign-in-links" for User]
        Own    NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec;
        Others NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec   NoSec;
    [GET "/sign-in" for Link]
        Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
        Others Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone;
    [POST "/sign-in" for Link]
        Own    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back;
        Others Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone;
    [GET "/sign-in/oidc" "/dashboard/sign-in/oidc" for Nothing]
        Own    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away;
    [GET "/sign-in/oidc/callback" for Nothing]
        Own    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop    Stop;
    [POST "/sign-out" "/language" for Nothing]
        Own    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back;
    [GET "/account" for Nothing]
        Own    Page    Page    Page    Page    Page    Page    Yes     Yes     Page    Page    Page    Page    Page;
    [POST "/account/allow" "/consent/{agentId}" for Agent]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;
        Other  NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Let     Let     NoOne   NoOne   NoOne   NoOne   NoOne;
        Absent NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    [POST "/account/revoke" for Agent]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    [POST "/account/facts/add" "/account/facts/delete-scope" "/account/facts/find" "/account/facts/let-in"
     "/account/erase" "/account/pause" "/account/ask-first" "/account/auto-delete" "/account/access-seen"
     "/account/sign-out-everywhere" for Account]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;
    [GET "/account/facts/edit" for Fact]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    [POST "/account/facts/correct" "/account/facts/delete" for Fact]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Back    Back    NoOne   NoOne   NoOne   NoOne   NoOne;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    [GET "/account/history" "/account/export.json" "/account/context.json" "/account/apps" "/account/data"
     "/account/facts" "/account/history.csv" "/account/erase" for Account]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
    [GET "/account/preview" for Agent]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    [GET "/account/receipt.txt" "/account/receipt" for Receipt]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     NoOne   NoOne   NoOne   NoOne   NoOne;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     NoOne   NoOne   NoOne   NoOne   NoOne;
    [POST "/account/facts/restore" "/account/facts/keep-out" for Account]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Odd     Odd     NoOne   NoOne   NoOne   NoOne   NoOne;
    [GET "/consent/{agentId}" for Agent]
        Own    Page    Page    Page    Page    Page    Page    Yes     Yes     Page    Page    Page    Page    Page;
        Other  Page    Page    Page    Page    Page    Page    Yes     Yes     Page    Page    Page    Page    Page;
        Absent Page    Page    Page    Page    Page    Page    Not     Not     Page    Page    Page    Page    Page;
    [POST "/dashboard/agents/profile" "/dashboard/agents/rename" "/dashboard/agents/delete" "/dashboard/keys"
     for Agent]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    [GET "/dashboard" for Nothing]
        Own    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page    Yes     Yes     Yes;
    [POST "/dashboard/sign-in" for Nothing]
        Own    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page    Page;
    [POST "/dashboard/sign-out" "/dashboard/sign-in/code" for Nothing]
        Own    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;
    [POST "/dashboard/agents" "/dashboard/settings/code" "/dashboard/playground/erase" for Nothing]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;
    [GET "/dashboard/agents/{agentId}" "/dashboard/requests" "/dashboard/requests.csv" for Agent]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    [POST "/dashboard/keys/revoke" "/dashboard/keys/rotate" for Key]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    Dash;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    [GET "/dashboard/keys/{keyId}" for Key]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    [GET "/dashboard/usage.csv" "/dashboard/settings" "/dashboard/team" "/dashboard/playground" for Nothing]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;
    [POST "/dashboard/settings/password" "/dashboard/settings/code/end" for Nothing]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Wrong   Wrong   Wrong;
    [POST "/dashboard/settings/code/confirm" for Nothing]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Late    Late    Late;
    [GET "/dashboard/sign-in/code" "/dashboard/" for Nothing]
        Own    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;
    [POST "/dashboard/team/invite" for Nothing]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    No;
    [POST "/dashboard/team/withdraw" for Invite]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    No;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     No;
    [POST "/dashboard/team/remove" "/dashboard/team/hand-over" for Member]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Dash    Dash    No;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     No;
    [POST "/dashboard/team/leave" for Nothing]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Late    Late    Dash;
    [GET "/dashboard/join" for Ticket]
        Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
        Others Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone    Gone;
    [POST "/dashboard/join" for Ticket]
        Own    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;
        Others Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;
    [GET "/dashboard/join/oidc" for Ticket]
        Own    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away    Away;
        Others Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash    Dash;
    [POST "/dashboard/playground" for Key]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Yes     Yes     Yes;
        Others NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Not     Not     Not;
    [GET "/account/" for Nothing]
        Own    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back    Back;
    [POST "/mcp" "/mcp/users/{userId}" "/mcp/" for GetContext]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    [POST "/mcp" "/mcp/users/{userId}" for GetScope Remember ListFacts ReadResource GetPrompt]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   Made    Made    Made    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    [POST "/mcp" "/mcp/users/{userId}" for Forget]
        Own    NoKey   NoKey   NoKey   Yes     Yes     Yes     NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
        Others NoKey   NoKey   NoKey   Told    Told    Told    NoKey   NoKey   NoKey   NoKey   NoKey   NoKey   NoKey;
    [POST "/oauth/register" for Nothing]
        Own    New     New     New     New     New     New     New     New     New     New     New     New     New;
    [POST "/oauth/token" for Nothing]
        Own    Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad     Bad;
    [POST "/oauth/revoke" for Nothing]
        Own    Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes     Yes;
    [GET "/oauth/authorize" for Account]
        Own    Page    Page    Page    Page    Page    Page    Yes     Yes     Page    Page    Page    Page    Page;
    [POST "/oauth/authorize" for Account]
        Own    NoOne   NoOne   NoOne   NoOne   NoOne   NoOne   Code    Code    NoOne   NoOne   NoOne   NoOne   NoOne;
};

/// The rows of all groups.
pub(super) static MATRIX: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows = Vec::new();
    for group in GROUPS {
        for template in group.templates {
            for kind in group.kinds {
                for (objects, cells) in group.rows {
                    rows.extend(objects.whose().iter().map(|whose| Row {
                        method: group.method,
                        template,
                        kind: *kind,
                        whose: *whose,
                        cells: *cells,
                    }));
                }
            }
        }
    }
    rows
});

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

//! Gives back a form that was not carried out, with all that was typed into it.
//!
//! Three things can go wrong with a form that is otherwise fine: a field is refused, the session has
//! ended, or somebody else has signed in in the same browser since. The page that says so is made
//! here for the forms of all pages, unless a handler shows the form on a page of its own. What was
//! typed stands only in the answer to whoever sent it: in no address, no cookie and no database.

use askama::Template;
use ctxmem_types::Scope;
use http::Method;
use warp::reply::Response;

use super::choice::ScopeChoice;
use crate::core::Error;
use crate::http::engine::{HandlerContext, HttpError, form_mark, reply};
use crate::http::words::filters::overview_path;
use crate::http::words::{Phrase, filters};

/// A field that people fill in: its name, the message with its label, and how it is filled in.
type Known = (&'static str, &'static str, FieldKind);

#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Line,
    Lines,
    Time,
    Scopes,
    Confirm,
}

/// The fields that people fill in, in the order of the page. All others are sent again as they came.
const KNOWN: &[Known] = &[
    ("name", "again-name", FieldKind::Line),
    ("label", "again-label", FieldKind::Line),
    ("value", "again-value", FieldKind::Lines),
    ("user", "again-user", FieldKind::Line),
    ("base_prompt", "again-base-prompt", FieldKind::Lines),
    ("message", "again-message", FieldKind::Lines),
    ("answer", "again-answer", FieldKind::Lines),
    ("scope", "again-scope", FieldKind::Scopes),
    ("expires_at_local", "again-expires-at", FieldKind::Time),
    ("expires_in", "again-expires-in", FieldKind::Line),
    ("confirm", "again-confirm", FieldKind::Confirm),
];

/// Fields that no page repeats. A form that has one of them is not given back.
const SECRET: [&str; 4] = ["password", "secret", "token", "code"];

#[derive(Template)]
#[template(path = "form_again.html")]
struct FormAgainPage<'a> {
    heading: Phrase,
    text: Phrase,
    /// Where the form is sent, if it can be sent again.
    action: Option<&'a str>,
    /// Whether the person has to sign in first.
    sign_in: bool,
    /// Where the overview is, which shows the sign-in to those who need it.
    home: &'static str,
    hidden: Vec<(&'a str, &'a str)>,
    fields: Vec<FieldView<'a>>,
}

/// A field as the page shows it.
struct FieldView<'a> {
    name: &'static str,
    label: Phrase,
    kind: FieldKind,
    value: &'a str,
    choices: Vec<ScopeChoice>,
    problem: Option<Phrase>,
}

/// What went wrong with a form.
enum Trouble {
    /// The field that is refused, and what was expected there.
    Field(&'static str, Phrase),
    SignedOut,
    SomebodyElse,
}

/// The page that gives a form back, if this error is about a form that people fill in.
pub(crate) async fn page(ctx: &HandlerContext, error: &HttpError) -> Option<Response> {
    let request = &ctx.request;
    if request.method != Method::POST || !request.wants_page() {
        return None;
    }
    // Somebody else's page must not fill in a form of ours.
    let trouble = Trouble::of(error).filter(|_| ctx.state.site.is_same_site(request))?;
    let form = match (&trouble, request.form.get()) {
        (_, Some(form)) => form.clone(),
        (Trouble::SignedOut, None) => ctx.unread_form().await.ok()?,
        _ => return None,
    };
    let sent: Vec<_> = form_urlencoded::parse(&form).collect();
    let sent: Vec<(&str, &str)> = sent
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_ref()))
        .collect();
    let page = FormAgainPage::new(request.route_template()?, &sent, &trouble)?;
    let (status, _) = error.kind();
    Some(reply::page(request, status, &page))
}

impl Trouble {
    fn of(error: &HttpError) -> Option<Self> {
        match error {
            HttpError::Core(Error::NotSignedIn) => Some(Self::SignedOut),
            HttpError::MadeForAnother => Some(Self::SomebodyElse),
            HttpError::Core(Error::BadRequest(text)) => {
                let (field, problem) = text.split_once(": ")?;
                // The interface calls them so.
                let field = match field {
                    "expiresAt" | "expires_at" => "expires_at_local",
                    "scopes" => "scope",
                    field => field,
                };
                let (name, ..) = KNOWN.iter().find(|(name, ..)| *name == field)?;
                Some(Self::Field(name, Phrase::refusal(problem)))
            }
            _ => None,
        }
    }
}

impl<'a> FormAgainPage<'a> {
    /// The page for a form with these fields; `None` where there is nothing to give back.
    fn new(path: &'static str, sent: &[(&'a str, &'a str)], trouble: &Trouble) -> Option<Self> {
        let is_secret = |name: &str| SECRET.iter().any(|secret| name.contains(secret));
        if sent.iter().any(|(name, _)| is_secret(name)) {
            return None;
        }
        let refused = match trouble {
            Trouble::Field(name, _) => Some(*name),
            _ => None,
        };
        let mut fields = Vec::new();
        for known @ (name, _, kind) in KNOWN {
            let values: Vec<&str> = sent
                .iter()
                .filter_map(|(sent, value)| (sent == name).then_some(*value))
                .collect();
            // A form about a fact has its scope in a field that nobody sees.
            let is_seen = *kind != FieldKind::Scopes || !path.starts_with("/account/facts/");
            if is_seen && (!values.is_empty() || refused == Some(*name)) {
                fields.push(FieldView::new(known, &values, trouble));
            }
        }
        if fields.is_empty() || refused.is_some_and(|name| fields.iter().all(|f| f.name != name)) {
            return None;
        }
        let is_shown = |name: &str| fields.iter().any(|field| field.name == name);
        let hidden = sent.iter().copied().filter(|(name, _)| {
            // The form of somebody who is signed in gets their own mark.
            let is_mark = *name == form_mark::FIELD && !matches!(trouble, Trouble::SignedOut);
            !is_shown(name) && !is_mark
        });
        let (heading, text) = match trouble {
            Trouble::Field(..) => ("again-check", "frame-not-saved"),
            Trouble::SignedOut => ("again-signed-out", "again-signed-out-text"),
            Trouble::SomebodyElse => ("again-somebody-else", "again-somebody-else-text"),
        };
        Some(Self {
            heading: Phrase::new(heading),
            text: Phrase::new(text),
            action: (!matches!(trouble, Trouble::SomebodyElse)).then_some(path),
            sign_in: matches!(trouble, Trouble::SignedOut),
            home: overview_path(path),
            hidden: hidden.collect(),
            fields,
        })
    }
}

impl<'a> FieldView<'a> {
    fn new((name, label, kind): &Known, values: &[&'a str], trouble: &Trouble) -> Self {
        let is_list = *kind == FieldKind::Scopes;
        let scopes = Scope::ALL.into_iter().filter(|_| is_list);
        Self {
            name,
            label: Phrase::new(label),
            kind: *kind,
            value: values.first().copied().unwrap_or_default(),
            choices: ScopeChoice::of(scopes, |scope| values.contains(&scope.name())),
            problem: match trouble {
                Trouble::Field(refused, problem) if refused == name => Some(problem.clone()),
                _ => None,
            },
        }
    }
}

//! Signing in at an OpenID Connect provider: sending a browser there, and taking it back.

use std::num::NonZeroU32;

use ctxmem_types::UserId;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use warp::reply::Response;

use super::failed::Failed;
use super::{add_cookie, developer_signed_in, signed_in};
use crate::core::Purpose;
use crate::http::Api;
use crate::http::call::Call;
use crate::http::error::HttpError;
use crate::http::reply;
use crate::oidc::{Identity, Provider, SignIn};

/// How many browsers a minute are sent to the provider: as many times ten are remembered.
const STARTS_A_MINUTE: NonZeroU32 = NonZeroU32::new(120).expect("it is not zero");

/// The provider at which people sign in.
pub(crate) struct SignInAt {
    provider: Provider,
    starts: DefaultDirectRateLimiter,
}

/// The button that leads to the provider.
pub(in crate::http) struct OidcLink<'a> {
    /// What people call the provider.
    pub(in crate::http) name: &'a str,
    /// Where the button leads.
    pub(in crate::http) href: &'static str,
}

impl SignInAt {
    pub(crate) fn new(provider: Provider) -> Self {
        Self {
            provider,
            starts: RateLimiter::direct(Quota::per_minute(STARTS_A_MINUTE)),
        }
    }
}

impl<'a> OidcLink<'a> {
    /// The button for those who want to sign in for this, where there is a provider.
    pub(in crate::http) fn new(api: &'a Api, purpose: Purpose) -> Option<Self> {
        api.oidc.as_ref().map(|oidc| Self {
            name: oidc.provider.name(),
            href: start_path(purpose),
        })
    }
}

fn start_path(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::User => "/sign-in/oidc",
        Purpose::Developer => "/dashboard/sign-in/oidc",
    }
}

/// Where people see what came of a sign-in, and find the other ways to sign in.
pub(super) fn home(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::User => "/account",
        Purpose::Developer => "/dashboard",
    }
}

pub(in crate::http) async fn start_as_user(call: Call) -> Result<Response, HttpError> {
    start(&call, Purpose::User).await
}

pub(in crate::http) async fn start_as_developer(call: Call) -> Result<Response, HttpError> {
    start(&call, Purpose::Developer).await
}

async fn start(call: &Call, purpose: Purpose) -> Result<Response, HttpError> {
    let oidc = call.api.oidc.as_ref().ok_or(HttpError::NOT_FOUND)?;
    oidc.starts.check().map_err(|_| HttpError::RateLimited)?;
    let core = call.core();
    // First of all, since nothing is to be noted while the provider is away.
    let discovered = match oidc.provider.discovered(core.time()).await {
        Ok(discovered) => discovered,
        Err(error) => return Ok(Failed::Provider(error).answer(call, Some(purpose))),
    };
    let begun = core.begin_oidc_sign_in(purpose).await?;
    let sign_in = SignIn {
        nonce: &begun.nonce,
        verifier: &begun.verifier,
    };
    let url = oidc
        .provider
        .sign_in_url(&discovered, &begun.state, &sign_in);
    let mut response = reply::see_other(url.as_str());
    add_cookie(&mut response, &call.api.site.oidc_cookie(&begun.browser));
    Ok(response)
}

/// Where the provider sends browsers back to, for users and developers.
pub(in crate::http) async fn callback(call: Call) -> Result<Response, HttpError> {
    let oidc = call.api.oidc.as_ref().ok_or(HttpError::NOT_FOUND)?;
    let answer = Answer::of(&call);
    let browser = call.exchange.cookie(call.api.site.oidc_cookie_name());
    let ended = match (&answer.state, browser) {
        (Some(state), Some(browser)) => call.core().end_oidc_sign_in(state, browser).await?,
        _ => None,
    };
    let Some(ended) = ended else {
        return Ok(Failed::NotBegun.answer(&call, None));
    };
    let purpose = ended.purpose;
    let sign_in = SignIn {
        nonce: &ended.nonce,
        verifier: &ended.verifier,
    };
    let done = match answer.code {
        Some(code) => match oidc
            .provider
            .identity(&code, &sign_in, call.core().time())
            .await
        {
            Ok(identity) => open_session(&call, &oidc.provider, purpose, &identity).await?,
            Err(error) => Err(Failed::Provider(error)),
        },
        None => Err(Failed::Denied),
    };
    let mut response = match done {
        Ok(response) => response,
        Err(failed) => failed.answer(&call, Some(purpose)),
    };
    add_cookie(&mut response, &call.api.site.no_oidc_cookie());
    Ok(response)
}

async fn open_session(
    call: &Call,
    provider: &Provider,
    purpose: Purpose,
    identity: &Identity,
) -> Result<Result<Response, Failed>, HttpError> {
    match purpose {
        Purpose::User => {
            let claim = provider.user_claim();
            let user_id = identity.text(claim).map(UserId::new);
            let Some(Ok(user_id)) = user_id else {
                return Ok(Err(Failed::NoUser(claim.to_owned())));
            };
            let session = call.core().open_session(user_id).await?;
            signed_in(&call.api, call.session_cookie(), &session)
                .await
                .map(Ok)
        }
        Purpose::Developer => {
            let before = call.developer_cookie();
            let session = match identity.verified_email() {
                Some(email) => call.core().open_developer_session(email, before).await?,
                None => None,
            };
            Ok(match session {
                Some(session) => Ok(developer_signed_in(&call.api, &session)),
                None => Err(Failed::NoDeveloper),
            })
        }
    }
}

/// What the provider has the browser say.
struct Answer {
    state: Option<String>,
    /// Absent when the provider says why there is none.
    code: Option<String>,
}

impl Answer {
    fn of(call: &Call) -> Self {
        let query = call.exchange.query();
        let fields = || form_urlencoded::parse(query.as_bytes());
        let field = |name: &str| {
            let found = fields().find(|(found, _)| found == name);
            found.map(|(_, value)| value.into_owned())
        };
        let refused = field("error").is_some();
        Self {
            state: field("state"),
            code: field("code").filter(|_| !refused),
        }
    }
}

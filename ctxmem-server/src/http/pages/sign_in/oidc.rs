//! Sign-in at an OpenID Connect provider: the redirect to the provider and the callback.

use ctxmem_types::UserId;
use secrecy::ExposeSecret as _;
use serde::Deserialize;

use super::failure::SignInFailure;
use super::{LinkQuery, developer_signed_in, signed_in};
use crate::core::{Error, Joining, Purpose};
use crate::http::engine::site::invitation_path;
use crate::http::engine::{HandlerContext, HandlerResult, HttpError, cookie, reply};
use crate::oidc::{Identity, Provider, SignInSecrets};

pub(crate) async fn start_as_user(ctx: HandlerContext) -> HandlerResult {
    start(&ctx, Purpose::User).await
}

pub(crate) async fn start_as_developer(ctx: HandlerContext) -> HandlerResult {
    let response = start(&ctx, Purpose::Developer).await?;
    // A mere sign-in does not join a team.
    Ok(ctx.without_cookie(response, &cookie::INVITATION))
}

/// Where the page of an invitation leads: whoever signs in joins the team.
pub(crate) async fn start_to_join(ctx: HandlerContext) -> HandlerResult {
    if ctx.state.oidc.is_none() {
        return Err(HttpError::NOT_FOUND);
    }
    let LinkQuery { token } = ctx.query()?;
    let (site, console) = (&ctx.state.site, &ctx.core().console);
    // Nobody joins by a link elsewhere: the page says first which team it is.
    if !site.is_same_site(&ctx.request) || console.look_at_invitation(&token).await?.is_none() {
        return Ok(reply::see_other(&invitation_path(&token)));
    }
    let response = start(&ctx, Purpose::Developer).await?;
    Ok(ctx.with_cookie(response, &cookie::INVITATION, &token))
}

async fn start(ctx: &HandlerContext, purpose: Purpose) -> HandlerResult {
    let oidc = ctx.state.oidc.as_ref().ok_or(HttpError::NOT_FOUND)?;
    oidc.count_start(ctx.client())?;
    let core = ctx.core();
    // Discovery comes first: while the provider can't be reached, no sign-in is stored.
    let discovery = match oidc.provider.discovery(core.sign_in.time()).await {
        Ok(discovery) => discovery,
        Err(error) => return Ok(SignInFailure::Provider(error).answer(ctx, Some(purpose))),
    };
    let begun = core.sign_in.begin_oidc_sign_in(purpose).await?;
    let sign_in = SignInSecrets {
        nonce: &begun.nonce,
        verifier: &begun.verifier,
    };
    let url = oidc
        .provider
        .sign_in_url(&discovery, &begun.state, &sign_in);
    let response = reply::see_other(url.as_str());
    Ok(ctx.with_cookie(response, &cookie::OIDC, begun.browser.expose_secret()))
}

/// Where the provider sends users and developers back to.
pub(crate) async fn callback(ctx: HandlerContext) -> HandlerResult {
    let oidc = ctx.state.oidc.as_ref().ok_or(HttpError::NOT_FOUND)?;
    let query: CallbackQuery = ctx.query()?;
    let ended = match (&query.state, ctx.cookie(&cookie::OIDC)) {
        (Some(state), Some(browser)) => ctx.core().sign_in.end_oidc_sign_in(state, browser).await?,
        _ => None,
    };
    let Some(ended) = ended else {
        return Ok(SignInFailure::NotBegun.answer(&ctx, None));
    };
    let purpose = ended.purpose;
    let sign_in = SignInSecrets {
        nonce: &ended.nonce,
        verifier: &ended.verifier,
    };
    let time = ctx.core().sign_in.time();
    let response = match query.code.filter(|_| query.error.is_none()) {
        Some(code) => match oidc.provider.identity(&code, &sign_in, time).await {
            Ok(identity) => open_session(&ctx, &oidc.provider, purpose, &identity).await?,
            Err(error) => SignInFailure::Provider(error).answer(&ctx, Some(purpose)),
        },
        None => SignInFailure::Denied.answer(&ctx, Some(purpose)),
    };
    let response = ctx.without_cookie(response, &cookie::OIDC);
    Ok(ctx.without_cookie(response, &cookie::INVITATION))
}

async fn open_session(
    ctx: &HandlerContext,
    provider: &Provider,
    purpose: Purpose,
    identity: &Identity,
) -> HandlerResult {
    let failed = |failure: SignInFailure| Ok(failure.answer(ctx, Some(purpose)));
    match purpose {
        Purpose::User => {
            let claim = provider.user_claim();
            let Some(Ok(user_id)) = identity.text(claim).map(UserId::new) else {
                return failed(SignInFailure::NoUser(claim.to_owned()));
            };
            let session = ctx.core().sign_in.open_session(user_id).await?;
            signed_in(ctx, &session).await
        }
        Purpose::Developer => {
            let Some(email) = identity.verified_email() else {
                return failed(SignInFailure::NoDeveloper);
            };
            if let Some(invitation) = ctx.cookie(&cookie::INVITATION) {
                return join(ctx, invitation, email, identity).await;
            }
            let before = ctx.cookie(&cookie::DEVELOPER);
            let console = &ctx.core().console;
            match console.open_developer_session(email, before).await? {
                Some(session) => Ok(developer_signed_in(ctx, email, &session)),
                None => failed(SignInFailure::NoDeveloper),
            }
        }
    }
}

/// Makes the person whom the provider has signed in a member of a team.
async fn join(
    ctx: &HandlerContext,
    invitation: &str,
    email: &str,
    identity: &Identity,
) -> HandlerResult {
    let joining = Joining::Verified {
        email: email.to_owned(),
        name: identity.text("name").map(ToOwned::to_owned),
    };
    let (console, before) = (&ctx.core().console, ctx.cookie(&cookie::DEVELOPER));
    match console.join_team(invitation, joining, before).await {
        Ok(Some(session)) => Ok(developer_signed_in(ctx, email, &session)),
        Ok(None) => Ok(reply::see_other(&invitation_path(invitation))),
        Err(Error::BadRequest(_)) => {
            Ok(SignInFailure::HasAccount.answer(ctx, Some(Purpose::Developer)))
        }
        Err(error) => Err(error.into()),
    }
}

/// What the provider adds to the callback's address.
#[derive(Deserialize)]
struct CallbackQuery {
    state: Option<String>,
    code: Option<String>,
    /// Set if the provider refused; then there is no code.
    error: Option<String>,
}

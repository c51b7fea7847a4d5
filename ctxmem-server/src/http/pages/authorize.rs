//! `/oauth/authorize`: where a client of the Model Context Protocol sends a user to be let in (OAuth 2.1).
//! It is the page of consent, and leads back to the client with a code.
//!
//! Whatever is wrong with how a client asks is shown here, and nobody is sent on by it: anybody can register
//! a client, so its address is trusted once a user has pressed a button (OAuth 2.1 §7.12.2).

use ctxmem_types::{GrantRequest, Scope, ScopeSet, UserId};
use http::StatusCode;
use secrecy::ExposeSecret as _;
use serde::Deserialize;

use super::account::frame::AccountFrame;
use super::account::signed_out;
use super::consent::{ConsentPage, Decision};
use super::sign_in::come_back;
use crate::core::{Error, OAuthRefusal, OAuthRequest};
use crate::http::api::oauth::offered;
use crate::http::api::oauth::token::{OTHER_RESOURCE, is_resource};
use crate::http::engine::state::ServerState;
use crate::http::engine::{HandlerContext, HandlerResult, form, reply};

const PATH: &str = "/oauth/authorize";

/// The longest query, in bytes: a cookie keeps it until somebody has signed in.
const MAX_QUERY: usize = 3_600;

/// How a client asks. What else it sends is ignored.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    client_id: String,
    redirect_uri: String,
    response_type: Option<String>,
    code_challenge: Option<String>,
    code_challenge_method: Option<String>,
    state: Option<String>,
    resource: Option<String>,
    scope: Option<String>,
}

impl Asked {
    /// The query that asks so.
    fn query(&self) -> String {
        let fields = [
            ("client_id", Some(&self.client_id)),
            ("redirect_uri", Some(&self.redirect_uri)),
            ("response_type", self.response_type.as_ref()),
            ("code_challenge", self.code_challenge.as_ref()),
            ("code_challenge_method", self.code_challenge_method.as_ref()),
            ("state", self.state.as_ref()),
            ("resource", self.resource.as_ref()),
            ("scope", self.scope.as_ref()),
        ];
        let given = fields
            .iter()
            .filter_map(|(name, value)| Some((name, (*value)?)));
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(given)
            .finish()
    }
}

/// A request that was found good, and how to ask it again.
struct Asking {
    request: OAuthRequest,
    query: String,
    /// What goes with the answer.
    state: Option<String>,
    issuer: String,
    /// What the client asks for, where it says so.
    scopes: Option<ScopeSet>,
}

impl Asking {
    fn read(state: &ServerState, query: &str) -> Result<Self, Error> {
        let expected = |text: &str| Error::BadRequest(text.to_owned());
        let asked: Asked = form::parse(query.as_bytes())?;
        let query = asked.query();
        if query.len() > MAX_QUERY {
            return Err(expected("state: expected less text"));
        }
        let client = state.core.oauth.client(&asked.client_id);
        let client =
            client.ok_or_else(|| expected("client_id: expected one that was registered here"))?;
        let redirect = client.redirect(&asked.redirect_uri);
        let redirect = redirect.ok_or_else(|| {
            expected("redirect_uri: expected an address that the client registered")
        })?;
        if asked.response_type.as_deref() != Some("code") {
            return Err(expected("response_type: expected code"));
        }
        let challenge = asked.code_challenge.filter(|text| is_challenge(text));
        let (Some(challenge), Some("S256")) = (challenge, asked.code_challenge_method.as_deref())
        else {
            return Err(expected(
                "code_challenge: expected one by S256, which code_challenge_method names",
            ));
        };
        if !is_resource(&state.site, asked.resource.as_deref()) {
            return Err(expected(OTHER_RESOURCE.description));
        }
        let request = OAuthRequest {
            client_id: asked.client_id,
            client,
            redirect_uri: asked.redirect_uri,
            redirect,
            challenge,
        };
        Ok(Self {
            request,
            query,
            state: asked.state,
            issuer: state.site.page(""),
            scopes: named(asked.scope.as_deref().unwrap_or_default()),
        })
    }

    /// The page on which the user decides. `sent` is what was decided and is not complete.
    async fn page(
        &self,
        ctx: &HandlerContext,
        user_id: &UserId,
        sent: Option<&Decision>,
    ) -> HandlerResult {
        let oauth = &ctx.core().oauth;
        let mut agent = oauth.asking_agent(user_id, &self.request).await?;
        if let Some(asked) = self.scopes {
            agent.scopes = agent.scopes.intersection(asked);
        }
        let frame = AccountFrame::of(ctx.core(), user_id).await?;
        let redirect = &self.request.redirect;
        let page = ConsentPage::new(frame, agent, sent);
        let page = page.of_client(PATH, &self.query, redirect.host(), redirect.is_local());
        let status = match sent {
            Some(_) => StatusCode::BAD_REQUEST,
            None => StatusCode::OK,
        };
        let mut response = reply::page(&ctx.request, status, &page);
        reply::forms_lead_to(&mut response, &redirect.origin());
        Ok(response)
    }

    /// Where the client is told this refusal.
    fn refusal(&self, refusal: OAuthRefusal) -> String {
        self.with(&[
            ("error", refusal.code),
            ("error_description", refusal.description),
        ])
    }

    /// Where the client is told these fields.
    fn with(&self, fields: &[(&str, &str)]) -> String {
        let state = self.state.as_deref().map(|state| ("state", state));
        let mut fields = fields.to_vec();
        fields.extend(state);
        fields.push(("iss", &self.issuer));
        self.request.redirect.with(&fields)
    }
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    offered(&ctx)?;
    let asking = Asking::read(&ctx.state, ctx.request.query())?;
    let Some(user_id) = ctx.user_or_nobody().await? else {
        let name = asking.request.client.name.clone();
        let page = signed_out::page(&ctx, Some(name));
        let back = format!("{PATH}?{}", asking.query);
        return Ok(come_back(&ctx, page, &back));
    };
    asking.page(&ctx, &user_id, None).await
}

pub(crate) async fn decide(ctx: HandlerContext) -> HandlerResult {
    offered(&ctx)?;
    let user_id = ctx.user().await?;
    let decision: Decision = ctx.form().await?;
    let asking = Asking::read(&ctx.state, &decision.request)?;
    match &*decision.choice {
        "refuse" => Ok(reply::see_other(&asking.refusal(DENIED))),
        "allow" if !decision.is_complete() => asking.page(&ctx, &user_id, Some(&decision)).await,
        "allow" => {
            let agent_id = asking.request.agent_id();
            let mut request = GrantRequest::new(user_id, agent_id, decision.scopes.clone());
            request.expires_at = decision.end(ctx.core().sign_in.time())?;
            let code = ctx.core().oauth.allow(&asking.request, request).await?;
            let address = asking.with(&[("code", code.expose_secret())]);
            Ok(reply::see_other(&address))
        }
        _ => Err(Error::BadRequest("decision: expected allow or refuse".to_owned()).into()),
    }
}

/// Whether a text is a challenge by S256: 32 bytes in base64url.
fn is_challenge(text: &str) -> bool {
    let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.len() == 43 && text.bytes().all(is_base64url)
}

/// The scopes in a list of names; `None` where none is known.
fn named(list: &str) -> Option<ScopeSet> {
    let scopes: ScopeSet = list.split(' ').filter_map(Scope::from_name).collect();
    (!scopes.is_empty()).then_some(scopes)
}

const DENIED: OAuthRefusal = OAuthRefusal::new("access_denied", "The user did not allow it.");

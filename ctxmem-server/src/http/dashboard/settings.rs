//! `/dashboard/settings`: a developer's own account.

use askama::Template;
use http::StatusCode;
use serde::Deserialize;
use warp::reply::Response;

use super::notice::{DashboardNotice, NoticeQuery};
use crate::core::Error;
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::{reply, sign_in};

#[derive(Template)]
#[template(path = "dashboard/settings.html")]
struct SettingsPage<'a> {
    who: &'a str,
    done: Option<&'static str>,
    problem: Option<String>,
}

pub(in crate::http) async fn show(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let query: NoticeQuery = ctx.query()?;
    let page = SettingsPage {
        who: &developer.email,
        done: DashboardNotice::text_of(query.done.as_deref()),
        problem: None,
    };
    Ok(reply::page(StatusCode::OK, &page))
}

#[derive(Deserialize)]
struct PasswordForm {
    current: String,
    new: String,
    repeated: String,
}

/// The form behind "Change the password".
pub(in crate::http) async fn change_password(ctx: HandlerContext) -> Result<Response, HttpError> {
    let developer = ctx.developer().await?;
    let (api, client) = (ctx.api.clone(), ctx.client());
    let device = ctx.request.cookie(api.site.device_cookie_name());
    let device = device.map(ToOwned::to_owned);
    let form: PasswordForm = ctx.form().await?;
    let email = developer.email.as_str();
    let refused = |status, problem: String| {
        let page = SettingsPage {
            who: email,
            done: None,
            problem: Some(problem),
        };
        Ok(reply::page(status, &page))
    };
    if form.new != form.repeated {
        let problem = "The new passwords are not the same. Type the same one twice.";
        return refused(StatusCode::BAD_REQUEST, problem.to_owned());
    }
    // Whoever holds a stolen session must not guess the password by this form either.
    let origin = api.core.sign_in_origin(email, device.as_deref(), client);
    if let Err(wait) = api.developer_throttle.take(email, &origin) {
        let problem = format!(
            "Too many attempts. Try again in {} seconds.",
            wait.as_secs() + 1
        );
        return refused(StatusCode::TOO_MANY_REQUESTS, problem);
    }
    let changing = api
        .core
        .change_password(email, form.current.into(), form.new.into(), &origin);
    match changing.await {
        Ok(Some(session)) => {
            let page = DashboardNotice::PasswordChanged.address_on("/dashboard/settings");
            let mut response = reply::see_other(&page);
            sign_in::add_cookie(&mut response, &api.site.developer_cookie(&session));
            Ok(response)
        }
        Ok(None) => refused(
            StatusCode::BAD_REQUEST,
            "The current password is wrong.".to_owned(),
        ),
        Err(Error::BadRequest(problem)) => refused(StatusCode::BAD_REQUEST, problem),
        Err(error) => Err(error.into()),
    }
}

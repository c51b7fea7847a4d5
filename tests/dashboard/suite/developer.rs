//! A developer with a password.

use super::browser::{Browser, Part};
use super::support::Server;

pub(crate) struct Developer {
    pub(crate) email: String,
    pub(crate) password: String,
}

impl Developer {
    pub(crate) async fn new(server: &Server, name: &str) -> Self {
        let email = format!("{name}@example.com");
        let password = format!("the password of {name}");
        let console = &server.core().console;
        console.create_developer(&email).await.unwrap();
        let set = console.set_password(&email, password.clone().into());
        set.await.unwrap();
        Self { email, password }
    }

    /// Signs in as a browser would, and answers the session cookie.
    pub(crate) async fn session(&self, server: &Server) -> String {
        let fields = [("email", &*self.email), ("password", &*self.password)];
        let sign_in = server.raw("POST", "/dashboard/sign-in").form(&fields);
        let answer = sign_in.send().await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.session_cookie()
    }

    /// Signs in, as they would.
    pub(crate) async fn sign_in<'b>(&self, browser: &'b Browser) -> Part<'b> {
        let page = browser.go("/dashboard").await;
        page.fill("Email address", &self.email).await;
        page.fill("Password", &self.password).await;
        page.press("Sign in").await;
        assert_eq!(browser.path().await, "/dashboard");
        browser.page().shows("Your agents").await
    }
}

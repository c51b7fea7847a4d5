//! The cookies of the pages. Scripts can't read them, and forms of other sites don't send them.

pub(crate) struct Cookie {
    /// Its name, without the prefix that it has on https.
    name: &'static str,
    /// To which pages it goes.
    path: &'static str,
    /// For how many seconds it is kept; `None` until the browser is closed.
    max_age: Option<u32>,
}

const YEAR: u32 = 365 * 24 * 60 * 60;

/// The session of a user.
pub(crate) const SESSION: Cookie = Cookie::new("ctxmem_session", "/", None);
/// The session of a developer.
pub(crate) const DEVELOPER: Cookie = Cookie::new("ctxmem_developer", "/", None);
/// By which a developer's browser is known again, for a year.
pub(crate) const DEVICE: Cookie = Cookie::new("ctxmem_device", "/dashboard", Some(YEAR));
/// The developer whose password it was, sealed, until the code is given.
pub(crate) const SECOND_STEP: Cookie =
    Cookie::new("ctxmem_step", "/dashboard/sign-in", Some(5 * 60));
/// A secret, sealed, on its way to the page that shows it once.
pub(crate) const SHOWN_ONCE: Cookie = Cookie::new("ctxmem_once", "/dashboard", Some(10 * 60));
/// Ties a sign-in at the provider to the browser.
pub(crate) const OIDC: Cookie = Cookie::new("ctxmem_oidc", "/", Some(10 * 60));
/// The invitation with which somebody who signs in at the provider joins a team.
pub(crate) const INVITATION: Cookie =
    Cookie::new("ctxmem_invitation", "/sign-in/oidc", Some(10 * 60));
/// For which page somebody signs in.
pub(crate) const BACK: Cookie = Cookie::new("ctxmem_back", "/", Some(15 * 60));
/// The language that somebody chose, for a year.
pub(crate) const LANGUAGE: Cookie = Cookie::new("ctxmem_language", "/", Some(YEAR));
/// Tells the next page what a form has done.
pub(crate) const DONE: Cookie = Cookie::new("ctxmem_done", "/", Some(60));

impl Cookie {
    const fn new(name: &'static str, path: &'static str, max_age: Option<u32>) -> Self {
        Self {
            name,
            path,
            max_age,
        }
    }

    /// Its name. On https a prefix makes browsers keep it to https and, where it goes to all pages, to
    /// this host.
    pub(crate) fn name(&self, https: bool) -> String {
        let prefix = match (https, self.path) {
            (false, _) => "",
            (true, "/") => "__Host-",
            (true, _) => "__Secure-",
        };
        format!("{prefix}{}", self.name)
    }

    /// The value of the header that sets it.
    pub(crate) fn set(&self, https: bool, value: &str) -> String {
        self.header(https, value, self.max_age)
    }

    /// The value of the header that removes it.
    pub(crate) fn remove(&self, https: bool) -> String {
        self.header(https, "", Some(0))
    }

    fn header(&self, https: bool, value: &str, max_age: Option<u32>) -> String {
        let (name, path) = (self.name(https), self.path);
        let secure = if https { "; Secure" } else { "" };
        let age = max_age.map(|seconds| format!("; Max-Age={seconds}"));
        let age = age.unwrap_or_default();
        format!("{name}={value}; HttpOnly; SameSite=Lax; Path={path}{secure}{age}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_set_and_removed_for_the_same_pages() {
        assert_eq!(
            SESSION.set(true, "x"),
            "__Host-ctxmem_session=x; HttpOnly; SameSite=Lax; Path=/; Secure"
        );
        assert_eq!(
            DEVICE.set(false, "x"),
            "ctxmem_device=x; HttpOnly; SameSite=Lax; Path=/dashboard; Max-Age=31536000"
        );
        assert_eq!(
            DEVICE.remove(true),
            "__Secure-ctxmem_device=; HttpOnly; SameSite=Lax; Path=/dashboard; Secure; Max-Age=0"
        );
    }
}

//! Pages that are not the server's: what somebody else has put on the web.

use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::browser::{Browser, browse};
use super::support::Server;

/// Runs a story that begins on the first of these pages, which somebody else has put on the web.
pub(crate) async fn visit_elsewhere(
    pages: &[(&str, &str)],
    story: impl AsyncFnOnce(&Browser, &Elsewhere),
) {
    let server = Server::start().await;
    let elsewhere = Elsewhere::start().await;
    for (at, html) in pages {
        elsewhere.page(at, html).await;
    }
    browse(&server, async |browser| {
        browser.visit(&elsewhere.address(pages[0].0)).await;
        story(browser, &elsewhere).await;
    })
    .await;
}

/// A site of somebody else's.
pub(crate) struct Elsewhere(MockServer);

impl Elsewhere {
    pub(crate) async fn start() -> Self {
        Self(MockServer::start().await)
    }

    /// Puts a page there.
    pub(crate) async fn page(&self, at: &str, html: &str) {
        let page = ResponseTemplate::new(200);
        let page = page.set_body_raw(html.to_owned(), "text/html; charset=utf-8");
        let mock = Mock::given(path(at)).respond_with(page);
        self.0.register(mock).await;
    }

    /// It as another origin of the same site: cookies with `SameSite` come along.
    pub(crate) fn same_site(&self) -> String {
        format!("http://127.0.0.1:{}", self.0.address().port())
    }

    /// The address of a page there, on the same site.
    pub(crate) fn address(&self, page: &str) -> String {
        format!("{}{page}", self.same_site())
    }

    /// It as another site.
    pub(crate) fn other_site(&self) -> String {
        format!("http://localhost:{}", self.0.address().port())
    }
}

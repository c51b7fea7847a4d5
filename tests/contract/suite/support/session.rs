//! A session in a browser, of a user or of a developer: the requests that it sends.

use super::{RawRequest, RawResponse, Server};

pub(crate) struct Session {
    pub(crate) server: Server,
    pub(crate) cookie: String,
    /// The mark of forms that are made for its owner.
    pub(crate) mark: String,
}

impl Session {
    pub(crate) fn request(&self, method: &str, path: &str) -> RawRequest {
        self.server.raw(method, path).cookie(&self.cookie)
    }

    /// The body of a page, which must exist.
    pub(crate) async fn get(&self, path: &str) -> String {
        self.request("GET", path).gets(200).await.body
    }

    /// A form as it is made for the owner.
    pub(crate) fn form(&self, path: &str, fields: &[(&str, &str)]) -> RawRequest {
        let request = self.request("POST", path).form(fields);
        request.made_for(&self.mark)
    }

    pub(crate) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> RawResponse {
        self.form(path, fields).send().await
    }

    /// The same, asking for a page as the answer.
    pub(crate) async fn post_for_page(&self, path: &str, fields: &[(&str, &str)]) -> RawResponse {
        let form = self.form(path, fields).header("accept", "text/html");
        let answer = form.send().await;
        answer.assert_html();
        answer
    }
}

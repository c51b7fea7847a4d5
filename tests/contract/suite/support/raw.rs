//! Requests built by hand, for what the client refuses to send.
//!
//! The path goes over the wire as written: HTTP libraries would normalise it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::panic::Location;

use reqwest::Url;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::documented::{self, Exchange};
use super::{Text as _, code_of, first_grant};

/// Reads form fields that are written like a query string, without percent-decoding: `scope=goals&value=Ship it`.
/// No value can contain `&`.
pub(crate) fn fields(text: &str) -> Vec<(&str, &str)> {
    let fields = text.split('&').filter(|field| !field.is_empty());
    let parted = fields.map(|field| {
        let parted = field.split_once('=');
        parted.unwrap_or_else(|| panic!("{field} has no value, in {text}"))
    });
    parted.collect()
}

#[derive(Clone)]
pub(crate) struct RawRequest {
    address: String,
    head: String,
    body: Vec<u8>,
    /// The body before something was put into it that the readers of the documentation can't read.
    documented: Option<Vec<u8>>,
}

impl RawRequest {
    pub(crate) fn new(url: &str, method: &str, path: &str) -> Self {
        let address = url.strip_prefix("http://").unwrap().to_owned();
        Self {
            head: format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n"),
            address,
            body: Vec::new(),
            documented: None,
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        write!(self.head, "{name}: {value}\r\n").unwrap();
        self
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("authorization", &format!("Bearer {key}"))
    }

    pub(crate) fn cookie(self, cookie: &str) -> Self {
        self.header("cookie", cookie)
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json")
            .body(body.to_string())
    }

    /// The body with another text in place of one, for what can't be written as [`Value`].
    pub(crate) fn replacing(mut self, text: &str, by: &str) -> Self {
        let body = String::from_utf8(self.body).unwrap();
        self.body = body.replace(text, by).into();
        self.documented = Some(body.into());
        self
    }

    /// The fields of a form, as a browser would send them.
    pub(crate) fn form(self, fields: &[(&str, &str)]) -> Self {
        let url = Url::parse_with_params("http://form", fields).unwrap();
        self.header("content-type", "application/x-www-form-urlencoded")
            .body(url.query().unwrap_or_default())
    }

    /// The same form with another field; a form of its own if there is none yet.
    pub(crate) fn and(self, name: &str, value: &str) -> Self {
        let url = Url::parse_with_params("http://form", [(name, value)]).unwrap();
        let field = url.query().unwrap_or_default();
        if self.head.contains("application/x-www-form-urlencoded") {
            let mut body = self.body.clone();
            if !body.is_empty() {
                body.push(b'&');
            }
            body.extend(field.as_bytes());
            self.body(body)
        } else {
            self.form(&[(name, value)])
        }
    }

    /// The form as it is made for the owner of this mark.
    pub(crate) fn made_for(self, mark: &str) -> Self {
        self.and("made_for", mark)
    }

    /// Sends it with its length.
    pub(crate) async fn send(mut self) -> RawResponse {
        write!(self.head, "content-length: {}\r\n", self.body.len()).unwrap();
        let body = std::mem::take(&mut self.body);
        self.exchange(&body).await
    }

    /// Sends it, checks the status of the answer, and returns the answer. A failure shows the request.
    #[track_caller]
    pub(crate) fn gets(self, status: u16) -> impl Future<Output = RawResponse> {
        let asked = format!("{}\n{}", Location::caller(), self.shown());
        async move {
            let answer = self.send().await;
            let said = &answer.body;
            assert_eq!(answer.status, status, "{asked}\nwas answered\n{said}");
            answer
        }
    }

    /// What failures show of it.
    fn shown(&self) -> String {
        let body = String::from_utf8_lossy(&self.body[..self.body.len().min(500)]);
        let head: String = self.head.chars().take(2_000).collect();
        format!("{head}\n{body}")
    }

    /// Sends it, checks that the answer is an error with this status, and returns its text.
    #[track_caller]
    pub(crate) fn gets_error(self, status: u16) -> impl Future<Output = String> {
        let asked = format!("{}\n{}", Location::caller(), self.shown());
        async move {
            let answer = self.send().await;
            answer.error_text(status, code_of(status).as_str(), &asked)
        }
    }

    /// Sends it in chunks, without a length.
    pub(crate) async fn send_chunked(mut self) -> RawResponse {
        self.head.push_str("transfer-encoding: chunked\r\n");
        let mut framed = Vec::new();
        for chunk in self.body.chunks(64 * 1024) {
            framed.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            framed.extend_from_slice(chunk);
            framed.extend_from_slice(b"\r\n");
        }
        framed.extend_from_slice(b"0\r\n\r\n");
        self.exchange(&framed).await
    }

    /// Sends it with its length and returns the connection, for clients that leave before the
    /// answer.
    pub(crate) async fn sent(mut self) -> TcpStream {
        write!(self.head, "content-length: {}\r\n", self.body.len()).unwrap();
        self.written(&self.body).await
    }

    /// Sends the head alone and returns the connection.
    pub(crate) async fn head_sent(self) -> TcpStream {
        self.written(&[]).await
    }

    async fn written(&self, body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let head = format!("{}\r\n", self.head);
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body).await.unwrap();
        stream
    }

    async fn exchange(self, body: &[u8]) -> RawResponse {
        let answer = self.exchange_once(body).await;
        let url = format!("http://{}", self.address);
        if first_grant::consents(&url, body, answer.body.as_bytes()).await
            || first_grant::consents_by_mcp(&url, &self.head, &answer.body).await
        {
            return self.exchange_once(body).await;
        }
        answer
    }

    async fn exchange_once(&self, body: &[u8]) -> RawResponse {
        let mut stream = self.written(body).await;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = RawResponse::parse(&answer);
        answer.assert_says_when();
        let line = self.head.lines().next().unwrap_or_default();
        let mut words = line.split(' ');
        let sent = if self.head.contains("transfer-encoding: chunked") {
            unchunked(&String::from_utf8_lossy(body)).into_bytes()
        } else {
            self.documented.clone().unwrap_or_else(|| body.to_owned())
        };
        documented::check(&Exchange {
            method: words.next().unwrap_or_default(),
            path: words.next().unwrap_or_default(),
            request: &sent,
            status: answer.status,
            headers: answer.headers.clone().into_iter().collect(),
            answer: answer.body.as_bytes(),
        });
        answer
    }
}

#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    headers: HashMap<String, String>,
    /// The `set-cookie` headers, in their order.
    cookies: Vec<String>,
    pub(crate) body: String,
}

impl RawResponse {
    pub(super) fn parse(answer: &[u8]) -> Self {
        let text = String::from_utf8_lossy(answer);
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("not an HTTP answer: {text:?}"));
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let fields: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let headers: HashMap<String, String> = fields.iter().cloned().collect();
        let is_chunked = headers
            .get("transfer-encoding")
            .is_some_and(|coding| coding == "chunked");
        Self {
            status: status.parse().unwrap(),
            cookies: fields
                .iter()
                .filter(|(name, _)| name == "set-cookie")
                .map(|(_, cookie)| cookie.clone())
                .collect(),
            headers,
            body: if is_chunked {
                unchunked(body)
            } else {
                body.to_owned()
            },
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Every header, its name in lower case.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.headers.iter();
        pairs.map(|(name, value)| (&**name, &**value))
    }

    /// The session cookie that the answer sets, less its attributes.
    pub(crate) fn session_cookie(&self) -> String {
        let cookie = self.header("set-cookie").unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// The `set-cookie` header for this name, with its attributes.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        let cookies = self.cookies.iter();
        let mut found = cookies.filter(|cookie| {
            let cookie_name = cookie.split_once('=').map(|(name, _)| name);
            cookie_name == Some(name)
        });
        let cookie = found.next().map(String::as_str);
        assert!(found.next().is_none(), "{name} is set twice");
        cookie
    }

    /// The pair of name and value of a cookie that the answer sets.
    #[track_caller]
    pub(crate) fn cookie_pair(&self, name: &str) -> String {
        let cookie = self.cookie(name).unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// The attributes of a cookie that the answer sets, in the order of their letters.
    pub(crate) fn cookie_attributes(&self, name: &str) -> Vec<&str> {
        let mut attributes: Vec<&str> = self.cookie(name).unwrap().split("; ").skip(1).collect();
        attributes.sort_unstable();
        attributes
    }

    /// A client that is turned away is told when to come back: every test checks that.
    #[track_caller]
    fn assert_says_when(&self) {
        if [429, 503].contains(&self.status) {
            let wait = self.header("retry-after").map(str::parse::<u64>);
            let is_said = matches!(wait, Some(Ok(1..)));
            assert!(
                is_said,
                "{} without Retry-After: {}",
                self.status, self.body
            );
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Checks that this is an error of the documented form with the code of its status, and returns its text.
    #[track_caller]
    pub(crate) fn assert_error(&self, status: u16) -> String {
        self.assert_error_of(status, code_of(status).as_str())
    }

    /// The same with this code.
    #[track_caller]
    pub(crate) fn assert_error_of(&self, status: u16, code: &str) -> String {
        self.error_text(status, code, "what was sent")
    }

    #[track_caller]
    fn error_text(&self, status: u16, code: &str, asked: &str) -> String {
        let shown = format!("{asked}\nwas answered\n{}", self.body);
        assert_eq!(self.status, status, "{shown}");
        let content_type = self.header("content-type");
        assert_eq!(content_type, Some("application/json"), "{shown}");
        let body = self.json();
        let fields: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["error", "code"], "{shown}");
        assert_eq!(body["code"], code, "{shown}");
        body["error"].as_str().unwrap().to_owned()
    }

    /// Checks that something about the request is wrong, in a text that begins with this.
    #[track_caller]
    pub(crate) fn assert_bad_request(&self, begins: &str) {
        self.assert_error(400).assert_begins(begins);
    }

    /// Checks that this is a page.
    #[track_caller]
    pub(crate) fn assert_html(&self) {
        let content_type = self.header("content-type");
        assert_eq!(content_type, Some("text/html; charset=utf-8"));
    }
}

/// A page without the only script that a page has.
pub(crate) fn without_own_script(page: &str) -> String {
    let begin = r#"<script src="/script.js?v="#;
    let (before, rest) = page.split_once(begin).unwrap();
    let (tag, after) = rest.split_once(r" defer></script>").unwrap();
    let (hash, words) = tag.split_once('"').unwrap();
    assert!(!words.contains("src"), "{words}");
    assert!(hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
    format!("{before}{after}")
}

/// A page without the logo that every page has.
pub(crate) fn without_own_logo(page: &str) -> String {
    let begin = r#"<svg viewBox="0 0 32 32" aria-hidden="true">"#;
    let (before, rest) = page.split_once(begin).unwrap();
    let (_, after) = rest.split_once("</svg>ctxmem</a>").unwrap();
    format!("{before}{after}")
}

/// A body that was sent in chunks, which must be complete.
fn unchunked(mut sent: &str) -> String {
    let mut body = String::new();
    loop {
        let (length, rest) = sent.split_once("\r\n").unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return body;
        }
        body.push_str(&rest[..length]);
        sent = rest[length..].strip_prefix("\r\n").unwrap();
    }
}

//! The document for programs, and for people in Swagger UI, which is compiled in. The page loads
//! nothing from other hosts and sends nothing: it keeps to the policy of all pages, so there is no
//! form to try the calls with.
//! `RapiDoc`, Redoc and Scalar need inline styles or scripts from elsewhere.

use std::io::Read as _;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use flate2::read::GzDecoder;
use http::{HeaderValue, StatusCode, header};
use utoipa_swagger_ui::Config;
use warp::reply::Response;

use super::document;
use crate::http::error::HttpError;
use crate::http::handler_context::HandlerContext;
use crate::http::{compression, reply};

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| document().unwrap_or_default().into());

static START: LazyLock<Bytes> = LazyLock::new(|| {
    let document = String::from_utf8_lossy(&DOCUMENT);
    let script = format!(
        "SwaggerUIBundle({{spec: {document}, dom_id: '#interface', supportedSubmitMethods: [], \
         validatorUrl: null}});\n"
    );
    script.into()
});

static STYLE: LazyLock<Option<File>> = LazyLock::new(|| File::unpack("swagger-ui.css"));

static BUNDLE: LazyLock<Option<File>> = LazyLock::new(|| File::unpack("swagger-ui-bundle.js"));

/// The page. What it says comes from the document.
const PAGE: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ctxmem: the interface</title>
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
<script src="/api/docs/swagger-ui-bundle.js" defer></script>
<script src="/api/docs/start.js" defer></script>
</head>
<body><main id="interface"></main></body>
</html>
"#;

/// `GET /api/openapi.json`.
pub(in crate::http) async fn show(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(reply::with_type(
        StatusCode::OK,
        "application/json",
        DOCUMENT.clone(),
    ))
}

/// `GET /api/docs`.
pub(in crate::http) async fn page(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(reply::html(StatusCode::OK, PAGE.to_owned()))
}

/// `GET /api/docs/start.js`: shows the document. It can't be fetched by the page, whose policy
/// forbids that, so it is here.
pub(in crate::http) async fn start(_ctx: HandlerContext) -> Result<Response, HttpError> {
    Ok(reply::with_type(StatusCode::OK, JAVASCRIPT, START.clone()))
}

/// `GET /api/docs/swagger-ui.css`.
pub(in crate::http) async fn style(ctx: HandlerContext) -> Result<Response, HttpError> {
    answered(&ctx, STYLE.as_ref(), "text/css; charset=utf-8")
}

/// `GET /api/docs/swagger-ui-bundle.js`.
pub(in crate::http) async fn bundle(ctx: HandlerContext) -> Result<Response, HttpError> {
    answered(&ctx, BUNDLE.as_ref(), JAVASCRIPT)
}

/// A file of Swagger UI, which is compiled in as gzip. All answers share its bytes: a copy each would
/// be held for as long as a client takes to read it.
struct File {
    packed: Bytes,
    plain: Bytes,
}

impl File {
    fn unpack(name: &str) -> Option<Self> {
        let found = utoipa_swagger_ui::serve(name, Arc::new(Config::default()));
        let packed = Bytes::from(found.ok().flatten()?.bytes.into_owned());
        let mut plain = Vec::new();
        GzDecoder::new(&*packed).read_to_end(&mut plain).ok()?;
        let plain = plain.into();
        Some(Self { packed, plain })
    }
}

fn answered(
    ctx: &HandlerContext,
    file: Option<&File>,
    content_type: &'static str,
) -> Result<Response, HttpError> {
    let file = file.ok_or(HttpError::NOT_FOUND)?;
    if !compression::takes_gzip(&ctx.request) {
        let plain = file.plain.clone();
        return Ok(reply::with_type(StatusCode::OK, content_type, plain));
    }
    let packed = file.packed.clone();
    let mut response = reply::with_type(StatusCode::OK, content_type, packed);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    Ok(response)
}

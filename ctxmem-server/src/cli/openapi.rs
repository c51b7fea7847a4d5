//! `ctxmem-server openapi`: the document of the interface, made from the handlers.

use super::CliError;
use super::output::Output;
use crate::http::openapi_document;

/// Prints the document as it is, also with `--json`.
pub(super) fn run(output: &Output) -> Result<(), CliError> {
    let document = openapi_document().map_err(std::io::Error::from);
    let document = document.map_err(CliError::io("the OpenAPI document"))?;
    let parsed: serde_json::Value = serde_json::from_str(&document).unwrap_or_default();
    output.print(&parsed, document.trim_end())
}

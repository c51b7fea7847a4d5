//! The `ctxmem-server` binary. See [`ctxmem_server::cli`].

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    ctxmem_server::cli::main().await
}

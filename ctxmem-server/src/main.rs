//! The `ctxmem-server` binary. See [`ctxmem_server::cli`].

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A request makes some dozens of small allocations on one thread that another frees; this
/// allocator is made for that.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    ctxmem_server::cli::main().await
}

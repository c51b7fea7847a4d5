//! The `ctxmem-server` binary. See [`ctxmem_server::cli`].

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A request makes dozens of small allocations on one thread that another thread frees. mimalloc
/// is built for that.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ctxmem_server::cli::main()
}

//! The `ctxmem-server` binary. See [`ctxmem_server::cli`].

use std::process::ExitCode;

/// A request makes dozens of small allocations on one thread that another thread frees, and after a
/// busy hour the memory is to go back to the system. jemalloc is built for both (decision 042).
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    ctxmem_server::cli::main()
}

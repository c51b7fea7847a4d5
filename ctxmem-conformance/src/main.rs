//! The `ctxmem-conformance` binary. See [`ctxmem_conformance::main`].

use std::io;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let interrupts = ctxmem_conformance::interrupts();
    let status = ctxmem_conformance::main(
        std::env::args_os(),
        interrupts,
        &mut io::stdout(),
        &mut io::stderr(),
    )
    .await;
    ExitCode::from(status)
}

//! Finds out how far a deployment conforms to the interface of ctxmem, from outside.
//!
//! Every rule of the interface that can be seen over HTTP is one row of the report. `rules`
//! holds them, a file a section; `stories` holds what happens to the made-up users that
//! several rules look at; `cleanup` removes those users again, however the run ended.
//!
//! Only what the interface says is judged. Where it leaves something open, or lists more
//! than one form, the form that was found is named and nothing fails.
//!
//! Calls go through `ctxmem-client`. Requests that it refuses to send, and answers whose
//! exact form matters (the client reads all forms into one), go through `wire`. Nothing here
//! writes to stdout by itself: [`main`] is given where to write.

mod args;
mod calls;
mod cleanup;
mod interrupts;
mod report;
mod rule;
mod rules;
mod run;
mod stories;
mod target;
mod wire;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser as _;
use tokio::sync::mpsc::UnboundedReceiver;

pub use args::Args;
pub use interrupts::interrupts;
pub use report::{Report, Row, Summary};
pub use rule::{Rule, Verdict};
pub use rules::{SECTIONS, Section, rules_in_markdown};
pub use target::{Target, Unusable};

/// Wrong usage, or there is nothing at the address.
const UNUSABLE: u8 = 2;

/// Checks a deployment: rows that have not run when an interrupt comes are left out, and
/// what was made is removed all the same; a second interrupt ends that, too.
pub async fn check(target: Target, mut interrupts: UnboundedReceiver<()>) -> Report {
    let run = run::Run::new(target);
    let (rows, interrupted) = run::all_rules(&run, &mut interrupts).await;
    let left_behind = tokio::select! {
        left = cleanup::clean(&run) => left,
        () = interrupts::next(&mut interrupts) => run.ledger().open_users(),
    };
    Report::new(run.url(), rows, interrupted, left_behind)
}

/// The whole program: what was asked for on the command line is written to `out`, what went
/// wrong to `err`, and the exit status comes back.
///
/// 0: no rule fails. 1: one does. 2: wrong usage, or the deployment can't be reached.
/// 130: interrupted.
pub async fn main(
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    interrupts: UnboundedReceiver<()>,
    out: &mut impl Write,
    err: &mut impl Write,
) -> u8 {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(asked) if !asked.use_stderr() => return print(out, &asked.render()).unwrap_or(0),
        Err(error) => return print(err, &error.render()).unwrap_or(UNUSABLE),
    };
    if args.rules {
        return print(out, &rules_in_markdown()).unwrap_or(0);
    }
    let json = args.json;
    let target = match Target::reach(args).await {
        Ok(target) => target,
        Err(error) => {
            let line = format!("ctxmem-conformance: {error}\n");
            return print(err, &line).unwrap_or(UNUSABLE);
        }
    };
    let report = check(target, interrupts).await;
    let text = if json {
        report.json()
    } else {
        report.to_string()
    };
    print(out, &text).unwrap_or(report.exit_status())
}

/// Writes all of it; `Some` is the exit status where that failed.
fn print(to: &mut impl Write, text: &impl std::fmt::Display) -> Option<u8> {
    let written = write!(to, "{text}").and_then(|()| to.flush());
    written.err().map(|_| UNUSABLE)
}

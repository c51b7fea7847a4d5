//! Checks from outside how far a deployment conforms to the interface of ctxmem.
//!
//! Every rule of the interface that can be observed over HTTP is one row of the report. `rules`
//! has one file for each section, and `rules::bodies` the requests that several sections send;
//! `scenarios` makes the calls that several rules look at, for made-up users; `cleanup` removes
//! these users again, however the run ended.
//!
//! Only what the interface specifies is judged. If it leaves something open or lists several
//! forms, the report names the form that was found, and nothing fails.
//!
//! Calls go through `ctxmem-client`. Requests that it refuses to send, and answers whose exact
//! form matters (the client reads all forms into one), go through `wire`. This crate writes
//! nothing to stdout by itself: the caller of [`main`] says where to write.

mod args;
mod calls;
mod check;
mod cleanup;
mod interrupts;
mod report;
mod rule;
mod rules;
mod run;
mod target;
mod test_users;
mod verdict;
mod wire;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser as _;
use tokio::sync::mpsc::UnboundedReceiver;

pub use args::Args;
pub use interrupts::interrupts;
pub use report::{Report, Row, Summary};
pub use rule::Rule;
pub use rules::{SECTIONS, Section, rules_in_markdown};
pub use target::{Target, Unusable};
pub use verdict::Verdict;

/// The exit status for wrong usage, or if nothing answers at the address.
const UNUSABLE: u8 = 2;

/// Checks a deployment, and removes the test users. After an interrupt the remaining rules are
/// skipped, but the test users are still removed; a second interrupt ends that as well.
pub async fn check(target: Target, mut interrupts: UnboundedReceiver<()>) -> Report {
    let run = run::Run::new(target);
    let (rows, interrupted) = check::all_rules(&run, &mut interrupts).await;
    let left_behind = tokio::select! {
        remaining = cleanup::clean(&run) => remaining,
        () = interrupts::next(&mut interrupts) => run.test_users().remaining_ids(),
    };
    Report::new(run.url(), rows, interrupted, left_behind)
}

/// The whole program. It writes its output to `out` and errors to `err`, and returns the exit
/// status.
///
/// 0: no rule fails. 1: a rule fails. 2: wrong usage, or the deployment can't be reached.
/// 130: interrupted.
pub async fn main(
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    interrupts: UnboundedReceiver<()>,
    out: &mut impl Write,
    err: &mut impl Write,
) -> u8 {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        // `--help` and `--version`.
        Err(text) if !text.use_stderr() => return print(out, &text.render()).unwrap_or(0),
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

/// Writes the text. Returns the exit status if that fails.
fn print(to: &mut impl Write, text: &impl std::fmt::Display) -> Option<u8> {
    let written = write!(to, "{text}").and_then(|()| to.flush());
    written.err().map(|_| UNUSABLE)
}

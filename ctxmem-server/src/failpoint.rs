//! Points at which a test stops the server, to kill it there, or holds a request.
//!
//! Only builds for tests have them: the feature `failpoints` of the crate `fail` is turned on by
//! the dev-dependencies alone, which Cargo leaves out of every build of the binary by itself
//! (`scripts/test.sh` checks it).
//! Without the feature, nothing here does anything. A test names the point and a file:
//! `FAILPOINTS=before-commit=return(reached)`. A thread that reaches the point creates the file and
//! stops there.

use std::path::PathBuf;
use std::time::Duration;

use fail::FailScenario;

/// Reads from the environment where to stop. It holds until the value is dropped.
pub(crate) fn configure() -> Option<FailScenario<'static>> {
    fail::has_failpoints().then(FailScenario::setup)
}

/// Stops this thread permanently if a test wants it here.
pub(crate) fn reach(name: &str) {
    // Builds without failpoints don't ask for it.
    let _ = name;
    fail::fail_point!(name, |file: Option<String>| {
        // If it can't be made, the test finds that the point was not reached.
        let _ = file.map(std::fs::File::create);
        loop {
            std::thread::park();
        }
    });
}

/// Stops a test where something is wrong that the server gets along with.
pub(crate) fn check(is_right: bool, what: impl FnOnce() -> String) {
    assert!(is_right || !fail::has_failpoints(), "{}", what());
}

/// Holds a request here if a test wants it. The test names the point and a file:
/// `FAILPOINTS=between-access-and-facts=return(held)`. A request that reaches the point creates the file, and goes on
/// once the test has removed it.
pub(crate) async fn hold(name: &str) {
    let Some(file) = file_of(name) else {
        return;
    };
    // If it can't be made, the test finds that the point was not reached.
    let _ = std::fs::File::create(&file);
    while file.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn file_of(name: &str) -> Option<PathBuf> {
    // Builds without failpoints don't ask for it.
    let _ = name;
    fail::fail_point!(name, |file: Option<String>| file.map(PathBuf::from));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "there is no such message")]
    fn what_the_server_gets_along_with_stops_a_test() {
        check(true, || "all is well".into());
        check(false, || "there is no such message".into());
    }
}

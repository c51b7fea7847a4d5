//! Points at which a test stops the server, to kill it there.
//!
//! Only builds for tests have them: the feature `failpoints` of the crate `fail` is turned on by
//! the dev-dependencies alone, which Cargo leaves out of every build of the binary by itself
//! (`scripts/test.sh` checks it).
//! Without the feature, nothing here does anything. A test names the point and a file:
//! `FAILPOINTS=before-commit=return(reached)`. Who comes there makes the file and stays.

use fail::FailScenario;

/// Reads from the environment where to stop. It holds until the value is dropped.
pub(crate) fn configure() -> Option<FailScenario<'static>> {
    fail::has_failpoints().then(FailScenario::setup)
}

/// Stops this thread for good if a test wants it here.
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

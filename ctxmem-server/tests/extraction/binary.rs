//! Running `ctxmem-server extract` in a folder of its own.

use serde_json::Value;

use crate::process::{CommandOutput, Home};

/// Runs `extract` with these arguments on this input.
pub(crate) fn extract(home: &Home, args: &[&str], input: &str) -> CommandOutput {
    home.run_with_input(&[&["extract"], args].concat(), input)
}

/// The same in an empty folder, without arguments.
pub(crate) fn extract_from(input: &str) -> CommandOutput {
    extract(&Home::new(), &[], input)
}

impl CommandOutput {
    /// The output of a successful run: one JSON object a line.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        assert_eq!((self.status.code(), &*self.stderr), (Some(0), ""));
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// It failed before it printed anything, and says this.
    #[track_caller]
    pub(crate) fn assert_failed(&self, said: &str) {
        assert_eq!((self.status.code(), &*self.stdout), (Some(1), ""));
        assert!(self.stderr.contains(said), "{said:?} is not in {self:?}");
    }
}

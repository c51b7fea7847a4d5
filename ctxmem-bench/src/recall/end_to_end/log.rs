//! A file of JSON lines that a run which was interrupted goes on with.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files;

pub(super) struct Log {
    file: File,
}

impl Log {
    /// Opens the file, and reads what it has. A last line that was not finished is cut off.
    pub(super) fn open<L: DeserializeOwned>(path: &Path) -> (Self, Vec<L>) {
        let text = fs::read_to_string(path).unwrap_or_default();
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let lines = text[..whole].lines();
        let lines = lines.map(|line| files::or_panic(path, serde_json::from_str(line)));
        let lines = lines.collect();
        let mut options = File::options();
        let file = files::or_panic(path, options.create(true).append(true).open(path));
        file.set_len(u64::try_from(whole).unwrap()).unwrap();
        (Self { file }, lines)
    }

    pub(super) fn add(&mut self, line: &impl Serialize) {
        let mut text = serde_json::to_string(line).unwrap();
        text.push('\n');
        self.file.write_all(text.as_bytes()).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        fs::write(&path, "1\n2\n\"hal").unwrap();
        let (mut log, lines) = Log::open::<u8>(&path);
        assert_eq!(lines, [1, 2]);
        log.add(&3);
        assert_eq!(Log::open::<u8>(&path).1, [1, 2, 3]);
    }
}

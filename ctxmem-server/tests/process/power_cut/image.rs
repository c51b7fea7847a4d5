//! Disk images after a power cut: what was flushed, and of the rest whatever the disk happened to
//! have written, in any order, torn at the boundaries of its sectors.

use std::collections::BTreeMap;

use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;

use super::operations::{Change, DataChange, Operation, Operations, named, write};
use crate::database_files::Files;

/// What a disk writes at once.
const SECTOR: usize = 512;

/// How a disk treats flushes.
#[derive(Clone, Copy)]
pub(super) enum Disk {
    /// What was flushed is there.
    Honest,
    /// It says that it has flushed, but what began on this line or later is in its memory only.
    Lying { since: usize },
    /// The same, and all of that is lost.
    Forgetful { since: usize },
}

impl Disk {
    fn keeps(self, operation: &Operation, line: usize) -> bool {
        match self {
            Self::Honest => operation.is_durable(line),
            Self::Lying { since } | Self::Forgetful { since } => operation.is_begun(since),
        }
    }
}

/// What a power cut leaves.
pub(super) struct Image {
    pub(super) files: Files,
    /// Operations that did not reach the disk, or not as a whole.
    pub(super) unwritten: usize,
}

/// How likely it is that an operation survives that was not flushed. Each image has its own, so
/// that some lack nearly all of these operations and some nearly none.
struct Chances {
    whole: f64,
    torn: f64,
    in_order: bool,
}

impl Chances {
    const NONE: Self = Self {
        whole: 0.0,
        torn: 0.0,
        in_order: true,
    };

    fn random(random: &mut StdRng) -> Self {
        Self {
            whole: [0.0, 0.1, 0.5, 0.9, 1.0][random.random_range(0..5)],
            torn: [0.0, 0.5, 1.0][random.random_range(0..3)],
            in_order: random.random(),
        }
    }
}

/// The files after a power cut at a line of the log.
pub(super) fn after_power_cut(
    operations: &Operations,
    line: usize,
    disk: Disk,
    random: &mut StdRng,
) -> Image {
    let chances = match disk {
        Disk::Forgetful { .. } => Chances::NONE,
        _ => Chances::random(random),
    };
    let (mut names, mut contents) = (BTreeMap::new(), BTreeMap::<_, Vec<u8>>::new());
    let (mut loose, mut unwritten) = (Vec::new(), 0);
    for operation in operations.all.iter().filter(|one| one.is_begun(line)) {
        let is_kept = disk.keeps(operation, line);
        match &operation.change {
            // File systems keep the changes of a folder in order.
            Change::Name(change) if is_kept || random.random_bool(chances.whole) => {
                change.apply(&mut names);
            }
            Change::Name(_) => unwritten += 1,
            Change::Data(file, change) if is_kept => {
                change.apply(contents.entry(*file).or_default());
            }
            Change::Data(file, change) => loose.push((*file, change)),
        }
    }
    if !chances.in_order {
        loose.shuffle(random);
    }
    for (file, change) in loose {
        let content = contents.entry(file).or_default();
        if random.random_bool(chances.whole) {
            change.apply(content);
            continue;
        }
        unwritten += 1;
        if random.random_bool(chances.torn) {
            tear(change, content, random);
        }
    }
    Image {
        files: named(&names, &mut contents),
        unwritten,
    }
}

/// Applies a part of a change: some sectors of a write, or only that the file has grown.
fn tear(change: &DataChange, content: &mut Vec<u8>, random: &mut StdRng) {
    let DataChange::Write { at, bytes } = change else {
        return;
    };
    if random.random() {
        content.resize(content.len().max(at + bytes.len()), 0);
    }
    let mut from = 0;
    while from < bytes.len() {
        // To the end of the sector in which the byte lies.
        let to = bytes.len().min(from + SECTOR - (at + from) % SECTOR);
        if random.random() {
            write(content, at + from, &bytes[from..to]);
        }
        from = to;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rand::SeedableRng as _;

    use super::super::calls;
    use super::*;

    /// Two flushed sectors of `a`, then two of `b` in their place and a third that nobody flushed.
    fn operations() -> Operations {
        let sector = |letter: &str| format!("\\x{letter}").repeat(SECTOR);
        let (a, b) = (sector("61").repeat(2), sector("62"));
        let file = "3<\\x2f\\x66\\x2f\\x64>";
        let log = format!(
            "1 1.0 openat(AT_FDCWD, \"\", O_RDWR|O_CREAT, 0600) = {file}\n\
             1 1.0 pwrite64({file}, \"{a}\", 1024, 0) = 1024\n\
             1 1.0 fsync({file}) = 0\n\
             1 1.0 fsync(4<\\x2f\\x66>) = 0\n\
             1 1.0 pwrite64({file}, \"{b}{b}\", 1024, 0) = 1024\n\
             1 1.0 pwrite64({file}, \"{b}\", 512, 1024) = 512\n"
        );
        let mut operations = Operations::default();
        operations.add(Path::new("/f"), calls::read(&log, 0));
        operations
    }

    fn images(line: usize, disk: Disk) -> Vec<String> {
        let (operations, mut images) = (operations(), Vec::new());
        for seed in 0..300 {
            let mut random = StdRng::seed_from_u64(seed);
            let image = after_power_cut(&operations, line, disk, &mut random);
            let content = image.files.get("d").map_or("none".to_owned(), |bytes| {
                let sectors = bytes.chunks(SECTOR);
                let letters = sectors.map(|sector| {
                    assert!(sector.iter().all(|byte| *byte == sector[0]));
                    match sector[0] {
                        0 => '0',
                        letter => letter.into(),
                    }
                });
                letters.collect()
            });
            images.push(content);
        }
        images.sort();
        images.dedup();
        images
    }

    #[test]
    fn what_was_flushed_is_there_and_of_the_rest_any_part() {
        assert_eq!(images(4, Disk::Honest), ["aa"]);
        let every = [
            "aa", "aa0", "aab", "ab", "ab0", "abb", "ba", "ba0", "bab", "bb", "bb0", "bbb",
        ];
        assert_eq!(images(6, Disk::Honest), every);
    }

    #[test]
    fn before_the_flush_anything_may_be_lost() {
        let lost = images(2, Disk::Honest);
        for content in ["", "0a", "a", "aa", "none"] {
            assert!(lost.iter().any(|one| one == content), "{lost:?}");
        }
        assert_eq!(images(4, Disk::Lying { since: 0 }), lost);
        assert_eq!(images(4, Disk::Lying { since: 4 }), ["aa"]);
        assert_eq!(images(6, Disk::Forgetful { since: 5 }), ["bb"]);
    }
}

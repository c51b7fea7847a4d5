//! Processor time that processes have used, the kernel's on their behalf included.

use std::fs;
use std::ops::Range;
use std::time::Duration;

/// Where Linux says what a process used itself, in user mode and in the kernel, among what follows the
/// name in `/proc/ID/stat`.
const OWN: Range<usize> = 11..13;

/// The same with that of its children which have ended.
const WITH_ENDED_CHILDREN: Range<usize> = 11..15;

const PARENT: usize = 1;

/// Of a process with all its threads.
pub(crate) fn of_process(id: u32) -> Duration {
    let stat = stat(id).unwrap();
    duration(ticks(&stat, OWN))
}

/// Of a process and of its children, those that have ended included.
pub(crate) fn of_family(id: u32) -> Duration {
    let parent = stat(id).unwrap();
    let mut sum = ticks(&parent, WITH_ENDED_CHILDREN);
    for entry in fs::read_dir("/proc").unwrap() {
        let name = entry.unwrap().file_name();
        let Some(child) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // It may have ended since.
        if let Some(stat) = stat(child)
            && stat[PARENT] == id.to_string()
        {
            sum += ticks(&stat, OWN);
        }
    }
    duration(sum)
}

/// What Linux says of a process after its name.
fn stat(id: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may hold anything; what follows it does not.
    let (_, rest) = stat.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

fn ticks(stat: &[String], fields: Range<usize>) -> u64 {
    let fields = stat[fields].iter();
    fields.map(|field| field.parse::<u64>().unwrap()).sum()
}

/// Linux counts in hundredths of a second towards user space, whatever it uses inside.
fn duration(ticks: u64) -> Duration {
    Duration::from_millis(ticks * 10)
}

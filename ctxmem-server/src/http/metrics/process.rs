//! What the system says of the process.

use std::fs;
use std::time::Duration;

const KIB: u64 = 1 << 10;

/// Bytes of memory that the process occupies; `None` where the system has no `/proc`.
pub(super) fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    kib.checked_mul(KIB)
}

/// How many file descriptors are open; `None` where the system has no `/proc`.
pub(super) fn open_descriptors() -> Option<u64> {
    const FOLDER: &str = "/proc/self/fd";
    // Since Linux 6.2 it is the size of the folder. To count them takes a microsecond each.
    match fs::metadata(FOLDER).ok()?.len() {
        // One is that of the folder.
        0 => Some((fs::read_dir(FOLDER).ok()?.count() as u64).saturating_sub(1)),
        count => Some(count),
    }
}

/// How many file descriptors may be open.
#[cfg(unix)]
pub(super) fn max_descriptors() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
pub(super) fn max_descriptors() -> Option<u64> {
    None
}

/// The processor time that the process has used.
#[cfg(unix)]
pub(super) fn cpu_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ProcessCPUTime).try_into().ok()
}

#[cfg(not(unix))]
pub(super) fn cpu_time() -> Option<Duration> {
    None
}

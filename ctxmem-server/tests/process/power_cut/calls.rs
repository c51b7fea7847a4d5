//! Reads the log of strace: which system calls changed files, with which bytes, and when.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The calls that change files, and those that make a change durable. The question mark is for
/// calls that some processors don't have.
pub(super) const TRACED: &str = "trace=?open,openat,?creat,write,writev,pwrite64,pwritev,\
    ftruncate,truncate,fallocate,fsync,fdatasync,?rename,?renameat,renameat2,?unlink,unlinkat";

/// A call that had an effect, or that was cut off before it said whether it had one.
pub(super) struct SystemCall {
    /// The lines of the log on which it began and ended.
    pub(super) began: usize,
    pub(super) ended: Option<usize>,
    pub(super) at: SystemTime,
    pub(super) does: Does,
}

/// What a call does to a file. Paths are absolute.
#[derive(Debug, PartialEq)]
pub(super) enum Does {
    Open {
        path: PathBuf,
        descriptor: u32,
        create: bool,
        empty: bool,
    },
    /// Without a place it goes on where the descriptor is.
    Write {
        path: PathBuf,
        descriptor: u32,
        at: Option<usize>,
        bytes: Vec<u8>,
    },
    Resize {
        path: PathBuf,
        size: usize,
    },
    /// Makes room: the file becomes no smaller.
    Extend {
        path: PathBuf,
        size: usize,
    },
    Flush {
        path: PathBuf,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
}

/// Reads a log, in the order in which the calls ended. Its lines are counted from `first_line`.
pub(super) fn read(log: &str, first_line: usize) -> Vec<SystemCall> {
    let mut calls = Vec::new();
    // Threads take turns: a call that another one interrupts is continued on a later line.
    let mut interrupted: HashMap<&str, (usize, &str, &str)> = HashMap::new();
    for (line, text) in (first_line..).zip(log.lines()) {
        let (thread, text) = text.split_once(' ').unwrap();
        let (time, text) = text.trim_start().split_once(' ').unwrap();
        if text.starts_with("+++") || text.starts_with("---") {
            continue;
        }
        if let Some(start) = text.strip_suffix(" <unfinished ...>") {
            interrupted.insert(thread, (line, time, start));
        } else if text.starts_with("<... ") {
            let (began, time, start) = interrupted.remove(thread).unwrap();
            let (_, end) = text.split_once(" resumed>").unwrap();
            calls.extend(call(began, Some(line), time, &format!("{start}{end}")));
        } else {
            calls.extend(call(line, Some(line), time, text));
        }
    }
    for (began, time, start) in interrupted.into_values() {
        calls.extend(call(began, None, time, start));
    }
    calls
}

fn call(began: usize, ended: Option<usize>, time: &str, text: &str) -> Option<SystemCall> {
    let (name, rest) = text.split_once('(')?;
    let (arguments, result) = match ended {
        Some(_) => rest.rsplit_once(" = ")?,
        None => (rest, ""),
    };
    // Failed calls have no effect.
    if result.starts_with('-') || result.starts_with('?') {
        return None;
    }
    let arguments = arguments.trim_end();
    let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
    Some(SystemCall {
        began,
        ended,
        at: instant(time),
        does: does(name, arguments, result)?,
    })
}

fn does(name: &str, arguments: &str, result: &str) -> Option<Does> {
    let parts: Vec<&str> = arguments.split(", ").collect();
    Some(match name {
        "open" | "openat" | "creat" => {
            let (descriptor, path) = file(result)?;
            Does::Open {
                path,
                descriptor,
                create: name == "creat" || arguments.contains("O_CREAT"),
                empty: name == "creat" || arguments.contains("O_TRUNC"),
            }
        }
        "write" | "writev" | "pwrite64" | "pwritev" => {
            let (descriptor, path) = file(parts[0])?;
            let mut bytes = strings(arguments).concat();
            if let Ok(written) = result.parse() {
                bytes.truncate(written);
            }
            let at = name.starts_with('p').then(|| number(parts.last()));
            Does::Write {
                path,
                descriptor,
                at,
                bytes,
            }
        }
        "ftruncate" => Does::Resize {
            path: file(parts[0])?.1,
            size: number(parts.last()),
        },
        "truncate" => Does::Resize {
            path: paths(arguments).pop()?,
            size: number(parts.last()),
        },
        "fallocate" => {
            assert_eq!(parts[1], "0", "only room is made: {arguments}");
            Does::Extend {
                path: file(parts[0])?.1,
                size: number(parts.get(2)) + number(parts.get(3)),
            }
        }
        "fsync" | "fdatasync" => Does::Flush {
            path: file(parts[0])?.1,
        },
        "rename" | "renameat" | "renameat2" => {
            let [from, to] = paths(arguments).try_into().ok()?;
            Does::Rename { from, to }
        }
        "unlink" | "unlinkat" => Does::Remove {
            path: paths(arguments).pop()?,
        },
        _ => return None,
    })
}

fn instant(seconds: &str) -> SystemTime {
    let (whole, micros) = seconds.split_once('.').unwrap();
    let since = Duration::from_secs(whole.parse().unwrap());
    SystemTime::UNIX_EPOCH + since + Duration::from_micros(micros.parse().unwrap())
}

fn number(text: Option<&&str>) -> usize {
    text.unwrap().parse().unwrap()
}

/// A descriptor and its path, written `7<path>`. A file that was removed has a mark behind it and
/// is of no interest: nothing in it can be there after a power cut.
fn file(text: &str) -> Option<(u32, PathBuf)> {
    let (descriptor, path) = text.strip_suffix('>')?.split_once('<')?;
    Some((descriptor.parse().ok()?, path_of(path)))
}

/// The arguments that are paths. They are absolute: SQLite makes them so.
fn paths(arguments: &str) -> Vec<PathBuf> {
    let paths = strings(arguments).into_iter();
    paths
        .map(|path| String::from_utf8(path).unwrap().into())
        .collect()
}

fn path_of(escaped: &str) -> PathBuf {
    String::from_utf8(bytes(escaped)).unwrap().into()
}

/// What stands in quotes.
fn strings(arguments: &str) -> Vec<Vec<u8>> {
    assert!(!arguments.contains("\"..."), "strace has cut off a string");
    let quoted = arguments.split('"').skip(1).step_by(2);
    quoted.map(bytes).collect()
}

/// With `-xx` each byte is `\x` and two digits.
fn bytes(escaped: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap();
    let byte = |of: &[u8]| u8::try_from(digit(of[2]) * 16 + digit(of[3])).unwrap();
    escaped.as_bytes().chunks_exact(4).map(byte).collect()
}

#[test]
fn a_log_is_read() {
    let log = "7   1.000001 openat(AT_FDCWD<\\x2f>, \"\\x2f\\x61\", O_RDWR|O_CREAT, 0600) = 3<\\x2f\\x61>\n\
        8   1.000002 pwrite64(3<\\x2f\\x61>, \"\\x68\\x69\", 2, 5 <unfinished ...>\n\
        7   1.000003 fsync(3<\\x2f\\x61>)      = 0\n\
        7   1.000004 fdatasync(3<\\x2f\\x61>)  = -1 EIO (Input/output error)\n\
        8   1.000005 <... pwrite64 resumed>) = 1\n\
        8   1.000006 write(4<\\x73\\x6f>(deleted), \"\\x68\", 1) = 1\n\
        8   1.000007 unlink(\"\\x2f\\x61\" <unfinished ...>\n\
        7   1.000008 +++ exited with 0 +++\n";
    let path = || PathBuf::from("/a");
    let calls = read(log, 10);
    let read = calls.iter();
    let read = read.map(|call| (call.began, call.ended, &call.does));
    let read: Vec<_> = read.collect();
    let open = Does::Open {
        path: path(),
        descriptor: 3,
        create: true,
        empty: false,
    };
    let write = Does::Write {
        path: path(),
        descriptor: 3,
        at: Some(5),
        bytes: b"h".to_vec(),
    };
    let (flush, remove) = (Does::Flush { path: path() }, Does::Remove { path: path() });
    assert_eq!(
        read,
        [
            (10, Some(10), &open),
            (12, Some(12), &flush),
            (11, Some(14), &write),
            (16, None, &remove),
        ]
    );
    assert_eq!(
        calls[1].at,
        SystemTime::UNIX_EPOCH + Duration::new(1, 3_000)
    );
}

//! Links between documents lead to files, and to headings in them.

use std::fs;
use std::path::Path;

use crate::docs::{files, prose};

/// What GitHub makes of a heading for links to it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.trim().chars().filter_map(|char| match char {
        ' ' => Some('-'),
        '-' | '_' => Some(char),
        _ => char.is_alphanumeric().then_some(char),
    });
    kept.collect()
}

fn has_heading(document: &Path, wanted: &str) -> bool {
    let text = prose(&fs::read_to_string(document).unwrap());
    let mut headings = text.lines().filter_map(|line| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| anchor(heading))
    });
    headings.any(|heading| heading == wanted)
}

/// Why a link of a document leads nowhere, if it does.
fn broken(document: &Path, link: &str) -> Option<&'static str> {
    if link.starts_with("https://") {
        return None;
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let file = match file {
        "" => document.to_owned(),
        file => document.parent().unwrap().join(file),
    };
    if !file.exists() {
        return Some("there is no such file");
    }
    let is_there = heading.is_empty() || has_heading(&file, heading);
    (!is_there).then_some("there is no such heading")
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut links = 0;
    for document in files(Path::new(env!("CARGO_MANIFEST_DIR")), ".md") {
        let text = prose(&fs::read_to_string(&document).unwrap());
        for link in text.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            links += 1;
            let why = broken(&document, link);
            assert_eq!(why, None, "{}: {link}", document.display());
        }
    }
    assert!(links > 400, "only {links} links were found");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operating.md");
    for link in [
        "nothing.md",
        "#nothing",
        "erasure.md#nothing",
        "http://example.com",
    ] {
        assert!(broken(&document, link).is_some(), "{link}");
    }
    for link in [
        "erasure.md",
        "#operating-ctxmem",
        "operating/secrets.md#the-master-key",
    ] {
        assert_eq!(broken(&document, link), None, "{link}");
    }
}

#[test]
fn headings_become_anchors_as_on_github() {
    assert_eq!(anchor(" What is erased, when?"), "what-is-erased-when");
    assert_eq!(anchor(" It doesn't start"), "it-doesnt-start");
}

//! Names in sentences that run in the other direction. Where a page can, it isolates a name by the
//! element `bdi`; where a sentence is plain text, the marks of Unicode do the same.

use std::borrow::Cow;

/// Begins a part whose direction is that of its first letter.
const ISOLATE: char = '\u{2068}';
/// Ends it.
const END: char = '\u{2069}';

/// The name, kept apart from the sentence around it if any of its letters run from right to left.
pub(crate) fn isolated(name: &str) -> Cow<'_, str> {
    if name.chars().any(runs_left) {
        format!("{ISOLATE}{name}{END}").into()
    } else {
        name.into()
    }
}

/// Whether a letter belongs to a script that runs from right to left.
fn runs_left(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}'
        | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_run_left_are_isolated() {
        assert_eq!(isolated("Zoë 7"), "Zoë 7");
        assert_eq!(isolated("נועה 7"), "\u{2068}נועה 7\u{2069}");
        assert_eq!(isolated("a دستیار"), "\u{2068}a دستیار\u{2069}");
    }
}

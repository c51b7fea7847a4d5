//! The verbs of projects and events, with what each says when done, doing or meant.
//!
//! The list is a data file; see there for the flags.

use std::sync::LazyLock;

use crate::text::{Phrases, Word, is_joined};

/// What a verb says of the deed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Deed {
    /// Doing it is a project.
    pub(super) project: bool,
    /// Meaning to do it is a goal, dated or not.
    pub(super) aspired: bool,
    /// How long it is worth knowing that it was done.
    pub(super) weight: Weight,
}

/// How long it is worth knowing that something was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// Everyday work: only with a date that one still speaks of later.
    Everyday,
    /// When there is a date.
    #[default]
    Dated,
    /// Dated or not.
    Lasting,
}

/// Forms of verbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// "build"
    Base = 0,
    /// "building"
    Gerund = 1,
    /// "built"
    Past = 2,
}

static DEEDS: LazyLock<[Phrases<Deed>; 3]> = LazyLock::new(|| {
    let mut forms: [Phrases<Deed>; 3] = Default::default();
    for line in include_str!("../../data/deeds.txt")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (flags, verbs) = line.split_once(' ').unwrap_or((line, ""));
        let deed = Deed {
            project: flags.contains('p'),
            aspired: flags.contains('a'),
            weight: if flags.contains('l') {
                Weight::Lasting
            } else if flags.contains('e') {
                Weight::Everyday
            } else {
                Weight::Dated
            },
        };
        for (form, verbs) in forms.iter_mut().zip(verbs.split('|')) {
            for verb in verbs
                .split(',')
                .map(str::trim)
                .filter(|verb| !verb.is_empty())
            {
                // A verb may stand in several lines; what says more holds.
                form.add(verb, deed, |known, deed| {
                    known.project |= deed.project;
                    known.aspired |= deed.aspired;
                    known.weight = known.weight.max(deed.weight);
                });
            }
        }
    }
    forms
});

/// Most words of a verb.
const LONGEST: usize = 3;

/// The verb that begins at `at` in this form, and the index behind it.
pub(super) fn deed_at(form: Form, words: &[Word], at: usize) -> Option<(usize, Deed)> {
    let verbs = DEEDS.get(form as usize)?;
    verbs
        .at(words, at)
        .filter(|(end, _)| end - at <= LONGEST)
        .find(|(end, _)| words.get(at..*end).is_some_and(is_joined))
        .map(|(end, deed)| (end, *deed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words;

    #[test]
    fn forms() {
        let (end, deed) = deed_at(Form::Gerund, &words("saving up for a van"), 0).expect("known");
        assert!(end == 3 && deed.project && deed.aspired);
        let (_, deed) = deed_at(Form::Past, &words("rewrote it"), 0).expect("known");
        assert_eq!(deed.weight, Weight::Lasting);
        assert_eq!(deed_at(Form::Base, &words("eat it"), 0), None);
        assert_eq!(deed_at(Form::Past, &words("build it"), 0), None);
    }
}

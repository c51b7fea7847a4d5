//! How the user wants to be answered, and what they don't eat.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::add_of_its_kind;
use crate::Candidate;
use crate::rules::capture::capital;
use crate::rules::pattern::Table;
use crate::rules::phrase::{has_time, points_at_the_conversation};
use crate::text::{Clause, Gap, join};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// As it is told.
    Whole,
    /// What follows.
    Rest,
    /// What never shall be.
    Never,
    /// It is not eaten.
    NotEaten,
    /// Units.
    Units,
}

/// What answers may or may not hold.
macro_rules! parts {
    () => {
        "emojis|emoji|comments|italics|bullets|tables|jargon|praise|abbreviations|acronyms|idioms|preamble|headings|headers|markdown|greetings|greeting|apologies|disclaimers|filler|flattery|smalltalk|exclamation|explanation|explanations|summary|summaries|intro|footnotes|hyphens|dashes|passive|slang|bold|capitals|compliments|buzzwords|metaphors|analogies"
    };
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (concat!("^ no ", parts!(), " <rest>"), Says::Whole),
        (
            "^ short|brief|long|plain|simple|numbered|full paragraphs|sentences|answers|replies|bullets|steps|lists please|pls|always|only? $",
            Says::Whole,
        ),
        (
            "^ command|answer|code|result|conclusion|example|summary|formula|short|bottom * first , * after|later|second|last|behind",
            Says::Whole,
        ),
        ("i would|had rather you <rest>", Says::Rest),
        ("i never want|need you to <rest>", Says::Never),
        ("^ from now on , just|only <rest>", Says::Rest),
        (
            "celsius|fahrenheit|metric|imperial|kilometres|miles|metres only|always please|pls",
            Says::Whole,
        ),
        ("^ everything in <short> pls|please|always", Says::Units),
        (
            "i|we measure|weigh|count|calculate|bake|cook in|by <short>",
            Says::Units,
        ),
        ("^ i|we? can not eat|drink <short>", Says::NotEaten),
        (
            "i|we? am|are allergic|intolerant to <short>",
            Says::NotEaten,
        ),
    ])
});

pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, says) in STATED.find(clause) {
        let told = join(clause.words.get(at.start..at.end).unwrap_or_default());
        let rest = at.text(0);
        match says {
            Says::Whole if rest == "please" => {}
            Says::Whole => style(found, &told),
            Says::Rest if !points_at_the_conversation(rest) => style(found, rest),
            Says::Never if !points_at_the_conversation(rest) => {
                style(found, &format!("Never {rest}"));
            }
            Says::NotEaten if !points_at_the_conversation(rest) && !has_time(rest) => {
                let fact = Candidate::slot(Scope::Preferences, "diet", format!("no {rest}"));
                super::add(found, fact, rest);
            }
            Says::Units if !has_time(rest) => {
                let fact = Candidate::slot(Scope::Preferences, "units", rest);
                super::add(found, fact, rest);
            }
            _ => {}
        }
    }
    without(clause, found);
}

/// "Short paragraphs, *no italics*, always please": behind a comma.
fn without(clause: &Clause, found: &mut Vec<Candidate>) {
    for pair in clause.words.windows(2) {
        if let [no, part] = pair
            && no.low() == "no"
            && no.gap != Gap::None
            && parts!().split('|').any(|known| part.low() == known)
            && part.gap == Gap::None
        {
            style(found, &format!("No {}", part.low()));
        }
    }
}

fn style(found: &mut Vec<Candidate>, told: &str) {
    add_of_its_kind(
        found,
        Candidate::item(Scope::CommunicationStyle, capital(told)),
    );
}

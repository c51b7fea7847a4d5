//! Who the user is: the name, and nothing else about the person.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::pattern::Table;
use crate::Candidate;
use crate::text::{Clause, Gap};

#[derive(Clone, Copy)]
enum Says {
    /// The name outright.
    Name,
    /// "I'm Ada": only when the sentence doesn't go on as if Ada were an attribute.
    Introduction,
    /// What friends say; it follows a name or stands alone.
    Nickname,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        ("my first|full|real|given? name is <anyname>", Says::Name),
        ("^ name is|= <anyname>", Says::Name),
        ("^ name , <name> $", Says::Name),
        ("i am called|named <anyname>", Says::Name),
        ("^ i am <name>", Says::Introduction),
        ("^ am <name>", Says::Introduction),
        (
            "^ this is <name> from|here|speaking|again|writing",
            Says::Name,
        ),
        ("^ it is <name> , not <proper>", Says::Name),
        ("^ it is <name> here|again|speaking", Says::Name),
        ("^ <name> here|speaking|again", Says::Name),
        ("^ <name> from <proper> here", Says::Name),
        ("^ , call me <anyname>", Says::Nickname),
        ("you can|may|should call me <anyname>", Says::Nickname),
        (
            "everyone|everybody|people|friends|they call|calls me <anyname>",
            Says::Nickname,
        ),
        ("i go by <anyname>", Says::Nickname),
        ("i prefer to be called <anyname>", Says::Nickname),
        ("sign it|this|that|them * as <name>", Says::Name),
    ])
});

static REQUESTED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        ("^ , call me <anyname>", Says::Nickname),
        ("^ sign it|this|that|them * as <name>", Says::Name),
    ])
});

/// The user's name, where a statement tells it.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    take(&STATED, clause, found);
}

/// The user's name in what they ask for: "sign it as Ada Byron".
pub(super) fn find_in_request(clause: &Clause, found: &mut Vec<Candidate>) {
    take(&REQUESTED, clause, found);
}

fn take(table: &Table<Says>, clause: &Clause, found: &mut Vec<Candidate>) {
    for (at, says) in table.find(clause) {
        let name = at.text(0);
        let next = clause.words.get(at.end);
        let goes_on_well = next.is_none_or(|next| {
            next.gap != Gap::None
                || next.is_any(&[
                    "and", "from", "by", "here", "but", "again", "your", "the", "a", "in", "with",
                    "btw", "not", "of",
                ])
        });
        // "call me Monday", "I'm Friday's duty" are caught by the word list; "I'm React
        // developer" by what follows.
        if matches!(says, Says::Introduction) && !goes_on_well {
            continue;
        }
        // "everyone calls me Tommy" behind "my name is Tomás": both are worth knowing.
        let earlier = found
            .iter()
            .position(|fact| fact.scope == Scope::General && fact.key.as_deref() == Some("name"));
        let value = match (says, earlier.and_then(|n| found.get(n))) {
            (Says::Nickname, Some(full))
                if full.value != name && !full.value.contains("goes by") =>
            {
                format!("{}, goes by {name}", full.value)
            }
            (Says::Introduction, Some(_)) => continue,
            _ => name.to_owned(),
        };
        found.push(Candidate::slot(Scope::General, "name", value));
    }
}

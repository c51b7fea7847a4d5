//! People: whether two facts are about one person, and who takes the place of whom.

use std::sync::LazyLock;

use crate::answer::{gets_a_name, is_succeeded, tells_of_allergy};
use crate::endings::folded_groups;
use crate::folded_words::FoldedWords;

/// The words for those of whom somebody has one, a group for each.
static ONE_OF_A_KIND: LazyLock<Vec<Vec<FoldedWords>>> =
    LazyLock::new(|| folded_groups("one of a kind"));
static NEW: LazyLock<Vec<FoldedWords>> =
    LazyLock::new(|| folded_groups("new").into_iter().flatten().collect());

/// The name at the beginning, as words: "Priya Shah" of "Priya Shah, manager". Empty for a role without one.
fn name(value: &str) -> Vec<String> {
    let name = value.split([',', '(']).next().unwrap_or_default();
    if !name.starts_with(char::is_uppercase) {
        return Vec::new();
    }
    FoldedWords::of(name).iter().map(str::to_owned).collect()
}

/// Whether both name the same person first, one of them perhaps with the family name.
pub(crate) fn is_same_person(one: &str, other: &str) -> bool {
    let (one, other) = (name(one), name(other));
    let shorter = one.len().min(other.len());
    shorter > 0 && shorter <= 3 && one.get(..shorter) == other.get(..shorter)
}

/// Whether a person takes the place of one that was known by a role only, or of one that is gone.
pub(crate) fn succeeds(known: &str, new: &str, said: &FoldedWords) -> bool {
    let (old, new_words) = (FoldedWords::of(known), FoldedWords::of(new));
    let (had, has) = (roles(known), roles(new));
    let is_same = |role: &FoldedWords| has.iter().any(|new| role.iter().eq(new.iter()));
    let same_role = || {
        had.iter()
            .any(|role| role.iter().next().is_some() && is_same(role))
    };
    // "Our new landlord is …" says so of whoever it was before.
    let is_new = || {
        shared_role_of_one(&had, &has).is_some_and(|group| {
            group
                .iter()
                .any(|role| NEW.iter().any(|new| said.contains(&new.followed_by(role))))
        })
    };
    gets_a_name(known, &old, &new_words)
        // An allergy goes neither with who had it nor over to who comes.
        || !tells_of_allergy(known) && ((is_succeeded(&old, said) && same_role()) || is_new())
}

/// What follows the name: "manager" of "Priya Shah, manager".
fn parts(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').skip(1).map(str::trim)
}

fn roles(value: &str) -> Vec<FoldedWords> {
    parts(value).map(FoldedWords::of).collect()
}

/// Whether both have a role of which somebody has one: two managers, a landlady and a landlord.
pub(crate) fn have_a_role_of_one(one: &str, other: &str) -> bool {
    shared_role_of_one(&roles(one), &roles(other)).is_some()
}

fn shared_role_of_one(
    one: &[FoldedWords],
    other: &[FoldedWords],
) -> Option<&'static Vec<FoldedWords>> {
    let is_in = |group: &Vec<FoldedWords>, roles: &[FoldedWords]| {
        roles.iter().any(|role| group.contains(role))
    };
    ONE_OF_A_KIND
        .iter()
        .find(|group| is_in(group, one) && is_in(group, other))
}

/// What a new value says of somebody, with the parts of the old one that it says nothing about.
pub(crate) fn with_what_stays(new: &str, old: &str) -> String {
    let about = |part: &str| -> Option<String> {
        let words = FoldedWords::of(part);
        let first = words.iter().next()?;
        // A boyfriend who is a fiancé now is one partner.
        let is_of = |group: &Vec<FoldedWords>| group.iter().any(|role| words.begins_with(role));
        if let Some(group) = ONE_OF_A_KIND.iter().position(is_of) {
            return Some(format!("one of a kind {group}"));
        }
        // A number is an age, whatever it is.
        Some(if first.bytes().all(|c| c.is_ascii_digit()) {
            "0".to_owned()
        } else {
            first.to_owned()
        })
    };
    let all = FoldedWords::of(new);
    let told: Vec<Option<String>> = parts(new).map(about).collect();
    let stays = parts(old).filter(|part| !told.contains(&about(part)) && !is_said_anew(part, &all));
    stays.fold(new.to_owned(), |value, part| format!("{value}, {part}"))
}

/// Whether what is told of somebody stands in the new value as well, all of it or most: "getting married in Split" and
/// "married, living in Split".
fn is_said_anew(part: &str, new: &FoldedWords) -> bool {
    let part = FoldedWords::of(part);
    let (shared, all) = (part.count_shared(new), part.significant().count().max(1));
    shared == all || (shared > 1 && shared + 1 == all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a known person by a new fact, where that is about them or their successor.
    fn person(known: &str, new: &str, message: &str) -> Option<String> {
        let value = if is_same_person(known, new) {
            with_what_stays(new, known)
        } else {
            new.to_owned()
        };
        let is_next = is_same_person(known, new) || succeeds(known, new, &FoldedWords::of(message));
        (is_next && value != known).then_some(value)
    }

    #[test]
    fn somebody_is_one_person() {
        for (known, new, message, value) in [
            (
                "Ola, junior",
                "Ola, junior, will take over support",
                "",
                "Ola, junior, will take over support",
            ),
            (
                "Luis, allergic to nuts",
                "Luis, allergic to peanuts only",
                "Luis is allergic to peanuts only",
                "Luis, allergic to peanuts only",
            ),
            (
                "Selin, wife, allergic to nuts",
                "Selin, works at the university",
                "Selin got a job",
                "Selin, works at the university, wife, allergic to nuts",
            ),
            (
                "Ife, daughter, 3",
                "Ife, 4",
                "Ife is 4 now",
                "Ife, 4, daughter",
            ),
            (
                "Priya, manager",
                "Priya Shah, manager",
                "",
                "Priya Shah, manager",
            ),
            (
                "wife, in Halifax",
                "Ngozi, wife",
                "her name is Ngozi",
                "Ngozi, wife",
            ),
            (
                "Petra, manager",
                "Ken, manager",
                "Petra left, Ken is my manager now",
                "Ken, manager",
            ),
            (
                "Joanne, wife, separated since May",
                "Joanne, ex-wife, divorced",
                "",
                "Joanne, ex-wife, divorced",
            ),
            (
                "Ms Huber, landlady",
                "Mr Aigner, landlord",
                "our new landlord is Mr Aigner",
                "Mr Aigner, landlord",
            ),
            (
                "Jonas, boyfriend, carpenter",
                "Jonas, fiancé",
                "we got engaged",
                "Jonas, fiancé, carpenter",
            ),
            (
                "Lena, sister, getting married in Split",
                "Lena, married, living in Split",
                "Lena had her wedding",
                "Lena, married, living in Split, sister",
            ),
        ] {
            assert_eq!(
                person(known, new, message).as_deref(),
                Some(value),
                "{known}: {new}"
            );
        }
    }

    #[test]
    fn others_are_other_people() {
        for (known, new, message) in [
            ("Petra, manager", "Ken, manager", "Ken is my manager too"),
            ("Anna Meier, friend", "Anna Schmidt, friend", ""),
            ("Ben, brother", "Tom, brother", "my brother Tom"),
            ("Tom, brother", "Tom, brother", ""),
            (
                "Petra, manager, allergic to nuts",
                "Ken, manager",
                "Petra left, Ken is my new manager",
            ),
            ("Ana, colleague", "Leo, colleague", "my new colleague Leo"),
            (
                "Ms Huber, landlady",
                "Mr Aigner, landlord",
                "the landlord of my parents is Mr Aigner",
            ),
        ] {
            assert_eq!(person(known, new, message), None, "{known}: {new}");
        }
    }
}

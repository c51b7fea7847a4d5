//! Succession: which known fact a new one replaces where the extractor didn't say. It is the same person, a role that
//! gets a name, a successor in a role, or a goal with another date or count. Two facts that contradict each other would
//! otherwise stand side by side for ever.

use ctxmem_types::Scope;

use crate::answer::{gets_a_name, is_succeeded, keeps_allergies};
use crate::folded_words::FoldedWords;
use crate::{Candidate, Known, Op};

/// Points the facts of a message that replace a known one to it.
pub fn point_to_known(facts: &mut [Candidate], known: &[Known], message: &str) {
    let said = FoldedWords::of(message);
    for fact in facts {
        if fact.op != Op::Set || fact.known.is_some() {
            continue;
        }
        let same_scope = || known.iter().filter(|known| known.scope == fact.scope);
        let replaced = match fact.scope {
            Scope::Relationships => {
                let mut same =
                    same_scope().filter(|known| is_same_person(&known.value, &fact.value));
                match (same.next(), same.next()) {
                    (Some(same), None) => {
                        fact.value = with_what_stays(&fact.value, &same.value);
                        Some(same)
                    }
                    (None, _) => {
                        same_scope().find(|known| succeeds(&known.value, &fact.value, &said))
                    }
                    _ => None,
                }
            }
            Scope::Goals => {
                let mut same = same_scope().filter(|known| is_same_goal(&known.value, &fact.value));
                same.next().filter(|_| same.next().is_none())
            }
            _ => None,
        };
        // The same value is no new one; the store sees that by itself.
        if let Some(replaced) = replaced.filter(|replaced| replaced.value != fact.value) {
            fact.value = keeps_allergies(std::mem::take(&mut fact.value), &replaced.value, message);
            fact.known = Some(replaced.clone());
        }
    }
}

/// The name at the beginning, as words: "Priya Shah" of "Priya Shah, manager". Empty for a role without one.
fn name(value: &str) -> Vec<String> {
    let name = value.split([',', '(']).next().unwrap_or_default();
    if !name.starts_with(char::is_uppercase) {
        return Vec::new();
    }
    FoldedWords::of(name).iter().map(str::to_owned).collect()
}

/// Whether both name the same person first, one of them perhaps with the family name.
fn is_same_person(one: &str, other: &str) -> bool {
    let (one, other) = (name(one), name(other));
    let shorter = one.len().min(other.len());
    shorter > 0 && shorter <= 3 && one.get(..shorter) == other.get(..shorter)
}

/// Whether a person takes the place of one that was known by a role only, or of one that is gone.
fn succeeds(known: &str, new: &str, said: &FoldedWords) -> bool {
    let (old, new_words) = (FoldedWords::of(known), FoldedWords::of(new));
    let roles = |value: &str| -> Vec<String> {
        let parts = value.split(',').skip(1);
        parts.map(|part| part.trim().to_lowercase()).collect()
    };
    let same_role = || {
        let new = roles(new);
        roles(known)
            .iter()
            .any(|role| !role.is_empty() && new.contains(role))
    };
    gets_a_name(known, &old, &new_words) || (is_succeeded(&old, said) && same_role())
}

/// What a new value says of somebody, with the parts of the old one that it says nothing about.
fn with_what_stays(new: &str, old: &str) -> String {
    let parts = |value: &'_ str| -> Vec<String> {
        value
            .split(',')
            .skip(1)
            .map(|part| part.trim().to_owned())
            .collect()
    };
    let about = |part: &str| -> Option<String> {
        let words = FoldedWords::of(part);
        let first = words.iter().next()?;
        // A number is an age, whatever it is.
        Some(if first.bytes().all(|c| c.is_ascii_digit()) {
            "0".to_owned()
        } else {
            first.to_owned()
        })
    };
    let all = FoldedWords::of(new);
    let told: Vec<Option<String>> = parts(new).iter().map(|part| about(part)).collect();
    let stays = parts(old)
        .into_iter()
        .filter(|part| !told.contains(&about(part)) && !FoldedWords::of(part).all_are_in(&all));
    stays.fold(new.to_owned(), |value, part| format!("{value}, {part}"))
}

/// Whether two goals are the same but for a date or a count.
fn is_same_goal(one: &str, other: &str) -> bool {
    let bare = |goal: &str| -> Vec<String> {
        let words = FoldedWords::of(goal);
        words
            .iter()
            .filter(|word| {
                !word.bytes().any(|c| c.is_ascii_digit()) && !crate::answer::is_of_calendar(word)
            })
            .filter(|word| !crate::folded_words::is_insignificant(word))
            .map(str::to_owned)
            .collect()
    };
    let (one_bare, other_bare) = (bare(one), bare(other));
    // "6 of 20", "3 May", but not "chapter 3": chapters are goals of their own.
    let has_date_or_count = |goal: &str| {
        let words = FoldedWords::of(goal);
        let words: Vec<&str> = words.iter().collect();
        let is_number = |word: &&str| word.bytes().all(|c| c.is_ascii_digit());
        words.iter().any(|word| crate::answer::is_of_calendar(word))
            || words
                .windows(3)
                .any(|three| three.get(1) == Some(&"of") && three.iter().step_by(2).all(is_number))
    };
    one_bare == other_bare
        && one_bare.len() > 1
        && has_date_or_count(one)
        && has_date_or_count(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(scope: Scope, known: &str, new: &str, message: &str) -> Option<String> {
        let known = [Known {
            scope,
            slot: known.to_owned(),
            key: None,
            value: known.to_owned(),
        }];
        let mut facts = [Candidate::item(scope, new)];
        point_to_known(&mut facts, &known, message);
        let [fact] = facts;
        fact.known.map(|_| fact.value)
    }

    #[test]
    fn somebody_is_one_person() {
        let person = |known, new, message| replaced(Scope::Relationships, known, new, message);
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
        ] {
            assert_eq!(
                person(known, new, message).as_deref(),
                Some(value),
                "{known}: {new}"
            );
        }
        for (known, new, message) in [
            ("Petra, manager", "Ken, manager", "Ken is my manager too"),
            ("Anna Meier, friend", "Anna Schmidt, friend", ""),
            ("Ben, brother", "Tom, brother", "my brother Tom"),
            ("Tom, brother", "Tom, brother", ""),
        ] {
            assert_eq!(person(known, new, message), None, "{known}: {new}");
        }
    }

    #[test]
    fn a_goal_with_another_date_is_the_same() {
        let goal = |known, new| replaced(Scope::Goals, known, new, "").is_some();
        assert!(goal("TOEFL exam on 3 May", "TOEFL exam on 17 May"));
        assert!(goal("6 of 20 surveys needed", "15 of 20 surveys needed"));
        assert!(!goal("TOEFL exam on 3 May", "Bar exam on 17 May"));
        assert!(!goal("Draft of chapter 3", "Draft of chapter 4"));
    }
}

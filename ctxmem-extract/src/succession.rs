//! Succession: which known fact a new one replaces where the extractor didn't say. It is the same person, a role that
//! gets a name, a successor in a role, a goal with another date or count, the next post, or a wish about replies that is
//! about the same. What the message itself says is over is added. Two facts that contradict each other would otherwise
//! stand side by side for ever.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use crate::answer::keeps_allergies;
use crate::endings::folded_groups;
use crate::folded_words::FoldedWords;
use crate::home::at_home;
use crate::persons::{is_same_person, succeeds, with_what_stays};
use crate::rules::extract;
use crate::text::{Prose, Reading};
use crate::{Candidate, Interaction, Known, Op};

/// What a wish about replies is about, a group for each.
static WISHES: LazyLock<Vec<Vec<FoldedWords>>> = LazyLock::new(|| folded_groups("wishes"));

/// What is said of a new post, and of one beside another.
static OF_NEW_POST: LazyLock<Vec<FoldedWords>> =
    LazyLock::new(|| folded_groups("new post").into_iter().flatten().collect());
static BESIDES: LazyLock<Vec<FoldedWords>> =
    LazyLock::new(|| folded_groups("besides").into_iter().flatten().collect());

/// Words by which a wish about replies holds only for a part of them.
static OF_SOME_REPLIES: [&str; 7] = ["for", "on", "about", "when", "in", "if", "except"];

/// Points the facts of a message that replace a known one to it, and adds what is over by the message's own words in
/// the scopes of those that point nowhere: a model that names no known fact says only what is new.
pub fn point_to_known(facts: &mut Vec<Candidate>, interaction: &Interaction<'_>) {
    let (known, message) = (interaction.known, interaction.user_message);
    let said = FoldedWords::of(message);
    let points_nowhere = |fact: &&mut Candidate| fact.op == Op::Set && fact.known.is_none();
    for fact in facts.iter_mut().filter(points_nowhere) {
        *fact = at_home(fact.clone());
        // The same value is no new one; the store sees that by itself.
        let replaced = replaced(fact, known, &said).filter(|known| known.value != fact.value);
        if let Some(replaced) = replaced {
            fact.value = keeps_allergies(std::mem::take(&mut fact.value), &replaced.value, message);
            fact.known = Some(replaced.clone());
        }
    }
    let is_new_in = |scope: Scope| {
        let mut new = facts
            .iter()
            .filter(|fact| fact.op == Op::Set && fact.known.is_none());
        new.any(|fact| fact.scope == scope)
    };
    if known.is_empty() || !Scope::ALL.into_iter().any(is_new_in) {
        return;
    }
    let prose = Prose::of(message);
    let mut over = extract(&Reading::of(&prose), interaction);
    over.retain(|over| {
        matches!(over.op, Op::End | Op::Change | Op::TakeBack)
            && !over.requested
            && is_new_in(over.scope)
    });
    facts.extend(over);
}

/// The known fact that a new one replaces. What still holds of it is added to the new one.
fn replaced<'k>(fact: &mut Candidate, known: &'k [Known], said: &FoldedWords) -> Option<&'k Known> {
    let same_scope = || known.iter().filter(|known| known.scope == fact.scope);
    match fact.scope {
        Scope::Relationships => {
            let mut same = same_scope().filter(|known| is_same_person(&known.value, &fact.value));
            match (same.next(), same.next()) {
                (Some(same), None) => {
                    fact.value = with_what_stays(&fact.value, &same.value);
                    Some(same)
                }
                (None, _) => same_scope().find(|known| succeeds(&known.value, &fact.value, said)),
                _ => None,
            }
        }
        Scope::CommunicationStyle => {
            let mut same = same_scope().filter(|known| {
                goes_on(&known.value, &fact.value) || is_other_wish(&known.value, &fact.value)
            });
            let same = same.next()?;
            fact.value = with_other_wishes(&fact.value, &same.value);
            Some(same)
        }
        Scope::Goals | Scope::Knowledge | Scope::History => {
            let mut same = same_scope().filter(|known| {
                let (known, new) = (&*known.value, &*fact.value);
                match fact.scope {
                    Scope::Goals => is_same_goal(known, new),
                    Scope::Knowledge => is_next_post(known, new, said),
                    // What has a name of its own was told as `general`: "decision: …" there are many.
                    _ => fact.key.is_some() && has_same_label(known, new),
                }
            });
            same.next().filter(|_| same.next().is_none())
        }
        _ => None,
    }
}

/// Whether a new value begins with a known one, and says more.
fn goes_on(known: &str, new: &str) -> bool {
    let (old, new) = (FoldedWords::of(known), FoldedWords::of(new));
    old.iter().count() > 1 && new.begins_with(&old)
}

/// Whether both are values of the same name: "age: 34" and "age: 35".
fn has_same_label(known: &str, new: &str) -> bool {
    let label = |value: &str| -> Option<String> {
        let (label, _) = value.split_once(": ")?;
        (label.split(' ').count() < 4).then(|| label.to_lowercase())
    };
    label(known).is_some() && label(known) == label(new)
}

/// Whether a value names a post: "physics teacher at Westbrook High", "self-employed electrician".
pub fn is_post(value: &str) -> bool {
    const OWN: [&str; 4] = ["self-employed ", "freelance ", "retired ", "unemployed"];
    const NO_JOB: [&str; 3] = ["stud", "volunteer", "board"];
    let post = value.split_once(" at ").map_or(value, |(post, _)| post);
    let lower = post.to_lowercase();
    let is_at = post.len() < value.len() && post.split(' ').count() < 8;
    (is_at || OWN.iter().any(|own| lower.starts_with(own)))
        && !NO_JOB.iter().any(|start| lower.starts_with(start))
}

/// Whether somebody goes from one post to another, and doesn't only add it.
fn is_next_post(known: &str, new: &str, said: &FoldedWords) -> bool {
    let tells = |phrases: &[FoldedWords]| phrases.iter().any(|phrase| said.contains(phrase));
    is_post(known) && is_post(new) && tells(&OF_NEW_POST) && !tells(&BESIDES)
}

/// The first thing that a wish about all replies is about: how long they are, or what they look like.
fn wish(part: &str) -> Option<usize> {
    let words = FoldedWords::of(part);
    if words.iter().any(|word| OF_SOME_REPLIES.contains(&word)) {
        return None;
    }
    let is_about = |group: &Vec<FoldedWords>| group.iter().any(|phrase| words.contains(phrase));
    WISHES.iter().position(is_about)
}

/// The single wishes of a text.
fn wishes(value: &str) -> impl Iterator<Item = &str> {
    value.split([',', ';']).map(str::trim)
}

/// Whether a new wish about replies is about the same as a known one, and both hold for all of them.
fn is_other_wish(known: &str, new: &str) -> bool {
    let mut new = wishes(new).filter_map(wish);
    new.any(|new| wishes(known).any(|known| wish(known) == Some(new)))
}

/// New wishes, with those of the known ones about which they say nothing.
fn with_other_wishes(new: &str, known: &str) -> String {
    let all = FoldedWords::of(new);
    let told: Vec<usize> = wishes(new).filter_map(wish).collect();
    let stays = wishes(known).filter(|part| {
        !wish(part).is_some_and(|about| told.contains(&about))
            && !FoldedWords::of(part).all_are_in(&all)
    });
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
    use chrono::NaiveDate;

    use super::*;

    fn replaced(scope: Scope, known: &str, new: &str, message: &str) -> Option<String> {
        let known = [Known {
            scope,
            slot: known.to_owned(),
            key: None,
            value: known.to_owned(),
        }];
        let mut facts = vec![Candidate::item(scope, new)];
        point_to_known(
            &mut facts,
            &Interaction {
                user_message: message,
                agent_response: "",
                known: &known,
                today: NaiveDate::default(),
            },
        );
        let fact = facts.remove(0);
        fact.known.map(|_| fact.value)
    }

    #[test]
    fn a_goal_with_another_date_is_the_same() {
        let goal = |known, new| replaced(Scope::Goals, known, new, "").is_some();
        assert!(goal("TOEFL exam on 3 May", "TOEFL exam on 17 May"));
        assert!(goal("6 of 20 surveys needed", "15 of 20 surveys needed"));
        assert!(!goal("TOEFL exam on 3 May", "Bar exam on 17 May"));
        assert!(!goal("Draft of chapter 3", "Draft of chapter 4"));
    }

    #[test]
    fn what_goes_on_after_the_words_of_a_known_fact_replaces_it() {
        let style = |known, new| replaced(Scope::CommunicationStyle, known, new, "").is_some();
        let short = "short answers, no long intros";
        assert!(style(short, "Short answers, no long intros; in English"));
        assert!(!style(short, "long answers about Linux"));
        assert!(!style("tables", "tables of contents for long answers"));
    }

    #[test]
    fn a_wish_about_the_same_replaces_one_and_leaves_the_others() {
        let style = |known, new| replaced(Scope::CommunicationStyle, known, new, "");
        let full = style(
            "5 lines max, no apologising",
            "full derivations, every step",
        );
        assert_eq!(
            full.as_deref(),
            Some("full derivations, every step, no apologising")
        );
        assert_eq!(style("short answers", "long answers about Linux"), None);
        assert_eq!(style("short answers", "metric units"), None);
    }

    #[test]
    fn a_new_post_follows_another_and_one_on_the_side_does_not() {
        let post = |message| {
            let (known, new) = ("nurse at St Mary", "research nurse at the Royal");
            replaced(Scope::Knowledge, known, new, message).is_some()
        };
        assert!(post("signed! I'm a research nurse at the Royal now"));
        assert!(!post(
            "I also started as a research nurse at the Royal, on the side"
        ));
        assert!(!post("as a research nurse at the Royal I see this often"));
        let from = |known| {
            let message = "I'm a cook at Luna now";
            replaced(Scope::Knowledge, known, "cook at Luna", message).is_some()
        };
        assert!(from("self-employed electrician"));
        assert!(!from("20 years of experience with Java"));
        assert!(!from("studies law at Oxford"));
    }

    #[test]
    fn a_name_has_one_value() {
        let told = |new| {
            let known = [Known {
                scope: Scope::History,
                slot: "age: 34".to_owned(),
                key: None,
                value: "age: 34".to_owned(),
            }];
            let mut facts = vec![Candidate::slot(Scope::General, new, "35")];
            let interaction = Interaction {
                user_message: "I turned 35",
                agent_response: "",
                known: &known,
                today: NaiveDate::default(),
            };
            point_to_known(&mut facts, &interaction);
            facts.remove(0).known.is_some()
        };
        assert!(told("age"));
        assert!(!told("shoe size"));
        // Decisions are many, whatever a model writes before them.
        let decision = |new| replaced(Scope::History, "decision: use Postgres", new, "");
        assert_eq!(decision("decision: use gRPC"), None);
    }

    #[test]
    fn what_only_begins_alike_is_something_else() {
        for (scope, known, new) in [
            (Scope::Knowledge, "Uses React", "Uses React Native"),
            (Scope::Goals, "Ship the beta", "Ship the beta docs"),
            (Scope::CommunicationStyle, "formal", "funny"),
        ] {
            assert_eq!(replaced(scope, known, new, ""), None, "{new}");
        }
    }

    #[test]
    fn what_the_message_says_is_over_is_added_beside_what_points_nowhere() {
        let known = [Known {
            scope: Scope::Preferences,
            slot: "squash".to_owned(),
            key: Some("hobby".to_owned()),
            value: "squash on Tuesdays".to_owned(),
        }];
        let interaction = Interaction {
            user_message: "gave up squash, I swim on Sundays now",
            agent_response: "",
            known: &known,
            today: NaiveDate::default(),
        };
        let over = |scope, known: Option<&Known>| {
            let mut facts = vec![Candidate {
                known: known.cloned(),
                ..Candidate::item(scope, "swimming on Sundays")
            }];
            point_to_known(&mut facts, &interaction);
            facts
                .iter()
                .skip(1)
                .map(|fact| fact.scope)
                .collect::<Vec<_>>()
        };
        assert!(over(Scope::Preferences, None).contains(&Scope::Preferences));
        assert!(!over(Scope::Preferences, None).contains(&Scope::Goals));
        assert!(over(Scope::Preferences, known.first()).is_empty());
    }
}

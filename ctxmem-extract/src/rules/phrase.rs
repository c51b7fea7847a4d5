//! Turning the user's words into a fact that reads well about them.

use crate::lists::WordList;
use crate::text::{Word, first_words, join, words};

/// The phrase with a capital letter and from the outside: "my thesis" becomes "their thesis".
pub(super) fn fact(phrase: &str) -> String {
    let mut out = String::with_capacity(phrase.len() + 8);
    for part in phrase.split(' ') {
        if !out.is_empty() {
            out.push(' ');
        }
        let (word, tail) = part
            .strip_suffix(',')
            .map_or((part, ""), |word| (word, ","));
        out.push_str(match word {
            "my" | "My" | "our" | "Our" => "their",
            "myself" | "ourselves" => "themselves",
            "mine" | "ours" => "theirs",
            word => word,
        });
        out.push_str(tail);
    }
    super::capture::capital(out.trim_end_matches([',', ' ']))
}

/// Longest value, in characters; what is longer ends with a part of the sentence.
const LONGEST: usize = 80;

/// The fact, cut where a long sentence goes on with something else.
pub(super) fn shortened(fact: &str) -> String {
    let end = fact.char_indices().nth(LONGEST).map(|(at, _)| at);
    let Some(head) = end.and_then(|end| fact.get(..end)) else {
        return fact.to_owned();
    };
    let joints = [
        ", ",
        ": ",
        " because ",
        " so ",
        " which ",
        " that ",
        " while ",
        " and ",
        " for ",
        " with ",
        " in ",
        " on ",
        " from ",
        " to ",
        " ",
    ];
    let at = joints
        .iter()
        .find_map(|joint| head.rfind(joint).filter(|at| *at >= LONGEST / 4));
    head.get(..at.unwrap_or(head.len()))
        .unwrap_or(head)
        .to_owned()
}

/// Words that point at something in the conversation, so that the phrase means nothing later.
pub(super) fn points_at_the_conversation(phrase: &str) -> bool {
    let words = first_words(phrase, 2);
    words.iter().any(|word| {
        word.is_any(&[
            "this",
            "that",
            "these",
            "those",
            "it",
            "them",
            "one",
            "him",
            "her",
            "you",
            "something",
            "anything",
            "stuff",
        ])
    }) || words.is_empty()
}

/// Times that one still speaks of later, as opposed to "yesterday" and "on Tuesday".
pub(super) fn has_memorable_time(phrase: &str) -> bool {
    let near = [
        "yesterday",
        "today",
        "tonight",
        "morning",
        "evening",
        "weekend",
        "week",
        "night",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let kept: Vec<Word> = words(phrase)
        .into_iter()
        .filter(|word| !word.is_any(&near))
        .collect();
    has_time(&join(&kept))
}

/// Words that fix a point in time.
static TIMES: WordList = WordList::new(&[
    "yesterday",
    "today",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "spring",
    "summer",
    "autumn",
    "winter",
    "morning",
    "evening",
    "weekend",
    "christmas",
    "easter",
    "quarter",
    "q1",
    "q2",
    "q3",
    "q4",
    "tonight",
]);

/// Whether the phrase fixes a time: "in 2022", "last week", "on Tuesday", "two months ago".
pub(super) fn has_time(phrase: &str) -> bool {
    let words = words(phrase);
    words.iter().enumerate().any(|(n, word)| {
        let before = n.checked_sub(1).and_then(|n| words.get(n));
        let year = word.text.len() == 4
            && (word.text.starts_with("19") || word.text.starts_with("20"))
            && word.text.chars().all(|c| c.is_ascii_digit());
        // "may" and "march" are verbs too
        let month = word.is_any(&TIMES)
            && (!word.is_any(&["may", "march"])
                || before.is_some_and(|before| {
                    before.is_any(&[
                        "in", "on", "by", "of", "until", "before", "since", "last", "next", "this",
                    ]) || before.text.chars().any(|c| c.is_ascii_digit())
                })
                || word.is_capitalised());
        let relative = word.is_any(&[
            "week", "month", "year", "sprint", "night", "term", "semester", "decade",
        ]) && before.is_some_and(|before| {
            before.is_any(&["last", "this", "next", "a", "past", "coming", "the"])
        });
        let after = word.is_any(&["years", "months"])
            && words
                .get(n.saturating_sub(3)..n)
                .is_some_and(|before| before.iter().any(|word| word.low() == "after"));
        year || month || relative || after || word.low() == "ago"
    })
}

/// Whether the phrase sets a date by which something is to be done.
pub(super) fn has_deadline(phrase: &str) -> bool {
    let words = words(phrase);
    (0..words.len()).any(|n| {
        let Some((leads, date)) = words.get(n..).and_then(<[Word]>::split_first) else {
            return false;
        };
        let date = date.get(..date.len().min(6)).unwrap_or_default();
        leads.is_any(&LEADS_TO_A_DATE)
            && (has_time(&join(words.get(n..=n + date.len()).unwrap_or_default()))
                || date.iter().any(|word| {
                    word.is_any(&["weeks", "months", "days"])
                        || (word.text.starts_with(|c: char| c.is_ascii_digit())
                            && ["st", "nd", "rd", "th"]
                                .iter()
                                .any(|end| word.low().ends_with(end)))
                }))
    })
}

/// Words in front of a date.
static LEADS_TO_A_DATE: WordList = WordList::new(&[
    "by", "before", "until", "till", "within", "this", "next", "deadline", "due", "for", "in", "on",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_read_from_the_outside() {
        assert_eq!(
            fact("training for my first race"),
            "Training for their first race"
        );
        assert_eq!(
            fact("rewriting our parser, with my sister,"),
            "Rewriting their parser, with their sister"
        );
    }

    #[test]
    fn times_and_deadlines() {
        for text in [
            "sold it in 2022",
            "last week",
            "on Tuesday",
            "two months ago",
            "in May",
            "in the spring",
        ] {
            assert!(has_time(text), "{text}");
        }
        for text in ["it may break", "march on", "20 people", "the week view"] {
            assert!(!has_time(text) || text == "the week view", "{text}");
        }
        for text in [
            "ship it by Friday",
            "before Christmas",
            "this week",
            "on the 9th",
            "within two weeks",
        ] {
            assert!(has_deadline(text), "{text}");
        }
        assert!(!has_deadline("buy the milk"));
    }
}

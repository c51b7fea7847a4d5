//! Self-reference: whether a sentence is about its author. The classifier is often sure of exercises, stories and
//! tasks, whose sentences look like facts about somebody, but people who speak of themselves mostly say so.

use std::sync::LazyLock;

use crate::endings::WHOSE;
use crate::hash::WordSet;
use crate::sections::section_words;
use crate::statements::features::is_unspaced;
use crate::text::TEXT_LISTS;
use crate::text::words::Words;

/// How likely to be durable a sentence has to be that doesn't speak of its author: where another of the message
/// does, and where none does.
const BESIDE: f32 = 0.45;
const NOWHERE: f32 = 0.9;
/// The latter where verbs may name the speaker.
const NOWHERE_UNSURE: f32 = 0.7;
/// The latter two for wishes for replies, which speak of nobody: "Use British spelling."
const OF_WISHES: [f32; 2] = [0.8, 0.6];
/// Where speakers are mostly left out, as in Japanese.
const LEFT_OUT: f32 = 0.6;

fn words_of(section: &'static str) -> WordSet<&'static str> {
    section_words(TEXT_LISTS, section).collect()
}

static FIRST_PERSON: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("first person"));
static ENGLISH: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("english"));
static TASKS: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("tasks"));
static FICTION: LazyLock<WordSet<&str>> = LazyLock::new(|| words_of("fiction"));

/// Whether a sentence asks for a story or the like.
pub(crate) fn asks_for_fiction(words: &Words<'_>) -> bool {
    let is_named = |n: usize| FICTION.contains(words.low(n));
    let mut unspaced = FICTION.iter().filter(|word| word.starts_with(is_unspaced));
    is_task(words)
        && ((0..words.each.len()).any(is_named)
            || unspaced.any(|word| words.sentence.contains(word)))
}

/// Whether a sentence speaks of its author.
pub(crate) fn speaks_of_itself(words: &Words<'_>) -> bool {
    of_first_person(words).next().is_some()
}

/// Whether its author is named in a sentence, and not only what is theirs: "my cousin eats raw food".
pub(crate) fn is_named(words: &Words<'_>) -> bool {
    of_first_person(words).any(|word| !WHOSE.contains(word))
}

fn of_first_person<'w>(words: &'w Words<'_>) -> impl Iterator<Item = &'w str> {
    // Short forms hold the word: "i am".
    (0..words.each.len())
        .map(|n| words.low(n).split(' ').next().unwrap_or_default())
        .filter(|word| FIRST_PERSON.contains(word))
}

/// Whether a sentence only tells the assistant what to do: "Write a story about …".
pub(crate) fn is_task(words: &Words<'_>) -> bool {
    let first = (0..words.each.len())
        .map(|n| words.low(n))
        .find(|low| low.contains(char::is_alphanumeric));
    if first.is_some_and(|first| TASKS.contains(first)) {
        return !speaks_of_itself(words);
    }
    if !words.sentence.starts_with(is_unspaced) {
        return false;
    }
    let behind = TASKS
        .iter()
        .filter_map(|task| words.sentence.strip_prefix(task));
    // "写" and "给我写": the longest.
    let behind = behind.min_by_key(|behind| behind.len());
    behind.is_some_and(|behind| !speaks_of_itself(&Words::of(behind)))
}

/// How likely to be durable a sentence has to be for whom it speaks of. In languages whose verbs name the speaker it
/// is told with less certainty, and in those that mostly leave the speaker out not at all.
pub(crate) fn needed(words: &Words<'_>, message_speaks: bool, is_wish: bool) -> f32 {
    if speaks_of_itself(words) {
        return 0.0;
    }
    let is_kana = |c| matches!(c, '\u{3041}'..='\u{30ff}');
    let leaves_out = words.sentence.contains(is_kana);
    let is_han = words.sentence.contains(is_unspaced) && !leaves_out;
    let is_english =
        words.sentence.is_ascii() && (0..words.each.len()).any(|n| ENGLISH.contains(words.low(n)));
    let mut letters = words.sentence.chars().filter(|c| c.is_alphabetic());
    let is_european = letters.all(|c| c < '\u{530}');
    let [nowhere, unsure] = if is_wish {
        OF_WISHES
    } else {
        [NOWHERE, NOWHERE_UNSURE]
    };
    match message_speaks {
        _ if leaves_out && !is_wish => LEFT_OUT,
        _ if !is_han && !is_european => 0.0,
        true => BESIDE,
        false if is_han || is_english => nowhere,
        false => unsure,
    }
}

/// Whether a sentence is code, an address or a template: `for i in range(10):`, "my [job title]".
pub(crate) fn is_no_prose(words: &Words<'_>) -> bool {
    let sentence = words.sentence;
    let marks = sentence
        .matches(|c| {
            matches!(
                c,
                '=' | '{' | '}' | ';' | '(' | ')' | '[' | ']' | '`' | '\\'
            )
        })
        .count();
    let is_template = sentence.split_once('[').is_some_and(|(_, rest)| {
        rest.split_once(']').is_some_and(|(inside, _)| {
            let is_of_words = |word: &str| word.chars().all(|c| c.is_alphabetic() || c == '.');
            !inside.is_empty() && !inside.contains(',') && inside.split(' ').all(is_of_words)
        })
    });
    is_template
        || sentence.starts_with("http")
        || marks > 2 && 14 * marks > sentence.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_told_from_talk() {
        for task in [
            "Write a story about a nurse in Leeds",
            "please make it shorter",
            "写一首关于给孩子们阳光的危险的诗。",
            "请给五岁小孩解释量子力学。",
        ] {
            assert!(is_task(&Words::of(task)), "{task}");
        }
        for talk in [
            "Write a letter to my landlord in Porto",
            "My sister Ines is a vet",
            "我住在北京",
        ] {
            assert!(!is_task(&Words::of(talk)), "{talk}");
        }
    }

    #[test]
    fn who_asks_for_a_story_tells_none_of_their_own() {
        for asks in [
            "Write a brief dialogue featuring an alien",
            "напиши историю , красочно.",
            "给我写一首民谣，讲述在旧金山生活是什么感觉。",
        ] {
            assert!(asks_for_fiction(&Words::of(asks)), "{asks}");
        }
        assert!(!asks_for_fiction(&Words::of(
            "I write poems in the evening"
        )));
    }

    #[test]
    fn who_speaks_of_others_has_to_be_surer() {
        let needed = |text: &str, speaks| needed(&Words::of(text), speaks, false);
        assert!(
            needed("Alice and Bob have two dice", false)
                > needed("Alice and Bob have two dice", true)
        );
        assert!(needed("一个农夫有15只羊", false) > 0.5);
        assert!(needed("ペンギンが好きです", false) < needed("一个农夫有15只羊", false));
        let brief = needed("La wiki non è navigabile", false);
        assert!(brief > 0.5 && brief < needed("Alice and Bob have two dice", false));
        for own in [
            "I have two dice",
            "我有一只猫",
            "Vivo en Porto con dos gatos",
        ] {
            assert!(needed(own, false) < 0.1, "{own}");
        }
    }

    #[test]
    fn code_and_templates_are_no_prose() {
        for text in [
            "for i, m in enumerate(ms): s = m.group(2)",
            "I have trained a [model name].",
            "https://a.b/c is it",
        ] {
            assert!(is_no_prose(&Words::of(text)), "{text}");
        }
        for text in [
            "I have two kids (5 and 8).",
            "My dog is called Rex [a collie, mostly 3].",
        ] {
            assert!(!is_no_prose(&Words::of(text)), "{text}");
        }
    }
}

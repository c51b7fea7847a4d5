//! Whether people ask, in so many words, for something to be remembered.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::evidence::Words;
use super::sections::section;

const LISTS: &str = include_str!("../data/gate/requests.txt");

static PHRASES: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| phrases("phrases"));
static ASKED: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| phrases("asked"));
static BEFORE: LazyLock<HashSet<&str>> = LazyLock::new(|| words("before"));
static NO_REQUEST: LazyLock<HashSet<&str>> = LazyLock::new(|| words("no request"));

fn phrases(name: &'static str) -> Vec<Vec<&'static str>> {
    section(LISTS, name)
        .map(|phrase| phrase.split(' ').collect())
        .collect()
}

fn words(name: &'static str) -> HashSet<&'static str> {
    section(LISTS, name)
        .flat_map(|line| line.split(' '))
        .collect()
}

/// Whether a text asks for something to be remembered: "please note that …", "merk dir, …",
/// "n'oublie pas que …", "ten en cuenta que …". "Do you remember …?" asks for nothing.
pub fn asks_to_remember(text: &str) -> bool {
    sentences(text).any(asks)
}

/// The sentences of a text. A line that ends in a colon goes on with the next.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().find(|(at, c)| {
            let (before, after) = rest.split_at(*at);
            match c {
                '\n' => !before.trim_end().ends_with([':', ',']),
                '.' | '!' | '?' => after.chars().nth(1).is_none_or(char::is_whitespace),
                '。' | '！' | '？' => true,
                _ => false,
            }
        });
        let (sentence, left) = rest.split_at(end.map_or(rest.len(), |(at, c)| at + c.len_utf8()));
        rest = left;
        Some(sentence)
    })
}

fn asks(sentence: &str) -> bool {
    let words = Words::of(sentence);
    let words: Vec<&str> = words.iter().collect();
    (0..words.len()).any(|at| {
        let (before, from) = words.split_at(at);
        let Some(phrase) = PHRASES.iter().find(|phrase| from.starts_with(phrase)) else {
            return false;
        };
        // A bare "remember", "behalte", "recuerda": people also talk of remembering.
        let next = from.get(phrase.len());
        if phrase.len() == 1
            && (sentence.ends_with('?') || next.is_none_or(|next| NO_REQUEST.contains(next)))
        {
            return false;
        }
        let asked = ASKED.iter().any(|asked| before.ends_with(asked));
        // "If I don't forget", "I note that", "Ich behalte": said of oneself.
        before.last().is_none_or(|last| BEFORE.contains(last)) || asked || ends_clause(sentence, at)
    })
}

/// Whether a mark divides the word at this place from the one before.
fn ends_clause(sentence: &str, at: usize) -> bool {
    sentence
        .match_indices([',', ';', ':', '(', '-', '–', '—'])
        .any(|(mark, _)| {
            let before = sentence.get(..mark).map(Words::of);
            before.is_some_and(|before| before.iter().count() == at)
        })
}

#[cfg(test)]
mod tests {
    use super::asks_to_remember;

    #[test]
    fn requests() {
        for text in [
            "Remember that I'm vegan.",
            "please remember my sister is called Ines",
            "Hi! Can you remember that I'm in Porto?",
            "I'd like you to keep in mind that I work nights",
            "By the way, don't forget that I'm colour-blind",
            "Note that I only have a Mac.",
            "Remember: no meetings on Fridays",
            "Merk dir bitte, dass ich Linkshänder bin",
            "Bitte vergiss nicht, dass ich kein Gluten esse",
            "Kannst du dir merken, dass ich in Bern wohne?",
            "N'oublie pas que je suis végétarien",
            "Retiens que je travaille la nuit",
            "Garde à l'esprit que j'ai deux enfants",
            "Recuerda que soy celíaca",
            "Por favor, ten en cuenta que vivo en Lima",
            "Acuérdate de que trabajo de noche",
        ] {
            assert!(asks_to_remember(text), "{text}");
        }
    }

    #[test]
    fn no_requests() {
        for text in [
            "I remember that day well",
            "Do you remember my name?",
            "Remember when we talked about Rust?",
            "I can't remember how this works",
            "If I don't forget it, I'll bring cake",
            "I note that the tests fail",
            "Ich behalte den Mantel an",
            "Je me souviens de toi",
            "No recuerdo la clave",
            "Did you note that?",
            "",
        ] {
            assert!(!asks_to_remember(text), "{text}");
        }
    }
}

//! Tests of the words of the pages: every language says the same things, and all of it is used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{Language, Words, refusals};

/// The house phrases that nobody outside understands.
const DROPPED: &[&str] = &[
    "remembered of you",
    "remembered about you",
    "What to remember",
    "take along",
    "take it along",
    "Changes hold",
    "hold at once",
    " holds ",
    "mend",
    "as it stands",
    "is to be",
    "are to be",
    "(any more)",
    "It is yours",
    "takes no such request",
    "Fewer are easier",
    "The address or the password is not right",
];

/// The messages of a language with the variables of each.
fn messages(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let mut messages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut id = String::new();
    for (file, line) in lines(language) {
        if !line.starts_with([' ', '}']) && !line.is_empty() {
            let (name, _) = line.split_once(" =").expect(line);
            name.clone_into(&mut id);
            let taken = messages.insert(id.clone(), BTreeSet::new());
            assert!(taken.is_none(), "{file}: {id} is there twice");
        }
        for part in line.split('$').skip(1) {
            let end = part.find(|c: char| !c.is_ascii_alphanumeric());
            let name = &part[..end.unwrap_or(part.len())];
            let variables = messages.get_mut(&id).expect(line);
            variables.insert(name.to_owned());
        }
    }
    messages
}

/// The lines of a language's files but comments, each with the name of its file.
fn lines(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = language.files().iter();
    let lines = files.flat_map(|(file, text)| text.lines().map(move |line| (*file, line)));
    lines.filter(|(_, line)| !line.starts_with('#'))
}

/// The texts of all templates, and of all code without its tests.
fn sources(folder: &str, extension: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension)
                && !path.ends_with("words/tests.rs")
            {
                let text = fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                found.push((path, text.to_owned()));
            }
        }
    }
    found
}

#[test]
fn all_languages_say_the_same_things_about_the_same_variables() {
    let [english, others @ ..] = Language::ALL;
    let english = messages(english);
    for language in others {
        let messages = messages(language);
        for (id, variables) in &english {
            assert_eq!(messages.get(id), Some(variables), "{language:?}: {id}");
        }
        for id in messages.keys() {
            assert!(english.contains_key(id), "only {language:?} has {id}");
        }
    }
    // What can't be parsed is not in the bundle.
    for language in Language::ALL {
        let words = Words::in_language(language);
        for id in english.keys() {
            let message = words.0.get_message(id);
            assert!(message.is_some_and(|found| found.value().is_some()), "{id}");
        }
        assert_eq!(words.plain("frame-language"), language.code());
    }
}

#[test]
fn no_file_of_words_is_forgotten() {
    for language in Language::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("words")
            .join(language.code());
        let mut found: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        let mut known: Vec<String> = language
            .files()
            .iter()
            .map(|(name, _)| format!("{name}.ftl"))
            .collect();
        known.sort();
        assert_eq!(found, known, "{language:?}");
    }
}

#[test]
fn every_message_is_used_and_every_used_one_exists() {
    let known = messages(Language::English);
    let mut used = BTreeSet::new();
    for (path, text) in sources("templates", "html") {
        // A filter follows on the text of an id, and on nothing else.
        let parts: Vec<&str> = text.split('"').collect();
        for pair in parts.windows(2) {
            if pair[1].starts_with('|') && !pair[0].is_empty() {
                assert!(
                    known.contains_key(pair[0]),
                    "{}: {}",
                    path.display(),
                    pair[0]
                );
            }
        }
        used.extend(parts.iter().map(|part| (*part).to_owned()));
        for part in text.split("Phrase::new(\"").skip(1) {
            let id = part.split('"').next().unwrap();
            assert!(known.contains_key(id), "{}: {id}", path.display());
        }
    }
    for (path, text) in sources("src/http", "rs") {
        for part in text.split("Phrase::new(\"").skip(1) {
            let id = part.split('"').next().unwrap();
            assert!(known.contains_key(id), "{}: {id}", path.display());
        }
        used.extend(text.split('"').map(ToOwned::to_owned));
    }
    let unused: Vec<&String> = known
        .keys()
        .filter(|id| !id.starts_with("refusal-") && !used.contains(*id))
        .collect();
    assert!(unused.is_empty(), "{unused:?}");
}

/// What the code says when it refuses a request, as a person may meet it: with `#` in place of
/// numbers, and without the field.
fn refusals_in_code() -> BTreeSet<String> {
    const MARKS: &[&str] = &[
        "BadRequest(",
        "NotFound(",
        "Conflict(",
        "Overloaded(",
        "HttpError::Refused(",
    ];
    let mut texts = BTreeSet::new();
    for (path, text) in ["src/core", "src/http", "../ctxmem-extract/src"]
        .into_iter()
        .flat_map(|folder| sources(folder, "rs"))
    {
        let marks: &[&str] = if path.ends_with("ctxmem-extract/src/refusal.rs") {
            &["#[error("]
        } else {
            MARKS
        };
        for mark in marks {
            for part in text.split(mark).skip(1) {
                // The literal is the first thing in the brackets, or stands behind a status or
                // `format!(`.
                let Some((before, rest)) = part.split_once('"') else {
                    continue;
                };
                if before.contains([';', '}', '=']) || before.len() > 120 {
                    continue;
                }
                let Some(end) = rest.find('"') else { continue };
                let mut literal = String::new();
                for line in rest[..end].split("\\\n") {
                    literal.push_str(if literal.is_empty() {
                        line
                    } else {
                        line.trim_start()
                    });
                }
                texts.insert(without_numbers(&literal));
            }
        }
    }
    texts
}

/// `{…}` and digits as `#`.
fn without_numbers(literal: &str) -> String {
    let mut text = String::new();
    let mut rest = literal;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        text.push('0');
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    refusals::numbered(&text).0
}

#[test]
fn what_the_code_refuses_is_known_in_every_language() {
    // Only programs, and operators at the command line, meet these.
    const FOR_PROGRAMS: &[&str] = &[
        "userId: ",
        "Idempotency-Key: ",
        "X-CtxMem-User-Id: ",
        "scopes",
        "expires_at: #",
        "The language model failed",
        "expiresAt: an API key",
        "agentId: the API key",
        "Host: ",
        "#",
        "scope: expected any of",
        "Unexpected server error",
        "The request took too long",
        "The developer still has agents.",
        "There is no such agent with a key that works.",
        "There is nothing about this user.",
        "There is no such fact, or it has changed since it was listed.",
        "Another agent or the user saved this fact",
        "at: expected when",
        "query: expected",
        "limit: expected",
    ];
    let file = Language::English
        .files()
        .iter()
        .find(|(name, _)| *name == "refusals")
        .unwrap()
        .1;
    let known: BTreeSet<String> = file
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_once(" = "))
        .map(|(_, text)| without_numbers(&text.replace("{ $", "{")))
        .collect();
    let in_code = refusals_in_code();
    assert!(in_code.len() > 40, "{in_code:?}");
    let is_known = |text: &str| {
        known.contains(text)
            || text
                .split_once(": ")
                .is_some_and(|(_, rest)| known.contains(rest))
    };
    let unknown: Vec<&String> = in_code
        .iter()
        .filter(|text| !FOR_PROGRAMS.iter().any(|start| text.starts_with(start)))
        .filter(|text| !is_known(text))
        .collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn words_are_text_and_no_markup() {
    for language in Language::ALL {
        for (file, line) in lines(language).filter(|(file, _)| *file != "refusals") {
            let arrows = line.trim_end().trim_end_matches("->");
            assert!(
                !arrows.contains(['<', '>', '&', '"', '\'']),
                "{file}: {line}"
            );
        }
    }
}

#[test]
fn no_house_phrase_stands_in_the_words() {
    let is_mend = |word: &str| ["mend", "mended"].contains(&&*word.to_lowercase());
    for language in Language::ALL {
        for (file, line) in lines(language) {
            let found = DROPPED.iter().find(|phrase| {
                line.to_lowercase().contains(&phrase.to_lowercase())
                    // "recommend", "Kommende" and the like are words.
                    && (**phrase != "mend" || line.split(|c: char| !c.is_alphabetic()).any(is_mend))
            });
            assert_eq!(found, None, "{file}: {line}");
        }
    }
}

/// The samples that the pages were asked to say.
#[test]
fn the_pages_say_it_plainly() {
    let english = Words::in_language(Language::English);
    for (id, text) in [
        ("memory-fact", "Fact"),
        ("frame-not-saved", "Not saved. Fix the field below."),
        ("access-preview", "Preview what this app sees"),
        ("error-method", "This page can’t do that"),
        ("developer-wrong", "Incorrect email or password."),
    ] {
        assert_eq!(english.plain(id), text);
    }
    assert!(
        english
            .plain("key-scopes-about")
            .ends_with("Request only what you need.")
    );
    assert!(
        english
            .plain("access-about")
            .ends_with("Changes take effect immediately.")
    );
    let mut args = fluent_bundle::FluentArgs::new();
    for (agents, facts, text) in [
        (7, 26, "7 apps can use 26 facts about you."),
        (1, 1, "One app can use one fact about you."),
        (0, 2, "No app can use the 2 facts about you."),
        (0, 0, "No facts about you are saved, and no app has access."),
    ] {
        args.set("agents", agents);
        args.set("facts", facts);
        assert_eq!(english.with("account-summary", &args), text);
    }
    assert_eq!(
        english.plain("account-you-can"),
        "You can view, correct, download or delete everything here."
    );
}

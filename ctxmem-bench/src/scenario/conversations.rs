//! Conversations of yours, from files: one user each.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::files;

/// One turn, as files hold it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Turn {
    pub(super) user_message: String,
    pub(super) agent_response: String,
}

/// What one user said, and what was answered.
pub(super) struct Conversation {
    pub(super) name: String,
    pub(super) turns: Vec<Turn>,
}

/// The conversation in a file, or those in the `.jsonl` files of a folder, by name.
pub(super) fn read(place: &Path) -> Vec<Conversation> {
    let files = if place.is_dir() {
        files::in_folder(place, "jsonl")
    } else {
        vec![place.to_owned()]
    };
    assert!(
        !files.is_empty(),
        "{}: no file ends in .jsonl",
        place.display()
    );
    files.iter().map(|file| conversation(file)).collect()
}

fn conversation(file: &Path) -> Conversation {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let text = files::or_panic(file, fs::read_to_string(file));
    let lines = text.lines().enumerate();
    let turns: Vec<Turn> = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            serde_json::from_str(line).unwrap_or_else(|error| {
                panic!(
                    "{}, line {}: not a JSON object with userMessage and agentResponse: {error}",
                    file.display(),
                    index + 1
                )
            })
        })
        .collect();
    assert!(!turns.is_empty(), "{}: no turns", file.display());
    Conversation {
        name: name.into_owned(),
        turns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str) {
        fs::write(folder.join(name), text).unwrap();
    }

    #[test]
    fn a_folder_has_one_conversation_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let turn = r#"{"userMessage": "Hi", "agentResponse": "Hello"}"#;
        write(folder.path(), "b.jsonl", &format!("{turn}\n\n{turn}\n"));
        write(folder.path(), "a.jsonl", turn);
        write(folder.path(), "notes.txt", "not read");
        let read = read(folder.path());
        let counts: Vec<(&str, usize)> = read
            .iter()
            .map(|conversation| (&*conversation.name, conversation.turns.len()))
            .collect();
        assert_eq!(counts, [("a", 1), ("b", 2)]);
        assert_eq!(read[0].turns[0].agent_response, "Hello");
    }

    #[test]
    #[should_panic(expected = "line 2: not a JSON object with userMessage and agentResponse")]
    fn a_line_that_is_no_turn_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let turn = r#"{"userMessage": "Hi", "agentResponse": "Hello"}"#;
        write(
            folder.path(),
            "a.jsonl",
            &format!("{turn}\n{{\"said\": \"Hi\"}}\n"),
        );
        read(folder.path());
    }
}

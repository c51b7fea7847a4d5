//! A guard over every page: no scripts that are not ours, no violations of the content policy, no
//! errors.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::Browser;

/// Runs before the scripts of each page.
const HOOKS: &str = include_str!("guard.js");

impl Browser {
    /// From now on each page is watched.
    pub(super) async fn watch(&self) {
        let hooks = json!({"source": HOOKS});
        let install = "Page.addScriptToEvaluateOnNewDocument";
        self.session.tool(install, hooks).await;
    }

    /// What happened since somebody looked last, on this page and on those before it.
    pub(crate) async fn noted(&self) -> Vec<String> {
        let notes = self.session.script("return window.__guard?.()", vec![]);
        let notes = notes.await;
        assert!(notes.is_array(), "nobody watches this page: {notes}");
        serde_json::from_value(notes).unwrap()
    }

    /// Fails when something happened that must not.
    pub(crate) async fn assert_quiet(&self) {
        let mut noted = self.noted().await;
        if !self.has_script.load(Ordering::Relaxed) {
            let count = noted.len();
            noted.retain(|note| !(note.starts_with("failed ") && note.contains("/script.js")));
            let is_blocked = noted.len() < count;
            self.has_missed_script
                .fetch_or(is_blocked, Ordering::Relaxed);
        }
        assert!(noted.is_empty(), "{}", noted.join("\n"));
    }
}

//! Files that a page offers.

use std::path::Path;

use serde_json::json;

use super::form::click;
use super::{PAGE_TIMEOUT, POLL_INTERVAL, Part};

impl Part<'_> {
    /// Downloads what is behind the link of this name, and answers what the file holds.
    pub(crate) async fn download(&self, name: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let to = json!({"behavior": "allow", "downloadPath": folder.path()});
        let session = &self.browser.session;
        session.tool("Browser.setDownloadBehavior", to).await;
        click(self.one(&["link"], name).await).await;
        let waiting = async {
            loop {
                if let Some(text) = only_file(folder.path()) {
                    return text;
                }
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        let came = tokio::time::timeout(PAGE_TIMEOUT, waiting).await;
        came.unwrap_or_else(|_| panic!("{name:?} led to no file"))
    }
}

/// What the file of a folder holds, once it is complete: until then it is empty, and another
/// takes what comes.
fn only_file(folder: &Path) -> Option<String> {
    let files = std::fs::read_dir(folder).unwrap();
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    let [file] = &*files else {
        return None;
    };
    let complete = file.extension().is_some_and(|end| end == "json");
    let text = std::fs::read_to_string(file).ok().filter(|_| complete)?;
    (!text.is_empty()).then_some(text)
}

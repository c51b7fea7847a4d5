//! Accessibility checks by the rules of axe-core.

use std::path::PathBuf;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::json;

use super::Browser;

/// axe-core, as `scripts/axe.sh` leaves it.
static AXE: LazyLock<String> = LazyLock::new(|| {
    let file = target().join("axe/axe.min.js");
    std::fs::read_to_string(&file).unwrap_or_else(|error| {
        let file = file.display();
        panic!("axe-core is needed for this test: run scripts/axe.sh ({file}: {error})")
    })
});

/// Cargo's folder.
pub(super) fn target() -> PathBuf {
    let temporary = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    temporary.parent().unwrap().to_owned()
}

/// Something that keeps somebody from using a page.
#[derive(Debug, Deserialize)]
pub(crate) struct Violation {
    pub(crate) id: String,
    impact: Option<String>,
    help: String,
    nodes: Vec<Place>,
}

#[derive(Debug, Deserialize)]
struct Place {
    target: serde_json::Value,
}

impl Browser {
    /// The violations of axe's rules on this page, whatever their impact.
    pub(crate) async fn violations(&self) -> Vec<Violation> {
        // It is long: to read it once on each page is enough.
        if self.session.script("return 'axe' in window", vec![]).await == false {
            // To hand it over as a script of WebDriver takes a third longer.
            let read = json!({"expression": *AXE, "returnByValue": false});
            self.session.tool("Runtime.evaluate", read).await;
        }
        let run = "const only = {resultTypes: ['violations'], preload: false};
                   return (await axe.run(document, only)).violations;";
        let found = self.session.promise(run, vec![]).await;
        serde_json::from_value(found).unwrap()
    }

    /// Fails when something keeps somebody from using this page.
    pub(crate) async fn assert_accessible(&self) {
        let found = self.violations().await;
        let found: Vec<String> = found.iter().map(Violation::to_string).collect();
        let address = self.session.driver.current_url().await.unwrap();
        assert!(found.is_empty(), "{address}:\n{}", found.join("\n"));
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let places = self.nodes.iter().map(|place| place.target.to_string());
        let places = places.collect::<Vec<_>>().join(", ");
        let impact = self.impact.as_deref().unwrap_or("of unknown impact");
        write!(f, "{} ({impact}): {} at {places}", self.id, self.help)
    }
}

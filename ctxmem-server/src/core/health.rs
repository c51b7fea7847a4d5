//! Health: whether the database and the model answer.

use ctxmem_types::{Extra, Health};
use indexmap::IndexMap;

use super::Core;

const OK: &str = "ok";
const DOWN: &str = "unavailable";

impl Core {
    /// Checks the database, and the model if one is configured. A model that is down is reported
    /// but does not make the service unhealthy, since prompts are still enriched.
    pub async fn health(&self) -> Health {
        let (database, model) = futures_util::join!(self.db.is_healthy(), self.extractor.probe());
        let word = |good: bool| if good { OK } else { DOWN }.to_owned();
        let mut checks = IndexMap::from([("database".to_owned(), word(database))]);
        if let Some(model) = model {
            checks.insert("model".to_owned(), word(model));
        }
        let mut extra = Extra::new();
        extra.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
        Health {
            status: Some(if database { OK } else { "degraded" }.to_owned()),
            checks: Some(checks),
            timestamp: Some(self.clock.now().into()),
            ok: None,
            extra,
        }
    }
}

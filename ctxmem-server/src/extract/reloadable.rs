//! A model whose configuration can be replaced while it is asked.

use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use prometheus::proto::MetricFamily;

use super::{Candidate, ExtractError, Extractor, Interaction, Model, ModelConfig, ModelMetrics};

/// The current model. Its metrics outlive a reload.
pub struct ReloadableModel {
    current: RwLock<Arc<Model>>,
    metrics: Arc<ModelMetrics>,
}

impl ReloadableModel {
    /// Prepares the client without calling the endpoint.
    pub fn new(config: ModelConfig) -> Result<Self, ExtractError> {
        let metrics = Arc::new(ModelMetrics::default());
        let model = Model::with_metrics(config, Arc::clone(&metrics), false)?;
        Ok(Self {
            current: RwLock::new(Arc::new(model)),
            metrics,
        })
    }

    /// Asks as this says from now on. Extractions under way go on as they began.
    ///
    /// # Errors
    ///
    /// As for [`Model::new`]; then nothing changes.
    pub fn reload(&self, config: ModelConfig) -> Result<(), ExtractError> {
        let model = Model::with_metrics(config, Arc::clone(&self.metrics), false)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(model);
        Ok(())
    }

    fn current(&self) -> Arc<Model> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Extractor for ReloadableModel {
    async fn extract(&self, interaction: &Interaction<'_>) -> Result<Vec<Candidate>, ExtractError> {
        self.current().extract(interaction).await
    }

    fn is_model(&self) -> bool {
        true
    }

    fn wants_known(&self) -> bool {
        self.current().wants_known()
    }

    fn gather_metrics(&self) -> Vec<MetricFamily> {
        self.metrics.gather()
    }

    async fn probe(&self) -> Option<bool> {
        self.current().probe().await
    }
}

//! One page for each topic.

#[doc = include_str!("../docs/degradation.md")]
pub mod degradation {}

#[doc = include_str!("../docs/retries.md")]
pub mod retries {}

#[doc = include_str!("../docs/background-updates.md")]
pub mod background_updates {}

#[doc = include_str!("../docs/streams.md")]
pub mod streams {}

#[doc = include_str!("../docs/calls.md")]
pub mod calls {}

#[doc = include_str!("../docs/variant-deployments.md")]
pub mod variant_deployments {}

#[doc = include_str!("../docs/cache-hints.md")]
pub mod cache_hints {}

#[cfg(feature = "test-utils")]
#[cfg_attr(docsrs, doc(cfg(feature = "test-utils")))]
#[doc = include_str!("../docs/testing.md")]
pub mod testing {}

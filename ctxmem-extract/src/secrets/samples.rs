//! Secrets as people write them, all made up, and harmless texts that look like some.

use crate::sections::{samples, section};

const SAMPLES: &str = include_str!("../../data/gate/secrets.txt");

pub(crate) fn secrets() -> impl Iterator<Item = &'static str> {
    section(SAMPLES, "secrets")
}

pub(crate) fn harmless() -> impl Iterator<Item = &'static str> {
    section(SAMPLES, "harmless")
}

pub(crate) fn cut() -> impl Iterator<Item = (String, String)> {
    samples(SAMPLES, "cut")
}

//! The hash function of the maps that are filled once with compiled-in data.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A set of words.
pub(crate) type WordSet<T> = HashSet<T, BuildHasherDefault<Fnv>>;

/// Something for each of some words.
pub(crate) type WordMap<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;

/// FNV-1a. All keys are compiled in, so no attacker can choose them and no keyed hash is needed. A
/// keyed hash would take longer than the rest of a look-up.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

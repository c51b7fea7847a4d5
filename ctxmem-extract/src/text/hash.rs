//! The hash of maps that are filled once, with what is compiled in.

use std::hash::Hasher;

/// FNV-1a. Nobody outside chooses the keys, so no keyed hash is needed, which takes longer than
/// all the rest of a look-up.
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

//! The keys of other purposes than tickets, which are derived from the ring too.

use zeroize::Zeroizing;

use super::{RingKey, expand};

impl RingKey {
    /// Derives a key for one purpose, which `info` names; keys of other purposes are independent.
    #[must_use]
    pub fn subkey(&self, info: &[u8]) -> Zeroizing<[u8; 32]> {
        let mut subkey = Zeroizing::new([0; 32]);
        expand(None, &*self.derived.root, info, &mut *subkey);
        subkey
    }
}

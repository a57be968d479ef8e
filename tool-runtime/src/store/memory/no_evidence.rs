//! A stub of the map of evidence without the feature `evidence`.

use super::quota_map::StoreQuota;

/// No evidence.
pub(super) struct MemoryEvidence;

impl MemoryEvidence {
    pub(super) fn new(_: StoreQuota, _: StoreQuota) -> Self {
        Self
    }
}

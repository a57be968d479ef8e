//! The quota of reads of an inbox, a trace or evidence, by principal.

use std::sync::Arc;

use crate::state::quota::Quota;

/// The most reads of one principal at once, so that none uses up the ledger's queue of records.
const MAX_READS_PER_PRINCIPAL: usize = 16;

/// The reads in progress, by principal.
pub(crate) type ReadQuota = Quota<Arc<str>>;

/// Makes the quota of reads, which only bounds each principal.
pub(crate) fn read_quota() -> Arc<ReadQuota> {
    Arc::new(Quota::new(usize::MAX, MAX_READS_PER_PRINCIPAL))
}

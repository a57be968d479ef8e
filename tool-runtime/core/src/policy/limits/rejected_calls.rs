//! Counts the rejected calls of a run for each tool, after which the model is told to stop.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use quick_cache::sync::Cache;
use tool_contracts::ToolContext;
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

/// Counts the rejected calls of each run and tool.
///
/// It keeps about 10,000 pairs of a run and a tool; the count of an evicted pair starts again at
/// 0. A pair takes the same memory for names of any length.
pub(crate) struct RejectedCallLimit {
    limit: u32,
    counts: Cache<Digest, Arc<AtomicU32>>,
}

/// A run of a tenant, identified by its run id, its ingestion run id, or else its trace id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunKey<'a> {
    tenant: Uuid,
    kind: RunKind,
    name: &'a str,
}

#[derive(Debug, Clone, Copy)]
enum RunKind {
    Run = 1,
    Ingestion,
    Trace,
}

/// The most pairs of a run and a tool that are kept.
const MAX_PAIRS: usize = 10_000;

impl<'a> RunKey<'a> {
    pub(crate) fn from_context(cx: &'a ToolContext) -> Self {
        let run = cx.run_id().map(|run| (RunKind::Run, run));
        let run_key = run.or_else(|| cx.ingestion_run_id().map(|run| (RunKind::Ingestion, run)));
        let (kind, name) = run_key.unwrap_or((RunKind::Trace, cx.trace_id()));
        Self { tenant: cx.tenant_id(), kind, name }
    }
}

impl RejectedCallLimit {
    /// Allows so many rejected calls of one tool in a run; the last of them tells the model to
    /// stop.
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit, counts: Cache::new(MAX_PAIRS) }
    }

    /// Returns how many rejected calls are allowed.
    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// Counts a rejected call, and returns the count including it.
    pub(crate) fn record_refusal(&self, run: &RunKey<'_>, tool: &str) -> u32 {
        let new = || Ok::<_, Infallible>(Arc::default());
        let Ok(count) = self.counts.get_or_insert_with(&pair_digest(run, tool), new);
        count.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }
}

impl fmt::Debug for RejectedCallLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, counts } = self;
        f.debug_struct("RejectedCallLimit")
            .field("limit", limit)
            .field("pairs", &counts.len())
            .finish()
    }
}

/// Hashes a run and a tool to a key of fixed length.
fn pair_digest(run: &RunKey<'_>, tool: &str) -> Digest {
    let length = run.name.len().to_be_bytes();
    let parts = [run.tenant.as_bytes(), &[run.kind as u8][..], &length, run.name.as_bytes()];
    Digest::compute("correction", &[parts.concat().as_slice(), tool.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use tool_contracts::ToolContext;
    use uuid::Uuid;

    use super::{MAX_PAIRS, RejectedCallLimit, RunKey};

    fn cx(tenant: u128, run: &str) -> ToolContext {
        let builder = ToolContext::builder(Uuid::from_u128(tenant), "trace");
        builder.run_id(run).build().expect("it is complete")
    }

    fn refused(limit: &RejectedCallLimit, cx: &ToolContext, tool: &str) -> u32 {
        limit.record_refusal(&RunKey::from_context(cx), tool)
    }

    #[test]
    fn each_run_and_tool_is_counted_by_itself() {
        let limit = RejectedCallLimit::new(3);
        assert_eq!(limit.limit(), 3);
        let run = cx(1, "run");
        assert_eq!([refused(&limit, &run, "search"), refused(&limit, &run, "search")], [1, 2]);
        assert_eq!(refused(&limit, &run, "save"), 1);
        assert_eq!(refused(&limit, &cx(1, "other"), "search"), 1);
        assert_eq!(refused(&limit, &cx(2, "run"), "search"), 1);
        assert_eq!(refused(&limit, &cx(1, "run"), "search"), 3);
    }

    #[test]
    fn names_that_are_equal_when_concatenated_are_kept_apart() {
        let limit = RejectedCallLimit::new(3);
        assert_eq!(refused(&limit, &cx(1, "ab"), "c"), 1);
        assert_eq!(refused(&limit, &cx(1, "a"), "bc"), 1);
        let builder = ToolContext::builder(Uuid::from_u128(1), "trace").ingestion_run_id("ab");
        assert_eq!(refused(&limit, &builder.build().expect("it is complete"), "c"), 1);
    }

    #[test]
    fn the_number_of_pairs_is_bounded() {
        let limit = RejectedCallLimit::new(3);
        for run in 0..MAX_PAIRS * 2 {
            refused(&limit, &cx(1, &run.to_string()), "search");
        }
        assert!(limit.counts.len() <= MAX_PAIRS + MAX_PAIRS / 10, "{limit:?}");
    }

    #[test]
    fn threads_that_race_are_all_counted() {
        let (limit, run) = (RejectedCallLimit::new(3), cx(1, "run"));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).map(|_| refused(&limit, &run, "search")).max());
            }
        });
        assert_eq!(refused(&limit, &run, "search"), 401);
    }
}

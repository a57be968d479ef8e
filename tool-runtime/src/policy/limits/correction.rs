//! How often a run may be refused by one tool before it is told to stop trying.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use quick_cache::sync::Cache;
use tool_contracts::ToolContext;
use uuid::Uuid;

use crate::canonical::Digest;

/// Counts the refused calls of each run and tool.
///
/// It remembers the last 10,000 or so pairs of a run and a tool; one that is forgotten begins
/// again. A pair takes the same room however long its names are.
pub(crate) struct CorrectionBudget {
    most: u32,
    refused: Cache<Digest, Arc<AtomicU32>>,
}

/// One run of one tenant: named by its run, its ingestion run, or else its trace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunKey<'a> {
    tenant: Uuid,
    kind: Kind,
    name: &'a str,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Run = 1,
    Ingestion,
    Trace,
}

/// The most pairs of a run and a tool that are remembered.
const MOST_PAIRS: usize = 10_000;

impl<'a> RunKey<'a> {
    pub(crate) fn of(cx: &'a ToolContext) -> Self {
        let run = cx.run_id().map(|run| (Kind::Run, run));
        let named = run.or_else(|| cx.ingestion_run_id().map(|run| (Kind::Ingestion, run)));
        let (kind, name) = named.unwrap_or((Kind::Trace, cx.trace_id()));
        Self { tenant: cx.tenant_id(), kind, name }
    }
}

impl CorrectionBudget {
    /// Grants a run so many refused calls of one tool; the last of them is told to stop.
    pub(crate) fn new(most: u32) -> Self {
        Self { most, refused: Cache::new(MOST_PAIRS) }
    }

    /// Returns how many refused calls are granted.
    pub(crate) fn most(&self) -> u32 {
        self.most
    }

    /// Counts a refused call; returns how many there were by now, this one included.
    pub(crate) fn refused(&self, run: &RunKey<'_>, tool: &str) -> u32 {
        let fresh = || Ok::<_, Infallible>(Arc::default());
        let Ok(count) = self.refused.get_or_insert_with(&pair(run, tool), fresh);
        count.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }
}

impl fmt::Debug for CorrectionBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { most, refused } = self;
        f.debug_struct("CorrectionBudget")
            .field("most", most)
            .field("pairs", &refused.len())
            .finish()
    }
}

/// A name of fixed length for what a caller may have named at any length.
fn pair(run: &RunKey<'_>, tool: &str) -> Digest {
    let length = run.name.len().to_be_bytes();
    let parts = [run.tenant.as_bytes(), &[run.kind as u8][..], &length, run.name.as_bytes()];
    Digest::of("correction", &[parts.concat().as_slice(), tool.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use tool_contracts::ToolContext;
    use uuid::Uuid;

    use super::{CorrectionBudget, MOST_PAIRS, RunKey};

    fn cx(tenant: u128, run: &str) -> ToolContext {
        let builder = ToolContext::builder(Uuid::from_u128(tenant), "trace");
        builder.run_id(run).build().expect("it is complete")
    }

    fn refused(budget: &CorrectionBudget, cx: &ToolContext, tool: &str) -> u32 {
        budget.refused(&RunKey::of(cx), tool)
    }

    #[test]
    fn each_run_and_tool_is_counted_by_itself() {
        let budget = CorrectionBudget::new(3);
        assert_eq!(budget.most(), 3);
        let run = cx(1, "run");
        assert_eq!([refused(&budget, &run, "search"), refused(&budget, &run, "search")], [1, 2]);
        assert_eq!(refused(&budget, &run, "save"), 1);
        assert_eq!(refused(&budget, &cx(1, "other"), "search"), 1);
        assert_eq!(refused(&budget, &cx(2, "run"), "search"), 1);
        assert_eq!(refused(&budget, &cx(1, "run"), "search"), 3);
    }

    #[test]
    fn names_that_read_alike_when_joined_are_kept_apart() {
        let budget = CorrectionBudget::new(3);
        assert_eq!(refused(&budget, &cx(1, "ab"), "c"), 1);
        assert_eq!(refused(&budget, &cx(1, "a"), "bc"), 1);
        let builder = ToolContext::builder(Uuid::from_u128(1), "trace").ingestion_run_id("ab");
        assert_eq!(refused(&budget, &builder.build().expect("it is complete"), "c"), 1);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let budget = CorrectionBudget::new(3);
        for run in 0..MOST_PAIRS * 2 {
            refused(&budget, &cx(1, &run.to_string()), "search");
        }
        assert!(budget.refused.len() <= MOST_PAIRS + MOST_PAIRS / 10, "{budget:?}");
    }

    #[test]
    fn threads_that_race_are_all_counted() {
        let (budget, run) = (CorrectionBudget::new(3), cx(1, "run"));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).map(|_| refused(&budget, &run, "search")).max());
            }
        });
        assert_eq!(refused(&budget, &run, "search"), 401);
    }
}

//! Checks the ranges of settings at `build()`.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::config::Policy;
use super::tool_policy::ToolPolicy;
use crate::tool::BuildProblem;
use crate::tool::registry::SHORTEST_RETENTION;

const DAYS: u64 = 24 * 60 * 60;
/// The longest time for which anything is kept: ten years.
const MAX_TIME: Duration = Duration::from_secs(3_653 * DAYS);
const COUNTS: RangeInclusive<usize> = 1..=1_000_000;

pub(super) fn check(rules: &ToolPolicy) -> Vec<BuildProblem> {
    let leases = Duration::from_millis(100)..=Duration::from_secs(60 * 60);
    let times = [
        time("retention", SHORTEST_RETENTION..=MAX_TIME, rules.retention),
        time("lease", leases, rules.lease),
    ];
    let counts = [
        count("max_concurrent", COUNTS, rules.max_concurrent),
        count("max_queue", 0..=1_000_000, rules.max_queue),
        count("max_output_bytes", 256..=1 << 30, rules.max_output_bytes),
    ];
    times.into_iter().chain(counts).flatten().collect()
}

pub(super) fn check_policy(policy: &Policy) -> Vec<BuildProblem> {
    let lifetimes = Duration::from_secs(1)..=MAX_TIME;
    let problems = [
        time("ticket_lifetime", lifetimes.clone(), Some(policy.ticket_lifetime)),
        time("output_lifetime", lifetimes, Some(policy.output_lifetime)),
        time(
            "event_lifetime",
            Duration::from_secs(7 * DAYS)..=MAX_TIME,
            Some(policy.event_lifetime),
        ),
        time(
            "archive_unknown_after",
            Duration::from_secs(DAYS)..=MAX_TIME,
            Some(policy.archive_after),
        ),
        count("unknown_per_caller", COUNTS, Some(policy.unknown_per_caller)),
        count("tickets_per_caller", COUNTS, Some(policy.tickets_per_caller)),
        count("max_queued_events", COUNTS, Some(policy.max_queued_events)),
        count("max_in_flight", COUNTS, policy.max_in_flight),
        count("max_queue", 0..=1_000_000, Some(policy.max_queue)),
    ];
    problems.into_iter().flatten().collect()
}

fn time(
    setting: &'static str,
    range: RangeInclusive<Duration>,
    found: Option<Duration>,
) -> Option<BuildProblem> {
    let duration = found.filter(|found| !range.contains(found))?;
    let (min, max) = range.into_inner();
    Some(BuildProblem::TimeOutOfRange { setting, min, max, found: duration })
}

fn count(
    setting: &'static str,
    range: RangeInclusive<usize>,
    found: Option<usize>,
) -> Option<BuildProblem> {
    let amount = found.filter(|found| !range.contains(found))?;
    let (min, max) = range.into_inner();
    Some(BuildProblem::OutOfRange { setting, min, max, found: amount })
}

//! The suites: a correct store passes, and a store that breaks any promise does not.

use std::any::Any;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::executor::block_on;
use tool_runtime::store::MemoryStore;
use tool_runtime::testing::conformance;

use super::broken::{Broken, Defect};

#[test]
fn memory_keeps_every_promise() {
    block_on(conformance::all(&MemoryStore::new()));
    block_on(conformance::quotas(&MemoryStore::new()));
}

#[tokio::test]
async fn a_suite_runs_on_any_executor_and_again_on_the_same_store() {
    let store = MemoryStore::new();
    conformance::all(&store).await;
    conformance::all(&store).await;
}

#[test]
fn a_wrapper_without_a_defect_passes() {
    block_on(conformance::all(&Broken::by(Defect::None)));
}

#[test]
fn every_defect_is_found_and_named() {
    all_are_found(DEFECTS, complaint);
}

/// The assertion of the suite that each defect breaks.
const DEFECTS: [(Defect, &str); 30] = [
    (Defect::SettlesWithAnyFence, "an owner that was taken over settles nothing"),
    (Defect::RenewsWithAnyFence, "an owner that was taken over renews nothing"),
    (Defect::SettlesOnce, "a settlement may be repeated: answered, the second time"),
    (Defect::ForgetsReleases, "a settlement may be repeated: released, the second time"),
    (Defect::OneFenceForAll, "a later owner has a greater fence"),
    (Defect::LeasesNeverEnd, "a key whose lease has expired is taken over"),
    (Defect::LeasesEndEarly, "a running key is given to no other claimant"),
    (Defect::TrustsTheClock, "a lease from before the clock was set back is cut"),
    (Defect::AnyArgumentsFit, "other arguments do not fit: running"),
    (
        Defect::ForgetsUnknown,
        "an unknown outcome is not given to a claimant that cannot resolve it",
    ),
    (Defect::SweepsUnknown, "an unknown outcome is never swept"),
    (Defect::SweepsRunning, "a running key is never swept"),
    (Defect::SweepsTooEarly, "an answer is kept for its time"),
    (Defect::FollowsTheWallClock, "a wall clock that is set ahead does not move the store's time"),
    (Defect::CutsAnswers, "an answer is kept byte for byte"),
    (Defect::JoinsScopes, "scopes are told apart byte by byte"),
    (Defect::FoldsCase, "scopes are told apart byte by byte"),
    (Defect::ListsFromTheStart, "pages of 1 hold what one page holds"),
    (Defect::ClaimsInTwoSteps, "one of many claimants is first"),
    (Defect::HoldsDroppedClaims, "a claim that is dropped before it is ready is not held"),
    (Defect::UsesTicketsTwice, "a ticket ends once"),
    (Defect::EndsTicketsInTwoSteps, "one of many ends a ticket"),
    (Defect::RevivesTickets, "putting a ticket again does not revive it"),
    (Defect::ListsTicketsFromTheStart, "pages of 1 hold what one page of tickets holds"),
    (Defect::ListsEndedTickets, "what has ended waits no more"),
    (Defect::ListsExpiredTickets, "what has expired waits no more"),
    (Defect::GrantsAllForSome, "a grant for some arguments is another one than that for all"),
    (Defect::KeepsRevokedGrants, "a grant that was given is taken back"),
    (Defect::ShowsOutputsToAll, "an output is read only by its tenant and principal"),
    (Defect::ReadsWhatIsOver, "an output that is over is not read"),
];

/// Runs every suite over a defective store, and returns what it complained of.
fn complaint(defect: Defect) -> Option<String> {
    let run = || block_on(conformance::all(&Broken::by(defect)));
    catch_unwind(AssertUnwindSafe(run)).err().map(said)
}

/// Checks that a suite finds each defect, and names the promise that it breaks.
#[track_caller]
pub(super) fn all_are_found<D: Copy + Debug, const N: usize>(
    defects: [(D, &str); N],
    complaint: impl Fn(D) -> Option<String>,
) {
    let found = defects.map(|(defect, promise)| (defect, promise, complaint(defect)));
    let names = |found: &Option<String>, promise| {
        found.as_ref().is_some_and(|found| found.contains(promise))
    };
    let missed = found.iter().filter(|(_, promise, found)| !names(found, promise));
    let missed = missed.collect::<Vec<_>>();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Returns a panic's message.
pub(super) fn said(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().copied().unwrap_or_default().to_owned(),
    }
}

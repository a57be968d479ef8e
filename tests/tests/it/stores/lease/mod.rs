//! The lease protocol under thousands of schedules, on the store itself.
//!
//! Owners claim, renew, freeze at any step, crash, take over and settle, while the clock advances
//! and is set back. The invariants of every schedule are asserted in [`model`].

mod lease_model;
mod owner;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tool_runtime::store::{IdempotencyStore, MemoryStore};

use self::lease_model::{LeaseModel, Seen};
use super::broken::{Broken, Defect};
use super::conformance::said;

const SCHEDULES: usize = 10_000;

#[test]
fn the_protocol_holds_in_random_schedules() {
    let seen = Arc::new(Seen::default());
    shuttle::check_random(play(seen.clone(), MemoryStore::new), SCHEDULES);
    seen.assert_everything_happened();
}

#[test]
fn the_protocol_holds_where_few_switches_matter() {
    let seen = Arc::new(Seen::default());
    shuttle::check_pct(play(seen.clone(), MemoryStore::new), SCHEDULES, 4);
    seen.assert_everything_happened();
}

#[test]
fn a_store_that_breaks_the_protocol_is_found_out() {
    let found = DEFECTS.map(|(defect, _)| (defect, complaint(defect)));
    let missed = found.iter().zip(DEFECTS).filter(|((_, found), (_, invariant))| {
        !found.as_ref().is_some_and(|found| found.contains(invariant))
    });
    let missed = missed.map(|(found, _)| found).collect::<Vec<_>>();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn a_downstream_that_ignores_fences_is_found_out() {
    let model =
        || owner::play(&Arc::new(LeaseModel::new(MemoryStore::new(), Arc::default()).heedless()));
    let found = caught(model).unwrap();
    assert!(found.contains("effects come in the order of their owners"), "{found}");
}

/// The invariant that each defect breaks.
const DEFECTS: [(Defect, &str); 8] = [
    (Defect::SettlesWithAnyFence, "only the last owner settles"),
    (Defect::RenewsWithAnyFence, "only the last owner renews"),
    (Defect::OneFenceForAll, "a later owner has a greater fence"),
    (Defect::SettlesOnce, "only the last owner settles"),
    (Defect::ForgetsUnknown, "a key is new only at first and after a release"),
    (Defect::SweepsRunning, "only the last owner settles"),
    (Defect::SweepsUnknown, "a key is new only at first and after a release"),
    (Defect::LeasesNeverEnd, "in the end, one owner answers"),
];

fn complaint(defect: Defect) -> Option<String> {
    caught(play(Arc::default(), move || Broken::by(defect)))
}

/// Runs schedules until an invariant is broken, and returns its message. The schedules are always
/// the same: which of several invariants a defect breaks first depends on them.
fn caught(model: impl Fn() + Send + Sync + 'static) -> Option<String> {
    let play = || shuttle::check_random_with_seed(model, 42, SCHEDULES);
    catch_unwind(AssertUnwindSafe(play)).err().map(said)
}

/// Plays one schedule over a new store.
fn play<S: IdempotencyStore>(
    seen: Arc<Seen>,
    open: impl Fn() -> S + Send + Sync + 'static,
) -> impl Fn() + Send + Sync + 'static {
    move || owner::play(&Arc::new(LeaseModel::new(open(), seen.clone())))
}

//! A ledger's store that is slow, fails or panics: waiting, refused and left-out calls.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::executor::block_on;
use tool_runtime::ledger::{
    ChainEntry, Ledger, LedgerBuilder, LedgerStore, MemoryLedger, Overload, Record, verify,
};
use tool_runtime::prelude::*;
use tool_runtime::store::{StoreError, StoreErrorKind};
use tool_runtime::testing::ManualClock;

use super::{START, check_whole, ring};
use crate::support::{cx, envelope};

/// The behaviour of the store's appends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Writes,
    Waits,
    Fails,
    /// Stores the entries, and fails: the answer was lost.
    LosesAnswers,
    Panics,
    PanicsForgetting,
}

/// An in-memory ledger whose behaviour the test sets. A handle.
#[derive(Clone)]
pub(super) struct Moody(Arc<Inner>);

struct Inner {
    memory: Mutex<MemoryLedger>,
    /// The behaviour, and the number of appends.
    mood: Mutex<(Mood, u32)>,
    changed: Condvar,
}

impl Moody {
    pub(super) fn new() -> Self {
        let memory = Mutex::new(MemoryLedger::new(20_000));
        let mood = Mutex::new((Mood::Writes, 0));
        Self(Arc::new(Inner { memory, mood, changed: Condvar::new() }))
    }

    pub(super) fn set(&self, mood: Mood) {
        *self.0.mood.lock().unwrap() = (mood, 0);
        self.0.changed.notify_all();
    }

    /// Returns the number of appends since the behaviour was set.
    pub(super) fn asked(&self) -> u32 {
        self.0.mood.lock().unwrap().1
    }

    /// Waits for an append since the behaviour was set.
    fn until_asked(&self) {
        let mood = self.0.mood.lock().unwrap();
        drop(self.0.changed.wait_while(mood, |(_, asked)| *asked == 0).unwrap());
    }

    fn mood(&self) -> Mood {
        let mut mood = self.0.mood.lock().unwrap();
        mood.1 += 1;
        self.0.changed.notify_all();
        self.0.changed.wait_while(mood, |(mood, _)| *mood == Mood::Waits).unwrap().0
    }

    fn records(&self) -> Vec<Record> {
        let entries = self.0.memory.lock().unwrap().read(0, usize::MAX).unwrap();
        entries.iter().map(|entry| Record::read(entry.body().unwrap()).unwrap()).collect()
    }

    fn calls(&self) -> usize {
        self.records().iter().filter(|record| record.as_call().is_some()).count()
    }
}

impl LedgerStore for Moody {
    fn append(&mut self, entries: &[ChainEntry]) -> Result<(), StoreError> {
        match self.mood() {
            Mood::Fails => Err(StoreError::new(StoreErrorKind::Unavailable, "the disk is gone")),
            Mood::LosesAnswers => {
                self.0.memory.lock().unwrap().append(entries)?;
                Err(StoreError::new(StoreErrorKind::Unavailable, "the connection is lost"))
            }
            Mood::Panics => panic!("the store breaks"),
            _ => self.0.memory.lock().unwrap().append(entries),
        }
    }

    fn read(&mut self, from: u64, limit: usize) -> Result<Vec<ChainEntry>, StoreError> {
        self.0.memory.lock().unwrap().read(from, limit)
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        self.0.memory.lock().unwrap().count()
    }

    fn last_checkpoint(&mut self) -> Result<Option<ChainEntry>, StoreError> {
        self.0.memory.lock().unwrap().last_checkpoint()
    }

    fn erase(&mut self, before: u64) -> Result<u64, StoreError> {
        assert!(self.mood() != Mood::PanicsForgetting, "the store breaks");
        self.0.memory.lock().unwrap().erase(before)
    }
}

/// Counts how often it ran.
#[ai_tool(effect = "read")]
async fn tick(runs: &AtomicU32) -> u32 {
    runs.fetch_add(1, Ordering::SeqCst) + 1
}

struct OverloadSetup {
    runtime: Runtime,
    ledger: Ledger,
    store: Moody,
    runs: Arc<AtomicU32>,
}

impl OverloadSetup {
    fn with(change: impl FnOnce(LedgerBuilder) -> LedgerBuilder) -> Self {
        let (store, runs) = (Moody::new(), Arc::<AtomicU32>::default());
        let ledger = change(Ledger::builder(ring()).capacity(2)).open(store.clone()).unwrap();
        let builder = Runtime::builder().tool::<TickTool>().shared_state(runs.clone());
        Self { runtime: builder.ledger(&ledger).build().unwrap(), ledger, store, runs }
    }

    fn new() -> Self {
        Self::with(|builder| builder)
    }

    async fn tick(&self) -> bool {
        self.runtime.call("tick", "{}", &cx()).execute().await.is_ok()
    }

    /// Stops the store with one call in its hands.
    async fn stop(&self) {
        self.store.set(Mood::Waits);
        assert!(self.tick().await);
        self.store.until_asked();
    }

    /// Blocks the store, with two calls waiting behind the one that it writes: as many as allowed.
    async fn fill(&self) {
        self.stop().await;
        assert!(self.tick().await && self.tick().await);
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }

    /// Closes the ledger, checks that it is a valid chain, and returns its records.
    async fn closed(&self) -> Vec<Record> {
        self.ledger.close().await.unwrap();
        verify(&mut self.store.clone(), &ring(), &[]).unwrap();
        let records = self.store.records();
        assert!(matches!(records.last(), Some(Record::Closed(_))), "{records:#?}");
        records
    }
}

#[tokio::test]
async fn a_call_waits_for_room_before_it_runs_and_nothing_is_left_out() {
    let setup = OverloadSetup::new();
    setup.fill().await;
    let mut call = setup.runtime.call("tick", "{}", &cx());
    let mut run = Box::pin(call.execute());
    assert!((&mut run).now_or_never().is_none());
    assert_eq!(setup.runs(), 3, "it has not begun");
    setup.store.set(Mood::Writes);
    assert!(run.await.is_ok());
    setup.closed().await;
    check_whole(&setup.ledger, 4);
    assert_eq!((setup.runs(), setup.store.calls()), (4, 4));
}

#[tokio::test(start_paused = true)]
async fn a_call_is_refused_once_it_waited_too_long_for_room_and_that_is_recorded() {
    let setup = OverloadSetup::new();
    setup.fill().await;
    let begun = tokio::time::Instant::now();
    let mut call = setup.runtime.call("tick", "{}", &cx());
    let found = envelope(call.execute().await);
    assert!(begun.elapsed() >= Duration::from_secs(5), "{:?}", begun.elapsed());
    let (error, details) = (&found["error"], &found["error"]["details"]);
    assert_eq!(
        (&error["code"], &details["reason"]),
        (&"UNAVAILABLE".into(), &"ledger_full".into())
    );
    assert_eq!(details["effect"], "none");
    assert_eq!(setup.runs(), 3);
    setup.store.set(Mood::Writes);
    let records = setup.closed().await;
    check_whole(&setup.ledger, 4);
    let refused = records.iter().rev().find_map(Record::as_call).unwrap();
    assert_eq!(refused.final_status, CallStatus::NotExecuted);
    assert_eq!(refused.error.as_ref().unwrap().reason.as_deref(), Some("ledger_full"));
}

#[tokio::test]
async fn a_shed_call_runs_and_is_counted_in_the_ledger() {
    let clock = ManualClock::at(START);
    let setup = OverloadSetup::with(|it| it.overload(Overload::Shed).clock(clock.clone()));
    setup.fill().await;
    clock.advance(Duration::from_secs(1));
    assert!(setup.tick().await);
    clock.advance(Duration::from_secs(1));
    assert!(setup.tick().await && setup.tick().await);
    assert_eq!((setup.runs(), setup.ledger.status().shed), (6, 3));
    setup.store.set(Mood::Writes);
    setup.ledger.flush().await.unwrap();
    assert!(setup.tick().await);

    let records = setup.closed().await;
    let shed = |record: &Record| match record {
        Record::Shed(shed) => Some((shed.calls, shed.since.clone())),
        _ => None,
    };
    let shed: Vec<_> = records.iter().filter_map(shed).collect();
    assert_eq!(shed, [(3, "2027-01-15T08:00:01.000Z".to_owned())]);
    assert_eq!(setup.store.calls(), 4);
    let Some(Record::Closed(closed)) = records.last() else { panic!("{records:#?}") };
    assert_eq!((closed.calls, closed.shed), (4, 3));
    let status = setup.ledger.status();
    assert_eq!((status.opened, status.ended, status.waiting()), (7, 7, 0));
}

#[tokio::test]
async fn a_store_that_fails_is_tried_again_and_nothing_is_lost() {
    for (mood, says) in [(Mood::Fails, "the disk is gone"), (Mood::Panics, "panicked")] {
        let setup = OverloadSetup::new();
        setup.store.set(mood);
        assert!(setup.tick().await);
        let error = setup.ledger.flush().await.unwrap_err();
        assert!(error.log().contains(says), "{error}");
        assert!(setup.ledger.status().write_error.is_some());
        assert_eq!(setup.ledger.status().waiting(), 1);
        setup.store.set(Mood::Writes);
        assert!(setup.tick().await);
        setup.closed().await;
        check_whole(&setup.ledger, 2);
        assert!(setup.ledger.status().write_error.is_none());
        assert_eq!(setup.store.calls(), 2);
    }
}

#[tokio::test]
async fn a_store_that_panics_while_it_erases_ends_no_writer() {
    let clock = ManualClock::at(START);
    let keeps = |it: LedgerBuilder| it.checkpoint_every(1).retention(Duration::from_secs(1));
    let setup = OverloadSetup::with(|it| keeps(it).clock(clock.clone()));
    assert!(setup.tick().await);
    setup.ledger.flush().await.unwrap();
    clock.advance(Duration::from_secs(60));
    setup.store.set(Mood::PanicsForgetting);
    assert!(setup.tick().await);
    setup.ledger.flush().await.unwrap();
    let error = setup.ledger.status().maintenance_error.expect("it could not erase");
    assert!(error.log().contains("panicked"), "{error}");
    setup.store.set(Mood::Writes);
    assert!(setup.tick().await);
    setup.ledger.flush().await.unwrap();
    assert!(setup.ledger.status().maintenance_error.is_none());
    setup.ledger.close().await.unwrap();
    check_whole(&setup.ledger, 3);
}

#[tokio::test]
async fn closing_while_the_store_fails_says_so_and_counts_all_that_is_lost() {
    let setup = OverloadSetup::new();
    setup.store.set(Mood::Fails);
    assert!(setup.tick().await);
    assert!(setup.ledger.flush().await.is_err());
    assert!(setup.tick().await && setup.tick().await);
    let error = setup.ledger.close().await.unwrap_err();
    assert!(error.log().contains("the disk is gone"), "{error}");
    let status = setup.ledger.status();
    assert_eq!((status.ended, status.lost, status.waiting()), (3, 3, 0), "{status:?}");
}

#[tokio::test]
async fn a_flush_waits_for_what_has_ended() {
    let setup = OverloadSetup::new();
    setup.stop().await;
    let mut flush = Box::pin(setup.ledger.flush());
    assert!((&mut flush).now_or_never().is_none());
    assert_eq!(setup.store.calls(), 0);
    setup.store.set(Mood::Writes);
    flush.await.unwrap();
    assert_eq!(setup.store.calls(), 1);
}

#[tokio::test]
async fn the_last_handle_that_is_dropped_writes_everything() {
    let setup = OverloadSetup::with(|it| it.capacity(100));
    for _ in 0..50 {
        assert!(setup.tick().await);
    }
    let OverloadSetup { runtime, ledger, store, .. } = setup;
    drop((runtime, ledger));
    assert_eq!(store.calls(), 50);
    assert!(matches!(store.records().last(), Some(Record::Closed(closed)) if closed.calls == 50));
}

#[tokio::test]
async fn calls_after_the_end_run_and_are_counted_as_missing() {
    let setup = OverloadSetup::new();
    setup.closed().await;
    assert!(setup.tick().await);
    let status = setup.ledger.status();
    assert_eq!((status.opened, status.ended, status.shed, status.waiting()), (1, 1, 1, 0));
    assert!(setup.ledger.flush().await.is_err() && setup.ledger.checkpoint().await.is_err());
    assert!(setup.ledger.close().await.is_ok(), "it is closed already");
}

#[tokio::test]
async fn a_flood_of_calls_without_waiters_is_bounded_and_counted() {
    let setup = OverloadSetup::new();
    setup.stop().await;
    for _ in 0..100 {
        drop(setup.runtime.call("no_such_tool", "{}", &cx()));
    }
    let status = setup.ledger.status();
    // Twice the capacity, and the one in the store's hands.
    assert_eq!((status.waiting(), status.shed), (5, 96), "{status:?}");
    setup.store.set(Mood::Writes);
    let records = setup.closed().await;
    let shed = records.iter().any(|it| matches!(it, Record::Shed(shed) if shed.calls == 96));
    assert!(shed && setup.store.calls() == 5, "{records:#?}");
}

#[tokio::test]
async fn a_refused_call_that_is_awaited_waits_for_room_too() {
    let setup = OverloadSetup::new();
    setup.fill().await;
    let mut call = setup.runtime.call("no_such_tool", "{}", &cx());
    let mut run = Box::pin(call.execute());
    assert!((&mut run).now_or_never().is_none());
    setup.store.set(Mood::Writes);
    block_on(setup.ledger.flush()).unwrap();
    assert!(!run.await.is_ok());
    setup.closed().await;
    check_whole(&setup.ledger, 4);
}

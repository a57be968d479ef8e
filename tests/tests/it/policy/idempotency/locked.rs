//! A file that another connection locks during a keyed write.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::Connection;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{IdempotencyStore, SqliteStore};
use tool_runtime::testing::ManualClock;

use super::faulty_store::{FaultyStore, StoreOperation};
use super::keyed_runtime::{
    Bank, FIVE, Finding, LEASE, START, call_in, check_error, check_replay, cx, scope, tools,
};
use crate::sqlite::Folder;

/// A bank with a store in a file, and another connection that may lock it.
struct LockedStoreSetup {
    bank: Arc<Bank>,
    store: FaultyStore,
    clock: ManualClock,
    runtime: Runtime,
    other: Arc<Mutex<Connection>>,
    _folder: Folder,
}

impl LockedStoreSetup {
    fn new() -> Self {
        let folder = Folder::new();
        let options = SqliteStore::options().busy_timeout(Duration::from_millis(20));
        let store = FaultyStore::new(options.open(folder.file()).unwrap());
        let other = Arc::new(Mutex::new(Connection::open(folder.file()).unwrap()));
        let (bank, clock) = (Arc::<Bank>::default(), ManualClock::at(START));
        let policy = Policy::new().idempotency_store(store.clone()).clock(clock.clone());
        let runtime = tools(Runtime::builder().shared_state(bank.clone()).policy(policy));
        Self { bank, store, clock, runtime, other, _folder: folder }
    }

    /// Locks the file before the store settles, and unlocks it before it tries so often again.
    fn lock_at_the_end(&self, until: usize) {
        let (other, settled) = (self.other.clone(), AtomicUsize::new(0));
        self.store.before_each_operation(move |operation| {
            let settled = || settled.fetch_add(1, Ordering::SeqCst);
            match (operation == StoreOperation::Settle).then(settled) {
                Some(0) => execute(&other, "BEGIN EXCLUSIVE"),
                Some(tries) if tries == until => execute(&other, "ROLLBACK"),
                _ => {}
            }
        });
    }

    async fn call(&self, tool: &str) -> ToolOutput {
        call_in(&self.runtime, tool, FIVE, &cx("k")).await
    }
}

fn execute(connection: &Mutex<Connection>, statement: &str) {
    connection.lock().unwrap().execute_batch(statement).unwrap();
}

#[tokio::test]
async fn a_file_that_is_locked_before_a_write_keeps_it_from_running() {
    let setup = LockedStoreSetup::new();
    execute(&setup.other, "BEGIN EXCLUSIVE");
    check_error(&setup.call("pay").await, "UNAVAILABLE", Some("store_unavailable"));
    assert_eq!(setup.bank.runs().len(), 0);
    execute(&setup.other, "ROLLBACK");
    assert!(setup.call("pay").await.is_ok());
}

#[tokio::test]
async fn a_file_that_is_locked_for_a_moment_costs_nothing() {
    let setup = LockedStoreSetup::new();
    setup.lock_at_the_end(1);
    let first = setup.call("pay").await;
    assert!(first.is_ok() && !first.meta_json().contains("warnings"), "{first}");
    check_replay(&first, &setup.call("pay").await);
    assert_eq!(setup.bank.runs().len(), 1);
}

#[tokio::test]
async fn a_file_that_stays_locked_costs_no_answer_and_no_second_run() {
    for (tool, finding) in [("pay", Finding::Unknown), ("pay_traced", Finding::Happened)] {
        let setup = LockedStoreSetup::new();
        setup.bank.finds(finding);
        setup.lock_at_the_end(usize::MAX);
        let first = setup.call(tool).await;
        assert!(first.is_ok() && first.meta_json().contains("could not be stored"), "{first}");
        // The last try goes on unheard; what is asked after it is answered after it.
        drop(setup.store.find(&scope(tool, "k")).await);
        execute(&setup.other, "ROLLBACK");
        check_error(&setup.call(tool).await, "CONFLICT", Some("in_flight"));
        setup.clock.advance(LEASE);
        let repeat = setup.call(tool).await;
        assert_eq!(repeat.is_ok(), finding == Finding::Happened, "{repeat}");
        assert_eq!(setup.bank.runs().len(), 1, "{tool}");
    }
}

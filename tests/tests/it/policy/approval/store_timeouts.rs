//! Stores of tickets and grants that do not answer, or fail: each operation ends at a time limit.

use std::time::Duration;

use tokio::time::timeout;
use tool_runtime::Withdrawal;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{GrantScope, StoreError, StoreErrorKind};
use tool_runtime::testing::{FaultyStore, StoreFault, StoreOperation};

use super::fixture::{Fixture, TENANT, jane, reason};

const PAYMENT: &str = r#"{"to":"joe","cents":5}"#;
const FAULTS: [StoreFault; 2] = [StoreFault::Hangs, StoreFault::Fails];

fn fixture() -> (Fixture, FaultyStore) {
    let store = FaultyStore::new();
    (Fixture::new(Policy::new().store(store.clone())), store)
}

/// Waits longer than any time limit of the runtime.
async fn ended<T>(operation: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), operation).await.expect("the operation has a time limit")
}

#[track_caller]
fn check_unavailable<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    assert_eq!(result.unwrap_err().kind(), StoreErrorKind::Unavailable);
}

#[tokio::test(start_paused = true)]
async fn a_withdrawn_call_is_answered_although_its_ticket_cannot_be_ended() {
    for fault in FAULTS {
        let (fixture, store) = fixture();
        let ticket = fixture.ticket("pay", PAYMENT).await;
        let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
        call.withdraw(Withdrawal::Superseded).unwrap();
        store.fail_always(StoreOperation::Tickets, fault);
        assert_eq!(reason(ended(call.execute()).await), "superseded", "{fault:?}");
        store.clear_faults();
        let again = fixture.runtime.tickets().resume(&ticket, &jane()).await;
        assert_eq!(again.status(), CallStatus::Pending, "the ticket was not ended: {fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn tickets_that_cannot_be_superseded_are_an_error() {
    for fault in FAULTS {
        let (fixture, store) = fixture();
        store.fail_always(StoreOperation::Tickets, fault);
        check_unavailable(ended(fixture.runtime.tickets().supersede(&jane())).await);
    }
}

#[tokio::test(start_paused = true)]
async fn standing_grants_of_a_store_that_is_down_are_errors() {
    for fault in FAULTS {
        let (fixture, store) = fixture();
        let grants = fixture.runtime.grants();
        let scope = grants.give("pay", &jane(), "boss").await.unwrap().scope;
        store.fail_always(StoreOperation::Grants, fault);
        assert!(ended(grants.give("pay", &jane(), "boss")).await.is_err());
        check_unavailable(ended(grants.revoke(&scope)).await);
        check_unavailable(ended(grants.list(TENANT, None, 10)).await);
        let _: &GrantScope = &scope;
    }
}

#[tokio::test(start_paused = true)]
async fn a_sweep_of_a_store_that_is_down_is_an_error() {
    for fault in FAULTS {
        let (fixture, store) = fixture();
        store.fail_always(StoreOperation::Sweep, fault);
        check_unavailable(ended(fixture.runtime.sweep()).await);
    }
}

//! How the runtime's calls get into the ledger.

use std::fmt;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tool_contracts::{CallStatus, ErrorCode};

use super::Ledger;
use super::ended::EndedCall;
use crate::call::CallScope;
use crate::dispatch::refusal::Refusal;
use crate::dispatch::witness::{Wait, Witness};
use crate::dispatch::{CallRecord, RuntimeBuilder};
use crate::failure::Failure;

/// The longest that a call waits for room in the ledger.
const PATIENCE: Duration = Duration::from_secs(5);

impl RuntimeBuilder {
    /// Records every call in this ledger, whatever its end.
    #[must_use]
    pub fn ledger(mut self, ledger: &Ledger) -> Self {
        self.witness = Some(std::sync::Arc::new(Recorder(ledger.clone())));
        self
    }
}

/// Takes the records of one runtime's calls.
struct Recorder(Ledger);

impl Witness for Recorder {
    fn opened(&self) -> u64 {
        self.0.stats().opens();
        self.now_ms()
    }

    fn now_ms(&self) -> u64 {
        self.0.clock().now().get()
    }

    fn ready<'c>(&'c self, scope: &'c CallScope) -> Option<Wait<'c>> {
        match self.0.queue().keep_room() {
            None => None,
            Some(true) => {
                scope.keep_room();
                None
            }
            Some(false) => Some(self.wait(scope).boxed()),
        }
    }

    fn room(&self) -> Option<BoxFuture<'_, ()>> {
        self.0.queue().is_full().then(|| self.0.queue().room().boxed())
    }

    fn closed(&self, record: &CallRecord<'_>) {
        let has_room = record.call().scope().is_some_and(CallScope::take_room);
        let fits = self.0.queue().push(EndedCall::of(record, self.now_ms()), has_room);
        self.0.stats().ends(fits);
    }
}

impl Recorder {
    /// Waits until the records before this one's have been written.
    async fn wait(&self, scope: &CallScope) -> Result<(), Box<Refusal>> {
        let room = self.0.queue().kept_room();
        let kept = scope.runtime().within(scope.budget().min(PATIENCE), room).await;
        if kept.ok_or_else(full)? {
            scope.keep_room();
        }
        Ok(())
    }
}

fn full() -> Box<Refusal> {
    let failure = Failure::of(ErrorCode::Unavailable)
        .with_message("calls cannot be recorded at the moment, so none is run; try again later")
        .with_retry_after_ms(1_000)
        .with_detail("reason", "ledger_full")
        .with_detail("effect", "none");
    Refusal::new(CallStatus::NotExecuted, failure)
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recorder").field(&self.0).finish()
    }
}

//! What a call holds while it runs, and what becomes of it.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};

use tool_contracts::{CallStatus, ErrorCode, ToolErrorDetail};

use super::fresh::Flight;
use super::governor::State;
use super::idempotency::KeyHold;
use super::limits::{Pass, PlacePermit};
use crate::call::CallScope;
use crate::dispatch::call_policy::Hold;
use crate::dispatch::pipeline::{CallOutcome, EffectOutcome};

/// What a call holds. All of it is given back when it is dropped.
pub(super) struct Holding {
    state: Arc<State>,
    call: CallScope,
    pub(super) key: Option<KeyHold>,
    /// The turn to answer a question, and how long the answer stays good.
    pub(super) flight: Option<(Flight, Duration)>,
    pub(super) pass: Option<Pass>,
    pub(super) own_place: Option<PlacePermit>,
    pub(super) place: Option<PlacePermit>,
}

impl Holding {
    pub(super) fn new(state: Arc<State>, call: CallScope) -> Self {
        Self { state, call, key: None, flight: None, pass: None, own_place: None, place: None }
    }

    async fn settled(mut self, scope: &CallScope, ended: CallOutcome) -> CallOutcome {
        let now = self.state.timer.now();
        match (self.pass.take(), health(scope, &ended)) {
            (Some(pass), Some(true)) => pass.succeeded(now),
            (Some(pass), Some(false)) => pass.failed(now),
            (_, None) | (None, _) => {}
        }
        if let (Some((flight, ttl)), EffectOutcome::Answered) = (self.flight.take(), ended.effect) {
            flight.keep(&ended.output, now + ttl);
        }
        let Some(key) = self.key.take() else { return ended };
        let ended = key.settle(scope, ended).await;
        self.state.sweep_if_due().await;
        ended
    }
}

/// A thread of the tool's that still works keeps its places.
impl Drop for Holding {
    fn drop(&mut self) {
        let places = [self.own_place.take(), self.place.take()];
        if places.iter().any(Option::is_some) {
            drop(self.call.hold_until_thread_exits(Box::new(places)));
        }
    }
}

/// What a call's end says of its tool's health; nothing, where it was not the tool that ended it.
fn health(scope: &CallScope, ended: &CallOutcome) -> Option<bool> {
    let code = ended.output.error().and_then(ToolErrorDetail::error_code);
    match (ended.status, code, ended.effect) {
        // The tool had less time than it declares: the caller chose to wait no longer.
        (_, Some(ErrorCode::Timeout), _) if scope.has_shortened_deadline() => None,
        (CallStatus::Interrupted, ..)
        | (_, Some(ErrorCode::Conflict), EffectOutcome::Unknown)
        | (_, _, EffectOutcome::NotRun) => None,
        // A permanent failure of the tool's own is an answer; one that it did not foresee is not.
        (_, Some(code), EffectOutcome::Final) => Some(code != ErrorCode::Internal),
        (_, _, effect) => Some(matches!(effect, EffectOutcome::Answered | EffectOutcome::Final)),
    }
}

impl Hold for Holding {
    fn keep(&mut self) -> BoxFuture<'_, ()> {
        match &mut self.key {
            Some(key) => key.keep().boxed(),
            None => pending().boxed(),
        }
    }

    fn settle(
        self: Box<Self>,
        scope: &CallScope,
        ended: CallOutcome,
    ) -> BoxFuture<'_, CallOutcome> {
        self.settled(scope, ended).boxed()
    }
}

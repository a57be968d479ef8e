//! What a call holds while it runs, and what becomes of it.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, pending};

use super::fresh::Flight;
use super::governor::State;
use super::idempotency::KeyHold;
use super::limits::{Pass, PlacePermit};
use crate::call::CallScope;
use crate::dispatch::govern::Hold;
use crate::dispatch::pipeline::{Ended, Fate};

/// What a call holds. All of it is given back when it is dropped.
pub(super) struct Holding {
    state: Arc<State>,
    pub(super) key: Option<KeyHold>,
    /// The turn to answer a question, and how long the answer stays good.
    pub(super) flight: Option<(Flight, Duration)>,
    pub(super) pass: Option<Pass>,
    pub(super) own_place: Option<PlacePermit>,
    pub(super) place: Option<PlacePermit>,
}

impl Holding {
    pub(super) fn new(state: Arc<State>) -> Self {
        Self { state, key: None, flight: None, pass: None, own_place: None, place: None }
    }

    async fn settled(mut self, scope: &CallScope, ended: Ended) -> Ended {
        let now = self.state.timer.now();
        match (self.pass.take(), ended.fate) {
            (Some(pass), Fate::Answered | Fate::Final) => pass.succeeded(now),
            (Some(pass), Fate::Transient | Fate::Unknown) => pass.failed(now),
            (_, Fate::NotRun) | (None, _) => {}
        }
        if let (Some((flight, ttl)), Fate::Answered) = (self.flight.take(), ended.fate) {
            flight.keep(&ended.output, now + ttl);
        }
        let Some(key) = self.key.take() else { return ended };
        let ended = key.settle(scope, ended).await;
        self.state.sweep_if_due().await;
        ended
    }
}

impl Hold for Holding {
    fn keep(&mut self) -> BoxFuture<'_, ()> {
        match &mut self.key {
            Some(key) => key.keep().boxed(),
            None => pending().boxed(),
        }
    }

    fn settle(self: Box<Self>, scope: &CallScope, ended: Ended) -> BoxFuture<'_, Ended> {
        self.settled(scope, ended).boxed()
    }
}

//! Keys as they were last read, and reading them again without anybody waiting where none has to.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::jwks::{Jwks, JwksError, Source, Times};
use super::key_set::KeySet;

/// The keys of one issuer, shared by all requests.
#[derive(Debug)]
pub(super) struct Keeper {
    source: Source,
    times: Times,
    state: Mutex<State>,
    /// Counts the readings that have ended.
    ended: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    keys: Option<(Arc<KeySet>, Instant)>,
    /// When the last reading began.
    tried: Option<Instant>,
    is_reading: bool,
    failure: Option<JwksError>,
}

/// Says that a reading has ended, also when it was dropped half way.
struct Reading(Arc<Keeper>);

impl Keeper {
    pub(super) fn new(jwks: Jwks) -> Self {
        let Jwks { source, times } = jwks;
        let keys = match &source {
            Source::Fixed(keys) => Some((Arc::clone(keys), Instant::now())),
            _ => None,
        };
        let state = Mutex::new(State { keys, ..State::default() });
        Self { source, times, state, ended: watch::Sender::new(0) }
    }

    /// Gives the keys, old ones too as long as they are good; waits only where there are none.
    pub(super) async fn keys(self: &Arc<Self>) -> Option<Arc<KeySet>> {
        match self.known() {
            Some((keys, age)) if age <= self.times.max_age => Some(keys),
            Some((keys, _)) => {
                self.read();
                Some(keys)
            }
            None => self.newer_keys().await,
        }
    }

    /// Reads the keys again, unless that has just been done, and waits for it with everybody else.
    /// Cancel-safe: the reading goes on.
    pub(super) async fn newer_keys(self: &Arc<Self>) -> Option<Arc<KeySet>> {
        let mut ended = self.ended.subscribe();
        if self.read() {
            // What comes too late is there for the next request.
            let _ = timeout(self.times.patience, ended.changed()).await;
        }
        self.known().map(|(keys, _)| keys)
    }

    /// Says why the last reading failed, if it did.
    pub(super) fn failure(&self) -> Option<JwksError> {
        self.state().failure.clone()
    }

    /// Gives the keys that are still good, and how old they are.
    fn known(&self) -> Option<(Arc<KeySet>, std::time::Duration)> {
        let state = self.state();
        let (keys, since) = state.keys.as_ref()?;
        let age = since.elapsed();
        let is_good = self.is_fixed() || age <= self.times.max_age.saturating_add(self.times.stale);
        is_good.then(|| (Arc::clone(keys), age))
    }

    /// Begins a reading if none is under way and it is time for one; tells whether one is under way.
    fn read(self: &Arc<Self>) -> bool {
        {
            let mut state = self.state();
            if state.is_reading {
                return true;
            }
            let is_early = state.tried.is_some_and(|tried| tried.elapsed() < self.times.between);
            if is_early || self.is_fixed() {
                return false;
            }
            state.is_reading = true;
            state.tried = Some(Instant::now());
        }
        let reading = Reading(Arc::clone(self));
        tokio::spawn(async move {
            let patience = 2 * reading.0.times.patience;
            let keys = timeout(patience, reading.0.source.read()).await;
            reading.0.keep(keys.unwrap_or_else(|_| Err(too_slow())));
        });
        true
    }

    fn keep(&self, read: Result<Arc<KeySet>, JwksError>) {
        let mut state = self.state();
        match read {
            Ok(keys) => {
                state.keys = Some((keys, Instant::now()));
                state.failure = None;
            }
            Err(error) => {
                #[cfg(feature = "trace")]
                tracing::warn!(%error, source = ?self.source, "the keys of tokens cannot be read");
                state.failure = Some(error);
            }
        }
    }

    fn is_fixed(&self) -> bool {
        matches!(self.source, Source::Fixed(_))
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.0.state().is_reading = false;
        self.0.ended.send_modify(|ended| *ended += 1);
    }
}

fn too_slow() -> JwksError {
    JwksError::Unreadable("no answer in time".into())
}

//! Caches an issuer's keys and reads them again in the background.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tool_runtime_core::log::log_event;

use super::jwks::{CacheTimes, Jwks, JwksError, KeySource};
use super::key_set::KeySet;

/// The cached keys of one issuer, shared by all requests.
#[derive(Debug)]
pub(super) struct KeyCache {
    source: KeySource,
    times: CacheTimes,
    state: Mutex<CacheState>,
    /// The number of finished reads.
    ended: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct CacheState {
    keys: Option<(Arc<KeySet>, Instant)>,
    /// Start of the last read.
    tried: Option<Instant>,
    is_reading: bool,
    failure: Option<JwksError>,
}

/// Marks a read as finished when it is dropped, also on cancellation.
struct ReadGuard(Arc<KeyCache>);

impl KeyCache {
    pub(super) fn new(jwks: Jwks) -> Self {
        let Jwks { source, mut times } = jwks;
        let keys = source.fixed_keys().map(|keys| (Arc::clone(keys), Instant::now()));
        if keys.is_some() {
            times.max_age = Duration::MAX;
        }
        let state = Mutex::new(CacheState { keys, ..CacheState::default() });
        Self { source, times, state, ended: watch::Sender::new(0) }
    }

    /// Returns the keys, stale ones too while they are valid; waits only if there are none.
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

    /// Reads the keys again, unless they were just read, and waits for the read in progress.
    /// Cancel-safe: the read continues.
    pub(super) async fn newer_keys(self: &Arc<Self>) -> Option<Arc<KeySet>> {
        let mut end_receiver = self.ended.subscribe();
        if self.read() {
            // A result after the timeout serves the next request.
            let _ = timeout(self.times.timeout, end_receiver.changed()).await;
        }
        self.known().map(|(keys, _)| keys)
    }

    /// Returns the error of the last read, if it failed.
    pub(super) fn failure(&self) -> Option<JwksError> {
        self.state().failure.clone()
    }

    /// Returns the keys with their age, if they are still valid.
    fn known(&self) -> Option<(Arc<KeySet>, Duration)> {
        let state = self.state();
        let (keys, since) = state.keys.as_ref()?;
        let age = since.elapsed();
        let is_good = age <= self.times.max_age.saturating_add(self.times.max_stale_age);
        is_good.then(|| (Arc::clone(keys), age))
    }

    /// Starts a read unless one is in progress or the last one is too recent; returns whether one
    /// is in progress.
    fn read(self: &Arc<Self>) -> bool {
        {
            let mut state = self.state();
            if state.is_reading {
                return true;
            }
            let is_early =
                state.tried.is_some_and(|tried| tried.elapsed() < self.times.min_interval);
            if is_early || self.source.fixed_keys().is_some() {
                return false;
            }
            state.is_reading = true;
            state.tried = Some(Instant::now());
        }
        let guard = ReadGuard(Arc::clone(self));
        tokio::spawn(async move {
            let read_timeout = 2 * guard.0.times.timeout;
            let keys = timeout(read_timeout, guard.0.source.read()).await;
            guard.0.keep(keys.unwrap_or_else(|_| Err(too_slow())));
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
                log_event!(
                    warn,
                    target: "tool_runtime::http::auth::jwt",
                    %error,
                    source = ?self.source,
                    "the keys of tokens cannot be read",
                );
                state.failure = Some(error);
            }
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, CacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ReadGuard {
    fn drop(&mut self) {
        self.0.state().is_reading = false;
        self.0.ended.send_modify(|ended| *ended += 1);
    }
}

fn too_slow() -> JwksError {
    JwksError::Unreadable("the source did not answer in time".into())
}

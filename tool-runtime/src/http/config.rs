//! How the tools are shown over HTTP.

use super::bounds::Bounds;
use super::probes::Readiness;
use super::{Auth, Drain};
use crate::evidence::Vault;
use crate::ledger::Ledger;

/// Says how the tools are shown over HTTP: who may call, what may be looked up, what is too much.
#[derive(Debug, Clone)]
#[must_use]
pub struct HttpConfig {
    pub(super) auth: Auth,
    pub(super) ledger: Option<Ledger>,
    pub(super) vault: Option<Vault>,
    pub(super) drain: Drain,
    pub(super) bounds: Bounds,
    pub(super) ready: Readiness,
    pub(super) public_metrics: bool,
}

impl HttpConfig {
    /// Starts a configuration with who may call.
    pub fn new(auth: Auth) -> Self {
        let (drain, bounds) = (Drain::default(), Bounds::default());
        let (ready, public_metrics) = (Readiness::default(), false);
        Self { auth, ledger: None, vault: None, drain, bounds, ready, public_metrics }
    }

    /// Serves `/traces` from this ledger, and is not ready while it cannot be written.
    pub fn ledger(mut self, ledger: &Ledger) -> Self {
        self.ledger = Some(ledger.clone());
        self.drain.keep(ledger);
        self
    }

    /// Replays with the arguments that this vault has kept.
    pub fn vault(mut self, vault: &Vault) -> Self {
        self.vault = Some(vault.clone());
        self
    }

    /// Gives the handle by which a server lets go of what runs, when it is asked to end.
    #[must_use]
    pub fn drain(&self) -> Drain {
        self.drain.clone()
    }
}

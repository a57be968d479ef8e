//! How the tools are shown over HTTP.

use super::auth::Lookup;
use super::bounds::Bounds;
use super::hosts::Hosts;
use super::probes::Readiness;
use super::{Auth, Drain, RateLimits};
use crate::evidence::Vault;
use crate::ledger::Ledger;

/// Says how the tools are shown over HTTP: who may call, what may be looked up, what is too much.
#[derive(Debug, Clone)]
#[must_use]
pub struct HttpConfig {
    pub(super) auth: Auth,
    pub(super) hosts: Hosts,
    pub(super) ledger: Option<Ledger>,
    pub(super) vault: Option<Vault>,
    pub(super) drain: Drain,
    pub(super) bounds: Bounds,
    pub(super) ready: Readiness,
    pub(super) public_metrics: bool,
    pub(super) four_eyes: bool,
    pub(super) askers: Option<Lookup>,
    pub(super) rates: RateLimits,
}

impl HttpConfig {
    /// Starts a configuration with who may call.
    pub fn new(auth: Auth) -> Self {
        Self {
            auth,
            hosts: Hosts::default(),
            ledger: None,
            vault: None,
            drain: Drain::default(),
            bounds: Bounds::default(),
            ready: Readiness::default(),
            public_metrics: false,
            four_eyes: true,
            askers: None,
            rates: RateLimits::new(),
        }
    }

    /// Serves `/traces` from this ledger, and is not ready while it cannot be written.
    pub fn ledger(mut self, ledger: &Ledger) -> Self {
        self.ledger = Some(ledger.clone());
        self.drain.keep(ledger);
        self
    }

    /// Replays with the arguments that this vault has kept, and serves `/evidence` from it if it has
    /// an [authorizer](Vault::with_authorizer).
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::evidence::{EvidenceRequest, EvidenceVerdict, Vault};
    /// use tool_runtime::http::{Auth, HttpConfig};
    ///
    /// # fn doc(auth: Auth, vault: &Vault) -> HttpConfig {
    /// // The scopes `evidence` and `evidence_contents` decide, and no proof of wages is shown.
    /// let vault = vault.clone().with_authorizer(|request: &EvidenceRequest<'_>| {
    ///     let is_wage = |tool: &str| tool.starts_with("wages.");
    ///     match request.snapshot() {
    ///         Some(snapshot) if is_wage(snapshot.tool()) => EvidenceVerdict::Deny,
    ///         _ => EvidenceVerdict::Allow,
    ///     }
    /// });
    /// HttpConfig::new(auth).vault(&vault)
    /// # }
    /// ```
    pub fn vault(mut self, vault: &Vault) -> Self {
        self.vault = Some(vault.clone());
        self
    }

    /// Sets whether a call has to be approved by somebody else than whoever asked for it, as it has
    /// to unless this is said.
    ///
    /// The two users have to differ where a principal is trusted to name users; where it is not, the
    /// two principals have to differ, and their users too where both name one. Names that differ in
    /// hidden characters, spaces, width, case or normalization alone are the same. Without it a
    /// service that has the scope `approvals` approves its own calls.
    pub fn four_eyes(mut self, wanted: bool) -> Self {
        self.four_eyes = wanted;
        self
    }

    /// Sets how often a caller may ask, a tenant call a tool, and anybody send bad credentials.
    pub fn rates(mut self, limits: RateLimits) -> Self {
        self.rates = limits;
        self
    }

    /// Gives the handle by which a server lets go of what runs, when it is asked to end.
    #[must_use]
    pub fn drain(&self) -> Drain {
        self.drain.clone()
    }
}

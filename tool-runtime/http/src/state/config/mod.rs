//! The configuration of the HTTP router.

mod context_defaults;
mod host_names;
mod limits;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
#[cfg(not(feature = "mcp"))]
pub(crate) mod no_mcp;
mod probes;
mod requesters;

use tool_runtime_record::evidence::Vault;
use tool_runtime_record::ledger::Ledger;

pub(crate) use self::context_defaults::ContextDefaults;
pub(crate) use self::limits::RequestLimits;
use self::mcp::McpSettings;
#[cfg(not(feature = "mcp"))]
pub(crate) use self::no_mcp as mcp;
use crate::auth::Auth;
use crate::auth::Lookup;
use crate::state::drain::Drain;
use crate::state::hosts::Hosts;
use crate::state::rate::RateLimits;
use crate::state::readiness::Readiness;

/// The configuration of a [`router`](crate::router): authentication, ledger, limits and probes.
#[derive(Debug, Clone)]
#[must_use]
pub struct HttpConfig {
    pub(crate) auth: Auth,
    pub(crate) hosts: Hosts,
    pub(crate) context_defaults: ContextDefaults,
    pub(crate) ledger: Option<Ledger>,
    pub(crate) vault: Option<Vault>,
    pub(crate) drain: Drain,
    pub(crate) limits: RequestLimits,
    pub(crate) ready: Readiness,
    pub(crate) public_metrics: bool,
    pub(crate) four_eyes: bool,
    pub(crate) requesters: Option<Lookup>,
    pub(crate) rates: RateLimits,
    pub(crate) mcp: McpSettings,
}

impl HttpConfig {
    /// Starts a configuration with the authentication of callers.
    pub fn new(auth: Auth) -> Self {
        Self {
            auth,
            hosts: Hosts::default(),
            context_defaults: ContextDefaults::default(),
            ledger: None,
            vault: None,
            drain: Drain::default(),
            limits: RequestLimits::default(),
            ready: Readiness::default(),
            public_metrics: false,
            four_eyes: true,
            requesters: None,
            rates: RateLimits::new(),
            mcp: McpSettings::default(),
        }
    }

    /// Serves `/traces` from this ledger; the server is not ready while it cannot be written.
    pub fn ledger(mut self, ledger: &Ledger) -> Self {
        self.ledger = Some(ledger.clone());
        self.drain.keep(ledger);
        self
    }

    /// Replays with the arguments that this vault has stored, and serves `/evidence` from it if it
    /// has an [authorizer](Vault::with_authorizer).
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

    /// Sets whether a call has to be approved by another caller than the one that requested it; by
    /// default it has to.
    ///
    /// If a principal may name any user, the two users have to differ. Otherwise the two principals
    /// have to differ, and also their users if both requests name one. Names that differ only in
    /// hidden characters, spaces, width, case or normalization are the same. Without this check, a
    /// service with the scope `approvals` can approve its own calls.
    pub fn four_eyes(mut self, wanted: bool) -> Self {
        self.four_eyes = wanted;
        self
    }

    /// Sets the rate limits of callers, of tenants' calls and of failed authentications.
    pub fn rates(mut self, limits: RateLimits) -> Self {
        self.rates = limits;
        self
    }

    /// Returns the handle of the drain, for the server that serves this router.
    #[must_use]
    pub fn drain(&self) -> Drain {
        self.drain.clone()
    }
}

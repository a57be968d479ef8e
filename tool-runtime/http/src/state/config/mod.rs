//! The configuration of the HTTP router.

mod context_defaults;
mod limits;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tool_runtime_record::evidence::Vault;
use tool_runtime_record::ledger::Ledger;

pub(crate) use self::context_defaults::ContextDefaults;
pub(crate) use self::limits::RequestLimits;
use self::mcp::McpSettings;
use crate::auth::{Auth, Lookup, LookupError, Principal, Requester};
#[cfg(not(feature = "mcp"))]
pub(crate) use crate::no_mcp as mcp;
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

    /// Sets whether a call has to be approved by a caller other than its requester; by
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

/// Host names.
impl HttpConfig {
    /// Sets the host names that the server accepts; any other is answered 421.
    ///
    /// A name is compared with `Host`: `tools.example` matches any port, `tools.example:8443` only
    /// this one; `[::1]` is an address. By default, requests with a credential may use any name,
    /// and those without one have to use `localhost` or an address, so that a web page cannot call
    /// the server from a browser by DNS rebinding. Probes accept any name.
    ///
    /// A request without a credential may have an `Origin` only if it is the server's own, of this
    /// machine, or of one of these names; any other is answered 403.
    ///
    /// ```
    /// use tool_runtime::http::{Auth, HttpConfig, Principal};
    ///
    /// // Behind a gateway that authenticates callers and requests `http://tools:8000`.
    /// let config = HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("gateway")))
    ///     .hosts(["tools"]);
    /// # let _ = config;
    /// ```
    pub fn hosts<N: Into<Box<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.hosts = Hosts::Listed(names.into_iter().map(Into::into).collect());
        self
    }

    /// Accepts any host name and origin, for a server behind a proxy that checks them.
    pub fn any_host(mut self) -> Self {
        self.hosts = Hosts::Any;
        self
    }
}

/// The rights of callers whose calls wait.
impl HttpConfig {
    /// Sets the lookup of a caller's current rights, which is used when a waiting call is approved.
    ///
    /// A waiting call runs only if the caller that requested it may still call its tool for its
    /// tenant. By default, an API key counts if a principal of the same name has a valid key in
    /// this server's [`ApiKeySet`](crate::ApiKeySet), and a token counts for the scopes that it
    /// granted, because it is not stored. Set a lookup to ask the issuer about a token's subject,
    /// or if another server accepts the calls. `Ok(None)` means that the caller no longer
    /// has rights; an error is answered 503, and the call keeps waiting.
    ///
    /// # Examples
    /// ```
    /// use std::convert::Infallible;
    /// use tool_runtime::http::{Requester, Auth, HttpConfig, Principal};
    ///
    /// # fn directory(name: &str) -> Option<Principal> { None }
    /// # fn doc(auth: Auth) -> HttpConfig {
    /// HttpConfig::new(auth)
    ///     .look_up_requesters(|requester: Requester| async move { Ok::<_, Infallible>(directory(requester.name())) })
    /// # }
    /// ```
    pub fn look_up_requesters<F, E>(
        mut self,
        look_up: impl Fn(Requester) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Option<Principal>, E>> + Send + 'static,
        E: Into<LookupError>,
    {
        let look_up =
            move |requester| look_up(requester).map(|answer| answer.map_err(Into::into)).boxed();
        self.requesters = Some(Lookup(Arc::new(look_up)));
        self
    }
}

/// Probes and metrics.
impl HttpConfig {
    /// Adds a check to `/readyz`, for example of a database, a model or a file.
    ///
    /// The server is not ready while the check returns an error, panics, or takes longer than
    /// [`ready_timeout`](Self::ready_timeout). The answer has only the name of the check; the host
    /// logs the cause. A check runs at most once a second, however often `/readyz` is requested,
    /// and never twice at the same time.
    ///
    /// ```
    /// use tool_runtime::http::{Auth, HttpConfig, Principal};
    ///
    /// # #[derive(Clone)] struct Database;
    /// # impl Database { async fn ping(&self) -> Result<(), std::io::Error> { Ok(()) } }
    /// # let database = Database;
    /// let config = HttpConfig::new(Auth::unauthenticated_as(Principal::new("gateway")))
    ///     .ready_check("database", move || {
    ///         let database = database.clone();
    ///         async move { database.ping().await }
    ///     });
    /// # let _ = config;
    /// ```
    pub fn ready_check<F, C, E>(mut self, name: impl Into<Box<str>>, check: F) -> Self
    where
        F: Fn() -> C + Send + Sync + 'static,
        C: Future<Output = Result<(), E>> + Send + 'static,
    {
        self.ready.add(name.into(), check);
        self
    }

    /// Adds a check that the keys of tokens are available, if tokens are accepted.
    pub(crate) fn checking_token_keys(self) -> Self {
        match self.auth.token_key_check() {
            Some(check) => self.ready_check("token_keys", check),
            None => self,
        }
    }

    /// Sets the longest time of all checks of `/readyz` together; by default 2 s.
    pub fn ready_timeout(mut self, time: Duration) -> Self {
        self.ready.set_timeout(time);
        self
    }

    /// Serves `/metrics` without authentication; by default it needs the scope `metrics`.
    pub fn public_metrics(mut self) -> Self {
        self.public_metrics = true;
        self
    }
}

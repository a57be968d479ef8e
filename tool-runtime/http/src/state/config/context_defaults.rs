//! The context of requests that do not name a tenant, a site or a trace.

use tool_contracts::ContractError;
use tool_contracts::server::{CallContext, Tenant};
use uuid::Uuid;

use super::HttpConfig;

/// The site of a program without tenants.
const LOCAL_SITE: &str = "local";

/// The values of a request's context that the host gives, so that requests may leave them out.
#[derive(Debug, Clone, Default)]
pub(crate) struct ContextDefaults {
    /// The only tenant of the server; requests name theirs if it is `None`.
    pub(crate) tenant: Option<Tenant>,
    /// The site of requests that name none; they have to name theirs if it is `None`.
    pub(crate) site: Option<Box<str>>,
    /// True if a request without a trace id gets a new one.
    pub(crate) new_trace_ids: bool,
}

/// Tenants, sites and traces of requests; by default each request names its own.
impl HttpConfig {
    /// Serves a program without tenants: a request needs no tenant, no site and no trace id.
    ///
    /// The tenant of all calls is the nil UUID, as of
    /// [`ToolContext::local`](tool_contracts::ToolContext::local), and the site is `local` if a
    /// request names none. It is [`single_tenant`](Self::single_tenant),
    /// [`default_site`](Self::default_site) and [`new_trace_ids`](Self::new_trace_ids) together.
    ///
    /// ```
    /// use tool_runtime::http::{Auth, HttpConfig, Principal};
    ///
    /// let auth = Auth::unauthenticated_as(Principal::trusted("laptop"));
    /// let config = HttpConfig::new(auth).without_tenants();
    /// # let _ = config;
    /// ```
    pub fn without_tenants(mut self) -> Self {
        self.context_defaults.site.get_or_insert_with(|| LOCAL_SITE.into());
        self.single_tenant(Tenant::from(Uuid::nil())).new_trace_ids()
    }

    /// Serves this tenant only: a request need not name it, and one that names another tenant, by
    /// UUID or slug, is answered 400.
    ///
    /// The principal still has to be allowed to act for the tenant.
    ///
    /// ```
    /// use tool_runtime::contracts::server::Tenant;
    /// use tool_runtime::http::{Auth, HttpConfig};
    ///
    /// # fn doc(auth: Auth) -> Result<HttpConfig, Box<dyn std::error::Error>> {
    /// let config = HttpConfig::new(auth)
    ///     .single_tenant(Tenant::parse("yantian")?)
    ///     .default_site("yantian-main")?
    ///     .new_trace_ids();
    /// # Ok(config)
    /// # }
    /// ```
    pub fn single_tenant(mut self, tenant: Tenant) -> Self {
        self.context_defaults.tenant = Some(tenant);
        self
    }

    /// Sets the site of requests that name none. A request may name another site.
    ///
    /// # Errors
    /// When the text is not 1 to 256 characters without control, bidirectional or zero-width
    /// characters, as for an `X-Site-ID`.
    pub fn default_site(mut self, site: impl Into<String>) -> Result<Self, ContractError> {
        let site = site.into();
        CallContext::builder().site_id(&*site).build()?;
        self.context_defaults.site = Some(site.into());
        Ok(self)
    }

    /// Gives a request without a trace id a new one: a UUID, which the answer repeats.
    ///
    /// Without a trace id of the caller, a repeated request and the other calls of one task are
    /// different traces.
    pub fn new_trace_ids(mut self) -> Self {
        self.context_defaults.new_trace_ids = true;
        self
    }
}

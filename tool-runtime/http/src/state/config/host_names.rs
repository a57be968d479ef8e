//! The host names in the configuration.

use super::HttpConfig;
use crate::state::hosts::Hosts;

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

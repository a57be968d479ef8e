//! The protocol's part of the configuration of a router.

use std::sync::Arc;

use super::McpConfig;
use crate::state::config::HttpConfig;

/// The protocol's part of the configuration of a router; none if it does not serve it.
pub(crate) type McpSettings = Option<Arc<McpConfig>>;

/// The Model Context Protocol.
impl HttpConfig {
    /// Serves the tools by the Model Context Protocol too, at `/mcp`.
    ///
    /// Callers authenticate as at every other path, and have the same tenants, scopes and limits. The
    /// tenant of a caller with one tenant need not be named, and a call without a trace gets a new
    /// one. See [`mcp`](crate::mcp).
    ///
    /// ```
    /// use tool_runtime::http::{self, Auth, HttpConfig, Principal};
    /// use tool_runtime::mcp::McpConfig;
    /// use tool_runtime::prelude::*;
    ///
    /// let runtime = Runtime::builder().build()?;
    /// let config = HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("laptop")))
    ///     .without_tenants()
    ///     .mcp(McpConfig::new("shop", "1.0.0"));
    /// let app: axum::Router = http::router(runtime, config);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg_attr(docsrs, doc(cfg(feature = "mcp")))]
    pub fn mcp(mut self, config: McpConfig) -> Self {
        self.mcp = Some(Arc::new(config));
        self
    }
}

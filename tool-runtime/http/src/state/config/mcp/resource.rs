//! The server as a protected resource of OAuth: its metadata (RFC 9728), and where clients find it.

use serde_json::{Value, json};
use tool_runtime_schema::json::normalized;

use crate::state::app::App;

/// The path of the metadata of a resource at the root; another resource's path follows it.
pub(crate) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The server as a protected resource of OAuth 2.0 (RFC 9728): who issues tokens for it.
///
/// A client without a token is told the address of this description in `WWW-Authenticate`, and gets a
/// token from one of the authorization servers.
///
/// ```
/// use tool_runtime::mcp::{McpConfig, ProtectedResource};
///
/// let resource = ProtectedResource::new("https://tools.example/mcp")
///     .authorization_server("https://login.example")
///     .scope("tools");
/// assert_eq!(
///     resource.metadata_url().as_deref(),
///     Some("https://tools.example/.well-known/oauth-protected-resource/mcp"),
/// );
/// let config = McpConfig::new("shop", "1.0.0").protected_resource(resource);
/// # let _ = config;
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ProtectedResource {
    url: String,
    authorization_servers: Vec<String>,
    scopes: Vec<String>,
    documentation: Option<String>,
}

impl ProtectedResource {
    /// Starts a description with the address at which clients reach `/mcp`, which is also the audience
    /// of their tokens.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            authorization_servers: Vec::new(),
            scopes: Vec::new(),
            documentation: None,
        }
    }

    /// Adds an authorization server, by its issuer.
    pub fn authorization_server(mut self, issuer: impl Into<String>) -> Self {
        self.authorization_servers.push(issuer.into());
        self
    }

    /// Adds a scope that clients may ask for: a word of [`Scopes`](crate::Scopes).
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(scope.into());
        self
    }

    /// Sets the address of a page about the server, for developers.
    pub fn documentation(mut self, url: impl Into<String>) -> Self {
        self.documentation = Some(url.into());
        self
    }

    /// Returns the address of the metadata (RFC 9728, section 3.1); `None` if the resource's address is
    /// not absolute.
    ///
    /// The router serves it if it stands at the root of the host; a host that nests the router serves
    /// [`metadata`](Self::metadata) there itself.
    #[must_use]
    pub fn metadata_url(&self) -> Option<String> {
        let (scheme, rest) = self.url.split_once("://")?;
        let (host, path) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
        let path = path.trim_end_matches('/');
        let below = if path.is_empty() { String::new() } else { format!("/{path}") };
        Some(format!("{scheme}://{host}{WELL_KNOWN}{below}"))
    }

    /// Returns the metadata.
    #[must_use]
    pub fn metadata(&self) -> Value {
        let mut metadata = json!({
            "resource": self.url,
            "authorization_servers": self.authorization_servers,
            "bearer_methods_supported": ["header"],
        });
        if !self.scopes.is_empty() {
            metadata["scopes_supported"] = json!(self.scopes);
        }
        if let Some(url) = &self.documentation {
            metadata["resource_documentation"] = json!(url);
        }
        normalized(metadata)
    }
}

/// Returns the parameter of a challenge that names the metadata.
pub(crate) fn challenge_parameter(app: &App) -> Option<String> {
    let url = resource_of(app)?.metadata_url()?;
    Some(format!(r#"resource_metadata="{url}""#))
}

/// Returns the description of a server; `None` if it has none.
pub(crate) fn resource_of(app: &App) -> Option<&ProtectedResource> {
    app.config.mcp.as_ref()?.protected_resource.as_ref()
}

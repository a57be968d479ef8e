//! A server on the network, over streamable HTTP.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tool_runtime_core::credential_transport::is_cleartext;
use zeroize::Zeroizing;

use super::http_client::RemoteHttpClient;
use crate::remote::error::RemoteError;
use crate::remote::limits::RemoteLimits;

/// The time in which a connection of TCP and TLS has to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// The most HTTP requests of one server at a time; further calls wait.
const MAX_REQUESTS: usize = 64;

/// The headers that the protocol sets.
const RESERVED: [&str; 6] = [
    "accept",
    "content-length",
    "content-type",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// The address of a server, and what its requests carry. `Debug` shows neither headers nor the query
/// of the address.
#[derive(Clone)]
pub(in super::super) struct HttpEndpoint {
    url: String,
    headers: Vec<(String, Zeroizing<String>)>,
    token: Option<Zeroizing<String>>,
    allows_plain_http: bool,
}

impl HttpEndpoint {
    pub(in super::super) fn new(url: String) -> Self {
        Self { url, headers: Vec::new(), token: None, allows_plain_http: false }
    }

    pub(in super::super) fn add_header(&mut self, name: String, value: String) {
        self.headers.push((name, Zeroizing::new(value)));
    }

    pub(in super::super) fn set_token(&mut self, token: String) {
        self.token = Some(Zeroizing::new(token));
    }

    pub(in super::super) fn allow_plain_http(&mut self) {
        self.allows_plain_http = true;
    }

    /// Checks the address and the headers.
    pub(in super::super) fn check(&self) -> Result<(), RemoteError> {
        let no_url = "the address of the server is not a URL with `http` or `https`";
        let url = Url::parse(&self.url).map_err(|_| RemoteError::setting(no_url))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(RemoteError::setting(no_url));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let message = "the address of the server contains credentials: give them to \
                           `.bearer_token(…)` or `.header(…)`";
            return Err(RemoteError::setting(message));
        }
        let has_credentials = self.token.is_some() || !self.headers.is_empty();
        if has_credentials && is_cleartext(&url) && !self.allows_plain_http {
            let message = "the token and the headers would be sent without TLS; use https, or \
                           `allow_plain_http`";
            return Err(RemoteError::setting(message));
        }
        if self.token.as_deref().is_some_and(|token| HeaderValue::from_str(token).is_err()) {
            let message = "the bearer token has a character that headers do not have";
            return Err(RemoteError::setting(message));
        }
        self.headers().map(drop)
    }

    pub(super) fn transport(
        &self,
        limits: RemoteLimits,
    ) -> Result<StreamableHttpClientTransport<RemoteHttpClient>, RemoteError> {
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            // A redirect would send the headers of the host to another server.
            .redirect(reqwest::redirect::Policy::none())
            .tcp_nodelay(true)
            .build()
            .map_err(|_| RemoteError::setting("the HTTP client cannot be set up"))?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(&*self.url)
            .custom_headers(self.headers()?)
            .max_concurrent_requests(MAX_REQUESTS)
            // A new session may have other tools, so it is set up by a new connection.
            .reinit_on_expired_session(false);
        if let Some(token) = &self.token {
            config = config.auth_header(token.as_str());
        }
        let client = RemoteHttpClient::new(client, limits);
        Ok(StreamableHttpClientTransport::with_client(client, config))
    }

    fn headers(&self) -> Result<HashMap<HeaderName, HeaderValue>, RemoteError> {
        let headers = self.headers.iter().map(|(name, value)| {
            let header_name = HeaderName::from_bytes(name.as_bytes());
            let header_name =
                header_name.map_err(|_| RemoteError::setting("a header has no valid name"))?;
            if RESERVED.contains(&header_name.as_str()) {
                let message = format!("the header `{header_name}` is set by the protocol");
                return Err(RemoteError::setting(message));
            }
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                let message =
                    format!("the header `{header_name}` has a character that headers do not have");
                RemoteError::setting(message)
            })?;
            value.set_sensitive(true);
            Ok((header_name, value))
        });
        headers.collect()
    }
}

impl fmt::Debug for HttpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = Url::parse(&self.url).ok();
        let host = url.as_ref().and_then(Url::host_str);
        f.debug_struct("Http").field("host", &host).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::HttpEndpoint;

    #[test]
    fn an_address_that_no_request_can_be_sent_to_is_refused() {
        for url in ["", "x", "file:///x", "ftp://x/", "http://user:hunter2@x/", "http:///"] {
            let error = HttpEndpoint::new(url.to_owned()).check().unwrap_err();
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        assert!(HttpEndpoint::new("https://example.com/mcp".to_owned()).check().is_ok());
    }

    #[test]
    fn a_header_of_the_protocol_is_refused() {
        let mut endpoint = HttpEndpoint::new("https://example.com/mcp".to_owned());
        endpoint.add_header("Mcp-Session-Id".to_owned(), "1".to_owned());
        let error = endpoint.check().unwrap_err().to_string();
        assert_eq!(error, "the header `mcp-session-id` is set by the protocol");
    }

    #[test]
    fn credentials_are_sent_without_tls_only_to_this_machine_or_if_the_host_allows_it() {
        let with = |url: &str, set: fn(&mut HttpEndpoint)| {
            let mut endpoint = HttpEndpoint::new(url.to_owned());
            set(&mut endpoint);
            endpoint.check()
        };
        let token = |endpoint: &mut HttpEndpoint| endpoint.set_token("hunter2".to_owned());
        let header = |endpoint: &mut HttpEndpoint| {
            endpoint.add_header("x-key".to_owned(), "hunter2".to_owned());
        };
        for set in [token, header] {
            let error = with("http://tools.example/mcp", set).unwrap_err().to_string();
            assert!(error.contains("without TLS") && !error.contains("hunter2"), "{error}");
            assert!(with("http://127.0.0.1:8080/mcp", set).is_ok());
            assert!(with("https://tools.example/mcp", set).is_ok());
        }
        assert!(with("http://tools.example/mcp", |_| ()).is_ok());
        let allowed = with("http://tools.example/mcp", |endpoint| {
            endpoint.set_token("hunter2".to_owned());
            endpoint.allow_plain_http();
        });
        assert!(allowed.is_ok());
    }

    #[test]
    fn credentials_are_in_neither_errors_nor_debug() {
        let mut endpoint = HttpEndpoint::new("https://example.com/mcp?key=hunter2".to_owned());
        endpoint.set_token("hunter2".to_owned());
        endpoint.add_header("X-Key".to_owned(), "hunter2\n".to_owned());
        let error = endpoint.check().unwrap_err();
        assert!(error.to_string().contains("`x-key`"), "{error}");
        assert!(!format!("{error}{error:?}{endpoint:?}").contains("hunter2"));
        endpoint.set_token("hunter2\n".to_owned());
        let error = endpoint.check().unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }
}

//! Fetches an issuer's key set from a URL, by `reqwest`.

use futures::FutureExt as _;
use reqwest::{Client, Url, redirect};
use tool_runtime_core::credential_transport::is_loopback;

use super::jwks::{
    FETCH_TIMEOUT, FETCHED_MAX_AGE, Jwks, JwksError, KeySource, MAX_BYTES, unreadable,
};

impl Jwks {
    /// Uses the keys at this URL: https, or http of a loopback address.
    ///
    /// Redirects are not followed.
    ///
    /// # Errors
    /// The URL is invalid, has a credential, or is plain HTTP of another machine.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::http::Jwks;
    ///
    /// let keys = Jwks::url("https://issuer.example/.well-known/jwks.json")?;
    /// # let _ = keys;
    ///
    /// let error = Jwks::url("http://issuer.example/jwks.json").unwrap_err();
    /// assert!(error.to_string().starts_with("expected an https URL"));
    /// # Ok::<(), tool_runtime::http::JwksError>(())
    /// ```
    pub fn url(url: &str) -> Result<Self, JwksError> {
        let url = Url::parse(url).map_err(|_| JwksError::Url)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(JwksError::Url);
        }
        let is_near = is_loopback(&url);
        if url.scheme() != "https" && !(url.scheme() == "http" && is_near) {
            return Err(JwksError::Insecure);
        }
        let mut client =
            Client::builder().timeout(FETCH_TIMEOUT).redirect(redirect::Policy::none());
        if is_near {
            client = client.no_proxy();
        }
        let client = client.build().map_err(unreadable)?;
        // The query may contain a credential.
        let name = url.host_str().unwrap_or_default().to_owned();
        let fetch = move || fetch(client.clone(), url.clone()).boxed();
        Ok(Self::from_source(KeySource::fetched(&name, fetch), FETCHED_MAX_AGE))
    }
}

async fn fetch(client: Client, url: Url) -> Result<Vec<u8>, JwksError> {
    let sent = client.get(url).header("accept", "application/json").send().await;
    let mut response = sent.map_err(|error| unreadable(error.without_url()))?;
    if response.status() != reqwest::StatusCode::OK {
        return Err(unreadable(format_args!("status {}", response.status())));
    }
    let mut bytes = Vec::new();
    while let Some(part) =
        response.chunk().await.map_err(|error| unreadable(error.without_url()))?
    {
        if bytes.len() + part.len() > MAX_BYTES {
            return Err(JwksError::TooLarge);
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

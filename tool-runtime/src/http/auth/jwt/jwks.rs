//! The source of an issuer's public keys.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Url, redirect};
use thiserror::Error;
use tokio::task::spawn_blocking;

use super::key_set::KeySet;

/// The largest key set, in bytes.
const MOST_BYTES: usize = 1 << 20;

const FILE_MAX_AGE: Duration = Duration::from_secs(30);
const URL_MAX_AGE: Duration = Duration::from_secs(5 * 60);
const STALE: Duration = Duration::from_secs(24 * 60 * 60);
const BETWEEN: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(3);

/// The source of an issuer's public keys (JWKS, RFC 7517): a text, a file or a URL.
///
/// Keys of a file or a URL are read again in the background once they are
/// [`max_age`](Self::max_age) old, and at once when a token names an unknown key; only that request
/// waits. While they cannot be read, the previous keys stay valid for
/// [`keep_stale`](Self::keep_stale).
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_runtime::http::Jwks;
///
/// let keys = Jwks::url("https://issuer.example/.well-known/jwks.json")?
///     .max_age(Duration::from_secs(60));
/// # let _ = keys;
///
/// let error = Jwks::url("http://issuer.example/jwks.json").unwrap_err();
/// assert!(error.to_string().starts_with("expected an https URL"));
/// # Ok::<(), tool_runtime::http::JwksError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Jwks {
    pub(super) source: KeySource,
    pub(super) times: CacheTimes,
}

/// The times of the key cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheTimes {
    pub(super) max_age: Duration,
    pub(super) stale: Duration,
    pub(super) between: Duration,
    pub(super) patience: Duration,
}

#[derive(Clone)]
pub(super) enum KeySource {
    Fixed(Arc<KeySet>),
    File(PathBuf),
    Url(Client, Url),
    #[cfg(test)]
    Script(Arc<super::tests::Script>),
}

/// The error for a key set that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JwksError {
    /// The text is no key set.
    #[error("expected a JSON Web Key Set: an object with an array of `keys`")]
    NoKeySet,
    /// No key is for an accepted signature algorithm.
    #[error(
        "the key set has no key for RS, PS, ES or EdDSA signatures: expected `kty` RSA, EC (P-256, \
         P-384) or OKP (Ed25519), and `use`, `key_ops` and `alg` to agree"
    )]
    NoKey,
    /// The set has a private key, which its operator should replace.
    #[error("the key set holds a private key: publish the public part, and replace the key")]
    PrivateKey,
    /// The set has too many keys or bytes.
    #[error("the key set has more than 100 keys or 1 MiB")]
    TooLarge,
    /// The URL is invalid or has a credential.
    #[error("expected the URL of a key set, without user and password")]
    Url,
    /// The URL is plain HTTP, over which keys can be forged.
    #[error("expected an https URL; plain http is accepted only for loopback addresses")]
    Insecure,
    /// The source cannot be read.
    #[error("the key set cannot be read: {0}")]
    Unreadable(Box<str>),
}

impl Jwks {
    /// Uses these keys as long as the server runs.
    ///
    /// # Errors
    /// When the text is no key set, or has no key for an accepted algorithm.
    pub fn from_json(json: impl AsRef<[u8]>) -> Result<Self, JwksError> {
        let keys = Arc::new(KeySet::read(json.as_ref())?);
        Ok(Self::of(KeySource::Fixed(keys), Duration::MAX))
    }

    /// Uses the keys of a file, which is read with the first token and when its keys are old.
    ///
    /// Replace the file by renaming another one over it, so that it is never read half written.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self::of(KeySource::File(path.as_ref().to_owned()), FILE_MAX_AGE)
    }

    /// Uses the keys at this URL: https, or http of a loopback address.
    ///
    /// Redirects are not followed.
    ///
    /// # Errors
    /// When the URL is invalid, has a credential, or is plain HTTP of another machine.
    pub fn url(url: &str) -> Result<Self, JwksError> {
        let url = Url::parse(url).map_err(|_| JwksError::Url)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(JwksError::Url);
        }
        let is_near = is_loopback(&url);
        if url.scheme() != "https" && !(url.scheme() == "http" && is_near) {
            return Err(JwksError::Insecure);
        }
        let mut client = Client::builder().timeout(PATIENCE).redirect(redirect::Policy::none());
        if is_near {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| unreadable(&error))?;
        Ok(Self::of(KeySource::Url(client, url), URL_MAX_AGE))
    }

    pub(super) fn of(source: KeySource, max_age: Duration) -> Self {
        let times = CacheTimes { max_age, stale: STALE, between: BETWEEN, patience: PATIENCE };
        Self { source, times }
    }

    /// Sets the age at which keys are read again; by default 30 s for a file and 5 min for a URL. A
    /// key that its issuer revokes is accepted for at most this time, if the source answers.
    pub fn max_age(mut self, time: Duration) -> Self {
        self.times.max_age = time;
        self
    }

    /// Sets how long keys stay valid while newer ones cannot be read; by default 24 h.
    pub fn keep_stale(mut self, time: Duration) -> Self {
        self.times.stale = time;
        self
    }

    /// Sets the shortest time between two reads, even for tokens with unknown keys; by default 10
    /// s.
    pub fn read_at_most_every(mut self, time: Duration) -> Self {
        self.times.between = time;
        self
    }
}

impl KeySource {
    pub(super) async fn read(&self) -> Result<Arc<KeySet>, JwksError> {
        match self {
            Self::Fixed(keys) => Ok(Arc::clone(keys)),
            Self::File(path) => KeySet::read(&read_file(path).await?).map(Arc::new),
            Self::Url(client, url) => KeySet::read(&fetch(client, url).await?).map(Arc::new),
            #[cfg(test)]
            Self::Script(script) => script.read().await,
        }
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(_) => f.write_str("Fixed"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            // The query may contain a credential.
            Self::Url(_, url) => f.debug_tuple("Url").field(&url.host_str()).finish(),
            #[cfg(test)]
            Self::Script(_) => f.write_str("Script"),
        }
    }
}

async fn read_file(path: &Path) -> Result<Vec<u8>, JwksError> {
    let path = path.to_owned();
    let read = spawn_blocking(move || {
        let mut bytes = Vec::new();
        File::open(path)?.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map(|_| bytes)
    });
    let bytes = read.await.map_err(|error| unreadable(&error))?;
    let bytes = bytes.map_err(|error| unreadable(&error))?;
    if bytes.len() > MOST_BYTES { Err(JwksError::TooLarge) } else { Ok(bytes) }
}

async fn fetch(client: &Client, url: &Url) -> Result<Vec<u8>, JwksError> {
    let sent = client.get(url.clone()).header("accept", "application/json").send().await;
    let mut response = sent.map_err(|error| unreadable(&error.without_url()))?;
    if response.status() != reqwest::StatusCode::OK {
        return Err(JwksError::Unreadable(format!("status {}", response.status()).into()));
    }
    let mut bytes = Vec::new();
    while let Some(part) =
        response.chunk().await.map_err(|error| unreadable(&error.without_url()))?
    {
        if bytes.len() + part.len() > MOST_BYTES {
            return Err(JwksError::TooLarge);
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

fn unreadable(error: &dyn std::error::Error) -> JwksError {
    JwksError::Unreadable(error.to_string().into())
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

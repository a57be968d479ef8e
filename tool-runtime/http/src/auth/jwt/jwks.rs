//! The source of an issuer's public keys.

use std::fmt;
use std::fs::File;
use std::future::Future;
use std::io::Read;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use thiserror::Error;
use tokio::task::spawn_blocking;

use super::key_set::KeySet;

/// The largest key set, in bytes.
pub(super) const MAX_BYTES: usize = 1 << 20;

const FILE_MAX_AGE: Duration = Duration::from_secs(30);
pub(super) const FETCHED_MAX_AGE: Duration = Duration::from_secs(5 * 60);
const MAX_STALE_AGE: Duration = Duration::from_secs(24 * 60 * 60);
const MIN_FETCH_INTERVAL: Duration = Duration::from_secs(10);
/// The longest wait of a request for the keys. A read may take twice as long.
pub(super) const FETCH_TIMEOUT: Duration = Duration::from_secs(3);

/// The source of an issuer's public keys (JWKS, RFC 7517): a text, a file, a function, or, with the
/// feature `jwks-url`, a URL.
///
/// Keys of a file, a function or a URL are read again in the background once they are
/// [`max_age`](Self::max_age) old, and at once when a token names an unknown key; only that request
/// waits. While they cannot be read, the previous keys stay valid for
/// [`keep_stale`](Self::keep_stale).
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_runtime::http::Jwks;
///
/// let keys = Jwks::file("/etc/tools/jwks.json").max_age(Duration::from_secs(60));
/// # let _ = keys;
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
    pub(super) max_stale_age: Duration,
    pub(super) min_interval: Duration,
    pub(super) timeout: Duration,
}

#[derive(Clone)]
pub(super) enum KeySource {
    Fixed(Arc<KeySet>),
    File(PathBuf),
    Fetched {
        /// The name of the source in logs.
        name: Box<str>,
        fetch: Arc<Fetch>,
    },
}

type Fetch = dyn Fn() -> BoxFuture<'static, Result<Vec<u8>, JwksError>> + Send + Sync;

/// The error for a key set that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JwksError {
    /// The text is not a key set.
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
    /// The URL of [`Jwks::url`] is invalid or has a credential.
    #[error("expected the URL of a key set, without user and password")]
    Url,
    /// The URL of [`Jwks::url`] is plain HTTP, over which keys can be forged.
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
    /// The text is not a key set, or has no key for an accepted algorithm.
    pub fn from_json(json: impl AsRef<[u8]>) -> Result<Self, JwksError> {
        let keys = Arc::new(KeySet::read(json.as_ref())?);
        Ok(Self::from_source(KeySource::Fixed(keys), Duration::MAX))
    }

    /// Uses the keys of a file, which is read with the first token and when its keys are old.
    ///
    /// Replace the file by renaming another one over it, so that it is never read half written.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self::from_source(KeySource::File(path.as_ref().to_owned()), FILE_MAX_AGE)
    }

    /// Uses the keys that a function returns, as the text of a key set: from a URL by a client of
    /// the host's own, or from its configuration service.
    ///
    /// The function is called with the first token and when its keys are old, once at a time. A
    /// call that takes longer than 6 s is dropped, and it, an error and a panic leave the previous
    /// keys in use. The text of an error is logged and returned by
    /// [`JwtVerifier::key_failure`](super::JwtVerifier::key_failure): it must contain no
    /// credential.
    ///
    /// # Examples
    /// ```
    /// use tool_runtime::http::{Jwks, JwksError};
    ///
    /// # async fn get(url: &str) -> std::io::Result<String> { Ok(url.to_owned()) }
    /// let keys = Jwks::fetch_with(|| async {
    ///     // By any HTTP client; `get` stands for it here.
    ///     get("https://issuer.example/.well-known/jwks.json").await
    /// });
    /// # let _ = keys;
    /// ```
    pub fn fetch_with<F, R, T, E>(fetch: F) -> Self
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<Vec<u8>>,
        E: fmt::Display,
    {
        let fetch = Arc::new(fetch);
        let fetch = move || {
            let fetch = Arc::clone(&fetch);
            let fetched = async move { fetch().await.map(Into::into).map_err(unreadable) };
            let guarded = AssertUnwindSafe(fetched).catch_unwind();
            async move { guarded.await.map_err(|_| unreadable("the function panicked"))? }.boxed()
        };
        Self::from_source(KeySource::fetched("fetch_with", fetch), FETCHED_MAX_AGE)
    }

    pub(super) fn from_source(source: KeySource, max_age: Duration) -> Self {
        let times = CacheTimes {
            max_age,
            max_stale_age: MAX_STALE_AGE,
            min_interval: MIN_FETCH_INTERVAL,
            timeout: FETCH_TIMEOUT,
        };
        Self { source, times }
    }

    /// Sets the age at which keys are read again; by default 30 s for a file, and 5 min for a
    /// function or a URL. A key that its issuer revokes is accepted for at most this time, if the source answers.
    pub fn max_age(mut self, time: Duration) -> Self {
        self.times.max_age = time;
        self
    }

    /// Sets how long keys stay valid while newer ones cannot be read; by default 24 h.
    pub fn keep_stale(mut self, time: Duration) -> Self {
        self.times.max_stale_age = time;
        self
    }

    /// Sets the shortest time between two reads, even for tokens with unknown keys; by default 10
    /// s.
    pub fn read_at_most_every(mut self, time: Duration) -> Self {
        self.times.min_interval = time;
        self
    }
}

impl KeySource {
    /// Returns the keys of a source that is never read again.
    pub(super) fn fixed_keys(&self) -> Option<&Arc<KeySet>> {
        match self {
            Self::Fixed(keys) => Some(keys),
            Self::File(_) | Self::Fetched { .. } => None,
        }
    }

    pub(super) async fn read(&self) -> Result<Arc<KeySet>, JwksError> {
        let json = match self {
            Self::Fixed(keys) => return Ok(Arc::clone(keys)),
            Self::File(path) => read_file(path).await?,
            Self::Fetched { fetch, .. } => fetch().await?,
        };
        if json.len() > MAX_BYTES {
            return Err(JwksError::TooLarge);
        }
        KeySet::read(&json).map(Arc::new)
    }

    pub(super) fn fetched(
        name: &str,
        fetch: impl Fn() -> BoxFuture<'static, Result<Vec<u8>, JwksError>> + Send + Sync + 'static,
    ) -> Self {
        Self::Fetched { name: name.into(), fetch: Arc::new(fetch) }
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(_) => f.write_str("Fixed"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Fetched { name, .. } => f.debug_tuple("Fetched").field(name).finish(),
        }
    }
}

async fn read_file(path: &Path) -> Result<Vec<u8>, JwksError> {
    let path = path.to_owned();
    let read = spawn_blocking(move || {
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map(|_| bytes)
    });
    read.await.map_err(unreadable)?.map_err(unreadable)
}

pub(super) fn unreadable(error: impl fmt::Display) -> JwksError {
    JwksError::Unreadable(error.to_string().into())
}

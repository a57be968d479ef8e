//! TLS by rustls: the certificate, its renewal and the handshake.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

use super::activity::ConnectionActivity;
use super::connection::{ShutdownStage, next_stage};
use super::request_service::RequestService;
use super::socket::Socket;
use super::{ServeError, ServeErrorKind, Server};

/// The certificate of a [`Server`](super::Server), for TLS 1.2 and 1.3 with HTTP/2 and HTTP/1.1.
///
/// A handle: a [reload](Self::reload) by one clone holds for all servers that use a clone.
///
/// ```no_run
/// use tool_runtime::http::Tls;
///
/// # async fn renew() -> Result<(), Box<dyn std::error::Error>> {
/// let tls = Tls::files("chain.pem", "key.pem")?; // → `Server::new(…).tls(&tls)`
/// // After the certificate was renewed; open connections keep the previous one.
/// tls.reload().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tls(Arc<TlsState>);

struct TlsState {
    files: Option<Files>,
    current: RwLock<Arc<ServerConfig>>,
}

#[derive(Debug, Clone)]
struct Files {
    chain: PathBuf,
    key: PathBuf,
}

/// The name of a certificate's source in error messages.
type SourceName<'p> = &'p dyn fmt::Display;

impl Tls {
    /// Reads a certificate with its chain, and its private key, from PEM files.
    ///
    /// # Errors
    /// When a file cannot be read or lacks its part, or the key belongs to another certificate.
    pub fn files(chain: impl AsRef<Path>, key: impl AsRef<Path>) -> Result<Self, ServeError> {
        let (chain, key) = (chain.as_ref().to_owned(), key.as_ref().to_owned());
        let files = Files { chain, key };
        Ok(Self::new(files.read()?, Some(files)))
    }

    /// Takes a certificate with its chain, and its private key, as PEM.
    ///
    /// # Errors
    /// When a part is missing, or the key belongs to another certificate.
    pub fn pem(chain: &[u8], key: &[u8]) -> Result<Self, ServeError> {
        Ok(Self::new(from_pem(chain, key)?, None))
    }

    /// Reads the files again; new connections use the new certificate.
    ///
    /// Without files it does nothing.
    ///
    /// # Errors
    /// As [`files`](Self::files); the previous certificate stays in use.
    pub async fn reload(&self) -> Result<(), ServeError> {
        let Some(files) = self.0.files.clone() else { return Ok(()) };
        let read = tokio::task::spawn_blocking(move || files.read()).await;
        let read = read
            .map_err(|error| ServeError::tls("reading the files was interrupted".into(), error))?;
        self.set(read?);
        Ok(())
    }

    /// Replaces the certificate; new connections use the new one.
    ///
    /// # Errors
    /// As [`pem`](Self::pem); the previous certificate stays in use.
    pub fn replace(&self, chain: &[u8], key: &[u8]) -> Result<(), ServeError> {
        self.set(from_pem(chain, key)?);
        Ok(())
    }

    fn new(config: Arc<ServerConfig>, files: Option<Files>) -> Self {
        Self(Arc::new(TlsState { files, current: RwLock::new(config) }))
    }

    fn set(&self, config: Arc<ServerConfig>) {
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = config;
    }

    fn current(&self) -> Arc<ServerConfig> {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("files", &self.0.files).finish_non_exhaustive()
    }
}

impl Files {
    fn read(&self) -> Result<Arc<ServerConfig>, ServeError> {
        let (chain, key) = (self.chain.display(), self.key.display());
        let read = |path: &Path, source: SourceName<'_>| {
            std::fs::read(path).map_err(|error| {
                let text = format!(
                    "cannot read `{source}`: expected a PEM file; check its path and rights"
                );
                ServeError::tls(text, error)
            })
        };
        let (chain_pem, key_pem) = (read(&self.chain, &chain)?, read(&self.key, &key)?);
        config(&chain_pem, &format_args!("`{chain}`"), &key_pem, &format_args!("`{key}`"))
    }
}

fn from_pem(chain: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, ServeError> {
    config(chain, &"the given chain", key, &"the given key")
}

fn config(
    chain_pem: &[u8],
    chain: SourceName<'_>,
    key_pem: &[u8],
    key: SourceName<'_>,
) -> Result<Arc<ServerConfig>, ServeError> {
    let certificates = certificates(chain_pem, chain)?;
    let private = PrivateKeyDer::from_pem_slice(key_pem).map_err(|error| {
        let expected = "a private key in PEM (PKCS#8, PKCS#1 or SEC1) that is not encrypted";
        ServeError::tls(format!("{key} has no usable key: expected {expected}"), error)
    })?;
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(certificates, private));
    let mut config = config.map_err(|error| unusable(error, chain, key))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(
    pem: &[u8],
    source: SourceName<'_>,
) -> Result<Vec<CertificateDer<'static>>, ServeError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let read = read
        .and_then(|read| if read.is_empty() { Err(pem::Error::NoItemsFound) } else { Ok(read) });
    read.map_err(|error| {
        let expected = "the server's certificate in PEM, followed by its chain";
        ServeError::tls(format!("{source} has no certificate: expected {expected}"), error)
    })
}

fn unusable(error: rustls::Error, chain: SourceName<'_>, key: SourceName<'_>) -> ServeError {
    let text = match &error {
        rustls::Error::InconsistentKeys(_) => format!(
            "the key in {key} does not belong to the certificate in {chain}: expected the key of that certificate"
        ),
        _ => format!("the certificate in {chain} and the key in {key} cannot be used: {error}"),
    };
    ServeError::tls(text, error)
}

impl Server {
    /// Accepts TLS connections only, with this certificate.
    #[cfg_attr(docsrs, doc(cfg(feature = "tls")))]
    pub fn tls(mut self, tls: &Tls) -> Self {
        self.tls = ServerTls(Some(tls.clone()));
        self
    }
}

impl ServeError {
    fn tls(message: String, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(ServeErrorKind::Tls, message, Some(source.into()))
    }
}

/// The certificate of a server's connections; none if they are plain.
#[derive(Clone, Default)]
pub(super) struct ServerTls(Option<Tls>);

/// A connection, plain or with TLS.
#[derive(Debug)]
pub(super) enum MaybeTls {
    Plain(Socket),
    Secure(Box<TlsStream<Socket>>),
}

impl ServerTls {
    pub(super) fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Performs the TLS handshake if there is a certificate; `None` if it fails or times out.
    pub(super) async fn open(
        self,
        socket: Socket,
        service: &RequestService,
        stage: &mut watch::Receiver<ShutdownStage>,
    ) -> Option<MaybeTls> {
        let Some(tls) = self.0 else { return Some(MaybeTls::Plain(socket)) };
        let accepting = TlsAcceptor::from(tls.current()).accept(socket);
        let stream = tokio::select! {
            biased;
            stream = timeout(service.limits.handshake_timeout, accepting) => stream.ok()?.ok()?,
            _ = next_stage(stage, ShutdownStage::Graceful) => return None,
        };
        service.activity.expect_request();
        Some(MaybeTls::Secure(Box::new(stream)))
    }
}

impl ConnectionActivity {
    /// Restarts the time for a request head after the TLS handshake.
    fn expect_request(&self) {
        self.head_started.store(self.now(), Ordering::Relaxed);
    }
}

impl AsyncRead for MaybeTls {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_read(cx, buffer),
            Self::Secure(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for MaybeTls {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_write(cx, bytes),
            Self::Secure(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_write_vectored(cx, slices),
            Self::Secure(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(socket) => socket.is_write_vectored(),
            Self::Secure(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_flush(cx),
            Self::Secure(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_shutdown(cx),
            Self::Secure(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

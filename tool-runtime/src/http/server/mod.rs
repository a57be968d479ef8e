//! A router on a network: limits, slow clients, and an end that loses nothing.

mod accepting;
mod answering;
mod body;
mod client;
mod connection;
mod ending;
mod error;
mod limits;
mod pulse;
mod signal;
mod socket;
#[cfg(feature = "tls")]
mod tls;
mod traffic;

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::watch;

use self::accepting::Accepting;
pub use self::client::{ClientAddress, Network, NetworkError};
use self::connection::Stage;
use self::ending::Ending;
pub use self::error::{ServeError, ServeErrorKind};
pub use self::limits::ServerLimits;
pub use self::signal::signalled;
#[cfg(feature = "tls")]
#[cfg_attr(docsrs, doc(cfg(feature = "tls")))]
pub use self::tls::Tls;
pub(super) use self::traffic::Traffic;
use super::Drain;

/// Puts a router on a network: HTTP/1.1 and HTTP/2, with limits on everything a peer can do.
///
/// Each connection sends without delay (`TCP_NODELAY`), and its peer's address is there for handlers
/// as [`ConnectInfo<SocketAddr>`](axum::extract::ConnectInfo). Connections above the
/// [limit](ServerLimits::connections) wait in the system's backlog.
///
/// A server does not change the process's panic hook. A program calls
/// [`quiet_tool_panics`](crate::quiet_tool_panics) first in `main`, so that no text of a tool's panic
/// is printed.
///
/// ```
/// use axum::Router;
/// use axum::routing::get;
/// use tool_runtime::http::{Drain, Server};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = Router::new().route("/", get(|| async { "hello" })); // or `http::router(…)`
/// let drain = Drain::default(); // or `config.drain()`
///
/// let bound = Server::new(app, drain).bind("127.0.0.1:0").await?;
/// println!("listening on {}", bound.local_addr());
/// let ended = bound.run(async { /* http::signalled() */ }).await?;
/// assert_eq!(ended.cancelled, 0);
/// # Ok(())
/// # }
/// ```
#[must_use = "a server does nothing until it is bound"]
pub struct Server {
    app: Router,
    drain: Drain,
    limits: ServerLimits,
    probes: Option<(Router, std::net::TcpListener)>,
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
}

/// The most connections of the listener for probes.
const PROBE_CONNECTIONS: usize = 64;

/// A server that listens, and serves nobody yet: connections wait until it [runs](Self::run).
#[must_use = "a server serves nobody until it runs"]
pub struct Bound {
    server: Server,
    listener: TcpListener,
    address: SocketAddr,
    probes: Option<(Router, TcpListener)>,
}

/// How a server has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ended {
    /// How many connections it has taken.
    pub connections: u64,
    /// How many calls still ran when the time for them was over, and were cancelled.
    pub cancelled: usize,
    /// How many connections were closed before they had ended.
    pub cut: usize,
}

impl Server {
    /// Serves this router; the drain is the one of its configuration.
    pub fn new(app: Router, drain: Drain) -> Self {
        Self {
            app,
            drain,
            limits: ServerLimits::default(),
            probes: None,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Serves probes on a listener of their own too, so that a server whose connections are all taken
    /// still answers them.
    ///
    /// It takes the [`probes`](super::Routers::probes) of [`routers`](super::routers), or any other
    /// router. It has 64 connections of its own, no TLS, and the other [limits](Self::limits) of the
    /// server. Bind it where the supervisor reaches it and callers do not.
    ///
    /// ```
    /// use std::net::TcpListener;
    ///
    /// use tool_runtime::Runtime;
    /// use tool_runtime::http::{self, Auth, HttpConfig, Principal, Server};
    ///
    /// let runtime = Runtime::builder().build()?;
    /// let config = HttpConfig::new(Auth::trusting_the_network_as(Principal::trusted("gateway")));
    /// let drain = config.drain();
    /// let routers = http::routers(runtime, config);
    /// let server = Server::new(routers.api, drain)
    ///     .probes_on(routers.probes, TcpListener::bind("127.0.0.1:0")?);
    /// # let _ = server;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn probes_on(mut self, probes: Router, listener: std::net::TcpListener) -> Self {
        self.probes = Some((probes, listener));
        self
    }

    /// Sets what is too much, too long and too slow.
    pub fn limits(mut self, limits: ServerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Speaks TLS alone, with this certificate.
    #[cfg(feature = "tls")]
    #[cfg_attr(docsrs, doc(cfg(feature = "tls")))]
    pub fn tls(mut self, tls: &Tls) -> Self {
        self.tls = Some(tls.clone());
        self
    }

    /// Listens on an address, such as `127.0.0.1:8000`; port 0 is any free one.
    ///
    /// # Errors
    /// The address is not one of this machine, or is taken.
    pub async fn bind(self, address: impl ToSocketAddrs + fmt::Debug) -> Result<Bound, ServeError> {
        let name = format!("{address:?}");
        let listening = async {
            let listener = TcpListener::bind(address).await?;
            self.bound(listener)
        };
        listening.await.map_err(|error| ServeError::listen(name.trim_matches('"'), error))
    }

    /// Serves on a socket that listens already, such as one that was inherited.
    ///
    /// # Errors
    /// The socket does not listen, or is not one of TCP.
    pub fn listener(self, listener: std::net::TcpListener) -> Result<Bound, ServeError> {
        let listening = listener.set_nonblocking(true).and_then(|()| {
            let listener = TcpListener::from_std(listener)?;
            self.bound(listener)
        });
        listening.map_err(|error| ServeError::listen("a given socket", error))
    }

    fn bound(mut self, listener: TcpListener) -> io::Result<Bound> {
        let address = listener.local_addr()?;
        let probes = self.probes.take().map(|(router, listener)| {
            listener.set_nonblocking(true)?;
            io::Result::Ok((router, TcpListener::from_std(listener)?))
        });
        Ok(Bound { server: self, listener, address, probes: probes.transpose()? })
    }
}

impl Bound {
    /// Gives the address that is listened on, with the port that was found for 0.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until this future ends, and then ends without losing what runs.
    ///
    /// The end begins the [`Drain`]: `/readyz` fails and new calls are refused. After the
    /// [notice](ServerLimits::notice) nothing more is accepted, idle connections are closed, and
    /// what runs may end within the [grace](ServerLimits::grace). What still runs then is cancelled,
    /// answered so within the [farewell](ServerLimits::farewell), and its connections are closed.
    /// [`Drain::finish`] shortens the grace; a second signal after [`signalled`] closes at once.
    /// Last, the ledger of the configuration is flushed.
    ///
    /// # Cancellation
    /// Dropping the returned future closes all connections as they are.
    ///
    /// # Errors
    /// All has ended, but the ledger could not be flushed: calls may be missing in it.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<Ended, ServeError> {
        let Self { server, listener, probes, .. } = self;
        let (drain, limits) = (server.drain, Arc::new(server.limits));
        let stage = watch::Sender::new(Stage::Serving);
        let accepting = Accepting {
            #[cfg(feature = "tls")]
            tls: server.tls,
            ..Accepting::new(server.app, &drain, &limits)
        };
        let (router, probe_listener) = probes.unzip();
        let probing = router.map(|router| {
            let connections = PROBE_CONNECTIONS;
            let connections_per_address = Some(connections);
            let limits = ServerLimits { connections, connections_per_address, ..(*limits).clone() };
            Accepting::new(router, &drain, &Arc::new(limits))
        });
        let mut ending = Ending { drain, limits, stage, hurried: false };
        let (mut connections, mut of_probes) = (0, 0);
        let stage = ending.stage.clone();
        let serving_probes = async {
            match (&probing, &probe_listener) {
                (Some(probing), Some(on)) => probing.run(on, &stage, &mut of_probes).await,
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = ending.announced(shutdown) => {}
            () = accepting.run(&listener, &stage, &mut connections) => {}
            () = serving_probes => {}
        }
        drop((listener, probe_listener));
        ending.ended(connections + of_probes).await
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("drain", &self.drain)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound")
            .field("server", &self.server)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

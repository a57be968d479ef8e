//! Serves a router on a network, with limits, protection against slow clients, and a graceful
//! shutdown.

mod acceptor;
mod activity;
mod body;
mod client;
mod connection;

mod error;
mod limits;
#[cfg(not(feature = "tls"))]
mod no_tls;
mod request_service;
mod shutdown;
mod signal;
mod socket;
#[cfg(feature = "tls")]
mod tls;

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::watch;

use self::acceptor::Acceptor;
pub use self::client::{ClientAddress, Network, NetworkError};
use self::connection::ShutdownStage;

pub use self::error::{ServeError, ServeErrorKind};
pub use self::limits::ServerLimits;
#[cfg(not(feature = "tls"))]
use self::no_tls::ServerTls;
use self::shutdown::Shutdown;
pub use self::signal::shutdown_signal;
#[cfg(feature = "tls")]
use self::tls::ServerTls;
#[cfg(feature = "tls")]
#[cfg_attr(docsrs, doc(cfg(feature = "tls")))]
pub use self::tls::Tls;
use crate::state::drain::Drain;

/// Serves a router over HTTP/1.1 and HTTP/2, with limits on everything that a peer can do.
///
/// Each connection sets `TCP_NODELAY`. Handlers get its peer's address as
/// [`ConnectInfo<SocketAddr>`](axum::extract::ConnectInfo). Connections above the
/// [limit](ServerLimits::connections) wait in the system's backlog.
///
/// A server does not change the process's panic hook. A program calls
/// [`quiet_tool_panics`](tool_runtime_core::quiet_tool_panics) first in `main`, so that no text of a tool's
/// panic is printed.
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
/// let report = bound.run(async { /* http::shutdown_signal() */ }).await?;
/// assert_eq!(report.cancelled, 0);
/// # Ok(())
/// # }
/// ```
#[must_use = "a server does nothing until it is bound"]
pub struct Server {
    app: Router,
    drain: Drain,
    limits: ServerLimits,
    probes: Option<(Router, std::net::TcpListener)>,
    tls: ServerTls,
}

/// The most connections of the listener for probes.
const PROBE_CONNECTIONS: usize = 64;

/// A server that listens: connections wait in the backlog until it [runs](Self::run).
#[must_use = "a server accepts no connection until it runs"]
pub struct BoundServer {
    server: Server,
    listener: TcpListener,
    address: SocketAddr,
    probes: Option<(Router, TcpListener)>,
}

/// The result of a server's [`run`](BoundServer::run).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShutdownReport {
    /// The number of connections that were accepted.
    pub connections: u64,
    /// The number of calls that were cancelled because they still ran after `shutdown_timeout`.
    pub cancelled: usize,
    /// The number of connections that were closed while they were in use.
    pub aborted_connections: usize,
}

impl Server {
    /// Serves this router; `drain` is the one of the router's configuration.
    pub fn new(app: Router, drain: Drain) -> Self {
        Self {
            app,
            drain,
            limits: ServerLimits::default(),
            probes: None,
            tls: ServerTls::default(),
        }
    }

    /// Serves probes on a separate listener too, so that a server without a free connection still
    /// answers them.
    ///
    /// Pass the [`probes`](super::Routers::probes) of [`routers`](super::routers), or any other
    /// router. The listener has 64 connections, no TLS, and the other [limits](Self::limits) of the
    /// server. Bind it to an address that the supervisor reaches and callers do not.
    ///
    /// ```
    /// use std::net::TcpListener;
    ///
    /// use tool_runtime::Runtime;
    /// use tool_runtime::http::{self, Auth, HttpConfig, Principal, Server};
    ///
    /// let runtime = Runtime::builder().build()?;
    /// let config = HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("gateway")));
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

    /// Sets the limits on connections, requests and times.
    pub fn limits(mut self, limits: ServerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Binds to an address, such as `127.0.0.1:8000`; port 0 is any free port.
    ///
    /// # Errors
    /// When the address is not one of this machine or is in use.
    pub async fn bind(
        self,
        address: impl ToSocketAddrs + fmt::Debug,
    ) -> Result<BoundServer, ServeError> {
        let name = format!("{address:?}");
        let listening = async {
            let listener = TcpListener::bind(address).await?;
            self.bound(listener)
        };
        listening.await.map_err(|error| ServeError::listen(name.trim_matches('"'), error))
    }

    /// Serves on a socket that already listens, such as an inherited one.
    ///
    /// # Errors
    /// When the socket does not listen or is not a TCP socket.
    pub fn listener(self, listener: std::net::TcpListener) -> Result<BoundServer, ServeError> {
        let listening = listener.set_nonblocking(true).and_then(|()| {
            let listener = TcpListener::from_std(listener)?;
            self.bound(listener)
        });
        listening.map_err(|error| ServeError::listen("a given socket", error))
    }

    fn bound(mut self, listener: TcpListener) -> io::Result<BoundServer> {
        let address = listener.local_addr()?;
        let probes = self.probes.take().map(|(router, listener)| {
            listener.set_nonblocking(true)?;
            io::Result::Ok((router, TcpListener::from_std(listener)?))
        });
        Ok(BoundServer { server: self, listener, address, probes: probes.transpose()? })
    }
}

impl BoundServer {
    /// Returns the address of the listener, with the actual port where 0 was given.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the `shutdown` future completes, then shuts down gracefully.
    ///
    /// The shutdown has these steps:
    /// 1. The [`Drain`] begins: `/readyz` fails and new calls are refused. Connections are still
    ///    accepted for [`drain_delay`](ServerLimits::drain_delay).
    /// 2. New connections are no longer accepted, and idle connections are closed. Running requests have
    ///    [`shutdown_timeout`](ServerLimits::shutdown_timeout) to complete; [`Drain::finish`] ends
    ///    this step early.
    /// 3. Calls that still run are cancelled. Their answers have
    ///    [`cancel_timeout`](ServerLimits::cancel_timeout); then all connections are closed.
    /// 4. The ledger of the configuration is flushed.
    ///
    /// A second signal after [`shutdown_signal`] skips the waiting.
    ///
    /// # Cancellation
    /// Dropping the returned future closes all connections at once.
    ///
    /// # Errors
    /// When the ledger could not be flushed: it may lack calls.
    pub async fn run(
        self,
        shutdown: impl Future<Output = ()>,
    ) -> Result<ShutdownReport, ServeError> {
        let Self { server, listener, probes, .. } = self;
        let (drain, limits) = (server.drain, Arc::new(server.limits));
        let stage = watch::Sender::new(ShutdownStage::Serving);
        let acceptor = Acceptor { tls: server.tls, ..Acceptor::new(server.app, &drain, &limits) };
        let (router, probe_listener) = probes.unzip();
        let probe_acceptor = router.map(|router| {
            let connections = PROBE_CONNECTIONS;
            let connections_per_address = Some(connections);
            let limits = ServerLimits { connections, connections_per_address, ..(*limits).clone() };
            Acceptor::new(router, &drain, &Arc::new(limits))
        });
        let mut shutting_down = Shutdown { drain, limits, stage, is_forced: false };
        let (mut connections, mut of_probes) = (0, 0);
        let stage = shutting_down.stage.clone();
        let serving_probes = async {
            match (&probe_acceptor, &probe_listener) {
                (Some(probe_acceptor), Some(on)) => {
                    probe_acceptor.run(on, &stage, &mut of_probes).await;
                }
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = shutting_down.wait_for_signal(shutdown) => {}
            () = acceptor.run(&listener, &stage, &mut connections) => {}
            () = serving_probes => {}
        }
        drop((listener, probe_listener));
        shutting_down.complete(connections + of_probes).await
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

impl fmt::Debug for BoundServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundServer")
            .field("server", &self.server)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

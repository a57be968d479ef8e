//! Accepts connections, as many as the limits allow.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::TokioExecutor;
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;

use super::activity::ConnectionActivity;
use super::connection::{self, ShutdownStage, TimedOut};
use super::request_service::RequestService;
use super::socket::Socket;
use super::{ServerLimits, ServerTls};
use crate::state::caller::Peer;
use crate::state::drain::Drain;
use crate::state::quota::{Permit, Quota};
use crate::state::server_counters::ServerCounters;

/// The shortest and the longest pause after the system could not accept a connection.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_secs(1));

/// Accepts connections and serves each one in its own task.
pub(super) struct Acceptor {
    pub(super) app: TowerToHyperService<Router>,
    pub(super) drain: Drain,
    pub(super) limits: Arc<ServerLimits>,
    pub(super) connection_builder: Arc<Builder<TokioExecutor>>,
    pub(super) connection_permits: Arc<Semaphore>,
    /// The connections of each address.
    pub(super) addresses: Arc<Quota<Peer>>,
    pub(super) tls: ServerTls,
}

/// The permits of one connection, which counts as open until this is dropped.
struct OpenConnection {
    drain: Drain,
    _connection: OwnedSemaphorePermit,
    _address: Option<Permit<Peer>>,
}

impl Acceptor {
    /// Serves a router without TLS.
    pub(super) fn new(app: Router, drain: &Drain, limits: &Arc<ServerLimits>) -> Self {
        Self {
            app: TowerToHyperService::new(app),
            drain: drain.clone(),
            limits: Arc::clone(limits),
            connection_builder: Arc::new(connection::connection_builder(limits)),
            connection_permits: Arc::new(Semaphore::new(limits.connections)),
            addresses: Arc::new(Quota::new(limits.connections, limits.per_address())),
            tls: ServerTls::default(),
        }
    }

    /// Accepts connections in an endless loop and counts them in `taken`.
    pub(super) async fn run(
        &self,
        listener: &TcpListener,
        stage: &watch::Sender<ShutdownStage>,
        taken: &mut u64,
    ) {
        loop {
            // Acquired before accepting, so that further connections wait in the system's backlog.
            let Ok(connection_permit) = self.connection_permits.clone().acquire_owned().await
            else {
                return;
            };
            let (stream, peer) = accept(listener, self.drain.counters()).await;
            *taken += 1;
            let Some(permit) = self.address_permit(peer) else {
                self.drain.counters().refused.add();
                continue;
            };
            let open = OpenConnection::take(&self.drain, connection_permit, permit);
            tokio::spawn(self.serve(stream, peer, stage.subscribe(), open));
        }
    }

    /// Returns a permit for a connection of this address; `Some(None)` for a proxy, which has no
    /// limit.
    #[expect(clippy::option_option, reason = "the outer one refuses, the inner one has no limit")]
    fn address_permit(&self, peer: SocketAddr) -> Option<Option<Permit<Peer>>> {
        if self.limits.client_address.is_proxy(peer.ip()) {
            return Some(None);
        }
        self.addresses.acquire(Peer::at(peer.ip()), 1).ok().map(Some)
    }

    /// Serves one connection.
    fn serve(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        mut stage: watch::Receiver<ShutdownStage>,
        open: OpenConnection,
    ) -> impl Future<Output = ()> + Send + use<> {
        let activity = Arc::new(ConnectionActivity::begin(&self.drain));
        let socket = Socket::new(stream, activity.clone(), &self.limits);
        let (app, limits) = (self.app.clone(), self.limits.clone());
        let is_tls = self.tls.is_set();
        let service = RequestService { app, peer, activity, limits, is_tls };
        let connection_builder = self.connection_builder.clone();
        let tls = self.tls.clone();
        async move {
            let Some(socket) = tls.open(socket, &service, &mut stage).await else {
                return open.drain.counters().handshakes_failed.add();
            };
            let served = connection::serve(socket, service, &connection_builder, stage).await;
            if served == Err(TimedOut) {
                open.drain.counters().timed_out.add();
            }
        }
    }
}

impl OpenConnection {
    fn take(drain: &Drain, connection: OwnedSemaphorePermit, permit: Option<Permit<Peer>>) -> Self {
        drain.counters().accepted.add();
        Self { drain: drain.clone(), _connection: connection, _address: permit }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.drain.counters().closed.add();
    }
}

/// Accepts one connection; if the system is out of resources, tries again after a pause.
async fn accept(listener: &TcpListener, counters: &ServerCounters) -> (TcpStream, SocketAddr) {
    let (mut pause, longest) = PAUSES;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // A response does not wait until the peer has acknowledged the previous one.
                let _ = stream.set_nodelay(true);
                return (stream, peer);
            }
            // The connection failed before it was accepted; the listener works.
            Err(error) if is_fault_of_peer(&error) => {}
            Err(_) => {
                counters.failed.add();
                sleep(pause).await;
                pause = longest.min(pause * 2);
            }
        }
    }
}

fn is_fault_of_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpSocket, TcpStream};

    use super::{ServerCounters, accept};
    use crate::state::drain::Drain;
    use crate::{Server, ServerLimits};

    #[tokio::test]
    async fn one_address_cannot_take_all_connections() {
        let limits = ServerLimits { connections: 4, ..ServerLimits::default() };
        let app = Router::new().route("/", get(|| async { "hello" }));
        let drain = Drain::default();
        let server = Server::new(app, drain.clone()).limits(limits);
        let bound = server.bind("127.0.0.1:0").await.expect("a port is free");
        let address = bound.local_addr();
        let _running = tokio::spawn(bound.run(std::future::pending()));
        let connect = async |from: &str| {
            let socket = TcpSocket::new_v4().expect("there are sockets");
            socket.bind(from.parse().expect("an address")).expect("it is of this machine");
            let mut stream = socket.connect(address).await.expect("the server listens");
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
            let is_served = stream.read_u8().await.is_ok();
            (stream, is_served)
        };
        let (_first, is_served) = connect("127.0.0.1:0").await;
        assert!(is_served);
        let (second, is_served) = connect("127.0.0.1:0").await;
        assert!(is_served);
        assert!(!connect("127.0.0.1:0").await.1, "half of the connections is its permit");
        assert_eq!(drain.counters().refused.read(), 1);
        assert!(connect("127.0.0.2:0").await.1, "another address has its own permit");
        drop(second);
        while drain.counters().open() > 1 {
            tokio::task::yield_now().await;
        }
        assert!(connect("127.0.0.1:0").await.1, "what has ended leaves its permit");
    }

    #[tokio::test]
    async fn a_server_whose_connections_are_all_taken_answers_its_probes() {
        let limits = ServerLimits { connections: 1, ..ServerLimits::default() };
        let app = || Router::new().route("/healthz", get(|| async { "ok" }));
        let probes = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let probe_address = probes.local_addr().expect("it listens");
        let server = Server::new(app(), Drain::default()).limits(limits).probes_on(app(), probes);
        let bound = server.bind("127.0.0.1:0").await.expect("a port is free");
        let address = bound.local_addr();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let running = tokio::spawn(bound.run(async { drop(stopped.await) }));
        let get = async |address| {
            let mut stream = TcpStream::connect(address).await.expect("it listens");
            let request = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
            stream.write_all(request).await.expect("it is open");
            let mut status = [0; 12];
            stream.read_exact(&mut status).await.expect("an answer comes");
            assert_eq!(&status, b"HTTP/1.1 200");
            stream
        };
        let held = get(address).await;
        let probe = get(probe_address).await;
        drop((held, probe));
        stop.send(()).expect("it runs");
        assert_eq!(running.await.expect("it ends").expect("in order").connections, 2);
        assert!(TcpStream::connect(probe_address).await.is_err(), "both listeners are closed");
    }

    #[tokio::test]
    async fn an_accepted_connection_sends_without_delay() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let _peer = TcpStream::connect(address).await.expect("it listens");
        let (stream, _) = accept(&listener, &ServerCounters::default()).await;
        assert!(stream.nodelay().expect("it is open"));
    }
}

//! A server on a port, and a client that writes single bytes.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tool_runtime::http::{BoundServer, Drain, ServeError, Server, ServerLimits, ShutdownReport};

/// After this long a test has failed: what it waits for does not come.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// A short limit that a test waits for.
pub(super) const TINY: Duration = Duration::from_millis(100);

/// A server that runs until it is stopped.
pub(super) struct Running {
    pub(super) address: SocketAddr,
    pub(super) drain: Drain,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<Result<ShutdownReport, ServeError>>,
}

/// A connection whose bytes the test writes itself.
pub(super) struct Wire<S>(S);

/// The bytes that were received on a connection.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

/// Fails where something does not come.
pub(super) async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(PATIENCE, what).await.expect("it comes")
}

/// Limits of which none is met by accident.
pub(super) fn patient() -> ServerLimits {
    let mut limits = ServerLimits::default();
    limits.header_timeout = PATIENCE * 2;
    limits.request_body_timeout = PATIENCE * 2;
    limits.write_timeout = PATIENCE * 2;
    limits.shutdown_timeout = PATIENCE * 2;
    limits
}

impl Running {
    pub(super) async fn start(app: Router, limits: ServerLimits) -> Self {
        let drain = Drain::default();
        Self::of(Server::new(app, drain.clone()).limits(limits), drain).await
    }

    pub(super) async fn of(server: Server, drain: Drain) -> Self {
        let bound: BoundServer = server.bind("127.0.0.1:0").await.expect("a port is free");
        let address = bound.local_addr();
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = tokio::spawn(bound.run(async {
            let _ = stopped.await;
        }));
        Self { address, drain, stop: Some(stop), ended }
    }

    pub(super) async fn connect(&self) -> Wire<TcpStream> {
        Wire(soon(TcpStream::connect(self.address)).await.expect("the server listens"))
    }

    /// Starts the shutdown.
    pub(super) fn stop(&mut self) {
        self.stop.take().expect("it was not told before").send(()).expect("it runs");
    }

    pub(super) async fn ended(self) -> ShutdownReport {
        soon(self.ended).await.expect("it does not panic").expect("there is no ledger to fail")
    }

    /// Waits until the port refuses connections.
    pub(super) async fn refuses(&self) {
        soon(async {
            while TcpStream::connect(self.address).await.is_ok() {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(super) fn new(stream: S) -> Self {
        Self(stream)
    }

    /// Starts HTTP/2 on the connection.
    pub(super) async fn http2(self) -> SendRequest<Body>
    where
        S: Send + 'static,
    {
        let shaken = http2::handshake(TokioExecutor::new(), TokioIo::new(self.0)).await;
        let (client, connection) = shaken.expect("the server speaks HTTP/2");
        tokio::spawn(connection);
        client
    }

    pub(super) async fn write(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.expect("the connection is open");
    }

    /// Requests a path, and reads the answer.
    pub(super) async fn get(&mut self, path: &str) -> Heard {
        self.write(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")).await;
        self.hear().await
    }

    /// Sends a body, and reads the answer.
    pub(super) async fn post(&mut self, path: &str, headers: &str, body: &str) -> Heard {
        let length = body.len();
        let head =
            format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n");
        self.write(&format!("{head}{headers}\r\n{body}")).await;
        self.hear().await
    }

    /// Reads one answer, and no more than that.
    pub(super) async fn hear(&mut self) -> Heard {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(soon(self.0.read_u8()).await.expect("an answer comes"));
        }
        let head = String::from_utf8(head).expect("a head is text").to_lowercase();
        let status = head[9..12].parse().expect("it is a status");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().expect("it is a length"))];
        soon(self.0.read_exact(&mut body)).await.expect("the body comes");
        Heard { status, head, body: String::from_utf8(body).expect("the body is text") }
    }

    /// Waits until the server closes the connection, and returns the number of bytes received
    /// until then.
    pub(super) async fn closed(&mut self) -> usize {
        let (mut count, mut buffer) = (0, vec![0; 64 * 1024]);
        loop {
            match soon(self.0.read(&mut buffer)).await {
                Ok(0) => return count,
                Ok(read) => count += read,
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return count,
                Err(error) => panic!("the connection broke: {error}"),
            }
        }
    }
}

impl Wire<TcpStream> {
    /// Returns whether nothing was received yet.
    pub(super) fn is_silent(&self) -> bool {
        let read = self.0.try_read(&mut [0]);
        read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

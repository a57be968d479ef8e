//! The limits of a server on connections, requests and times.

use std::time::Duration;

use super::ClientAddress;
use crate::state::quota::half;

/// The limits of a [`Server`](super::Server) on connections, requests and times.
///
/// The defaults suit a service behind a gateway or on a company's network. A time limit of zero
/// expires at once; to have none, set a time longer than the process will run.
///
/// ```
/// use std::time::Duration;
///
/// use tool_runtime::http::ServerLimits;
///
/// let mut limits = ServerLimits::default();
/// limits.connections = 4_096;
/// limits.shutdown_timeout = Duration::from_secs(10);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerLimits {
    /// Most connections at once, 1024. Further ones wait in the system's backlog.
    pub connections: usize,
    /// Most connections at once of one address (of IPv6, one /64), half of all unless set. A
    /// connection above it is closed as soon as it is accepted.
    ///
    /// Proxies that [`client_address`](Self::client_address) names have no such bound.
    pub connections_per_address: Option<usize>,
    /// The source of a client's address: its connection, unless the host names its proxies.
    pub client_address: ClientAddress,
    /// Most header lines of a request, 64. More are answered 431.
    ///
    /// hyper itself answers a request with more than 100, without a body.
    pub headers: usize,
    /// Most bytes of a request's line and headers, 16 KiB. More are answered 431.
    ///
    /// hyper itself answers a request with more than four times as many, without a body.
    pub header_bytes: usize,
    /// Longest time for a request's head to arrive, 10 s, from its first byte; for the first
    /// request, from the begin of the connection. Then the connection is closed.
    pub header_timeout: Duration,
    /// Longest time for a request's body to arrive, 30 s, once a handler waits for it.
    ///
    /// It bounds every route of the router. The routes of [`router`](crate::router) have a
    /// shorter one, [`HttpConfig::body_timeout`](crate::HttpConfig::body_timeout).
    pub request_body_timeout: Duration,
    /// Longest time without a request on an open connection, 75 s.
    pub idle_timeout: Duration,
    /// Longest time in which a peer reads nothing of a response, 30 s. Then the connection is
    /// closed.
    pub write_timeout: Duration,
    /// Lowest rate at which a peer reads a response, 1024 bytes a second; 0 for no limit. It is
    /// measured over each [`write_timeout`](Self::write_timeout) in which a response waits for the
    /// peer. Below it the connection is closed.
    pub read_rate: u32,
    /// Most bytes of responses that wait on one connection, 16 MiB. Further requests on it wait
    /// until the peer has read some.
    ///
    /// A response is never cut off, so the responses of running requests may exceed the limit.
    pub unread_bytes: usize,
    /// Age at which a connection is closed after its running requests, one hour, so that clients
    /// reconnect and spread over servers that were added.
    pub max_connection_age: Duration,
    /// Most requests at once on one HTTP/2 connection, 128.
    pub streams: u32,
    /// Most requests of one HTTP/2 connection that the peer resets before they are processed, 20.
    /// Then the connection is closed.
    pub resets: usize,
    /// Time after which a silent HTTP/2 peer is sent a ping, 20 s, and time that it has to answer.
    pub ping: Duration,
    /// Longest time for a TLS handshake, 10 s. Used with the feature `tls`.
    pub handshake_timeout: Duration,
    /// Time for which connections are still accepted after the shutdown has begun, 0 s. `/readyz`
    /// fails and new calls are refused meanwhile, so that a load balancer can take the server out.
    pub drain_delay: Duration,
    /// Longest time for running requests to complete during the shutdown, 30 s. Then they are
    /// cancelled.
    pub shutdown_timeout: Duration,
    /// Longest time for the answers of cancelled requests, 5 s. Then connections are closed.
    pub cancel_timeout: Duration,
}

impl ServerLimits {
    /// Returns the number of connections that one address may have.
    pub(super) fn per_address(&self) -> usize {
        self.connections_per_address.unwrap_or(half(self.connections))
    }

    /// Returns the fewest bytes that a peer has to read in each `write_timeout`.
    pub(super) fn min_read_bytes(&self) -> usize {
        let bytes = u128::from(self.read_rate).saturating_mul(self.write_timeout.as_millis());
        usize::try_from(bytes / 1_000).unwrap_or(usize::MAX)
    }
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 1024,
            connections_per_address: None,
            client_address: ClientAddress::default(),
            headers: 64,
            header_bytes: 16 * 1024,
            header_timeout: Duration::from_secs(10),
            request_body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            read_rate: 1024,
            unread_bytes: 16 * 1024 * 1024,
            max_connection_age: Duration::from_secs(60 * 60),
            streams: 128,
            resets: 20,
            ping: Duration::from_secs(20),
            handshake_timeout: Duration::from_secs(10),
            drain_delay: Duration::ZERO,
            shutdown_timeout: Duration::from_secs(30),
            cancel_timeout: Duration::from_secs(5),
        }
    }
}

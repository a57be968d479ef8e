//! What is too much, too long and too slow for a server.

use std::time::Duration;

use super::ClientAddress;
use crate::http::shares::half;

/// How much a [`Server`](super::Server) takes, and how long it waits.
///
/// The defaults suit a service behind a gateway or on a company's network. A limit of time that is
/// zero cuts at once; to have none, give it more than the process will live.
///
/// ```
/// use std::time::Duration;
///
/// use tool_runtime::http::ServerLimits;
///
/// let mut limits = ServerLimits::default();
/// limits.connections = 4_096;
/// limits.grace = Duration::from_secs(10);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerLimits {
    /// Most connections at once, 1024. What comes above waits in the system's backlog.
    pub connections: usize,
    /// Most connections at once of one address (of IPv6, one /64), half of all unless set. A
    /// connection above it is closed as soon as it is taken.
    ///
    /// Proxies that [`client_address`](Self::client_address) names have no such bound.
    pub connections_per_address: Option<usize>,
    /// Where a client's address comes from: its connection, unless the host names its proxies.
    pub client_address: ClientAddress,
    /// Most header lines of a request, 64. More are answered 431.
    ///
    /// Above 100 hyper answers for itself, without a body.
    pub headers: usize,
    /// Most bytes of a request's line and headers, 16 KiB. More are answered 431.
    ///
    /// Above four times as many hyper answers for itself, without a body.
    pub header_bytes: usize,
    /// Longest time for a connection's request to arrive up to its body, 10 s; from the first byte,
    /// or from the connection's begin for its first request. Then the connection is closed.
    pub header_timeout: Duration,
    /// Longest time for a request's body to arrive, 30 s, once it is waited for.
    pub body_timeout: Duration,
    /// Longest time without a request on an open connection, 75 s.
    pub idle_timeout: Duration,
    /// Longest time in which a peer takes nothing of what is written to it, 30 s. Then the
    /// connection is closed.
    pub write_timeout: Duration,
    /// Lowest rate at which a peer takes what is written to it, 1024 bytes a second; none where it
    /// is 0. It is measured over each [`write_timeout`](Self::write_timeout) in which the peer keeps
    /// an answer waiting. Then the connection is closed.
    pub read_rate: u32,
    /// Most bytes of answers that one connection keeps waiting, 16 MiB. Further requests on it wait
    /// until its peer has taken some.
    ///
    /// An answer is never cut: those of requests that run already go beyond it.
    pub unread_bytes: usize,
    /// Age at which a connection is told to end after its running requests, one hour, so that
    /// callers spread over servers that were added.
    pub age: Duration,
    /// Most requests at once on one HTTP/2 connection, 128.
    pub streams: u32,
    /// Most requests of one HTTP/2 connection that are reset before they were looked at, 20. Then
    /// the connection is closed.
    pub resets: usize,
    /// Time after which a silent HTTP/2 peer is asked whether it is there, 20 s; it has as long to
    /// say so.
    pub ping: Duration,
    /// Longest time for a TLS handshake, 10 s.
    #[cfg(feature = "tls")]
    #[cfg_attr(docsrs, doc(cfg(feature = "tls")))]
    pub handshake_timeout: Duration,
    /// Time for which connections are still taken when the server is to end, none: `/readyz` fails
    /// and new calls are refused, so that whoever spreads the load has time to see it.
    pub notice: Duration,
    /// Longest time for running requests to end by themselves when the server is to end, 30 s. Then
    /// they are cancelled.
    pub grace: Duration,
    /// Longest time for what was cancelled to be answered, 5 s. Then connections are closed.
    pub farewell: Duration,
}

impl ServerLimits {
    /// Returns how many connections one address may have.
    pub(super) fn of_address(&self) -> usize {
        self.connections_per_address.unwrap_or(half(self.connections))
    }

    /// Returns the fewest bytes that a peer has to take in each `write_timeout`.
    pub(super) fn least_taken(&self) -> usize {
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
            body_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            read_rate: 1024,
            unread_bytes: 16 * 1024 * 1024,
            age: Duration::from_secs(60 * 60),
            streams: 128,
            resets: 20,
            ping: Duration::from_secs(20),
            #[cfg(feature = "tls")]
            handshake_timeout: Duration::from_secs(10),
            notice: Duration::ZERO,
            grace: Duration::from_secs(30),
            farewell: Duration::from_secs(5),
        }
    }
}

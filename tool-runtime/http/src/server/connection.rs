//! Serves one connection: its requests, its time limits and its shutdown.
//!
//! hyper has the limits that it can have: header bytes and lines, streams, resets, and the pings of
//! HTTP/2. The others are timers of this module, because hyper 1.x, hyper-util and tower-http have
//! none, or one of another meaning:
//!
//! | limit | the library's | why it is not used |
//! | --- | --- | --- |
//! | `header_timeout` | hyper's `header_read_timeout` | begins when the previous answer ends, so it bounds the idle time too; not running while hyper-util detects HTTP/2 |
//! | `idle_timeout` | none | hyper closes an idle HTTP/1 connection by `header_read_timeout` only, an HTTP/2 one never |
//! | `request_body_timeout` | tower-http's `RequestBodyTimeout` | begins anew with each frame, so a body may trickle in forever |
//! | `write_timeout`, `read_rate` | none | a peer that reads nothing, or a byte at a time, keeps its answer in memory |
//! | `unread_bytes` | none | hyper bounds the buffer of one stream, not the answers of a connection |
//! | `max_connection_age` | none | only `graceful_shutdown`, which this uses |
//! | shutdown | hyper-util's `GracefulShutdown` | owns the connection, so that idle time and age could not end it; it has no step that closes at once |

use std::pin::{Pin, pin};
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulConnection;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::ServerLimits;
use super::activity::{ConnectionActivity, WatchAction};
use super::request_service::RequestService;

/// Most header lines that hyper reads without an allocation.
const HEADERS_ON_STACK: usize = 100;

/// The smallest buffer size that hyper accepts.
const MIN_BUFFER: usize = 8192;

/// The stage of the server's shutdown, as its connections see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ShutdownStage {
    /// Requests are accepted.
    Serving,
    /// Connections close after their running requests.
    Graceful,
    /// Connections close at once.
    Immediate,
}

/// The connection was closed by a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimedOut;

/// Configures hyper for HTTP/1.1 and HTTP/2 within the limits.
pub(super) fn connection_builder(limits: &ServerLimits) -> Builder<TokioExecutor> {
    // A request slightly above the limit still reaches the check that answers with a body.
    let header_bytes = limits.header_bytes.saturating_mul(4);
    let mut builder = Builder::new(TokioExecutor::new());
    let mut http1 = builder.http1();
    // `ConnectionWatch` distinguishes a slow request from an idle peer; hyper's timer does not.
    http1.timer(TokioTimer::new()).header_read_timeout(None);
    http1.max_buf_size(header_bytes.max(MIN_BUFFER));
    if limits.headers > HEADERS_ON_STACK {
        http1.max_headers(limits.headers);
    }
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        .max_pending_accept_reset_streams(limits.resets)
        .max_header_list_size(u32::try_from(header_bytes).unwrap_or(u32::MAX))
        .keep_alive_interval(limits.ping)
        .keep_alive_timeout(limits.ping);
    builder
}

/// Serves a connection until the peer or the server closes it.
pub(super) async fn serve<S>(
    stream: S,
    service: RequestService,
    connection_builder: &Builder<TokioExecutor>,
    stage: watch::Receiver<ShutdownStage>,
) -> Result<(), TimedOut>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let watch = ConnectionWatch {
        service: service.clone(),
        stage,
        seen: ShutdownStage::Serving,
        shutdown_since: None,
    };
    let service = service_fn(move |request| service.clone().answer(request));
    let connection = pin!(connection_builder.serve_connection(TokioIo::new(stream), service));
    watch.run(connection).await
}

/// Drives a connection and closes it at a time limit or at the server's shutdown.
struct ConnectionWatch {
    service: RequestService,
    stage: watch::Receiver<ShutdownStage>,
    seen: ShutdownStage,
    /// The connection's age when its graceful shutdown began.
    shutdown_since: Option<Duration>,
}

impl ConnectionWatch {
    async fn run<C: GracefulConnection>(
        mut self,
        mut connection: Pin<&mut C>,
    ) -> Result<(), TimedOut> {
        let mut due = Instant::now();
        loop {
            tokio::select! {
                biased;
                // An error of the connection is the peer's; the server has nothing to report.
                _ = connection.as_mut() => return Ok(()),
                stage = next_stage(&mut self.stage, self.seen) => match stage {
                    ShutdownStage::Immediate => return Ok(()),
                    stage @ (ShutdownStage::Serving | ShutdownStage::Graceful) => {
                        self.seen = stage;
                        self.begin_shutdown(connection.as_mut());
                        due = Instant::now();
                    }
                },
                () = sleep_until(due) => match self.next_action() {
                    WatchAction::Close => return Err(TimedOut),
                    WatchAction::ShutDown => self.begin_shutdown(connection.as_mut()),
                    WatchAction::Wait(age) => due = self.activity().at(age),
                },
            }
        }
    }

    fn begin_shutdown<C: GracefulConnection>(&mut self, connection: Pin<&mut C>) {
        if self.shutdown_since.is_none() {
            self.shutdown_since = Some(self.activity().age());
            connection.graceful_shutdown();
        }
    }

    fn next_action(&self) -> WatchAction {
        let (activity, age) = (self.activity(), self.activity().age());
        let limits = &self.service.limits;
        let is_slow = activity.is_read_too_slow(age, limits.write_timeout, limits.min_read_bytes());
        if is_slow || activity.is_write_stalled(age, limits.write_timeout) {
            return WatchAction::Close;
        }
        match self.shutdown_since {
            Some(since) => activity.action_after_shutdown(age, since),
            None => activity.next_action(age, &self.service.limits),
        }
    }

    fn activity(&self) -> &ConnectionActivity {
        &self.service.activity
    }
}

/// Waits for a stage later than `seen`.
pub(super) async fn next_stage(
    stage: &mut watch::Receiver<ShutdownStage>,
    seen: ShutdownStage,
) -> ShutdownStage {
    // The sender was dropped with its server, so the connection closes.
    stage.wait_for(|stage| *stage > seen).await.map_or(ShutdownStage::Immediate, |stage| *stage)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::Router;
    use axum::routing::get;
    use hyper_util::service::TowerToHyperService;
    use tokio::io::{AsyncWriteExt, duplex};
    use tokio::time::timeout;

    use super::*;
    use crate::state::drain::Drain;

    /// An HTTP/2 request for `/` from a peer whose flow-control window is 0.
    const ASKING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\
        \x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\
        \x00\x00\x03\x01\x05\x00\x00\x00\x01\x82\x86\x84";

    #[tokio::test(start_paused = true)]
    async fn an_http_2_peer_that_grants_no_flow_control_window_is_disconnected() {
        const MINUTE: Duration = Duration::from_secs(60);
        let app = Router::new().route("/", get(|| async { "hello" }));
        let limits = ServerLimits { ping: 60 * MINUTE, ..ServerLimits::default() };
        let (mut peer, stream) = duplex(4096);
        let service = RequestService {
            app: TowerToHyperService::new(app),
            peer: ([127, 0, 0, 1], 4000).into(),
            activity: Arc::new(ConnectionActivity::begin(&Drain::default())),
            limits: Arc::new(limits.clone()),
            is_tls: false,
        };
        let (_stage, stages) = watch::channel(ShutdownStage::Serving);
        peer.write_all(ASKING).await.expect("there is room");
        let connection_builder = connection_builder(&limits);
        let served = serve(stream, service, &connection_builder, stages);
        assert_eq!(timeout(MINUTE, served).await, Ok(Err(TimedOut)));
    }
}

//! One connection's life: its requests, its limits of time, and its end.

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
use super::answering::Answering;
use super::pulse::{Pulse, Verdict};

/// Most header lines that hyper reads without allocating for them.
const HEADERS_ON_STACK: usize = 100;

/// The least that hyper takes for its buffer.
const LEAST_BUFFER: usize = 8192;

/// How far the server is with its end, as its connections see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// Requests are taken.
    Serving,
    /// Connections end after what runs on them.
    Ending,
    /// Connections are closed as they are.
    Cut,
}

/// A limit of time has closed the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimedOut;

/// Makes what speaks HTTP/1.1 and HTTP/2 within the limits.
pub(super) fn speaker(limits: &ServerLimits) -> Builder<TokioExecutor> {
    // What is a little too much still reaches the check that answers with a body.
    let header_bytes = limits.header_bytes.saturating_mul(4);
    let mut builder = Builder::new(TokioExecutor::new());
    let mut http1 = builder.http1();
    // The connection's own watch tells a slow request from a quiet peer; hyper's timer does not.
    http1.timer(TokioTimer::new()).header_read_timeout(None);
    http1.max_buf_size(header_bytes.max(LEAST_BUFFER));
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

/// Serves a connection until it ends, by itself or by us.
pub(super) async fn serve<S>(
    stream: S,
    answering: Answering,
    speaker: &Builder<TokioExecutor>,
    stage: watch::Receiver<Stage>,
) -> Result<(), TimedOut>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let watch = Watch { answering: answering.clone(), stage, seen: Stage::Serving, retired: None };
    let service = service_fn(move |request| answering.clone().answer(request));
    let connection = pin!(speaker.serve_connection(TokioIo::new(stream), service));
    watch.over(connection).await
}

/// Waits for a connection, for the end of the server, and for what is too slow.
struct Watch {
    answering: Answering,
    stage: watch::Receiver<Stage>,
    seen: Stage,
    /// At which age the connection was told to end.
    retired: Option<Duration>,
}

impl Watch {
    async fn over<C: GracefulConnection>(
        mut self,
        mut connection: Pin<&mut C>,
    ) -> Result<(), TimedOut> {
        let mut due = Instant::now();
        loop {
            tokio::select! {
                biased;
                // Why it broke off is its peer's business.
                _ = connection.as_mut() => return Ok(()),
                stage = later(&mut self.stage, self.seen) => match stage {
                    Stage::Cut => return Ok(()),
                    stage => {
                        self.seen = stage;
                        self.retire(connection.as_mut());
                        due = Instant::now();
                    }
                },
                () = sleep_until(due) => match self.verdict() {
                    Verdict::Close => return Err(TimedOut),
                    Verdict::Retire => self.retire(connection.as_mut()),
                    Verdict::Wait(age) => due = self.pulse().at(age),
                },
            }
        }
    }

    fn retire<C: GracefulConnection>(&mut self, connection: Pin<&mut C>) {
        if self.retired.is_none() {
            self.retired = Some(self.pulse().age());
            connection.graceful_shutdown();
        }
    }

    fn verdict(&self) -> Verdict {
        let (pulse, age) = (self.pulse(), self.pulse().age());
        let limits = &self.answering.limits;
        let is_slow = pulse.is_too_slow(age, limits.write_timeout, limits.least_taken());
        if is_slow || pulse.is_spurned(age, limits.write_timeout) {
            return Verdict::Close;
        }
        match self.retired {
            Some(since) => pulse.verdict_retired(age, since),
            None => pulse.verdict(age, &self.answering.limits),
        }
    }

    fn pulse(&self) -> &Pulse {
        &self.answering.pulse
    }
}

/// Waits for a stage after the one that was seen.
pub(super) async fn later(stage: &mut watch::Receiver<Stage>, seen: Stage) -> Stage {
    // Without its server a connection has nobody to serve it.
    stage.wait_for(|stage| *stage > seen).await.map_or(Stage::Cut, |stage| *stage)
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
    use crate::http::Drain;

    /// A peer of HTTP/2 asks for `/`, and then for nothing of its answer: its window has no room.
    const ASKING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\
        \x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\
        \x00\x00\x03\x01\x05\x00\x00\x00\x01\x82\x86\x84";

    #[tokio::test(start_paused = true)]
    async fn a_peer_of_http_2_that_asks_for_nothing_of_its_answer_is_cut_off() {
        const MINUTE: Duration = Duration::from_secs(60);
        let app = Router::new().route("/", get(|| async { "hello" }));
        let limits = ServerLimits { ping: 60 * MINUTE, ..ServerLimits::default() };
        let (mut peer, stream) = duplex(4096);
        let answering = Answering {
            app: TowerToHyperService::new(app),
            peer: ([127, 0, 0, 1], 4000).into(),
            pulse: Arc::new(Pulse::begin(&Drain::default())),
            limits: Arc::new(limits.clone()),
        };
        let (_stage, stages) = watch::channel(Stage::Serving);
        peer.write_all(ASKING).await.expect("there is room");
        let speaker = speaker(&limits);
        let served = serve(stream, answering, &speaker, stages);
        assert_eq!(timeout(MINUTE, served).await, Ok(Err(TimedOut)));
    }
}

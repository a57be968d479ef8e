//! Taking connections, no more than there are places for.

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

use super::ServerLimits;
use super::answering::Answering;
use super::connection::{self, Stage, TimedOut};
use super::pulse::Pulse;
use super::socket::Socket;
#[cfg(feature = "tls")]
use super::tls::{Link, Tls};
use super::traffic::Traffic;
use crate::http::Drain;

/// The shortest and the longest pause after the system had no place for a connection.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_secs(1));

/// What takes connections, and has each served by a task of its own.
pub(super) struct Accepting {
    pub(super) app: TowerToHyperService<Router>,
    pub(super) drain: Drain,
    pub(super) limits: Arc<ServerLimits>,
    pub(super) speaker: Arc<Builder<TokioExecutor>>,
    pub(super) places: Arc<Semaphore>,
    #[cfg(feature = "tls")]
    pub(super) tls: Option<Tls>,
}

/// A place among the connections; counted as open until it is dropped.
struct Seat {
    drain: Drain,
    _place: OwnedSemaphorePermit,
}

impl Accepting {
    /// Takes connections for ever, and counts them.
    pub(super) async fn run(
        &self,
        listener: &TcpListener,
        stage: &watch::Sender<Stage>,
        taken: &mut u64,
    ) {
        loop {
            // Before anything is accepted: what has no place waits in the system's backlog.
            let Ok(place) = self.places.clone().acquire_owned().await else { return };
            let (stream, peer) = accept(listener, self.drain.traffic()).await;
            *taken += 1;
            let seat = Seat::take(&self.drain, place);
            tokio::spawn(self.serve(stream, peer, stage.subscribe(), seat));
        }
    }

    /// Serves one connection.
    fn serve(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        #[cfg_attr(not(feature = "tls"), expect(unused_mut, reason = "a handshake waits on it"))]
        mut stage: watch::Receiver<Stage>,
        seat: Seat,
    ) -> impl Future<Output = ()> + Send + use<> {
        let pulse = Arc::new(Pulse::begin(&self.drain));
        let socket = Socket::new(stream, pulse.clone(), self.limits.write_timeout);
        let (app, limits) = (self.app.clone(), self.limits.clone());
        let answering = Answering { app, peer, pulse, limits };
        let speaker = self.speaker.clone();
        #[cfg(feature = "tls")]
        let tls = self.tls.clone();
        async move {
            #[cfg(feature = "tls")]
            let Some(socket) = Link::open(socket, tls, &answering, &mut stage).await else {
                return seat.drain.traffic().handshakes_failed.add();
            };
            let served = connection::serve(socket, answering, &speaker, stage).await;
            if served == Err(TimedOut) {
                seat.drain.traffic().timed_out.add();
            }
        }
    }
}

impl Seat {
    fn take(drain: &Drain, place: OwnedSemaphorePermit) -> Self {
        drain.traffic().accepted.add();
        Self { drain: drain.clone(), _place: place }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.drain.traffic().closed.add();
    }
}

/// Accepts one connection; where the system has no place for it, tries again after a pause.
async fn accept(listener: &TcpListener, traffic: &Traffic) -> (TcpStream, SocketAddr) {
    let (mut pause, longest) = PAUSES;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // An answer never waits for its peer to acknowledge the one before.
                let _ = stream.set_nodelay(true);
                return (stream, peer);
            }
            // It was the one connection that failed, before it was taken.
            Err(error) if is_of_peer(&error) => {}
            Err(_) => {
                traffic.failed.add();
                sleep(pause).await;
                pause = longest.min(pause * 2);
            }
        }
    }
}

fn is_of_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpStream};

    use super::{Traffic, accept};

    #[tokio::test]
    async fn what_is_small_is_sent_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let _peer = TcpStream::connect(address).await.expect("it listens");
        let (stream, _) = accept(&listener, &Traffic::default()).await;
        assert!(stream.nodelay().expect("it is open"));
    }
}

//! A socket whose peer must take what it is sent.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::ServerLimits;
use super::pulse::Pulse;

/// A socket that tells its connection's pulse what it hears, and gives up on a peer that takes
/// nothing for too long.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    pulse: Arc<Pulse>,
    patience: Duration,
    /// The fewest bytes that the peer has to take in each such time.
    least: usize,
    /// Runs from a write that waits for the peer until all is written.
    stalled: Option<Pin<Box<Sleep>>>,
    /// The bytes that the peer has taken in that time.
    taken: usize,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, pulse: Arc<Pulse>, limits: &ServerLimits) -> Self {
        let (patience, least) = (limits.write_timeout, limits.least_taken().max(1));
        Self { stream, pulse, patience, least, stalled: None, taken: 0 }
    }

    /// Writes, as long as the peer takes enough in each `patience`.
    fn poll_patiently(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let ready @ Poll::Ready(_) = write(Pin::new(&mut self.stream), cx) {
            if let Poll::Ready(Ok(bytes)) = ready {
                self.taken = self.taken.saturating_add(bytes);
            }
            return ready;
        }
        loop {
            let patience = self.patience;
            let stalled = self.stalled.get_or_insert_with(|| {
                self.taken = 0;
                Box::pin(sleep(patience))
            });
            ready!(stalled.as_mut().poll(cx));
            self.stalled = None;
            if self.taken < self.least {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.pulse.hears();
        }
        read
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_patiently(cx, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_patiently(cx, |stream, cx| stream.poll_write_vectored(cx, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // It is asked for once all is written: the peer has kept up.
        self.stalled = None;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpSocket;
    use tokio::time::{sleep, timeout};

    use super::{Pulse, ServerLimits, Socket};
    use crate::http::Drain;

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_trickles_its_answer_is_cut_off() {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        // Small buffers, so that little of what the peer takes lets the server write again.
        let listener = TcpSocket::new_v4().expect("there are sockets");
        listener.set_send_buffer_size(4_096).expect("it is a size");
        listener.bind("127.0.0.1:0".parse().expect("an address")).expect("a port is free");
        let listener = listener.listen(1).expect("it listens");
        let address = listener.local_addr().expect("it listens");
        let peer = TcpSocket::new_v4().expect("there are sockets");
        peer.set_recv_buffer_size(4_096).expect("it is a size");
        let mut peer = peer.connect(address).await.expect("it listens");
        let (stream, _) = listener.accept().await.expect("it has connected");
        let pulse = Arc::new(Pulse::begin(&Drain::default()));
        let mut socket = Socket::new(stream, pulse, &ServerLimits::default());
        // It always takes something, and never as much as the lowest rate.
        let trickle = async {
            let mut taken = [0; 4_096];
            while peer.read_exact(&mut taken).await.is_ok() {
                sleep(Duration::from_secs(10)).await;
            }
        };
        let answer = vec![0; 64 * 1024 * 1024];
        let written = async {
            tokio::select! {
                written = socket.write_all(&answer) => written,
                () = trickle => Ok(()),
            }
        };
        let ended = timeout(HOUR, written).await.expect("the connection is given up");
        assert_eq!(ended.map_err(|error| error.kind()), Err(ErrorKind::TimedOut));
    }
}

//! A socket that times out if its peer does not read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::ServerLimits;
use super::activity::ConnectionActivity;

/// A socket that reports received bytes to its connection's activity, and fails with `TimedOut` if
/// its peer reads too little.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    activity: Arc<ConnectionActivity>,
    timeout: Duration,
    /// The fewest bytes that the peer has to read in each such time.
    least: usize,
    /// The timer of a blocked write; none while writes make progress.
    stalled: Option<Pin<Box<Sleep>>>,
    /// The bytes that were written in that time.
    taken: usize,
}

impl Socket {
    pub(super) fn new(
        stream: TcpStream,
        activity: Arc<ConnectionActivity>,
        limits: &ServerLimits,
    ) -> Self {
        let (timeout, least) = (limits.write_timeout, limits.min_read_bytes().max(1));
        Self { stream, activity, timeout, least, stalled: None, taken: 0 }
    }

    /// Writes; fails if the peer reads too little within a `timeout`.
    fn poll_within_timeout(
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
            let timeout = self.timeout;
            let stalled = self.stalled.get_or_insert_with(|| {
                self.taken = 0;
                Box::pin(sleep(timeout))
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
            self.activity.bytes_received();
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
        self.poll_within_timeout(cx, |stream, cx| stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_within_timeout(cx, |stream, cx| stream.poll_write_vectored(cx, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper flushes once all is written, so the peer is not too slow.
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

    use super::{ConnectionActivity, ServerLimits, Socket};
    use crate::state::drain::Drain;

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_its_response_too_slowly_is_disconnected() {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        // Small buffers, so that the server can write again after a small read of the peer.
        let listener = TcpSocket::new_v4().expect("there are sockets");
        listener.set_send_buffer_size(4_096).expect("it is a size");
        listener.bind("127.0.0.1:0".parse().expect("an address")).expect("a port is free");
        let listener = listener.listen(1).expect("it listens");
        let address = listener.local_addr().expect("it listens");
        let peer = TcpSocket::new_v4().expect("there are sockets");
        peer.set_recv_buffer_size(4_096).expect("it is a size");
        let mut peer = peer.connect(address).await.expect("it listens");
        let (stream, _) = listener.accept().await.expect("it has connected");
        let activity = Arc::new(ConnectionActivity::begin(&Drain::default()));
        let mut socket = Socket::new(stream, activity, &ServerLimits::default());
        // The peer always reads, but never at the lowest rate.
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

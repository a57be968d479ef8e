//! Writes messages as lines, and counts the bytes that the client has not read.

use std::future::Future;
use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

/// The bytes of the lines that wait for the client, above which no further request is read.
const MAX_QUEUED_BYTES: usize = 1024 * 1024;

/// The lines that the writer's channel holds; the others wait with their senders, and count too.
const CHANNEL_LINES: usize = 1;

/// The bytes of the lines that are not written yet.
#[derive(Debug, Clone)]
pub(in crate::mcp) struct QueuedBytes(watch::Sender<usize>);

/// A line that counts until it is written.
struct QueuedLine {
    line: Vec<u8>,
    queued: QueuedBytes,
}

/// Writes lines in their order.
pub(super) struct LineWriter {
    lines: Option<mpsc::Sender<(QueuedLine, oneshot::Sender<io::Result<()>>)>>,
    task: JoinHandle<io::Result<()>>,
    queued: QueuedBytes,
}

impl QueuedBytes {
    pub(in crate::mcp) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Waits until the client has read most of what was written to it.
    pub(in crate::mcp) async fn have_space(&self) {
        // The sender is held here.
        let _ = self.0.subscribe().wait_for(|bytes| *bytes <= MAX_QUEUED_BYTES).await;
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        *self.0.borrow()
    }
}

impl QueuedLine {
    fn new(line: Vec<u8>, queued: QueuedBytes) -> Self {
        queued.0.send_modify(|bytes| *bytes += line.len());
        Self { line, queued }
    }
}

impl Drop for QueuedLine {
    fn drop(&mut self) {
        self.queued.0.send_modify(|bytes| *bytes -= self.line.len());
    }
}

impl LineWriter {
    pub(super) fn new<W>(output: W, queued: QueuedBytes) -> Self
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (lines, queue) = mpsc::channel(CHANNEL_LINES);
        Self { lines: Some(lines), task: tokio::spawn(write_all(output, queue)), queued }
    }

    /// Queues a line, which counts from now on; the future ends when it is written.
    pub(super) fn send(
        &self,
        mut line: Vec<u8>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        line.push(b'\n');
        let line = QueuedLine::new(line, self.queued.clone());
        let lines = self.lines.clone();
        async move {
            let (done, written) = oneshot::channel();
            let lines = lines.ok_or_else(ended)?;
            lines.send((line, done)).await.map_err(|_| ended())?;
            written.await.map_err(|_| ended())?
        }
    }

    /// Waits until the client has read most of what was written to it.
    pub(super) async fn has_space(&self) {
        self.queued.have_space().await;
    }

    /// Waits until the lines that were accepted are written, and closes the output.
    pub(super) async fn close(&mut self) -> io::Result<()> {
        if self.lines.take().is_none() {
            return Ok(());
        }
        (&mut self.task).await.map_err(io::Error::other)?
    }
}

async fn write_all(
    mut output: impl AsyncWrite + Unpin,
    mut queue: mpsc::Receiver<(QueuedLine, oneshot::Sender<io::Result<()>>)>,
) -> io::Result<()> {
    while let Some((line, done)) = queue.recv().await {
        let written = match output.write_all(&line.line).await {
            Ok(()) => output.flush().await,
            Err(error) => Err(error),
        };
        let is_broken = written.is_err();
        drop(line);
        let _ = done.send(written);
        if is_broken {
            return Ok(());
        }
    }
    output.shutdown().await
}

fn ended() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the output has ended")
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tokio::io::AsyncReadExt;

    use super::{LineWriter, MAX_QUEUED_BYTES, QueuedBytes};

    #[tokio::test]
    async fn lines_count_until_the_client_has_read_them() {
        let (output, mut client) = tokio::io::duplex(16);
        let queued = QueuedBytes::new();
        let mut lines = LineWriter::new(output, queued.clone());
        let first = tokio::spawn(lines.send(vec![b'a'; MAX_QUEUED_BYTES - 1]));
        assert_eq!(queued.bytes(), MAX_QUEUED_BYTES);
        assert!(queued.have_space().now_or_never().is_some());
        let second = tokio::spawn(lines.send(b"b".to_vec()));
        assert!(queued.have_space().now_or_never().is_none());
        let mut read = vec![0; MAX_QUEUED_BYTES];
        client.read_exact(&mut read).await.expect("it is written");
        first.await.expect("it ends").expect("it is written");
        queued.have_space().await;
        let mut read = [0; 2];
        client.read_exact(&mut read).await.expect("it is written");
        second.await.expect("it ends").expect("it is written");
        assert_eq!((&read, queued.bytes()), (b"b\n", 0));
        lines.close().await.expect("it is closed");
        assert_eq!(client.read(&mut read).await.expect("it ends"), 0);
    }
}

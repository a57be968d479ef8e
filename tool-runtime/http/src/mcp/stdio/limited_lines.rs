//! Bounds the length of a line, since a client that never ends one would fill the memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// A stream of lines that fails at a line over the bound.
pub(super) struct LimitedLines<R> {
    inner: R,
    limit: usize,
    /// The bytes of the line that has not ended.
    length: usize,
}

impl<R> LimitedLines<R> {
    pub(super) fn new(inner: R, limit: usize) -> Self {
        Self { inner, limit, length: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LimitedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        let mut length = self.length;
        let mut longest = length;
        for (index, part) in read.split(|byte| *byte == b'\n').enumerate() {
            length = if index == 0 { length + part.len() } else { part.len() };
            longest = longest.max(length);
        }
        self.length = length;
        if longest > self.limit {
            buffer.set_filled(before);
            let words = format!("a message is longer than {} bytes", self.limit);
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, words)));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::LimitedLines;

    async fn read(text: &str) -> std::io::Result<String> {
        let mut read = String::new();
        LimitedLines::new(text.as_bytes(), 4).read_to_string(&mut read).await?;
        Ok(read)
    }

    #[tokio::test]
    async fn a_line_over_the_bound_ends_the_stream_with_an_error() {
        for fitting in ["abcd\nabcd\n", "abcd", "\n\n\n\n\n\n", ""] {
            assert_eq!(read(fitting).await.expect("it fits"), fitting);
        }
        for long in ["abcde", "abcde\n", "abcd\nabcde", "abcde\nabcd", "a\nabcde\na"] {
            let error = read(long).await.expect_err("it is too long");
            assert!(error.to_string().contains("longer than 4 bytes"), "{error}");
        }
    }
}

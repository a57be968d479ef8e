//! The end of a program's standard error, for the log.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The bytes that are kept.
const KEPT_BYTES: usize = 16 << 10;

/// The wait for the last bytes of a program that has ended. A child that outlives it holds the pipe.
const PATIENCE: Duration = Duration::from_millis(200);

/// The end of what a program wrote to standard error. `Debug` shows its length only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Stderr(String);

impl Stderr {
    /// Returns the text, for the log only: it may quote requests.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Shows the length only.
impl fmt::Debug for Stderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// Reads standard error, so that the program never waits for it, and keeps the end.
#[derive(Debug)]
pub(crate) struct StderrReader {
    kept: Arc<Mutex<VecDeque<u8>>>,
    task: JoinHandle<()>,
}

impl StderrReader {
    pub(crate) fn new(pipe: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let kept = Arc::default();
        let task = tokio::spawn(read(pipe, Arc::clone(&kept)));
        Self { kept, task }
    }

    /// Returns the end of what a program wrote that has ended.
    pub(crate) async fn finish(&mut self) -> Stderr {
        drop(timeout(PATIENCE, &mut self.task).await);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        Stderr(String::from_utf8_lossy(kept.make_contiguous()).into_owned())
    }
}

impl Drop for StderrReader {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read(mut pipe: impl AsyncRead + Unpin, kept: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = vec![0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&buffer[..count]);
        let surplus = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_is_kept_and_no_debug_output_shows_it() {
        let written = [vec![b'a'; 20_000], b"the end".to_vec()].concat();
        let mut reader = StderrReader::new(std::io::Cursor::new(written));
        let stderr = reader.finish().await;
        assert_eq!(stderr.text().len(), KEPT_BYTES);
        assert!(stderr.text().ends_with("athe end"));
        assert_eq!(format!("{stderr:?}"), "16384 bytes");
    }
}

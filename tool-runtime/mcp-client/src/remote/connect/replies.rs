//! Sends the answers to a server's requests that cannot be read while its messages are read on: a server
//! that waits for such an answer would not answer the call that it belongs to.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::Semaphore;

/// The most answers that are being sent. A server that takes none of them waits for none.
const MAX_REPLIES: usize = 16;

/// The tasks that send answers, of a bounded number.
#[derive(Debug, Clone)]
pub(super) struct ReplyTasks(Arc<Semaphore>);

impl Default for ReplyTasks {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_REPLIES)))
    }
}

impl ReplyTasks {
    /// Sends an answer in a task, unless too many others are being sent.
    pub(super) fn spawn(&self, reply: impl Future<Output = ()> + Send + 'static) {
        let Ok(permit) = Arc::clone(&self.0).try_acquire_owned() else { return };
        tokio::spawn(async move {
            reply.await;
            drop(permit);
        });
    }
}

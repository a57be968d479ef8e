//! The two servers that the demonstration needs, on the loopback interface of this machine.

mod model;
mod rates;

pub use self::model::{Asked, ModelReply, ModelServer, ResponseStatus};
pub use self::rates::RatesServer;

use std::io;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server on a free port; it ends when it is dropped.
#[derive(Debug)]
struct LoopbackServer {
    /// Its address, such as `http://127.0.0.1:40123`.
    url: String,
    task: JoinHandle<()>,
}

impl LoopbackServer {
    async fn start(router: Router) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let task = tokio::spawn(async move {
            // It accepts connections until the task is aborted.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, task })
    }
}

impl Drop for LoopbackServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

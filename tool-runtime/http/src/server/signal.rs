//! The signals by which the operating system asks the process to shut down.

use std::future;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// True once this process handles the signals, which then no longer terminate it by themselves.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// Completes on SIGINT or SIGTERM; on Windows, on Ctrl-C.
///
/// From its first poll, these signals no longer terminate the process by themselves.
/// [`BoundServer::run`](super::BoundServer::run) keeps listening after the first one and shuts down
/// at once on the second. If the handlers cannot be installed, the future never completes, and the
/// signals terminate the process as usual.
///
/// ```no_run
/// # async fn serve(server: tool_runtime::http::Server) -> Result<(), Box<dyn std::error::Error>> {
/// use tool_runtime::http;
///
/// let report = server.bind("127.0.0.1:8000").await?.run(http::shutdown_signal()).await?;
/// println!("ended after {} connections", report.connections);
/// # Ok(())
/// # }
/// ```
pub async fn shutdown_signal() {
    if next_signal().await.is_err() {
        future::pending::<()>().await;
    }
}

/// Completes at the next signal, if this process handles them; otherwise never.
pub(super) async fn second_signal() {
    if HANDLED.load(Ordering::Relaxed) {
        shutdown_signal().await;
    } else {
        future::pending::<()>().await;
    }
}

#[cfg(unix)]
async fn next_signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    HANDLED.store(true, Ordering::Relaxed);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn next_signal() -> io::Result<()> {
    HANDLED.store(true, Ordering::Relaxed);
    tokio::signal::ctrl_c().await
}

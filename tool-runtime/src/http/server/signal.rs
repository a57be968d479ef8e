//! The operating system's word that the process is to end.

use std::future;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether signals are taken by this process: once they are, they end nothing by themselves.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Ends when the process is asked to end: SIGINT or SIGTERM, Ctrl-C on Windows.
///
/// From its first poll on these signals end nothing by themselves. [`Bound::run`](super::Bound::run)
/// listens on after the first one, and ends at once on the second. Where the signals cannot be
/// listened to, it never ends, and they end the process as ever.
///
/// ```no_run
/// # async fn serve(server: tool_runtime::http::Server) -> Result<(), Box<dyn std::error::Error>> {
/// use tool_runtime::http;
///
/// let ended = server.bind("127.0.0.1:8000").await?.run(http::signalled()).await?;
/// println!("ended after {} connections", ended.connections);
/// # Ok(())
/// # }
/// ```
pub async fn signalled() {
    if one().await.is_err() {
        future::pending::<()>().await;
    }
}

/// Ends at the next signal, if they are taken.
pub(super) async fn again() {
    if TAKEN.load(Ordering::Relaxed) {
        signalled().await;
    } else {
        future::pending::<()>().await;
    }
}

#[cfg(unix)]
async fn one() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    TAKEN.store(true, Ordering::Relaxed);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn one() -> io::Result<()> {
    TAKEN.store(true, Ordering::Relaxed);
    tokio::signal::ctrl_c().await
}

//! Takes the standard streams for the protocol, so that what the program prints goes elsewhere.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Returns standard input, and the stream that standard output was.
///
/// From then on standard output is standard error, for this process and those that it starts.
#[cfg(unix)]
pub(super) fn taken()
-> io::Result<(impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static)> {
    use std::io::Write as _;

    // The program's earlier output stands before the first message.
    io::stdout().flush()?;
    let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((tokio::io::stdin(), tokio::fs::File::from_std(output.into())))
}

/// Returns the standard streams.
#[cfg(not(unix))]
pub(super) fn taken()
-> io::Result<(impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static)> {
    Ok((tokio::io::stdin(), tokio::io::stdout()))
}

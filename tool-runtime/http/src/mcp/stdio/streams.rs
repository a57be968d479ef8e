//! Takes the standard streams for the protocol, so that what the program prints goes elsewhere.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Duplicates stdin and stdout for the protocol, then redirects them.
///
/// Afterwards standard input is empty and standard output is standard error, for this process and
/// those that it starts.
#[cfg(unix)]
pub(super) fn take_standard_streams()
-> io::Result<(impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static)> {
    use std::fs::File;
    use std::io::Write as _;

    // The program's earlier output stands before the first message.
    io::stdout().flush()?;
    let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    let input = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    let stream = |of: std::os::fd::OwnedFd| tokio::fs::File::from_std(of.into());
    Ok((stream(input), stream(output)))
}

/// Returns the standard streams.
#[cfg(not(unix))]
pub(super) fn take_standard_streams()
-> io::Result<(impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static)> {
    Ok((tokio::io::stdin(), tokio::io::stdout()))
}

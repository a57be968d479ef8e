//! A connection that can misbehave.

use std::io::{self, ErrorKind};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A connection, and the bytes that were read after the last answer.
#[derive(Debug)]
pub(super) struct Wire(BufReader<TcpStream>);

/// A whole answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    /// True if the connection may be used again.
    pub(super) stays_open: bool,
}

/// The head of an answer.
#[derive(Debug, Default)]
struct Head {
    status: u16,
    length: Option<usize>,
    is_chunked: bool,
    closes: bool,
}

impl Wire {
    pub(super) async fn connect(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    pub(super) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.get_mut().write_all(bytes).await
    }

    /// Reads a whole answer. It is an error if none arrives in time, or the connection ends in it.
    pub(super) async fn answer(&mut self) -> io::Result<Answer> {
        let answer = async {
            let head = self.head().await?;
            let body = self.body(&head).await?;
            Ok(Answer { status: head.status, body, stays_open: !head.closes })
        };
        timeout(PATIENCE, answer).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
    }

    /// Reads an answer's head and the first line of its body.
    pub(super) async fn beginning(&mut self) -> io::Result<()> {
        let beginning = async {
            self.head().await?;
            self.line().await.map(drop)
        };
        timeout(PATIENCE, beginning).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
    }

    /// Waits until the server closes the connection, ignoring its data.
    pub(super) async fn ends(&mut self) -> io::Result<()> {
        let mut heard = Vec::new();
        let end = self.0.read_to_end(&mut heard);
        match timeout(PATIENCE, end).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.kind() == ErrorKind::ConnectionReset => Ok(()),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ErrorKind::TimedOut.into()),
        }
    }

    /// Closes the connection as the system does for a killed process: with a reset.
    pub(super) fn reset(self) {
        // Without it the connection is closed gracefully, which is a fault too.
        let _ = self.0.get_ref().set_zero_linger();
    }

    async fn head(&mut self) -> io::Result<Head> {
        let status = self.line().await?;
        let status = status.split(' ').nth(1).and_then(|it| it.parse().ok()).ok_or_else(broken)?;
        let mut head = Head { status, ..Head::default() };
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            match line.split_once(": ") {
                None => return Ok(head),
                Some(("content-length", value)) => head.length = value.parse().ok(),
                Some(("transfer-encoding", value)) => head.is_chunked = value == "chunked",
                Some(("connection", value)) => head.closes = value == "close",
                Some(_) => {}
            }
        }
    }

    async fn body(&mut self, head: &Head) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        match head.length {
            _ if head.is_chunked => self.chunks(&mut body).await?,
            Some(length) => {
                body.resize(length, 0);
                self.0.read_exact(&mut body).await?;
            }
            None if head.status == 204 => {}
            None => drop(self.0.read_to_end(&mut body).await?),
        }
        Ok(body)
    }

    async fn chunks(&mut self, body: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let size = usize::from_str_radix(&self.line().await?, 16).map_err(|_| broken())?;
            let from = body.len();
            body.resize(from + size, 0);
            self.0.read_exact(&mut body[from..]).await?;
            self.line().await?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.0.read_line(&mut line).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

fn broken() -> io::Error {
    ErrorKind::InvalidData.into()
}

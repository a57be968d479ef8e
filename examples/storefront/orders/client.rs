//! The client: what is known after a failure is in the error.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tool_runtime::prelude::*;
use tool_runtime::serde_json;

use super::{Claim, LONGEST_LINE, Order, Receipt, Refused, Reply, Request};

/// Places orders.
#[derive(Debug)]
pub(crate) struct OrderClient {
    service: SocketAddr,
}

/// Why there is no receipt.
#[derive(Debug, ToolFailure)]
pub(crate) enum OrderError {
    /// Nothing was sent.
    #[failure(
        UNAVAILABLE,
        message = "the order service cannot be reached",
        retry_after = "2s",
        endpoint = "orders"
    )]
    Unreachable(io::Error),
    /// The order was sent, and what became of it is not known.
    #[failure(
        UPSTREAM_ERROR,
        message = "the order service took the request and did not answer; the order may stand",
        endpoint = "orders"
    )]
    Unanswered(io::Error),
    /// The service could not read the order.
    #[failure(UPSTREAM_ERROR, hide, endpoint = "orders")]
    Unreadable,
    /// The key stands for another order.
    #[failure(INVALID_ARGUMENT, message = "another order was placed for the same request")]
    KeyReused,
    /// Somebody else has taken the call over since.
    #[failure(CONFLICT, message = "this order is being placed elsewhere")]
    Overtaken,
}

impl From<Refused> for OrderError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unreadable => Self::Unreadable,
            Refused::KeyReused => Self::KeyReused,
            Refused::Overtaken => Self::Overtaken,
        }
    }
}

impl OrderClient {
    pub(crate) fn new(service: SocketAddr) -> Self {
        Self { service }
    }

    /// Places an order, once. Whether a repeat is safe is the claim's matter.
    pub(crate) async fn place(&self, order: Order, claim: Claim) -> Result<Receipt, OrderError> {
        self.ask(&Request::Place { order, claim }).await?.ok_or(OrderError::Unreadable)
    }

    /// Finds the order that was taken under a key.
    pub(crate) async fn find(&self, key: &str) -> Result<Option<Receipt>, OrderError> {
        self.ask(&Request::Find { key: key.to_owned() }).await
    }

    async fn ask(&self, request: &Request) -> Result<Option<Receipt>, OrderError> {
        let stream = TcpStream::connect(self.service).await.map_err(OrderError::Unreachable)?;
        match exchange(stream, request).await.map_err(OrderError::Unanswered)? {
            Reply::Taken(receipt) => Ok(Some(receipt)),
            Reply::NotTaken => Ok(None),
            Reply::Refused(why) => Err(why.into()),
        }
    }
}

async fn exchange(mut stream: TcpStream, request: &Request) -> io::Result<Reply> {
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    stream.write_all(&line).await?;
    let mut answer = String::new();
    BufReader::new(stream.take(LONGEST_LINE)).read_line(&mut answer).await?;
    Ok(serde_json::from_str(&answer)?)
}
